"""Answers of claims by hand, beside rows that they must leave alone."""

import pytest

from stages.core.verdicts.answers import NotMeasured
from stages.matching.tables import ABLATED, GROUPS, READING
from tests.claims import found, write_run, write_table


def group(arm: str, name: str, figure: str, share: float, before: float = 0.9, seed: int = 0):
    row = {"arm": arm, "group": name, "figure": figure, "seed": seed, "examples": 50}
    return row | {"share": share, "before": before}


def without(ablated: str, value: float, arm: str = "tuned", sample: str = "all", seed: int = 0):
    row = {"arm": arm, "ablated": ablated, "sample": sample, "seed": seed, "examples": 40}
    return row | {"relative": value, "effect": 0.9}


def cls_row(ablated: str, share: float):
    return {"arm": "tuned", "ablated": ablated, "examples": 30, "share": share} | {
        "entropy": 2 - share
    }


def write(measures, table, rows):
    write_table(measures, table, rows, 0.01)


def test_each_arm_is_scored_by_the_heads_that_it_selected(measures):
    write(
        measures,
        GROUPS,
        [
            group("tuned", "strongest", "score", 0.5),
            group("tuned", "strongest", "equal", 0.9),
            group("tuned", "upper", "score", 0.2),
            group("tuned", "strongest", "score", 0.7, seed=1),
            group("tuned", "upper", "score", 0.2, seed=1),
            group("untuned", "strongest", "score", 0.3),
            group("random_weights", "strongest", "score", 0.01),
            group("random_weights", "upper", "score", 0.02),
            group("tuned_from_random", "strongest", "score", 0.9),
        ],
    )
    tuned = found(measures, "matching_score", task="one", arm="tuned")
    assert tuned.pooled.value == pytest.approx(0.6)
    assert (tuned.seeds, tuned.arm, tuned.pooled.n) == (2, "tuned", 50)
    assert tuned.control.value == pytest.approx(0.01)
    assert tuned.beyond.value == pytest.approx(0.59)
    before = found(measures, "matching_score", task="one", arm="untuned")
    assert before.pooled.value == pytest.approx(0.3)
    assert (before.seeds, before.arm) == (None, "untuned")
    minus = found(measures, "matching_score", task="one", arm="tuned", minus="upper")
    assert minus.pooled.value == pytest.approx(0.4)
    assert minus.control.value == pytest.approx(-0.01)
    with pytest.raises(NotMeasured, match="the task two"):
        found(measures, "matching_score", task="two", arm="tuned")


def test_tuning_changes_the_same_heads(measures):
    rows = [
        group("tuned", "matching", "equal", 0.6, before=0.4),
        group("untuned", "matching", "equal", 0.9, before=0.7),
        group("tuned", "others", "equal", 0.1, before=0.15),
        group("tuned_from_random", "matching", "equal", 0.3, before=0.25),
        group("random_weights", "matching", "equal", 0.7, before=0.1),
    ]
    write(measures, GROUPS, rows)
    change = found(measures, "change_of_matching_heads", task="one", figure="equal")
    assert change.pooled.value == pytest.approx(0.2)
    assert change.control.value == pytest.approx(0.05)
    assert (change.arm, change.seeds) == ("tuned", 1)
    minus = found(measures, "change_of_matching_heads", task="one", figure="equal", minus="others")
    assert minus.pooled.value == pytest.approx(0.25)
    assert minus.control is None
    with pytest.raises(NotMeasured, match="figure sep"):
        found(measures, "change_of_matching_heads", task="one", figure="sep")


def test_ablation_in_percent_beside_other_heads_on_the_same_examples(measures):
    rows = [
        without("matching", -0.5),
        without("lower", -0.8),
        without("matching", -0.45, sample="draws"),
        without("random", -0.05, sample="draws"),
        without("lower", -0.6, seed=1),
        without("matching", -0.1, arm="tuned_from_random"),
    ]
    write(measures, ABLATED, rows)
    alone = found(measures, "change_without_heads", task="one", ablated="matching")
    assert alone.pooled.value == pytest.approx(-50)
    assert alone.control.value == pytest.approx(-10)
    assert alone.seeds == 1  # in the other fine-tuning no head matches
    minus = found(measures, "change_without_heads", task="one", ablated="matching", minus="random")
    assert minus.pooled.value == pytest.approx(-40)
    # Both have the same noise on resamples; it cancels out.
    assert minus.pooled.high - minus.pooled.low < 1e-3
    lower = found(measures, "change_without_heads", task="one", ablated="lower")
    assert lower.pooled.value == pytest.approx(-70)
    assert lower.pooled.low < -80
    assert lower.seeds == 2


def test_the_row_of_the_reading_head_beyond_random_heads(measures):
    rows = [cls_row("none", 0.6), cls_row("matching", 0.3), cls_row("random", 0.55)]
    write(measures, READING, rows)
    share = found(measures, "reading_head", task="one", figure="share")
    assert share.pooled.value == pytest.approx(-0.25)
    assert share.control is None
    assert share.uncontrolled
    entropy = found(measures, "reading_head", task="one", figure="entropy")
    assert entropy.pooled.value == pytest.approx(0.25)


def test_a_task_that_was_not_learnt_says_nothing(measures):
    write(measures, ABLATED, [without("matching", -0.5)])
    write_run(measures, "finetune/one", wrong=10, arm="tuned", seed=0)
    write_run(measures, "prepare/one-baselines", wrong=10, model="majority")
    with pytest.raises(NotMeasured):
        found(measures, "change_without_heads", task="one", ablated="matching")
