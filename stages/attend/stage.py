"""What a task's models attend to: maps of a sample on disk, statistics of all examples.

One forward pass over the validation examples gives both: Clark et al. 2019 (Sections 3.1 to 3.3)
for the statistics, Kovaleva et al. 2019 (Section 4.1) for the maps, which `patterns` classifies.
"""

from contextlib import closing
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt
from tqdm import tqdm
from transformers import PreTrainedTokenizerBase

from stages.attend.tables import STATISTICS_OF_HEADS
from stages.core.encoder.batches import Batch, Encoded, encode, fitting
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.fan_out import in_order
from stages.core.heads.layer_maps import layer_maps
from stages.core.heads.seam import Gated
from stages.core.maps.statistics import STATISTICS, KindIds, Moments, surface_statistics
from stages.core.recording_writer import MapWriter, write_maps
from stages.core.runtime.runtime import ByDevice, Runtime, read_runtime, start
from stages.core.stage.arms import TASK_ARMS
from stages.core.stage.places import examples_file, maps_folder, model_folder
from stages.core.stage.settings import Parameters, section
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.task import load_task, seeds_of

# Of the maps of one layer of a batch: a CPU's caches hold few; one text may have more.
LAYER_NUMBERS = ByDevice(cpu=4_000_000, others=64_000_000)


class Attend(Parameters, section="attend"):
    """The section `attend` of `params.yaml`."""

    examples: PositiveInt
    seed: NonNegativeInt
    batch: PositiveInt
    shard_megabytes: Annotated[PositiveInt, Field(le=256)]
    punctuation: list[str]


def map_tokens(
    ids: pd.Series,
    encoded: Encoded,
    rows: Int[np.ndarray, " drawn"],
    tokenizer: PreTrainedTokenizerBase,
) -> pd.DataFrame:
    """Id, tokens and segments of the drawn examples, whose maps are kept."""
    input_ids = encoded.inputs["input_ids"]
    return pd.DataFrame(
        {
            "id": ids.to_numpy()[rows],
            "tokens": [tokenizer.convert_ids_to_tokens(input_ids[row]) for row in rows],
            "segments": [encoded.segments[row] for row in rows],
        }
    )


@dataclass(frozen=True)
class Recorder:
    """Records the maps of one batch at a time.

    `places` are where an example's maps stand in the writer's index, -1 for an example without.
    """

    gated: Gated
    kind_ids: KindIds
    places: Int[np.ndarray, " example"]
    writer: MapWriter | None

    def twin(self) -> "Recorder":
        """A recorder for another thread."""
        return replace(self, gated=self.gated.twin())

    def moved(self, device: torch.device) -> "Recorder":
        """A recorder on another device."""
        return replace(self, gated=self.gated.moved(device))

    @torch.inference_mode()
    def record(self, batch: Batch) -> Float[np.ndarray, "batch layer head statistic"]:
        """The statistics of a batch; its drawn maps go to the writer."""
        kinds = self.kind_ids.find(batch.inputs)
        drawn = np.flatnonzero(self.places[batch.rows] >= 0)
        found = []
        for layer, maps in enumerate(layer_maps(self.gated, batch.inputs)):
            found.append(surface_statistics(maps, kinds))
            if len(drawn):
                self.writer.write(layer, self.places[batch.rows[drawn]], maps[drawn])
        return torch.stack(found, dim=1).cpu().numpy()


def recorded_statistics(
    gated: Gated,
    encoded: Encoded,
    kind_ids: KindIds,
    batch: int,
    runtime: Runtime,
    rows: Int[np.ndarray, " drawn"],
    writer: MapWriter | None,
) -> Moments:
    """Statistics of every example; the maps of the examples `rows` go to the writer meanwhile."""
    moments = Moments(STATISTICS)
    places = np.full(len(encoded.lengths), -1)
    places[rows] = np.arange(len(rows))
    recorder = Recorder(gated, kind_ids, places, writer)
    device = gated.model.device
    parts = fitting(
        np.arange(len(places)),
        encoded.lengths,
        lambda length: gated.heads * length**2,
        LAYER_NUMBERS.on(device),
        batch,
    )
    batches = (encoded.batch(part, device) for part in parts)
    # Closed, so that no thread goes on writing when this ends early.
    with (
        closing(in_order(Recorder.record, recorder, batches, runtime)) as found,
        tqdm(total=len(places), desc="maps", unit="example") as progress,
    ):
        for values in found:
            moments.add(values)
            progress.update(len(values))
    return moments


def run_stage(task: str, seed: int | None = None, arms: list[str] | None = None) -> None:
    """Record the attention of the models of TASK on its validation examples.

    By default the models have the task's first seed.
    """
    seed = seeds_of(task, seed)[0]
    parameters = section(Attend, "attend")
    definition = load_task(task)
    runtime = read_runtime()
    device = start(runtime, parameters.seed)
    examples = read_examples(examples_file(task, "validation"))
    rows = draw_examples(examples, parameters.examples, parameters.seed).index.to_numpy()

    arms = arms or list(TASK_ARMS)
    folders = {name: model_folder(task, name, seed) for name in arms}
    # All are of one checkpoint.
    tokenizer = load_tokenizer(folders[arms[0]])
    encoded = encode(tokenizer, examples, definition.max_length)
    tokens = map_tokens(examples["id"], encoded, rows, tokenizer)
    kind_ids = KindIds.of(tokenizer, parameters.punctuation)
    statistics = []
    for name, folder in folders.items():
        gated = Gated(load_tuned(folder).to(device))
        with write_maps(
            maps_folder(task, name),
            tokens,
            gated.layers,
            gated.heads,
            parameters.shard_megabytes,
        ) as writer:
            moments = recorded_statistics(
                gated, encoded, kind_ids, parameters.batch, runtime, rows, writer
            )
        statistics.append(moments.frame().assign(arm=name))
    STATISTICS_OF_HEADS.write(statistics, data=task, seed=seed)
