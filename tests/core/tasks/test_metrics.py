import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

from stages.core.tasks.metrics import METRICS, predictions_from_logits, scorer

GENERATOR = np.random.default_rng(0)
CLASSES = GENERATOR.integers(0, 2, (2, 50)).astype(float)
GRADES = GENERATOR.integers(0, 4, (2, 50)).astype(float)
SCORES = np.round(GENERATOR.normal(size=(2, 50)), 1)


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
def test_same_as_the_library_one_by_one_and_vectorised(name, sample, library):
    labels, predictions = sample
    assert METRICS[name](labels, predictions) == pytest.approx(library(labels, predictions))
    many = np.stack([predictions, labels, predictions[::-1]])
    expected = [library(labels, row) for row in many]
    np.testing.assert_allclose(METRICS[name](labels, many), expected, atol=1e-12)
    np.testing.assert_array_equal(scorer(name, labels)(many), METRICS[name](labels, many))


def test_constant_predictions_score_nothing():
    constant = np.ones(50)
    assert METRICS["pearson"](SCORES[0], constant) == 0
    assert METRICS["spearman"](SCORES[0], constant) == 0
    assert METRICS["matthews"](CLASSES[0], constant) == 0
    assert METRICS["f1"](np.zeros(5), np.zeros(5)) == 0


def test_predictions():
    logits = np.array([[0.1, 0.9, 0.3], [2.0, -1.0, 1.0]])
    assert predictions_from_logits(logits, "classification").tolist() == [1, 0]
    both = np.stack([logits, -logits])
    assert predictions_from_logits(both, "classification").tolist() == [[1, 0], [0, 1]]
    assert predictions_from_logits(logits[:, :1], "regression").tolist() == [0.1, 2.0]
