"""The rule `special`: whose columns count, what is left over, and what becomes of each class."""

import numpy as np
import pytest
import torch

from stages.patterns.labelled_maps import CLASSES
from stages.patterns.special import SpecialRule, attention_parts, special_tokens, under_special
from tests.patterns.maps import diagonal, vertical

RULE = SpecialRule(punctuation=[], neighbours=1, beyond=0.5, to_special=0.2)
CODE = {name: code for code, name in enumerate(CLASSES)}


def test_special_tokens_of_two_families_and_marks_where_asked():
    tokens = ["[CLS]", "a", ".", "[SEP]", "[MASK]", "<s>", "Ġ.", "</s>"]
    assert np.flatnonzero(special_tokens(tokens, [])).tolist() == [0, 3, 5, 7]
    assert np.flatnonzero(special_tokens(tokens, ["."])).tolist() == [0, 2, 3, 5, 6, 7]
    assert not special_tokens(["[", "CLS", "]", "sep"], ["."]).any()


def test_parts_of_attention_by_hand():
    """Five tokens, the last special. Row 0 has nothing near it but itself and token 1."""
    weights = torch.tensor(
        [
            [0.1, 0.2, 0.3, 0.0, 0.4],
            [0.2, 0.2, 0.2, 0.2, 0.2],
            [0.0, 0.0, 1.0, 0.0, 0.0],
            [0.5, 0.0, 0.0, 0.0, 0.5],
            [0.0, 0.0, 0.0, 0.0, 1.0],
        ]
    )
    special = torch.tensor([False, False, False, False, True])
    to_special, beyond = attention_parts(weights[None], special, 1)
    # The fourth row's [SEP] is its neighbour, the last row's itself.
    assert to_special.tolist() == pytest.approx([(0.4 + 0.2) / 5])
    assert beyond.tolist() == pytest.approx([(0.3 + 0.2 + 0.5) / 5])
    none_near, all_beyond = attention_parts(weights[None], ~special, 0)
    assert none_near.tolist() == pytest.approx([(0.5 + 0.6 + 0 + 0.5 + 0) / 5])
    assert all_beyond.tolist() == pytest.approx([(0.4 + 0.2 + 0 + 0.5) / 5])


def test_queries_and_keys_are_not_exchanged():
    """All look at token 0; only if it is special is nothing beyond."""
    maps = torch.from_numpy(vertical(10))[None]
    at = torch.arange(10)
    assert attention_parts(maps, at == 0, 1)[1] < 0.2
    assert attention_parts(maps, at == 5, 1)[1] > 0.6


@pytest.mark.parametrize(
    ("before", "to_special", "beyond", "after"),
    [
        ("vertical", 0.7, 0.2, "vertical"),
        ("vertical", 0.4, 0.55, "heterogeneous"),
        ("vertical", 0.1, 0.3, "heterogeneous"),
        ("vertical+diagonal", 0.4, 0.2, "vertical+diagonal"),
        ("vertical+diagonal", 0.1, 0.45, "diagonal"),
        ("vertical+diagonal", 0.1, 0.6, "heterogeneous"),
        ("diagonal", 0.0, 0.3, "diagonal"),
        ("diagonal", 0.0, 0.6, "heterogeneous"),
        ("block", 0.0, 0.9, "block"),
        ("heterogeneous", 0.9, 0.0, "heterogeneous"),
    ],
)
def test_what_becomes_of_a_class(before, to_special, beyond, after):
    found = under_special(
        np.array([CODE[before]]), np.array([to_special]), np.array([beyond]), RULE
    )
    assert CLASSES[found[0]] == after


def test_stripes_on_cls_a_word_and_beside_a_diagonal():
    """Oracle maps whose only difference is the token under the stripe."""
    tokens = ["[CLS]", *"abcdefghijklmnopqr", "[SEP]"]
    special = torch.from_numpy(special_tokens(tokens, []))
    both = [0.4 * vertical(20, column) + 0.6 * diagonal(20) for column in (0, 9)]
    maps = [vertical(20, 0), vertical(20, 19), vertical(20, 9), *both]
    codes = np.array([CODE["vertical"]] * 3 + [CODE["vertical+diagonal"]] * 2)
    parts = attention_parts(torch.from_numpy(np.stack(maps)), special, 1)
    found = under_special(codes, *(part.numpy() for part in parts), RULE)
    assert [CLASSES[code] for code in found] == [
        "vertical",
        "vertical",
        "heterogeneous",
        "vertical+diagonal",
        "diagonal",
    ]
