"""Derived frames of the page by hand."""

import pytest

from stages.matching.page import changes_by_tuning, effects_over_seeds, scores_of_heads
from stages.matching.tables import ABLATED, GROUPS, HEADS
from tests.claims import write_table


def test_effects_are_of_all_examples_and_random_ones_of_the_draws(measures):
    rows = [
        {"arm": "tuned", "ablated": "matching", "sample": "all", "relative": -0.5},
        {"arm": "tuned", "ablated": "matching", "sample": "all", "relative": -0.3, "seed": 1},
        {"arm": "tuned", "ablated": "matching", "sample": "draws", "relative": -0.9},
        {"arm": "tuned", "ablated": "random", "sample": "draws", "relative": -0.1},
        {"arm": "tuned", "ablated": "lower_but_random", "sample": "draws", "relative": -0.2},
    ]
    write_table(measures, ABLATED, rows, 0.01)
    effects = effects_over_seeds(measures).set_index("ablated")["relative"]
    assert effects.to_dict() == pytest.approx(
        {"matching": -0.4, "random": -0.1, "lower_but_random": -0.2}
    )


def test_the_change_is_after_minus_before_tuning(measures):
    tuned = {"arm": "tuned", "group": "matching"}
    rows = [
        tuned | {"figure": "equal", "share": 0.5, "before": 0.2},
        tuned | {"figure": "equal", "share": 0.7, "before": 0.2, "seed": 1},
        tuned | {"figure": "place", "share": 0.9, "before": 0.9},
        tuned | {"figure": "sep", "share": 0.001, "before": 0.1},
        tuned | {"figure": "score", "share": 0.001, "before": 0.1},
        {"arm": "untuned", "group": "matching", "figure": "equal", "share": 0.9, "before": 0.9},
    ]
    write_table(measures, GROUPS, rows, 0.01)
    changes = changes_by_tuning(measures).set_index("figure")
    assert changes["share"].to_dict() == pytest.approx({"equal": 0.6, "sep": 0.001, "score": 0.001})
    assert changes["change"].to_dict() == pytest.approx(
        {"equal": 0.4, "sep": -0.099, "score": -0.099}
    )
    # A share is not below 0; attention beyond chance may be.
    assert changes.loc["sep", "share_low"] == 0
    assert changes.loc["score", "share_low"] < 0


def test_a_head_has_its_score_in_each_fine_tuning(measures):
    head = {"arm": "tuned", "layer": 1, "head": 2}
    rows = [head | {"score": 0.1, "matches": True}, head | {"score": 0.3, "seed": 1}]
    write_table(measures, HEADS, rows)
    (row,) = scores_of_heads(measures).to_dict("records")
    assert row["score"] == pytest.approx(0.2)
    assert (row["each"], row["matching"]) == ("+0.10, +0.30", 0.5)
