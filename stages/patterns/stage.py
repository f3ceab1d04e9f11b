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
from stages.core.stage.places import CLASSIFIER, maps_folder, patterns_file
from stages.core.stage.settings import Resampled, section
from stages.core.tables import estimate_columns
from stages.core.tasks.examples import drawn_rows
from stages.core.tasks.task import seeds_of
from stages.patterns.corrected import corrected_table
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.network import PatternClassifier
from stages.patterns.readings import Reader, Readings, stacked
from stages.patterns.scores import confusions
from stages.patterns.special import SpecialRule, special_tokens
from stages.patterns.tables import (
    ANY,
    BEYOND,
    CHANCE,
    CORRECTED,
    FOLDS,
    PATTERNS_OF_HEADS,
    SHARES,
    SPECIAL,
)


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


def head_shares(codes: Int[np.ndarray, "text map"], layers: int) -> pd.DataFrame:
    """One row a layer, head and pattern: on how many texts the head has the pattern, and the share.

    Args:
        codes: of each text the pattern of every head's map, as its place in `CLASSES`.
    """
    counts = (codes[..., None] == np.arange(len(CLASSES))).sum(0)
    place, pattern = (k.ravel() for k in np.indices(counts.shape))
    heads = len(counts) // layers
    return pd.DataFrame(
        {
            "layer": place // heads,
            "head": place % heads,
            "pattern": np.array(CLASSES)[pattern],
            "share": counts.ravel() / len(codes),
            "maps": counts.ravel(),
        }
    )


def pattern_shares(
    codes: Int[np.ndarray, "text map"],
    groups: Int[np.ndarray, " text"],
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """One row a pattern: its share of all maps, with its bootstrap interval over texts (K3).

    Whole texts are drawn again, as the maps of one text are not independent.

    Args:
        codes: as of `head_shares`.
        groups: texts of one number stay together.
    """
    shares = np.stack([(codes == code).mean(1) for code in range(len(CLASSES))])
    found = resampled_means(shares, groups, resamples, seed)
    columns = estimate_columns("share", found.value, found.low, found.high, found.drawn)
    return pd.DataFrame({"pattern": CLASSES, **columns, "examples": len(codes)})


def beyond_by_head(
    beyond: Float[np.ndarray, "text map"],
    groups: Int[np.ndarray, " text"],
    layers: int,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """One row a head: its share of attention beyond [CLS], [SEP] and neighbours, over texts."""
    means = group_means(beyond.T, groups, resamples, seed)
    place, heads = np.arange(beyond.shape[1]), beyond.shape[1] // layers
    columns = estimate_columns("beyond", *means)
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
    heads, shares, corrected, beyond = [], [], [], []
    for name in arms or TASK_ARMS:
        store = MapStore(maps_folder(task, name))
        drawn = drawn_rows(len(store), parameters.examples, parameters.seed)
        wanted = {store.ids[row] for row in drawn}
        ids, readings = classify(store, reader, wanted, runtime)
        with atomic(patterns_file(task, name)) as partial:
            table = map_table(ids, readings, store.layers, parameters.special)
            table.to_parquet(partial, index=False)
        groups = np.arange(len(ids))
        for rule, codes in readings.patterns(parameters.special).items():
            heads.append(head_shares(codes, store.layers).assign(rule=rule, arm=name))
            of_rule = pattern_shares(codes, groups, *settings)
            shares.append(of_rule.assign(rule=rule, arm=name))
            if rule == ANY:  # no map of these encoders is labelled under the rule special
                of_labels = corrected_table(of_rule, counts, parameters.seed)
                corrected.append(of_labels.assign(rule=ANY, arm=name))
        of_arm = beyond_by_head(readings.beyond, groups, store.layers, *settings)
        beyond.append(of_arm.assign(arm=name))
    seed = seeds_of(task)[0]
    for declared, tables in (
        (PATTERNS_OF_HEADS, heads),
        (SHARES, shares),
        (CORRECTED, corrected),
        (BEYOND, beyond),
    ):
        declared.write(tables, data=task, seed=seed)
