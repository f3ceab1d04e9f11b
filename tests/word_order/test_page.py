"""Joined rows of the page agree with the claims."""

import numpy as np
import pytest

from stages.core.pages.joined import joined
from stages.core.verdicts.answers import NotMeasured
from stages.word_order import tables
from stages.word_order.page import DIFFERENCES, RETURN_WORDS, heads_over_seeds
from tests.claims import found, write_table
from tests.word_order import rows


def test_the_page_has_the_intervals_of_the_claims(measures):
    changes = [rows.change(tables.FALL, value, seed=seed) for seed, value in ((0, -0.1), (1, -0.3))]
    write_table(measures, tables.CHANGES, changes, 0.05)
    write_table(measures, tables.TEXTS, [rows.texts()])
    (row,) = joined(measures, tables.CHANGES, "change").to_dict("records")
    claim = found(measures, "change_of_grade", of="shuffled", unit="words", task="one").pooled
    grades = [row[name] for name in ("change", "change_low", "change_high")]  # one of five
    assert grades == pytest.approx([claim.value, claim.low, claim.high])


def test_a_fine_tuning_in_which_no_text_falls_is_left_out(measures):
    write_table(measures, tables.RETURNS, [rows.returned(tables.BACK_BEYOND, 0.05)], 0.01)
    lacking = rows.returned(tables.BACK_BEYOND, np.nan, seed=1)
    write_table(measures, tables.RETURNS, [lacking], 0.01)
    (row,) = joined(measures, tables.RETURNS, "share").to_dict("records")
    claim = found(measures, "grades_back", of="beyond random", unit="words", task="one")
    assert (row["share"], claim.pooled.value) == pytest.approx((0.05, 5))
    assert claim.seeds == 1


def test_without_fallen_texts_nothing_comes_back(measures):
    write_table(measures, tables.RETURNS, [rows.returned(tables.BACK_BEYOND, np.nan)], 0.01)
    with pytest.raises(NotMeasured, match="no text is graded lower"):
        found(measures, "grades_back", of="beyond random", unit="words", task="one")


def test_heads_of_any_fine_tuning_are_marked(measures):
    head = {"arm": "tuned", "unit": "words", "layer": 1}
    scores = [
        head | {"head": 0, "score": 0.2},
        head | {"head": 0, "score": 0.4, "seed": 1, "selected": True},
        head | {"head": 1, "score": 0.1},
        head | {"head": 0, "score": 0.9, "unit": "pieces"},
    ]
    write_table(measures, tables.HEADS, scores)
    heads = heads_over_seeds(measures)
    assert heads["score"].tolist() == pytest.approx([0.3, 0.1, 0.9])
    assert heads["marked"].tolist() == [True, False, False]


def test_every_row_has_words():
    assert set(DIFFERENCES) == set(rows.CHANGES)
    assert set(RETURN_WORDS) == set(rows.RETURNS)
