"""Sentences of the page follow from the numbers."""

import numpy as np
import pandas as pd
import pytest

from stages.core.verdicts.answers import NotMeasured
from stages.word_order import tables
from stages.word_order.page import over_seeds
from stages.word_order.said import (
    said_of_grades,
    said_of_means,
    said_of_order_heads,
    said_of_scores,
    said_of_shares,
)
from tests.claims import found, write_drawn, write_rows
from tests.word_order.rows import quantities, quantity, texts


def said(**changed: float) -> str:
    rows = pd.DataFrame(quantities())
    rows = rows[rows["arm"] == "tuned"]
    for name, value in changed.items():
        own = rows["quantity"] == getattr(tables, name)
        rows.loc[own, ["value", "low", "high"]] = [value, value - 0.02, value + 0.02]
    return said_of_grades(rows)


def test_what_order_heads_do_is_said_as_the_numbers_have_it():
    text = said()
    assert "The mean grade falls (-0.20 grades, -0.22 to -0.18) when the texts" in text
    assert "with the order heads off as well it falls (-0.05 grades, -0.07 to -0.03)" in text
    assert "because random heads cost grades; that order heads bring any back is not shown" in text
    assert "falls on 20% of the texts; of these 15% come back" in text
    assert "10% with random heads off: which is more." in text


def test_a_rise_of_order_heads_is_a_rise():
    text = said(ORDER_RISE=0.5, RANDOM_RISE=0.01)
    assert "as well it rises (+0.50 grades" in text
    assert "random heads off it is not shown to change (+0.01" in text
    assert "cost grades" not in text


@pytest.mark.parametrize(
    "beyond, words",
    [(0.01, "a difference that is not shown"), (-0.05, "which is fewer"), (0.05, "which is more")],
)
def test_what_comes_back_beyond_random_heads(beyond, words):
    assert said(BACK_BEYOND=beyond).endswith(f"{words}.")


def test_the_page_has_the_intervals_of_the_claims(measures):
    rows = [quantity(tables.FALL, value, seed=seed) for seed, value in ((0, -0.1), (1, -0.3))]
    write_drawn(measures, tables.QUANTITIES, rows, 0.05, task="one")
    write_rows(measures, tables.TEXTS, [texts()], task="one")
    (row,) = over_seeds(measures).to_dict("records")
    claim = found(measures, "change_of_grade", of="shuffled", unit="words", task="one").pooled
    grades = [row[name] for name in ("value", "low", "high")]  # one of five
    assert grades == pytest.approx([claim.value, claim.low, claim.high])
    assert (row["examples"], row["fine_tunings"]) == (100, 2)


def test_a_fine_tuning_in_which_no_text_falls_says_nothing_of_fallen_ones(measures):
    rows = [quantity(tables.BACK_BEYOND, 0.05), quantity(tables.BACK_BEYOND, np.nan, seed=1)]
    write_drawn(measures, tables.QUANTITIES, rows, 0.01, task="one")
    write_rows(measures, tables.TEXTS, [texts()], task="one")
    (row,) = over_seeds(measures).to_dict("records")
    claim = found(measures, "grades_back", of="beyond random", unit="words", task="one")
    assert (row["value"], claim.pooled.value) == pytest.approx((0.05, 5))
    assert (row["fine_tunings"], claim.seeds) == (1, 1)
    write_drawn(measures, tables.QUANTITIES, rows[1:], 0.01, task="one")
    with pytest.raises(NotMeasured, match="no text is graded lower"):
        found(measures, "grades_back", of="beyond random", unit="words", task="one")


def test_no_text_that_falls_is_said():
    assert said(FALLEN=0.0).endswith("No text is graded lower.")


def test_an_order_that_is_not_known_is_not_said_to_change():
    rows = pd.DataFrame(quantities())
    rows = rows[rows["arm"] == "tuned"]
    rows.loc[rows["quantity"] == tables.FALL, ["value", "low", "high"]] = np.nan
    assert said_of_grades(rows).startswith("The mean grade is not shown to change (no value grades")


def test_order_heads_stand_beside_random_weights():
    rows = pd.DataFrame(quantities()).assign(task="one")
    assert said_of_order_heads(rows, "one", "words") == (
        "On one, the heads chosen for telling the order of words score 0.600 [0.580, 0.620] on "
        "texts that did not choose them, where 1 is a head that follows positions alone (with "
        "random weights 0.010 [-0.010, 0.030])."
    )
    assert said_of_order_heads(rows, "two", "words") == ""


def test_scores_shares_and_means_name_what_they_are_of():
    cells = pd.DataFrame({"task": "one", "unit": "words", "layer": 0, "head": [0, 1] * 2})
    cells = cells.assign(arm=["random_weights"] * 2 + ["tuned"] * 2, score=[0, 0, 0.1, 0.9])
    assert said_of_scores(cells) == (
        "The highest score on one, words: head 1 of layer 0 (0.90) of the tuned encoder and both "
        "heads alike (0.00) of random weights."
    )
    shares = pd.DataFrame({"task": "one", "condition": ["intact", "intact", "shuffled"]})
    shares = shares.assign(place=[0, 1, 1], grade=["low", "high", "high"], share=[0.9, 0.1, 0.2])
    assert said_of_shares(shares) == (
        "With the highest grade of one, high: 10% (intact) and 20% (shuffled)."
    )
    means = pd.DataFrame({"task": "one", "condition": ["intact"], "mean": 1, "low": 0.5, "high": 2})
    assert said_of_means(means) == "Mean grade of one: 1.00 [0.50, 2.00] (intact)."
