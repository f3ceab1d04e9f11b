"""The pattern of every recorded attention map, and how frequent each is (Kovaleva et al. 2019)."""

from contextlib import closing
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Float16, Int
from pydantic import PositiveInt
from tqdm import tqdm

from stages.core.fan_out import in_order
from stages.core.intervals.intervals import bootstrap
from stages.core.recordings.store import MapStore
from stages.core.runtime.runtime import Runtime, read_runtime, start
from stages.core.stage.arms import TASK_ARMS
from stages.core.stage.command import TaskArmsOption, TaskOption, stage_command
from stages.core.stage.files import atomic
from stages.core.stage.places import CLASSIFIER, WORK, maps_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.examples import drawn_rows
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.network import PatternClassifier
from stages.patterns.tables import HEADS, SHARES


class Patterns(Resampled):
    """The section `patterns` of `params.yaml`."""

    examples: PositiveInt | None
    batch: PositiveInt


@dataclass(frozen=True)
class Reader:
    """Takes the maps of one example at a time, `batch` of them together, through a classifier."""

    classifier: PatternClassifier
    batch: int
    device: torch.device

    def twin(self) -> "Reader":
        """The same: the classifier is only read."""
        return self

    def read(
        self, example: Float16[np.ndarray, "layer head query key"]
    ) -> Float[np.ndarray, "map pattern"]:
        """Probabilities of the five classes for every head's map."""
        maps = torch.from_numpy(example.astype(np.float32)).flatten(0, 1).to(self.device)
        parts = [self.classifier.probabilities(some) for some in maps.split(self.batch)]
        return torch.cat(parts).cpu().numpy()


def classify(
    store: MapStore, reader: Reader, ids: set[str], runtime: Runtime
) -> tuple[list[str], Float[np.ndarray, "example layer head pattern"]]:
    """Probabilities of the five classes for every head's map of the examples `ids`."""
    drawn = [
        (name, example)
        for names, maps in store.groups()
        for name, example in zip(names, maps, strict=True)
        if name in ids
    ]
    read = in_order(Reader.read, reader, (example for _, example in drawn), runtime)
    with closing(read):
        found = list(tqdm(read, "patterns", len(drawn), unit="example"))
    shape = (len(drawn), store.layers, store.heads, len(CLASSES))
    return [name for name, _ in drawn], np.stack(found).reshape(shape)


def map_table(
    ids: list[str], probabilities: Float[np.ndarray, "example layer head pattern"]
) -> pd.DataFrame:
    """One row a map: id, layer, head, pattern and the probability of each class."""
    examples, layers, heads, _ = probabilities.shape
    example, layer, head = (k.ravel() for k in np.indices((examples, layers, heads)))
    flat = probabilities.reshape(-1, len(CLASSES))
    return pd.DataFrame(
        {
            "id": np.array(ids)[example],
            "layer": layer.astype(np.int16),
            "head": head.astype(np.int16),
            "pattern": pd.Categorical.from_codes(flat.argmax(1), CLASSES),
            **{name: flat[:, k].round(4) for k, name in enumerate(CLASSES)},
        }
    )


def head_counts(patterns: Int[np.ndarray, "example layer head"]) -> pd.DataFrame:
    """One row a layer, head and pattern: on how many examples the head has the pattern."""
    counts = (patterns[..., None] == np.arange(len(CLASSES))).sum(0)
    layer, head, pattern = (k.ravel() for k in np.indices(counts.shape))
    return pd.DataFrame(
        {
            "layer": layer,
            "head": head,
            "pattern": np.array(CLASSES)[pattern],
            "maps": counts.ravel(),
        }
    )


def task_shares(
    patterns: Int[np.ndarray, "example layer head"], resamples: int, seed: int
) -> pd.DataFrame:
    """Share of each pattern among all maps, with its bootstrap interval over examples (K3).

    Whole examples are drawn again, as the maps of one example are not independent.
    """
    rows = []
    for code, name in enumerate(CLASSES):
        shares = (patterns == code).mean((1, 2))
        interval = bootstrap(lambda values: values.mean(-1), (shares,), resamples, seed)
        rows.append(
            {
                "pattern": name,
                "share": interval.value,
                "low": interval.low,
                "high": interval.high,
                "examples": len(shares),
            }
        )
    return pd.DataFrame(rows)


def main(
    task: TaskOption,
    arm: TaskArmsOption = None,
) -> None:
    """Classify the attention maps that `attend` recorded of the models of TASK."""
    parameters = section(Patterns, "patterns")
    runtime = read_runtime()
    device = start(runtime, parameters.seed)
    classifier = PatternClassifier.load(CLASSIFIER).to(device)
    reader = Reader(classifier, parameters.batch, device)
    for name in arm or TASK_ARMS:
        store = MapStore(maps_folder(task, name))
        drawn = drawn_rows(len(store), parameters.examples, parameters.seed)
        wanted = {store.ids[row] for row in drawn}
        ids, probabilities = classify(store, reader, wanted, runtime)
        patterns = probabilities.argmax(-1)
        with atomic(WORK / "patterns" / f"{task}-{name}.parquet") as partial:
            map_table(ids, probabilities).to_parquet(partial, index=False)
        HEADS.write(head_counts(patterns), task=task, arm=name)
        shares = task_shares(patterns, parameters.resamples, parameters.seed)
        SHARES.write(shares, task=task, arm=name)


if __name__ == "__main__":
    stage_command(main)
