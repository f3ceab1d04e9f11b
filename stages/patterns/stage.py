"""The pattern of every recorded attention map, and how frequent each is (Kovaleva et al. 2019).

Under both rules for Vertical: `any`, a stripe on whatever token, as the classifier sees it; and
`special`, the source's, a stripe on [CLS] or [SEP] (`stages.patterns.special`). Beside them stands
a figure that needs no labels: the share of attention beyond [CLS], [SEP] and the neighbours.
"""

from contextlib import closing

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import PositiveInt
from tqdm import tqdm

from stages.core.fan_out import in_order
from stages.core.intervals.groups import group_means, resampled_means
from stages.core.recordings.store import MapStore
from stages.core.runtime.runtime import Runtime, read_runtime, start
from stages.core.stage.arms import TASK_ARMS
from stages.core.stage.files import atomic
from stages.core.stage.places import CLASSIFIER, WORK, maps_folder
from stages.core.stage.settings import Resampled, section
from stages.core.stage.tables import interval_columns
from stages.core.tasks.examples import drawn_rows
from stages.patterns.corrected import corrected_table
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.network import PatternClassifier
from stages.patterns.readings import Reader, Readings, stacked
from stages.patterns.scores import confusions
from stages.patterns.special import SpecialRule, special_tokens
from stages.patterns.tables import ANY, BEYOND, CHANCE, CORRECTED, FOLDS, HEADS, SHARES, SPECIAL


class Patterns(Resampled, section="patterns"):
    """The section `patterns` of `params.yaml`."""

    examples: PositiveInt | None
    batch: PositiveInt
    special: SpecialRule


def classify(
    store: MapStore, reader: Reader, ids: set[str], runtime: Runtime
) -> tuple[list[str], Readings]:
    """Readings of every head's map of the examples `ids`, with an axis of examples before."""
    tokens = store.tokens.set_index("id")["tokens"]
    drawn = [
        (name, (example, special_tokens(list(tokens[name]), reader.rule.punctuation)))
        for names, maps in store.groups()
        for name, example in zip(names, maps, strict=True)
        if name in ids
    ]
    read = in_order(Reader.read, reader, (example for _, example in drawn), runtime)
    with closing(read):
        found = list(tqdm(read, "patterns", len(drawn), unit="example"))
    return [name for name, _ in drawn], stacked(found)


def map_table(ids: list[str], readings: Readings, layers: int, rule: SpecialRule) -> pd.DataFrame:
    """One row a map: id, layer, head, its pattern under both rules, probabilities and shares."""
    examples, maps, _ = readings.probabilities.shape
    example, place = (k.ravel() for k in np.indices((examples, maps)))
    flat = readings.probabilities.reshape(-1, len(CLASSES))
    classes = {
        name: pd.Categorical.from_codes(codes.ravel(), CLASSES)
        for name, codes in readings.patterns(rule).items()
    }
    return pd.DataFrame(
        {
            "id": np.array(ids)[example],
            "layer": (place // (maps // layers)).astype(np.int16),
            "head": (place % (maps // layers)).astype(np.int16),
            "pattern": classes[ANY],
            "pattern_special": classes[SPECIAL],
            **{name: flat[:, k].round(4) for k, name in enumerate(CLASSES)},
            "to_special": readings.to_special.ravel().round(4),
            "beyond": readings.beyond.ravel().round(4),
        }
    )


def head_counts(patterns: Int[np.ndarray, "example map"], layers: int) -> pd.DataFrame:
    """One row a layer, head and pattern: on how many examples the head has the pattern."""
    counts = (patterns[..., None] == np.arange(len(CLASSES))).sum(0)
    place, pattern = (k.ravel() for k in np.indices(counts.shape))
    heads = len(counts) // layers
    return pd.DataFrame(
        {
            "layer": place // heads,
            "head": place % heads,
            "pattern": np.array(CLASSES)[pattern],
            "maps": counts.ravel(),
        }
    )


def task_shares(
    patterns: Int[np.ndarray, "example map"], resamples: int, seed: int
) -> tuple[pd.DataFrame, Float[np.ndarray, "1 pattern resample"]]:
    """Share of each pattern among all maps, with its bootstrap interval over examples (K3).

    Whole examples are drawn again, as the maps of one example are not independent.

    Returns:
        One row a pattern, and its shares on the resamples.
    """
    shares = (patterns[..., None] == np.arange(len(CLASSES))).mean(1).T
    found = resampled_means(shares, np.arange(shares.shape[1]), resamples, seed)
    table = {
        "pattern": CLASSES,
        **interval_columns("", found.value, found.low, found.high, value="share"),
        "examples": shares.shape[1],
    }
    return pd.DataFrame(table), found.drawn[None]


def beyond_by_head(
    beyond: Float[np.ndarray, "example map"], layers: int, resamples: int, seed: int
) -> pd.DataFrame:
    """One row a head: its share of attention beyond [CLS], [SEP] and neighbours, over examples."""
    means = group_means(beyond.T, np.arange(len(beyond)), resamples, seed)
    place, heads = np.arange(beyond.shape[1]), beyond.shape[1] // layers
    columns = interval_columns("", *means, value="beyond")
    return pd.DataFrame(
        {"layer": place // heads, "head": place % heads, **columns, "examples": len(beyond)}
    )


def run_stage(task: str, arms: list[str] | None = None) -> None:
    """Classify the attention maps that `attend` recorded of the models of TASK."""
    parameters = section(Patterns, "patterns")
    runtime = read_runtime()
    device = start(runtime, parameters.seed)
    classifier = PatternClassifier.load(CLASSIFIER).to(device)
    reader = Reader(classifier, parameters.special, parameters.batch, device)
    settings = (parameters.resamples, parameters.seed)
    folds = pd.read_parquet(FOLDS.path())
    counts = confusions(folds[folds["drawn_by"] == CHANCE], "network")
    for name in arms or TASK_ARMS:
        store = MapStore(maps_folder(task, name))
        drawn = drawn_rows(len(store), parameters.examples, parameters.seed)
        wanted = {store.ids[row] for row in drawn}
        ids, readings = classify(store, reader, wanted, runtime)
        with atomic(WORK / "patterns" / f"{task}-{name}.parquet") as partial:
            table = map_table(ids, readings, store.layers, parameters.special)
            table.to_parquet(partial, index=False)
        heads, shares, resampled = [], [], []
        for rule, patterns in readings.patterns(parameters.special).items():
            heads.append(head_counts(patterns, store.layers).assign(rule=rule))
            of_rule, of_resamples = task_shares(patterns, *settings)
            shares.append(of_rule.assign(rule=rule))
            resampled.append(of_resamples)
        # No map of these encoders is labelled under the rule special.
        of_any = shares[0]["share"].to_numpy(), resampled[0][0]
        corrected = corrected_table(*of_any, counts, parameters.seed).assign(rule=ANY)
        CORRECTED.write(corrected, task=task, arm=name)
        HEADS.write(heads, task=task, arm=name)
        SHARES.write(shares, resampled, task=task, arm=name)
        beyond = beyond_by_head(readings.beyond, store.layers, *settings)
        BEYOND.write(beyond, task=task, arm=name)
