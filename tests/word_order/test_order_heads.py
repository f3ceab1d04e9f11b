"""Scores of heads whose maps are known: positions, contents, chance."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.runtime.runtime import Runtime
from stages.word_order import order_heads
from stages.word_order.order_heads import (
    DIRECTIONS,
    attention_given,
    given_by_cases,
    neighbour_cases,
    order_scores,
    select_order_heads,
)
from stages.word_order.shuffles import shuffle_pairs

LAYERS, HEADS = 4, 3
BEHIND, BEFORE, CONTENT, UNIFORM = (2, 1), (3, 0), (1, 2), (0, 2)
# Each word is followed by one and the same in every intact text.
CHAIN = "dog cat house garden river book song teacher child sees likes finds reads".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def pairs(tiny_checkpoints):
    """Forty texts of words that follow each other in the chain, exchanged; and its numbers."""
    tokenizer = load_tokenizer(tiny_checkpoints["bert"])
    generator = np.random.default_rng(0)
    titles = []
    for _ in range(40):
        start, count = generator.integers(0, 5), generator.integers(4, 9)
        titles.append(" ".join(CHAIN[start : start + count]))
    ids = [f"x{row}" for row in range(len(titles))]
    examples = pd.DataFrame({"id": ids, "text_a": "the small", "text_b": titles})
    chain = tokenizer.convert_tokens_to_ids(CHAIN)
    return shuffle_pairs(tokenizer, examples, 40, "words", 0), dict(pairwise(chain))


@pytest.fixture
def gated(monkeypatch, pairs):
    """Heads as above; all others attend by chance, which each batch draws anew."""
    _, following = pairs
    generator = np.random.default_rng(1)

    def maps(gated, inputs):
        ids = inputs["input_ids"].numpy()
        texts, width = ids.shape
        for layer in range(LAYERS):
            found = generator.dirichlet(np.ones(width), (texts, HEADS, width))
            for number, head in (oracle for oracle in ORACLES if oracle[0] == layer):
                for row in range(texts):
                    found[row, head] = ORACLES[number, head](ids[row].tolist(), following)
            yield torch.from_numpy(found.astype(np.float32))

    monkeypatch.setattr(order_heads, "layer_maps", maps)
    return Oracles()


class Oracles(Gated):
    """Stands in for a model: `maps` are made without one."""

    def __init__(self):
        self.layers, self.heads = LAYERS, HEADS
        self.model = SimpleNamespace(device=torch.device("cpu"))


def by_content(ids: list[int], following: dict[int, int]) -> np.ndarray:
    """Each word looks at the one that follows it in intact texts, wherever it stands."""
    goals = [ids.index(following[own]) if following.get(own) in ids else 0 for own in ids]
    return np.eye(len(ids))[goals]


ORACLES = {
    BEHIND: lambda ids, _: np.eye(len(ids))[[*range(1, len(ids)), 0]],
    BEFORE: lambda ids, _: np.eye(len(ids))[[0, *range(len(ids) - 1)]],
    CONTENT: by_content,
    UNIFORM: lambda ids, _: np.full((len(ids), len(ids)), 1 / len(ids)),
}


def place(head: tuple[int, int]) -> int:
    return head[0] * HEADS + head[1]


def ones(count: int) -> np.ndarray:
    return np.ones((1, count))


def test_positions_contents_and_neither(pairs, gated):
    shuffled, _ = pairs
    given = attention_given(gated, shuffled, 7, Runtime(threads=1))
    (found,) = order_scores(given, ones(len(shuffled.rows)))
    before, behind = range(len(DIRECTIONS))
    assert found[behind, place(BEHIND)] == pytest.approx(1)
    assert found[before, place(BEFORE)] == pytest.approx(1)
    assert found[behind, place(CONTENT)] == pytest.approx(-1)
    assert found[:, place(UNIFORM)] == pytest.approx(0, abs=1e-6)
    assert found[before, place(BEHIND)] <= 0
    # Exchanging words moves nothing of a head that follows contents, and everything of the other.
    intact, _, former = order_heads.mean_attention(given)[:, behind]
    assert intact[place(CONTENT)] - former[place(CONTENT)] == pytest.approx(0)
    assert intact[place(BEHIND)] - former[place(BEHIND)] == pytest.approx(1)


def test_order_heads_are_found_and_only_they(pairs, gated):
    shuffled, _ = pairs
    halves = [shuffled.only(np.arange(20)), shuffled.only(np.arange(20, 40))]
    given = [attention_given(gated, half, 8, Runtime(threads=1)) for half in halves]
    found = select_order_heads(*given, 2, (ones(20), ones(20)))
    assert set(found.heads.tolist()) == {place(BEHIND), place(BEFORE)}
    directions = dict(zip(found.heads.tolist(), found.directions.tolist(), strict=True))
    assert directions == {place(BEHIND): 1, place(BEFORE): 0}
    assert found.lines[0] == pytest.approx(1)
    assert found.every[0, place(CONTENT)] < 0.2
    assert found.selected(LAYERS * HEADS).sum() == 2


def test_noise_is_at_chance_on_pairs_that_chose_nothing():
    """Chosen among sixty, on the pairs that choose the best of noise is far above 0."""
    choosing, held_out = [], []
    for seed in range(30):
        generator = np.random.default_rng(seed)
        one, other = generator.uniform(0, 0.4, (2, 3, 2, 30, 60)).astype(np.float32)
        found = select_order_heads(one, other, 4, (ones(30), ones(30)))
        votes = order_scores(one, ones(30))[0]
        choosing.append(votes[found.directions, found.heads].mean())
        held_out.append(found.lines[0])
    # The smaller of two means of noise is below their mean: 0 is not exceeded by chance.
    assert np.mean(choosing) > 0.04
    assert abs(np.mean(held_out)) < 0.02


def test_each_resample_chooses_anew():
    """The head that is best on some pairs is not on others; a line that has those alone says so."""
    given = np.zeros((3, 2, 4, 2), dtype=np.float32)
    given[:2, 1, :2, 0] = 1.0
    given[:2, 1, 2:, 1] = 0.5
    weights = np.array([[1.0, 1, 1, 1], [0, 0, 2, 2]])
    found = select_order_heads(given, given, 1, (weights, weights))
    assert found.heads.tolist() == [0]
    assert found.lines.tolist() == [0.5, 0.5]  # (1 + 1) / 4 of the first; 0.5 of the second
    assert found.every[:, 0].tolist() == [0.5, 0.0]


def test_cases_have_another_neighbour_than_before():
    """Intact a b c d, exchanged d a b c: a still stands before b, and b before c."""
    behind = neighbour_cases([3, 0, 1, 2], [0, 1, 2, 3], 1)
    assert behind.asking.tolist() == []  # d, which now has a behind it, had nothing there
    swapped = neighbour_cases([1, 0, 2, 3], [0, 1, 2, 3], 1)
    assert swapped.asking.tolist() == [1, 0]
    assert swapped.by_position.tolist() == [0, 2]
    assert swapped.former.tolist() == [2, 1]
    before = neighbour_cases([1, 0, 2, 3], [0, 1, 2, 3], -1)
    assert before.asking.tolist() == [2]
    assert (before.by_position.tolist(), before.former.tolist()) == ([0], [1])
    # Words 1 and 3 are the same: 0 now stands before 3, which is no other neighbour than 1.
    same = neighbour_cases([2, 0, 3, 1], [0, 1, 2, 1], 1)
    assert 0 not in same.asking


def test_what_is_given_is_a_mean_over_cases():
    before, after = torch.zeros(2, 2, 3, 3)
    before[1, 0, 1], before[1, 1, 2] = 0.6, 0.2
    after[1, 0, 2], after[1, 1, 0], after[1, 0, 1] = 0.5, 0.3, 0.1
    cases = order_heads.NeighbourCases(np.array([0, 1]), np.array([2, 0]), np.array([1, 2]))
    found = given_by_cases(before, after, cases)
    np.testing.assert_allclose(found, [[0, 0.4], [0, 0.4], [0, 0.05]], rtol=1e-6)


def test_pairs_without_cases_count_nowhere():
    given = np.full((3, 2, 3, 1), np.nan, dtype=np.float32)
    given[:, 1, 0, 0] = [0.5, 0.7, 0.1]
    given[:, 1, 1, 0] = [0.9, 0.3, 0.0]
    given[:, 0, :, 0] = 0.0
    # min((0.5 + 0.9) / 2, (0.7 + 0.3) / 2) - (0.1 + 0) / 2
    assert order_scores(given, ones(3))[0, :, 0] == pytest.approx([0, 0.45])
