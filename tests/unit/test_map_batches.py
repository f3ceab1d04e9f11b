"""Batches by the size of their maps, by hand."""

import numpy as np

from stages.core.attention.map_batches import batch_of, fitting
from stages.core.encoder.batches import Encoded

LENGTHS = np.array([2, 10, 3, 5, 3])


def maps(count):
    return lambda length: count * length**2


def parts(*arguments, **options):
    return [part.tolist() for part in fitting(*arguments, **options)]


def test_as_many_as_fit_with_their_padding():
    """Two maps a text: 200 numbers, then 50 a text, then 18."""
    assert parts(np.arange(5), LENGTHS, maps(2), 100) == [[1], [3, 2], [4, 0]]
    assert parts(np.arange(5), LENGTHS, maps(2), 10_000) == [[1, 3, 2, 4, 0]]


def test_no_more_than_asked_for():
    assert parts(np.arange(5), LENGTHS, maps(2), 10_000, most=2) == [[1, 3], [2, 4], [0]]


def test_only_the_rows_drawn():
    assert parts(np.array([0, 2, 4]), LENGTHS, maps(1), 18) == [[2, 4], [0]]
    assert parts(np.array([], dtype=int), LENGTHS, maps(1), 18) == []


def test_a_batch_names_the_rows_of_the_whole():
    encoded = Encoded(
        {"input_ids": [[7], [1, 2, 3], [4, 5]]}, {"input_ids": 0}, [[0], [0] * 3, [0] * 2]
    )
    batch = batch_of(encoded, np.array([0, 1]), "cpu")
    assert batch.rows.tolist() == [1, 0]
    assert batch.lengths.tolist() == [3, 1]
    assert batch.inputs["input_ids"].tolist() == [[1, 2, 3], [7, 0, 0]]
