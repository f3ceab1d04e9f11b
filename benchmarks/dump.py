"""Recording attention: statistics without maps, and maps on disk."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from transformers import PreTrainedModel

from benchmarks.alternatives import in_data_order, usual_loop
from benchmarks.encoders import CLS, SEP, classifier, mrpc_lengths, texts
from benchmarks.pairs import ratios, take_turns
from stages.attend.stage import recorded_statistics
from stages.core.encoder.batches import Encoded
from stages.core.heads.seam import Gated
from stages.core.maps.statistics import KindIds, Moments
from stages.core.recording_writer import MapWriter, write_maps
from stages.core.recordings.store import MapStore
from stages.core.runtime.runtime import read_runtime

OURS, USUAL = "this dump", "output_attentions"
FORWARD = "one forward pass"  # it keeps no map
PERIOD = 1012  # of BERT's vocabulary
BATCH, SHARD_MEGABYTES = 16, 250
NO_ROWS = np.array([], dtype=int)
TOLERANCE = {"statistics": 1e-4, "maps": 6e-4}  # maps are kept in float16


def sides(encoder: str, examples: int | None) -> tuple[Gated, PreTrainedModel, Encoded]:
    """The same encoder for this dump and for `output_attentions`, and what goes through both."""
    gated, model = Gated(classifier(encoder)), classifier(encoder)
    model.set_attn_implementation("eager")
    return gated, model, texts(mrpc_lengths(examples), model.config.vocab_size)


def attentions(
    model: PreTrainedModel, encoded: Encoded
) -> Iterator[tuple[Float[np.ndarray, "layer head query key"], list[int]]]:
    """Every example's maps as `output_attentions=True` gives them, padding cut, with its ids."""
    every_ids = iter(encoded.inputs["input_ids"])
    with torch.inference_mode():
        for batch in in_data_order(encoded, model.device):
            found = model(**batch, output_attentions=True).attentions
            for maps in torch.stack(found, dim=1).cpu().numpy():
                ids = next(every_ids)
                yield maps[:, :, : len(ids), : len(ids)], ids


def numpy_statistics(
    maps: Float[np.ndarray, "layer head query key"], ids: list[int]
) -> dict[str, Float[np.ndarray, "layer head"]]:
    """The statistics of `surface_statistics` for one example, written down plainly."""
    ids = np.array(ids)
    length = len(ids)
    place = np.arange(length)
    sep = ids == SEP
    entropy = -(maps * np.log(np.maximum(maps, np.finfo(np.float32).tiny))).sum(-1)
    distance = np.abs(place[:, None] - place)
    absent = np.full(maps.shape[:2], np.nan)
    return {
        "cls": maps[..., ids == CLS].sum(-1).mean(-1),
        "sep": maps[..., sep].sum(-1).mean(-1),
        "punctuation": maps[..., ids == PERIOD].sum(-1).mean(-1)
        if (ids == PERIOD).any()
        else absent,
        "sep_to_sep": maps[:, :, sep][..., sep].sum(-1).mean(-1),
        "previous": maps[..., place[1:], place[:-1]].mean(-1),
        "next": maps[..., place[:-1], place[1:]].mean(-1),
        "current": maps[..., place, place].mean(-1),
        "distance": (maps * distance).sum((-2, -1)) / length,
        "entropy": entropy.mean(-1),
        "cls_entropy": entropy[..., ids == CLS].mean(-1),
    }


def measured(
    gated: Gated,
    encoded: Encoded,
    rows: Int[np.ndarray, " drawn"] = NO_ROWS,
    writer: MapWriter | None = None,
) -> Moments:
    """What the stage `attend` does: statistics of all examples, and the maps of `rows`."""
    kinds = KindIds(CLS, SEP, torch.tensor([PERIOD]))
    return recorded_statistics(gated, encoded, kinds, BATCH, read_runtime(), rows, writer)


def statistics(encoder: str, examples: int | None, rounds: int) -> pd.DataFrame:
    """Statistics of every head against `output_attentions=True` and numpy, batch by batch."""
    gated, model, encoded = sides(encoder, examples)
    plain = classifier(encoder)
    found: dict[str, np.ndarray] = {}

    def ours() -> None:
        found[OURS] = measured(gated, encoded).frame()["mean"].to_numpy()

    def usual() -> None:
        rows = [
            np.stack(list(numpy_statistics(maps, ids).values()), -1)
            for maps, ids in attentions(model, encoded)
        ]
        found[USUAL] = np.nanmean(rows, axis=0).ravel()

    sides_in_turn = {OURS: ours, USUAL: usual, FORWARD: lambda: usual_loop(plain, encoded, [None])}
    times = take_turns(sides_in_turn, rounds)
    # What no example has is NaN on both sides.
    difference = float(np.abs(found[OURS] - found[USUAL])[~np.isnan(found[USUAL])].max())
    return agreeing(ratios(times, to=OURS), difference, "statistics").assign(encoder=encoder)


def maps_on_disk(encoder: str, examples: int | None, rounds: int) -> pd.DataFrame:
    """Maps of every example on disk, against `output_attentions=True` and savez_compressed."""
    gated, model, encoded = sides(encoder, examples)
    rows = np.arange(len(encoded.segments))
    tokens = pd.DataFrame(
        {
            "id": [str(row) for row in rows],
            "tokens": [list(map(str, ids)) for ids in encoded.inputs["input_ids"]],
            "segments": encoded.segments,
        }
    )

    def ours(folder: Path) -> None:
        shutil.rmtree(folder / OURS, ignore_errors=True)
        with write_maps(
            folder / OURS, tokens, gated.layers, gated.heads, SHARD_MEGABYTES
        ) as writer:
            measured(gated, encoded, rows, writer)

    def usual(folder: Path) -> None:
        maps = {str(row): maps for row, (maps, _) in enumerate(attentions(model, encoded))}
        np.savez_compressed(folder / USUAL, **maps)

    with tempfile.TemporaryDirectory(prefix="maps-") as name:
        folder = Path(name)
        times = take_turns({OURS: lambda: ours(folder), USUAL: lambda: usual(folder)}, rounds)
        store = MapStore(folder / OURS)
        with np.load(folder / f"{USUAL}.npz") as kept:
            difference = max(np.abs(store[name].astype(float) - kept[name]).max() for name in kept)
        megabytes = {
            OURS: sum(file.stat().st_size for file in (folder / OURS).iterdir()) / 1e6,
            USUAL: (folder / f"{USUAL}.npz").stat().st_size / 1e6,
        }
        table = ratios(times, to=OURS)
        table["megabytes"] = table["side"].map(megabytes)
        return agreeing(table, difference, "maps")


def agreeing(table: pd.DataFrame, difference: float, what: str) -> pd.DataFrame:
    """The table with the largest difference of any value; ends the run where it is too large."""
    if not difference <= TOLERANCE[what]:
        raise SystemExit(f"{what}: the sides differ by {difference}")
    return table.assign(difference=difference)
