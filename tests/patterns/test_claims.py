"""F1 of patterns on folds and outside, and their shares, by hand."""

import pytest

from stages.core.verdicts.measures import Measures
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.tables import OUTSIDE, SHARES
from tests.claims import found, write, write_drawn, write_rows


def rows_of(heads: list[str], **columns) -> list[dict]:
    """Two maps a head, of two labels; a head's predictions are all right or all wrong."""
    wrong = {CLASSES[0]: CLASSES[1], CLASSES[1]: CLASSES[0]}
    return [
        {"encoder": "one", "layer": 0, "head": head, "label": label, **columns}
        | {"network": label if said == "right" else wrong[label]}
        for head, said in enumerate(heads)
        for label in wrong
    ]


def test_the_folds_score_is_the_mean_over_random_starts(measures):
    """Of two starts one is always right, one never: any number of maps says little."""
    rows = rows_of(["right"] * 50, start=0) + rows_of(["wrong"] * 50, start=1)
    write(measures, "classifier/folds", rows)
    score = found(measures, "pattern_f1", average="weighted", model="network", on="folds").pooled
    assert (score.value, score.low, score.high) == pytest.approx((0.5, 0, 1))
    assert score.n == 100


def test_maps_of_one_head_are_resampled_together(measures):
    rows = rows_of(["right", "wrong"], start=0) * 100
    write(measures, "classifier/folds", rows)
    score = found(measures, "pattern_f1", average="weighted", model="network", on="folds").pooled
    assert (score.value, score.low, score.high) == pytest.approx((0.5, 0, 1))
    assert score.n == 400


def test_the_outside_score_is_under_the_rule_any_of_maps_that_have_a_label(tmp_path):
    measures = Measures(tmp_path, {}, [], {}, ["sentences"])
    right, wrong = (rows_of([said] * 10, start=0) for said in ("right", "wrong"))
    rows = [row | {"rule": "any"} for row in right] + [row | {"rule": "special"} for row in wrong]
    undecided = [row | {"rule": "any", "label": ""} for row in wrong]
    write_rows(measures, OUTSIDE, rows + undecided, corpus="sentences")
    answer = found(measures, "pattern_f1", average="macro", model="network", on="outside")
    assert (answer.pooled.value, answer.pooled.n, answer.decided_on) == (1, 20, "sentences")


def test_the_outside_score_is_the_mean_over_random_starts(tmp_path):
    measures = Measures(tmp_path, {}, [], {}, ["sentences"])
    rows = rows_of(["right"] * 10, start=0) + rows_of(["wrong"] * 10, start=1)
    write_rows(measures, OUTSIDE, [row | {"rule": "any"} for row in rows], corpus="sentences")
    score = found(measures, "pattern_f1", average="macro", model="network", on="outside").pooled
    assert (score.value, score.low, score.high, score.n) == (0.5, 0, 1, 20)


def test_a_network_that_is_better_than_the_baseline_gains(measures):
    rows = [row | {"baseline": CLASSES[0]} for row in rows_of(["right"] * 20, start=0)]
    write(measures, "classifier/folds", rows)
    gain = found(measures, "pattern_f1_over_baseline", model="network", on="folds").pooled
    # The baseline has precision 1/2 and recall 1 on one class of two, and misses the other.
    assert gain.value == pytest.approx(1 - (2 / 3) / 2)


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
