"""F1 of patterns, against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, f1_score

from stages.patterns.claims import _f1
from stages.patterns.labelled_maps import CLASSES
from tests.claims import found, write


def test_f1_equals_that_of_scikit_learn():
    generator = np.random.default_rng(0)
    labels, predictions = generator.integers(5, size=(2, 3, 40))
    counts = np.stack([confusion_matrix(*sides) for sides in zip(labels, predictions, strict=True)])
    for average in ("weighted", "macro"):
        expected = [
            f1_score(*sides, average=average) for sides in zip(labels, predictions, strict=True)
        ]
        np.testing.assert_allclose(_f1(counts, average), expected)


def test_a_class_that_neither_side_has_does_not_count():
    counts = np.zeros((5, 5), dtype=int)
    counts[:2, :2] = [[3, 1], [0, 4]]
    assert _f1(counts, "macro") == pytest.approx((6 / 7 + 8 / 9) / 2)


def test_maps_of_one_head_are_resampled_together(measures):
    """One head always right, one always wrong: any number of maps of two heads says little."""
    rows = [
        {"encoder": "one", "layer": 0, "head": row % 2, "label": CLASSES[row // 2 % 2]}
        for row in range(400)
    ]
    wrong = {CLASSES[0]: CLASSES[1], CLASSES[1]: CLASSES[0]}
    rows = [row | {"network": wrong[row["label"]] if row["head"] else row["label"]} for row in rows]
    write(measures, "classifier/folds", rows)
    score = found(measures, "pattern_f1", average="weighted", model="network").pooled
    assert (score.value, score.low, score.high) == pytest.approx((0.5, 0, 1))
    assert score.n == 400
