"""Metrics of weighted examples: those of the library, of the examples repeated as often."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

from stages.core.outcomes.weighted import METRICS, weighted_scores
from stages.core.tasks import metrics

GENERATOR = np.random.default_rng(0)
CLASSES = GENERATOR.integers(0, 2, (4, 30)).astype(float)
GRADES = GENERATOR.integers(0, 4, (4, 30)).astype(float)
SCORES = np.round(GENERATOR.normal(size=(4, 30)), 1) + 1000  # far from 0, with ties
WEIGHTS = np.stack([np.ones(30), np.arange(30) % 3, GENERATOR.integers(0, 4, 30)]).astype(int)


@pytest.mark.parametrize(
    ("name", "sample", "library"),
    [
        ("accuracy", GRADES, accuracy_score),
        ("f1", CLASSES, f1_score),
        ("macro_f1", GRADES, lambda true, guess: f1_score(true, guess, average="macro")),
        ("matthews", CLASSES, matthews_corrcoef),
        ("pearson", SCORES, lambda true, guess: pearsonr(true, guess).statistic),
        ("spearman", SCORES, lambda true, guess: spearmanr(true, guess).statistic),
    ],
)
def test_whole_weights_repeat_examples(name, sample, library):
    labels, predictions = sample[0], sample[1:]
    expected = [
        [library(np.repeat(labels, line), np.repeat(guess, line)) for line in WEIGHTS]
        for guess in predictions
    ]
    found = weighted_scores(name, labels, predictions, WEIGHTS)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_every_metric_of_tasks_can_be_weighted():
    assert set(METRICS) == set(metrics.METRICS)


def test_macro_f1_is_over_the_classes_that_labels_or_the_gate_hold():
    """Only the second gate says 2; a class that a resample has not drawn scores 0."""
    labels = np.array([0.0, 0.0, 1.0])
    predictions = np.array([[0.0, 0.0, 1.0], [0.0, 2.0, 1.0]])
    weights = np.array([[1, 1, 1], [2, 1, 0]])
    expected = [[1, 1 / 2], [(2 / 3 + 1) / 3, (4 / 5) / 3]]
    found = weighted_scores("macro_f1", labels, predictions, weights)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("name", ["pearson", "spearman", "matthews", "f1"])
def test_what_is_constant_among_the_drawn_scores_nothing(name):
    labels = np.array([0.0, 1.0, 0.0, 1.0])
    predictions = np.array([[0.1, 0.1, 0.1, 0.7], [0.0, 0.0, 0.0, 0.0]])
    weights = np.array([[3, 2, 1, 0]])
    assert weighted_scores(name, labels, predictions, weights).tolist() == [[0], [0]]
