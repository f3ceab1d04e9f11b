"""What the page says of heads that match by hand, beside rows that it must leave alone."""

import math

import pandas as pd
import pytest

from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, UNTUNED
from stages.matching.said import (
    said_of_changes,
    said_of_off,
    said_of_scores,
    said_of_strongest,
    said_of_tuning,
)
from stages.matching.tables import ALL, DRAWS, KEPT, MATCHING, RANDOM, SCORE, STRONGEST


def group(value: float, arm: str = TUNED, heads_of: str = "", which: str = STRONGEST, **others):
    row = {"task": "one", "arm": arm, "heads_of": heads_of or arm, "group": which, "figure": SCORE}
    return row | {"seed": 0, "value": value, "low": value - 0.01, "high": value + 0.01} | others


def test_the_strongest_stand_beside_random_weights():
    rows = pd.DataFrame(
        [
            group(0.9, figure="equal"),
            group(0.9, task="two"),
            group(0.9, UNTUNED, TUNED),
            group(0.9, which=MATCHING),
            group(0.1),
            group(0.003, RANDOM_WEIGHTS),
        ]
    )
    assert said_of_strongest(rows, "one") == (
        "On one, the strongest heads of the tuned encoder's lower half give to the equal term "
        "across the pair, beyond chance, 10.0% [9.0%, 11.0%] of their attention (with random "
        "weights 0.3% [-0.7%, 1.3%])."
    )
    assert "(random weights were not measured)" in said_of_strongest(rows.iloc[:5], "one")
    assert said_of_strongest(rows.iloc[5:], "one") == ""
    assert said_of_strongest(rows, "three") == ""


@pytest.mark.parametrize(
    ("before", "how"),
    [(0.05, "more than"), (0.2, "less than"), (0.115, "not shown to be other than")],
)
def test_tuning_is_told_by_intervals_that_lie_apart(before, how):
    rows = [group(before, UNTUNED, TUNED, MATCHING), group(0.1, which=MATCHING), group(0.9)]
    said = said_of_tuning(pd.DataFrame(rows), "one")
    assert f"give them 10.0% [9.0%, 11.0%], {how} the {before:.1%} [" in said
    assert said_of_tuning(pd.DataFrame(rows[1:]), "one") == ""


def off(family: str, relative: float, sample: str = ALL, **others) -> dict:
    row = {"task": "one", "arm": TUNED, "seed": 0, "sample": sample, "family": family}
    limits = {"relative_low": relative - 0.02, "relative_high": relative + 0.02}
    return row | {"relative": relative} | limits | others


def test_what_is_lost_stands_beside_random_heads():
    rows = pd.DataFrame(
        [
            off(MATCHING, -0.1),
            off(MATCHING, 0.9, DRAWS),
            off(RANDOM, 0.01, DRAWS),
            off(KEPT, 0.9),
            off(MATCHING, 0.9, arm="tuned_from_random"),
        ]
    )
    assert said_of_off(rows, "one") == (
        "The metric of one: with the heads that match off it falls (-10.0 percent [-12.0, -8.0]); "
        "with as many random heads of the same layers off it is not shown to change (+1.0 percent "
        "[-1.0, +3.0])."
    )
    assert said_of_off(rows, "two") == ""


def test_changes_are_sorted_by_what_is_shown():
    rows = pd.DataFrame({"task": "one", "off": ["a", "b", "c"], "value": [5, -5, math.nan]})
    rows = rows.assign(low=[4, -6, math.nan], high=[6, -4, math.nan])
    assert said_of_changes(rows) == (
        "The metric of one rises without a (+5.0 percent [+4.0, +6.0]); it falls without b (-5.0 "
        "percent [-6.0, -4.0]); it is not shown to change without c (no value [no "
        "interval])."
    )


def test_scores_name_the_control_last():
    rows = pd.DataFrame({"task": "one", "layer": 0, "head": [0, 1] * 2})
    rows = rows.assign(arm=[RANDOM_WEIGHTS] * 2 + [TUNED] * 2, score=[0.0, 0.0, 0.1, 0.2])
    assert said_of_scores(rows) == (
        "Most on one: head 1 of layer 0 (20.0%) of the tuned encoder and both heads alike (0.0%) "
        "of random weights."
    )
