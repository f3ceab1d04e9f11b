"""The page of importance: ranks and shares within each task, over fine-tunings."""

import pytest

from stages.importance.page import importances
from stages.importance.tables import HEADS
from tests.claims import write_table


def test_ranks_and_shares_are_of_the_heads_of_one_task(measures):
    for task, values in (("one", ((2.0, 8.0), (4.0, 4.0))), ("two", ((3.0, 1.0),))):
        for seed, of_heads in enumerate(values):
            rows = [
                {"head": head, "importance": value, "loss": seed, "absolute_loss": value}
                for head, value in enumerate(of_heads)
            ]
            write_table(measures, HEADS, rows, 1.0, data=task, seed=seed, arm="tuned")
    heads = importances(measures)
    assert heads["data"].tolist() == ["one", "one", "two", "two"]
    assert heads["importance"].tolist() == pytest.approx([3, 6, 3, 1])
    assert heads["absolute_loss"].tolist() == pytest.approx([3, 6, 3, 1])
    assert heads["rank"].tolist() == [2, 1, 1, 2]
    assert heads["share"].tolist() == pytest.approx([0.5, 1, 1, 1 / 3])
    assert heads["importance_low"].min() == 0  # no gradient is smaller
