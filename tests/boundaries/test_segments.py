"""Words and stretches counted by hand."""

from itertools import combinations

import numpy as np
import pytest

from stages.boundaries.choices import Nested, random_union, ratios, union
from stages.boundaries.positions import Positions
from stages.boundaries.segments import Marked, marked_by


def line(text: str) -> np.ndarray:
    return np.array([mark == "|" for mark in text])


def marked(*readers: str, ends: str, run: list[int], group: list[int] | None = None) -> Marked:
    """Readers as texts with | where they mark an end and . where they do not."""
    table = np.stack([line(reader) for reader in readers], axis=1)
    return Marked(table, line(ends), np.array(group or [0] * len(run)), np.array(run))


def test_f1_over_words_by_hand():
    """ab c def, cut as ab cd ef: one of three words found; as single characters: one of six."""
    found = marked(".|.|.", "|||||", ".....", ".||..", ends=".||..", run=[0] * 5)
    assert found.words_found[:, 0].tolist() == [1, 1, 0, 3]
    assert found.stretches[:, 0].tolist() == [3, 6, 1, 3]
    assert found.words.tolist() == [3]
    f1 = ratios(found)["F1"]
    np.testing.assert_allclose((f1.above / f1.below)[:, 0], [1 / 3, 2 / 9, 0, 1])
    accuracy = ratios(found)["accuracy"]
    np.testing.assert_allclose((accuracy.above / accuracy.below)[:, 0], [3 / 5, 2 / 5, 3 / 5, 1])


def test_runs_end_words_and_groups_are_apart():
    """ab|c and d|e of one text, f|gh of another group; the reader marks nothing in the first."""
    found = marked("..|.", "||..", ends=".||.", run=[0, 0, 1, 2], group=[1, 1, 1, 0])
    assert found.groups == 2
    assert found.words.tolist() == [1, 4]
    assert found.runs.tolist() == [1, 2]
    assert found.words_found.tolist() == [[1, 2], [1, 1]]
    assert found.stretches.tolist() == [[1, 3], [1, 4]]
    assert found.cut_runs.tolist() == [[0, 1], [0, 1]]
    assert found.cases.tolist() == [1, 3]
    assert found.hits.tolist() == [[1, 2], [1, 1]]


def test_stretches_made_of_whole_stretches_by_hand():
    """|.|. lies in |||. whole, and ..|. too; of .|.. one end is none of ..|.'s."""
    found = marked("|.|.", "|||.", "..|.", ".|..", ends="....", run=[0] * 4)
    assert found.made_of(0, 1).tolist() == [3]
    assert found.made_of(2, 1).tolist() == [2]
    assert found.made_of(3, 2).tolist() == [0]
    # Both ends of a run are ends of every reader; no end counts across runs.
    apart = marked("|.|.", "..|.", ends="....", run=[0, 0, 1, 1])
    assert apart.made_of(0, 1).tolist() == [2]
    assert apart.made_of(1, 0).tolist() == [3]


def test_nested_by_chance_by_hand():
    """Two stretches with one end within, one with two; the finer marks half of the positions.

    So by chance (0.5 + 0.5 + 0.25) of three; of a run that is not cut the one stretch always is.
    """
    found = marked("|..|....", "||||....", ends="........", run=[0] * 4 + [1] * 4)

    def share(coarser: int, finer: int) -> list[float]:
        return Nested(found, coarser, finer).shares(lambda part: part.sum()[None])[:, 0].tolist()

    assert share(0, 1) == pytest.approx([1.0, (1 + 2 * 0.5 + 0.25) / 4])
    # The other way round: four ends, two of which the coarser has; it marks a quarter.
    assert share(1, 0) == pytest.approx([3 / 6, (1 + 2 * 0.25 + 3 * 0.25**2) / 6])


def test_the_union_of_heads_and_of_random_heads_by_hand():
    """Of three heads none, one, two and all are right: two drawn have it in 0, 2, 3, 3 of 3."""
    found = marked("|..|", "|.||", "||||", ends="..||", run=[0] * 4, group=[0, 1, 2, 3])
    assert found.right.sum(0).tolist() == [0, 2, 2, 3]
    np.testing.assert_allclose(random_union(found, 2), [0, 1, 1, 1])
    np.testing.assert_allclose(random_union(found, 1), [0, 2 / 3, 2 / 3, 1])
    one = marked("|", "|", ".", ends=".", run=[0])
    np.testing.assert_allclose(random_union(one, 2), [2 / 3])
    np.testing.assert_allclose(random_union(one, 3), [1])
    assert union(found, (0,)).tolist() == [0, 1, 0, 1]
    assert union(found, (0, 2)).tolist() == [0, 1, 1, 1]


def test_chance_is_the_mean_over_all_draws():
    generator = np.random.default_rng(0)
    right = generator.random((40, 6)) < 0.4
    found = Marked(right, np.ones(40, dtype=bool), np.arange(40) // 10, np.zeros(40, dtype=int))
    every = [union(found, heads) for heads in combinations(range(6), 3)]
    np.testing.assert_allclose(random_union(found, 3), np.mean(every, axis=0))


def test_groups_without_positions_are_left_out():
    positions = Positions(
        np.zeros((3, 1)), line(".|."), np.array([4, 4, 1]), np.array([0, 0, 1]), 0
    )
    found = marked_by(positions.marks, positions, np.array([7, 2, 5, 5, 7]))
    assert found.group.tolist() == [1, 1, 0]
