"""Sentences about heads that are off, on numbers whose sentences are known."""

import math

import pandas as pd

from stages.ablate.said import (
    said_of_effects,
    said_of_held_out,
    said_of_modes,
    said_of_others,
)

NAN = math.nan


def cells(rows: list[tuple]) -> pd.DataFrame:
    columns = ["task", "layer", "head", "effect", "low", "high", "significant"]
    return pd.DataFrame(rows, columns=columns)


CONTROL = cells([("a", 0, 0, 0.0, 0.0, 0.0, False), ("a", 0, 1, 1.0, 0.5, 1.5, True)])


def test_what_is_shown_is_what_holm_left_by_task():
    rows = [
        ("a", 0, 0, -37.4, -50.0, -20.0, True),
        ("a", 0, 1, -3.0, -6.0, -1.0, True),
        ("a", 0, 2, 9.0, 1.0, 17.0, False),  # clear of 0 by itself only
        ("b", 0, 0, 2.0, 1.0, 3.0, True),
        ("b", 0, 1, NAN, NAN, NAN, False),
        ("c", 0, 0, 0.0, -1.0, 1.0, False),
    ]
    assert said_of_effects(cells(rows), "head", "points", CONTROL) == (
        "With one head off, after Holm's correction: worse on a (2 of 3 heads), better on b (1 of "
        "1 head). The largest change for the worse is on a, without head 0 of layer 0: -37.4 "
        "points [-50.0, -20.0]. Control, tuned from random weights: worse without 0 and better "
        "without 1 of 2, largest loss 0.0 points."
    )


def test_nothing_shown_is_said_and_a_loss_by_itself_is_called_so():
    rows = [("a", 0, 0, -5.0, -9.0, -1.0, False), ("a", 1, 0, -2.0, -4.0, 1.0, False)]
    assert said_of_effects(cells(rows), "layer", "percent") == (
        "No change with one layer off is shown on any task, after Holm's correction. The largest "
        "change for the worse is on a, without layer 0: -5.0 percent [-9.0, -1.0], not corrected "
        "for the number of them."
    )


def test_ties_are_counted_and_no_loss_is_no_loss():
    tied = [("a", 0, 0, -1.02, -3.0, 1.0, False), ("b", 1, 1, -1.0, -3.0, 1.0, False)]
    assert "is -1.0 points, without 2 heads." in said_of_effects(cells(tied), "head", "points")
    none = [("a", 0, 0, -0.01, -3.0, 1.0, False), ("a", 0, 1, 0.5, -1.0, 2.0, False)]
    assert said_of_effects(cells(none), "head", "points").endswith("No head costs anything.")
    assert said_of_effects(cells([]), "head", "points") == ""
    assert said_of_effects(cells([("a", 0, 0, NAN, NAN, NAN, False)]), "head", "points") == ""


def test_the_best_head_gains_only_where_the_other_half_shows_it():
    rows = pd.DataFrame(
        {
            "task": ["a", "b", "c", "d"],
            "effect_heldout": [4.2, -0.3, -2.0, 3.0],
            "low": [1.0, -2.0, -3.0, 3.0],
            "high": [7.0, 1.0, -1.0, 3.0],
        }
    )
    assert said_of_held_out(rows) == (
        "Without the head that one half of the examples chose as best to turn off, scored on the "
        "other half, in points: a gain on a (+4.2 [+1.0, +7.0]); a loss on c (-2.0 [-3.0, -1.0]); "
        "no change shown on b (-0.3 [-2.0, +1.0]) and d (+3.0 [no interval])."
    )
    assert said_of_held_out(rows.iloc[:0]) == ""
    assert said_of_held_out(rows.iloc[:1], rows.iloc[2:3]).endswith(
        "a gain on a (+4.2 [+1.0, +7.0]). Control, tuned from random weights: a loss on c (-2.0 "
        "[-3.0, -1.0])."
    )


def test_tasks_rest_on_the_heads_of_others_where_the_interval_is_below_zero():
    rows = pd.DataFrame(
        {
            "task": ["a", "b"],
            "heads of": ["b", "a"],
            "change": [-42.0, -3.0],
            "low": [-55.0, -7.0],
            "high": [-23.0, 1.0],
        }
    )
    assert said_of_others(rows) == (
        "Of 2 pairs of tasks shown to rest on the heads of the other: a on those of b."
    )
    assert said_of_others(rows.iloc[1:]) == (
        "Of 1 pair of tasks none is shown to rest on the heads of the other."
    )
    assert said_of_others(rows.iloc[:0]) == ""


def test_modes_agree_over_the_range_of_tasks():
    rows = pd.DataFrame(
        {
            "task": ["a", "b", "a"],
            "first": ["mean", "mean", "zero"],
            "second": ["zero", "zero", "uniform"],
            "spearman": [0.25, 0.5, NAN],
        }
    )
    assert said_of_modes(rows) == (
        "Spearman correlation of the effects of heads, over 2 tasks: mean and zero 0.25 to 0.50."
    )
    assert said_of_modes(rows.iloc[:1]) == (
        "Spearman correlation of the effects of heads: mean and zero 0.25."
    )
    assert said_of_modes(rows.iloc[:0]) == ""
