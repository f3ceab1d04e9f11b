"""F1 of patterns, against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, f1_score

from stages.patterns.claims import _f1
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.tables import SHARES
from tests.claims import found, write, write_drawn


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


def share(task_share: float, pattern: str = "heterogeneous", rule: str = "special") -> dict:
    interval = {"share": task_share, "low": task_share - 0.01, "high": task_share + 0.01}
    return {"pattern": pattern, "rule": rule, "examples": 100, **interval}


def test_the_share_under_the_rule_asked_for_decides_beside_random_weights(measures):
    for task, tuned, weights in (("one", 0.4, 0.1), ("two", 0.5, 0.2)):
        for arm, value in (("tuned", tuned), ("random_weights", weights)):
            rows = [share(value), share(0.02, rule="any"), share(0.9, pattern="vertical")]
            write_drawn(measures, SHARES, rows, spread=0.01, task=task, arm=arm)
    arguments = {"pattern": "heterogeneous", "rule": "special"}
    smallest = found(measures, "pattern_share", which="smallest", **arguments)
    assert (smallest.pooled.value, smallest.control.value) == (0.4, 0.1)
    assert smallest.beyond.value == pytest.approx(0.3)
    largest = found(measures, "pattern_share", which="largest", **arguments)
    assert (largest.pooled.value, largest.arm) == (0.5, "tuned")
    arguments["rule"] = "any"
    anywhere = found(measures, "pattern_share", which="largest", **arguments)
    assert anywhere.pooled.value == 0.02


def test_the_rarest_pattern_counts_block_on_pairs_only(measures, monkeypatch):
    monkeypatch.setattr("stages.patterns.claims._has_pairs", lambda task: task == "two")
    for task in ("one", "two"):
        for arm, least in (("untuned", 0.05), ("tuned", 0.1), ("random_weights", 0.02)):
            rows = [share(0.2, pattern) for pattern in CLASSES if pattern != "block"]
            rows[0]["share"] = least
            block = share(0.0 if task == "one" else 0.15, "block")
            write_drawn(measures, SHARES, [*rows, block], task=task, arm=arm)
    tuned = found(measures, "rarest_pattern", arms=["tuned"], rule="special")
    assert (tuned.pooled.value, tuned.control.value) == (0.1, 0.02)
    assert tuned.decided_on == "one, two"
    both = found(measures, "rarest_pattern", arms=["untuned", "tuned"], rule="special")
    assert both.pooled.value == 0.05
