"""Tokens as a reader sees them."""

import pandas as pd

from stages.core.viewer.readable import recorded_tokens, word_groups


def test_tokens_of_no_word_stand_alone():
    assert word_groups([-1, 0, 0, 1, -1, -1]) == [0, 1, 1, 2, 3, 4]


def test_pieces_of_what_was_recorded_are_put_together():
    table = pd.Series(
        {
            "tokens": ["[CLS]", "un", "##seen", "##s", "dog", "[SEP]"],
            "word": [-1, 0, 0, 0, 1, -1],
            "segments": [0, 0, 0, 0, 0, 0],
        }
    )
    tokens = recorded_tokens(table)
    assert tokens.words == ["[CLS]", "unseens", "dog", "[SEP]"]
    assert tokens.groups == [0, 1, 1, 1, 2, 3]
