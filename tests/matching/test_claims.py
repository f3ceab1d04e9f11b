"""What claims say of hand-made tables."""

import pytest

from stages.core.verdicts.answers import NotMeasured
from stages.matching.tables import GROUPS, OFF, READING
from tests.claims import found, write_drawn, write_run


def group(arm: str, heads_of: str, name: str, figure: str, value: float, seed: int = 0) -> dict:
    return {
        "arm": arm,
        "heads_of": heads_of,
        "group": name,
        "figure": figure,
        "value": value,
        "low": value - 0.02,
        "high": value + 0.02,
        "seed": seed,
        "count": 50,
    }


def without(family: str, value: float, arm: str = "tuned", sample: str = "all", seed=0) -> dict:
    limits = {"relative_low": value - 0.02, "relative_high": value + 0.02}
    row = {"arm": arm, "family": family, "sample": sample, "seed": seed, "examples": 40}
    return row | limits | {"relative": value, "effect": value}


def row(off: str, share: float, arm: str = "tuned", seed: int = 0) -> dict:
    place = {"arm": arm, "off": off, "seed": seed, "count": 30}
    shares = {"share": share, "share_low": share - 0.02, "share_high": share + 0.02}
    entropy = 2 - share
    limits = {"entropy_low": entropy - 0.02, "entropy_high": entropy + 0.02}
    return place | shares | {"entropy": entropy} | limits


def write(measures, table, rows):
    write_drawn(measures, table, rows, 0.01, task="one")


def test_each_encoder_is_asked_of_the_heads_that_it_chose(measures):
    write(
        measures,
        GROUPS,
        [
            group("tuned", "tuned", "strongest", "score", 0.5),
            group("tuned", "tuned", "strongest", "equal", 0.9),
            group("tuned", "tuned", "upper", "score", 0.2),
            group("tuned", "tuned", "strongest", "score", 0.7, seed=1),
            group("tuned", "tuned", "upper", "score", 0.2, seed=1),
            group("untuned", "untuned", "strongest", "score", 0.3),
            group("untuned", "tuned", "strongest", "score", 0.25),
            group("random_weights", "random_weights", "strongest", "score", 0.01),
            group("random_weights", "random_weights", "upper", "score", 0.02),
            group("random_weights", "tuned_from_random", "strongest", "score", 0.9),
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
    beside = found(measures, "matching_score", task="one", arm="tuned", beside="upper")
    assert beside.pooled.value == pytest.approx(0.4)
    assert beside.control.value == pytest.approx(-0.01)
    with pytest.raises(NotMeasured, match="the task two"):
        found(measures, "matching_score", task="two", arm="tuned")


def test_tuning_changes_the_same_heads(measures):
    rows = [
        group("tuned", "tuned", "matching", "equal", 0.6),
        group("untuned", "tuned", "matching", "equal", 0.4),
        group("untuned", "untuned", "matching", "equal", 0.9),
        group("tuned", "tuned", "others", "equal", 0.1),
        group("untuned", "tuned", "others", "equal", 0.15),
        group("tuned_from_random", "tuned_from_random", "matching", "equal", 0.3),
        group("random_weights", "tuned_from_random", "matching", "equal", 0.25),
    ]
    write(measures, GROUPS, rows)
    change = found(measures, "change_of_matching_heads", task="one", figure="equal")
    assert change.pooled.value == pytest.approx(0.2)
    assert change.control.value == pytest.approx(0.05)
    assert (change.arm, change.seeds) == ("tuned", 1)
    beside = found(
        measures, "change_of_matching_heads", task="one", figure="equal", beside="others"
    )
    assert beside.pooled.value == pytest.approx(0.25)
    assert beside.control is None
    with pytest.raises(NotMeasured, match="no head of the lower half matches"):
        found(measures, "change_of_matching_heads", task="one", figure="sep")


def test_heads_off_in_percent_beside_others_of_the_same_examples(measures):
    rows = [
        without("matching", -0.5),
        without("lower", -0.8),
        without("matching", -0.45, sample="draws"),
        without("random", -0.05, sample="draws"),
        without("lower", -0.6, seed=1),
        without("matching", -0.1, arm="tuned_from_random"),
    ]
    write(measures, OFF, rows)
    alone = found(measures, "without_heads", task="one", off="matching")
    assert alone.pooled.value == pytest.approx(-50)
    assert alone.control.value == pytest.approx(-10)
    assert alone.seeds == 1  # in the other fine-tuning no head matches
    beside = found(measures, "without_heads", task="one", off="matching", beside="random")
    assert beside.pooled.value == pytest.approx(-40)
    # The noise of the resamples is the same in both, and goes out.
    assert beside.pooled.high - beside.pooled.low < 1e-3
    lower = found(measures, "without_heads", task="one", off="lower")
    assert lower.pooled.value == pytest.approx(-70)
    assert lower.pooled.low < -80
    assert lower.seeds == 2


def test_the_row_of_the_reading_head_beyond_random_heads(measures):
    rows = [row("on", 0.6), row("matching", 0.3), row("random", 0.55)]
    write(measures, READING, rows)
    share = found(measures, "reading_head", task="one", figure="share")
    assert share.pooled.value == pytest.approx(-0.25)
    assert share.control is None
    assert share.uncontrolled
    entropy = found(measures, "reading_head", task="one", figure="entropy")
    assert entropy.pooled.value == pytest.approx(0.25)


def test_a_task_that_was_not_learnt_says_nothing(measures):
    write(measures, OFF, [without("matching", -0.5)])
    write_run(measures, "finetune/one", wrong=10, arm="tuned", seed=0)
    write_run(measures, "prepare/one-baselines", wrong=10, model="majority")
    with pytest.raises(NotMeasured):
        found(measures, "without_heads", task="one", off="matching")
