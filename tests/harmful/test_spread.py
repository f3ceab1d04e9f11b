"""How the fall of the loss is spread over examples, by hand."""

import numpy as np
import pandas as pd
import pytest

from stages.harmful.harm import spread_table
from stages.harmful.scores import Cut
from stages.harmful.spread import most_helped, spread, spread_row

EVEN = np.ones((1, 20))


def test_one_example_has_it_all():
    falls = np.full(20, -0.1)
    falls[7] = 10
    found = spread(falls, EVEN)[:, 0]
    assert found == pytest.approx([1 / 20, 1, -0.1])


def test_it_falls_everywhere_alike():
    assert spread(np.full(20, 0.3), EVEN)[:, 0] == pytest.approx([1, 0.05, 0.3])


def test_a_tenth_at_each_end_is_left_out():
    falls = np.array([8.0, -9.0, 1.0, 2.0, 0.0, 1.0, -1.0, 1.0, 0.0, 1.0])
    found = spread(falls, np.ones((1, 10)), top=0.1)[:, 0]
    assert found == pytest.approx([6 / 10, 8 / 14, 5 / 8])


def test_weights_are_examples_that_are_drawn_again():
    falls = np.random.default_rng(0).normal(size=20)
    weights = np.random.default_rng(1).multinomial(20, np.full(20, 1 / 20), size=3)
    repeated = [spread(np.repeat(falls, line), EVEN)[:, 0] for line in weights]
    np.testing.assert_allclose(spread(falls, weights), np.array(repeated).T)


def test_where_no_loss_falls_the_share_is_unknown():
    falls, _, trimmed = spread(np.full(20, -1.0), EVEN)[:, 0]
    assert (falls, trimmed) == (0, -1)
    assert np.isnan(spread(np.full(20, -1.0), EVEN)[1, 0])


def test_intervals_are_of_the_resamples():
    row = spread_row(np.random.default_rng(0).normal(0.1, 1, size=200), 400, 0)
    assert row["falls_low"] < row["falls"] < row["falls_high"]
    limits = np.quantile(row["trimmed_drawn"], [0.025, 0.975])
    assert [row["trimmed_low"], row["trimmed_high"]] == pytest.approx(limits)


def test_the_examples_that_gain_most_stand_first_with_their_share():
    examples = pd.DataFrame({"id": list("abcd")})
    losses = np.array([[1.0, 4.0, 2.0, 1.0], [2.0, 1.0, 1.0, 1.0]])
    found = most_helped(examples, losses, 3)
    assert found["id"].tolist() == ["b", "c"]  # those whose loss falls
    assert found["fall"].tolist() == [3, 1]
    assert found["share"].tolist() == [0.75, 0.25]


def test_examples_for_which_no_half_chose_a_head_are_left_out():
    """One half chose heads that lower the loss everywhere, the other none."""
    full = np.zeros((40, 2))
    side = np.arange(40) % 2
    better = np.stack([full + np.array([1.0, 0.0]), full])
    cut = Cut(np.zeros(40), full, side[None], better[None], np.arange(4), full[None, :4])
    table = spread_table(cut, "classification", 20, 0)
    chosen = table.set_index("heads").loc["chosen"]
    assert chosen["examples"] == 20
    assert chosen["falls"] == 1
