"""Attention to kinds of tokens, found by position."""

import numpy as np
import pandas as pd
import pytest

from stages.core.corpora.store import word
from stages.features.__main__ import (
    BY_SPELLING,
    SUBSTRING,
    cls_row,
    cls_table,
    contrast_table,
    received,
    share_table,
    token_kinds,
)

# [CLS] nothing was not bad for the bad dog [SEP], of which the noun is the second "bad dog".
WORDS = [
    word("nothing", 0, upos="PRON", deprel="nsubj", negation=True),
    word("was", 0, upos="AUX", deprel="cop"),
    word("not", 0, upos="PART", deprel="advmod", negation=True),
    word("bad", 0, upos="ADJ", deprel="root"),
    word("bad", 0, upos="NOUN", deprel="obj"),
    word("knot", 0, upos="VERB", deprel="dep"),
]
PIECES = ["[CLS]", "nothing", "was", "not", "bad", "bad", "knot", "[SEP]"]
NUMBERS = [-1, 0, 1, 2, 3, 4, 5, -1]
SPECIAL = [1, 0, 0, 0, 0, 0, 0, 2]


def places(kind: str) -> list[int]:
    return np.flatnonzero(token_kinds(WORDS, NUMBERS, PIECES, SPECIAL)[kind]).tolist()


def test_kinds_are_found_by_position_and_not_by_spelling():
    assert places("noun") == [5]
    assert places("noun" + BY_SPELLING) == [4, 5]
    assert places("subject") == [1]
    assert places("object") == [5]
    assert places("cls") == [0]
    assert places("sep") == [7]


def test_negation_is_a_word_and_not_a_part_of_one():
    assert places("negation") == [1, 3]
    assert places(SUBSTRING) == [1, 3, 6]


def test_kinds_that_a_text_lacks_are_left_out():
    found = token_kinds([], NUMBERS, PIECES, SPECIAL)
    assert set(found) == {"cls", "sep"}


def test_attention_received_by_hand():
    maps = np.zeros((1, 1, 4, 4), dtype=np.float32)
    maps[0, 0, :, 1] = [1.0, 0.5, 0.0, 0.5]
    maps[0, 0, :, 2] = [0.0, 0.5, 1.0, 0.25]
    assert received(maps, np.array([False, True, False, False]))[0, 0] == 0.5
    # The larger of the two, not both together.
    assert received(maps, np.array([False, True, True, False]))[0, 0] == 0.5
    both, cls = np.array([False, True, True, False]), np.array([True, False, False, False])
    assert cls_row(maps, both, cls).tolist() == [1.0]


def test_tuning_changes_what_a_kind_gets():
    """Two layers of one head; [SEP] gets more in the upper one, nouns nothing new."""
    before = {"sep": np.array([[0.1, 0.1], [0.2, 0.2]]), "noun": np.array([[0.3, np.nan]] * 2)}
    after = {"sep": np.array([[0.1, 0.1], [0.5, 0.7]]), "noun": np.array([[0.3, np.nan]] * 2)}
    shares = {"untuned": before, "tuned": after}
    table = share_table(shares, 1, 50, 0).set_index(["arm", "kind", "layer"])
    assert table.loc[("tuned", "sep", 1), "change_share"].item() == pytest.approx(0.4)
    assert table.loc[("tuned", "noun", 0), "examples"].item() == 1
    contrast = contrast_table(shares, pd.Series(["a", "b"]), 1).set_index(["kind", "id"])
    assert contrast.loc[("sep", "b"), "late_change"] == pytest.approx(0.5)
    assert contrast.loc[("sep", "b"), "early_change"] == 0
    assert contrast.loc[("sep", "b"), "late"] == pytest.approx(0.7)
    assert contrast.loc[("sep", "b"), "early"] == pytest.approx(0.1)
    assert contrast.loc[("sep", "b"), "share"] == pytest.approx(0.4)
    assert contrast.loc[("sep", "b"), "change"] == pytest.approx(0.25)
    assert ("noun", "b") not in contrast.index
    (row,) = cls_table({"tuned": {"sep": np.array([[0.2, 0.4], [0.6, 0.8]])}}, 50, 0).to_dict(
        "records"
    )
    assert row["share"] == pytest.approx(0.5)
