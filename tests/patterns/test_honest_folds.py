"""What predicts a fold of labelled maps was trained on the other folds, on each map's own label."""

import numpy as np
import pandas as pd
import pytest
import torch

from stages.patterns.classifier import stage as classifier
from stages.patterns.classifier.stage import (
    Classifier,
    fit_baseline,
    fold_table,
    network_codes,
    train,
)
from stages.patterns.features import feature_table
from stages.patterns.labelled_maps import CLASSES, LabelledMaps
from stages.patterns.tables import MODELS
from stages.patterns.training import Trained

COUNT = 60


class InThisProcess:
    """In place of several processes: the same calls, one after the other."""

    map = staticmethod(map)

    def __init__(self, processes, context, initializer):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@pytest.fixture(autouse=True)
def one_process(monkeypatch):
    """Training takes one thread and settles this process, which other tests share."""
    monkeypatch.setattr(classifier, "ProcessPoolExecutor", InThisProcess)
    monkeypatch.setattr(classifier, "settle", lambda: None)
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def noise() -> LabelledMaps:
    """Maps and labels that have nothing to do with each other, in three folds."""
    generator = np.random.default_rng(0)
    lengths = generator.integers(9, 13, COUNT)
    maps = [generator.dirichlet(np.full(n, 0.3), n).astype(np.float32) for n in lengths]
    label = generator.choice(CLASSES, COUNT)
    table = pd.DataFrame({"map": range(COUNT), "fold": np.arange(COUNT) % 3, "label": label})
    table = table.assign(encoder="toy", layer=0, head=range(COUNT), drawn_by="chance")
    return LabelledMaps(maps, table)


def test_labels_that_mean_nothing_are_found_as_often_as_by_chance(noise, settings):
    """One of five. What has seen a map knows its label by heart."""
    small = {"epochs": 1, "copies": 1, "side": 8, "width": 2, "last_width": 2, "starts": 1}
    trained = train(noise, settings.model_copy(update=small), 2)
    table = fold_table(noise, trained)
    for model in MODELS:
        assert (table[model] == table["label"]).mean() < 0.2 + 3 * (0.16 / COUNT) ** 0.5, model
    (final,) = trained[None].networks
    seen = network_codes(final, noise.maps)["network"]
    assert (seen == noise.labels).mean() > 0.95
    features = feature_table(noise.maps)
    seen = fit_baseline(features, noise.labels).predict(features)
    assert (seen == noise.labels).mean() > 0.6


def test_each_start_of_a_fold_learns_what_is_said_of_the_maps_of_the_others(
    labelled, settings, monkeypatch
):
    """One of two annotators says Block of every third map: the half of a half of its target."""
    asked = []

    def record(maps, targets, plain, training: Classifier, seeds, seeds_alone) -> Trained:
        np.testing.assert_allclose(plain, feature_table(maps), atol=1e-6)
        asked.append((maps, targets, (seeds, seeds_alone)))
        return Trained([], [])

    monkeypatch.setattr(classifier, "fit_networks", record)
    second = np.where(np.arange(len(labelled.maps)) % 3, labelled.table["label"], "block")
    doubted = LabelledMaps(labelled.maps, labelled.table.assign(second=second))
    train(doubted, settings.model_copy(update={"seed": 7, "starts": 3}), 2)
    every = [7, 8, 9]
    assert [seeds for *_, seeds in asked] == [(every, [7]), ([7], every), ([7], every)]
    place = {id(weights): row for row, weights in enumerate(labelled.maps)}
    for (maps, targets, _), others in zip(asked, ([0, 1], [1], [0]), strict=True):
        rows = [place[id(weights)] for weights in maps]
        assert rows == np.flatnonzero(np.isin(labelled.folds, others)).tolist()
        block = [0.0 if row % 3 else 0.25 for row in rows]
        assert targets[:, CLASSES.index("block")].tolist() == block
        assert (targets[range(len(rows)), labelled.labels[rows]] == 1 - np.array(block)).all()
