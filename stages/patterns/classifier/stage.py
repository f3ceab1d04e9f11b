"""Learning to tell the five attention patterns apart (Kovaleva et al. 2019, section 4.1).

Five folds are predicted, none of which shares a head (of one encoder, of whichever task or arm) or
a sentence with another. Beside the network that sorts the maps stand one that sees the map alone,
as the source's did, and a linear classifier on plain features. The settings of the former were
chosen on these folds: the stage `outside_patterns` scores all of them on maps that chose nothing.

What a claim is decided on is trained from several random starts: the network of maps alone on the
folds, the network that sorts the maps on all maps, for those outside.
"""

from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from pydantic import NonNegativeInt, PositiveInt
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from stages.core.runtime.runtime import read_runtime, settle
from stages.core.stage.parent import end_with_parent
from stages.core.stage.places import CLASSIFIER
from stages.core.stage.settings import section
from stages.patterns.features import feature_table
from stages.patterns.labelled_maps import CLASSES, LabelledMaps, read_labelled
from stages.patterns.map_alone import MAP_ALONE
from stages.patterns.map_file import Map
from stages.patterns.network import PatternClassifier, PatternNetwork, save_networks
from stages.patterns.tables import FOLDS, NETWORKS
from stages.patterns.training import Trained, Training, fit_networks

LABELLED = Path("data/patterns")


class Classifier(Training, section="classifier"):
    """The section `classifier` of `params.yaml`."""

    starts: PositiveInt
    seed: NonNegativeInt


def train(data: LabelledMaps, parameters: Classifier, processes: int) -> dict[int | None, Trained]:
    """Train networks without each fold, and on all maps (key None).

    Every network is trained by one thread of one process, whatever the number of processes, so
    that this number does not change the result.
    """
    folds = [None, *np.unique(data.folds).tolist()]
    plain = feature_table(data.maps).to_numpy()
    with ProcessPoolExecutor(processes, get_context("spawn"), end_with_parent) as pool:
        trained = pool.map(_train_without, repeat(data), repeat(plain), repeat(parameters), folds)
        return dict(zip(folds, tqdm(trained, "folds", len(folds)), strict=True))


def _train_without(
    data: LabelledMaps,
    plain: Float[np.ndarray, "map feature"],
    parameters: Classifier,
    fold: int | None,
) -> Trained:
    torch.set_num_threads(1)
    settle()
    rows = np.flatnonzero(data.folds != fold)
    targets = data.targets(parameters.adjudicated, parameters.doubt)
    every = [parameters.seed + start for start in range(parameters.starts)]
    seeds = (every, every[:1]) if fold is None else (every[:1], every)
    with threadpool_limits(1):  # the wide path is fitted by numpy and scipy
        maps = [data.maps[row] for row in rows]
        return fit_networks(maps, targets[rows], plain[rows], parameters, *seeds)


def fit_baseline(table: pd.DataFrame, labels: Int[np.ndarray, " map"]) -> Pipeline:
    """A logistic regression on the plain features of maps."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)).fit(table, labels)


def baseline_predictions(data: LabelledMaps) -> Int[np.ndarray, " map"]:
    """Class of each map by logistic regression on plain features, trained on the other folds."""
    table = feature_table(data.maps)
    predictions = np.full(len(table), -1)
    for fold in np.unique(data.folds):
        inside = data.folds == fold
        model = fit_baseline(table[~inside], data.labels[~inside])
        predictions[inside] = model.predict(table[inside])
    return predictions


def fold_table(data: LabelledMaps, trained: dict[int | None, Trained]) -> pd.DataFrame:
    """One row a random start and map, predicted by models that did not see the map's fold.

    The names of classes stand in label and in network, deep_path (the network without its wide
    path), map_alone and baseline. Of the network there is one start and of the baseline none: what
    they say is the same at each.
    """
    folds = np.unique(data.folds).tolist()
    starts = len(trained[folds[0]].maps_alone)
    names, baseline = np.array(CLASSES), baseline_predictions(data)
    codes = {name: np.empty((starts, len(data.maps)), dtype=int) for name in NETWORKS}
    for fold in folds:
        rows = np.flatnonzero(data.folds == fold)
        maps = [data.maps[row] for row in rows]
        (network,) = trained[fold].networks
        for name, found in network_codes(network, maps).items():
            codes[name][:, rows] = found
        for start, map_alone in enumerate(trained[fold].maps_alone):
            codes["map_alone"][start, rows] = map_alone.predict(maps).argmax(1)
    places = data.table[["map", "encoder", "layer", "head", "drawn_by", "label"]]
    places = places.rename(columns={"encoder": "checkpoint"})
    tables = []
    for start in range(starts):
        models = {name: names[found[start]] for name, found in codes.items()}
        columns = {"start": start, "fold": data.folds, **places, **models}
        tables.append(pd.DataFrame(columns | {"baseline": names[baseline]}))
    return pd.concat(tables, ignore_index=True)


def network_codes(network: PatternNetwork, maps: list[Map]) -> dict[str, Int[np.ndarray, " map"]]:
    """The class of each map by the network, and by it without its wide path."""
    classifier = PatternClassifier(network)
    return {
        "network": classifier.predict(maps).argmax(1),
        "deep_path": classifier.predict(maps, wide=0).argmax(1),
    }


def run_stage() -> None:
    """Cross-validate the pattern classifier on the labelled maps, then train it on all of them."""
    parameters = section(Classifier, "classifier")
    data = read_labelled(LABELLED)
    trained = train(data, parameters, read_runtime().threads)
    table = fold_table(data, trained)
    save_networks(trained[None].networks, CLASSIFIER)
    (map_alone,) = trained[None].maps_alone
    map_alone.save(MAP_ALONE)
    FOLDS.write(table)
