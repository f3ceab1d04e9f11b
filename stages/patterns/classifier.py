"""Learning to tell the five attention patterns apart (Kovaleva et al. 2019, section 4.1).

The score is honest: five folds, none of which shares a head (of one encoder, of whichever task or
arm) or a sentence with another. Beside the network stands a linear classifier on plain features.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Int
from pydantic import NonNegativeInt, PositiveInt
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from stages.core.runtime.runtime import read_runtime, settle
from stages.core.stage.command import stage_command
from stages.core.stage.places import CLASSIFIER
from stages.core.stage.settings import section
from stages.patterns.features import feature_table
from stages.patterns.labelled_maps import CLASSES, LabelledMaps, read_labelled
from stages.patterns.network import PatternClassifier, PatternNetwork
from stages.patterns.tables import FOLDS
from stages.patterns.training import Training, fit_network

LABELLED = Path("data/patterns")


class Classifier(Training):
    """The section `classifier` of `params.yaml`."""

    networks: PositiveInt
    seed: NonNegativeInt


def train(
    data: LabelledMaps, parameters: Classifier, processes: int
) -> dict[int | None, PatternClassifier]:
    """Train a classifier without each fold, and one (key None) on all maps.

    Every network is trained by one thread of one process, whatever the number of processes, so
    that this number does not change the result.
    """
    folds = [*np.unique(data.folds).tolist(), None]
    jobs = [(fold, start) for fold in folds for start in range(parameters.networks)]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        trained = pool.map(
            _train_one,
            *zip(
                *((data, parameters, fold, parameters.seed + start) for fold, start in jobs),
                strict=True,
            ),
        )
        networks = list(tqdm(trained, "networks", len(jobs)))
    return {
        fold: PatternClassifier(
            [network for (other, _), network in zip(jobs, networks, strict=True) if other == fold]
        )
        for fold in folds
    }


def _train_one(
    data: LabelledMaps, parameters: Classifier, fold: int | None, seed: int
) -> PatternNetwork:
    torch.set_num_threads(1)
    settle()
    rows = np.flatnonzero(data.folds != fold)
    targets = data.targets(parameters.adjudicated, parameters.doubt)
    with threadpool_limits(1):  # the wide path is fitted by numpy and scipy
        return fit_network([data.maps[row] for row in rows], targets[rows], parameters, seed)


def baseline_predictions(data: LabelledMaps) -> Int[np.ndarray, " map"]:
    """Class of each map by logistic regression on plain features, trained on the other folds."""
    table = feature_table(data.maps)
    predictions = np.full(len(table), -1)
    for fold in np.unique(data.folds):
        inside = data.folds == fold
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))
        model.fit(table[~inside], data.labels[~inside])
        predictions[inside] = model.predict(table[inside])
    return predictions


def fold_table(
    data: LabelledMaps, classifiers: dict[int | None, PatternClassifier]
) -> pd.DataFrame:
    """One row a map, predicted by network and baseline that did not see its fold.

    Columns: map, fold, encoder, layer, head, drawn_by, label, network, deep_path (the network
    without its wide path), baseline (names of classes) and the network's probability of each class.
    """
    probabilities = np.empty((len(data.maps), len(CLASSES)), dtype=np.float32)
    deep = np.empty_like(probabilities)
    for fold in np.unique(data.folds).tolist():
        rows = np.flatnonzero(data.folds == fold)
        maps = [data.maps[row] for row in rows]
        probabilities[rows] = classifiers[fold].predict(maps)
        deep[rows] = classifiers[fold].predict(maps, wide=0)
    names = np.array(CLASSES)
    return pd.DataFrame(
        {
            "fold": data.folds,
            **data.table[["map", "encoder", "layer", "head", "drawn_by", "label"]],
            "network": names[probabilities.argmax(1)],
            "deep_path": names[deep.argmax(1)],
            "baseline": names[baseline_predictions(data)],
            **{name: probabilities[:, k].round(5) for k, name in enumerate(CLASSES)},
        }
    )


def main() -> None:
    """Cross-validate the pattern classifier on the labelled maps, then train it on all of them."""
    parameters = section(Classifier, "classifier")
    data = read_labelled(LABELLED)
    classifiers = train(data, parameters, read_runtime().threads)
    table = fold_table(data, classifiers)
    classifiers[None].save(CLASSIFIER)
    FOLDS.write(table)


if __name__ == "__main__":
    stage_command(main)
