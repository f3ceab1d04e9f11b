"""Features of maps whose numbers are worked out by hand."""

import numpy as np
import pytest

from stages.patterns.features import feature_table
from stages.patterns.map_file import Map

LENGTH = 16


def features_of(weights: Map) -> dict[str, float]:
    (found,) = feature_table([weights.astype(np.float32)]).to_dict("records")
    return found


def sinks(length: int, shares: dict[int, float]) -> Map:
    """Each row gives these shares to these columns, and nothing to others."""
    weights = np.zeros((length, length))
    weights[:, list(shares)] = list(shares.values())
    return weights


def test_strong_columns_are_three_at_most_and_a_quarter_of_the_tokens():
    shares = {0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4}
    for length, together in ((LENGTH, 0.9), (8, 0.7), (4, 0.4)):
        found = features_of(sinks(length, shares))
        assert found["strong_columns"] == pytest.approx(together)
        assert found["strongest_column"] == pytest.approx(0.4)


def test_entropy_is_a_share_of_that_of_a_uniform_row():
    """Two of sixteen tokens: one of four bits."""
    found = features_of(sinks(LENGTH, {2: 0.5, 9: 0.5}))
    assert found["entropy"] == pytest.approx(0.25)
    assert found["log_length"] == pytest.approx(4 * np.log(2))
    assert features_of(np.full((5, 5), 0.2))["entropy"] == pytest.approx(1)


def test_dim_cells_are_an_eighth_as_bright_as_the_brightest_and_may_lie_in_a_stripe():
    found = features_of(sinks(LENGTH, {2: 0.7, 9: 0.2, 12: 0.08, 13: 0.02}))
    assert found["dim"] == pytest.approx(2 / 16)


@pytest.mark.parametrize(
    ("offset", "diagonal", "band"), [(0, 1, 1), (2, 1, 1), (-2, 1, 1), (3, 0, 0), (-3, 0, 0)]
)
def test_the_band_is_two_tokens_wide_and_counts_beyond_its_share_of_the_cells(
    offset, diagonal, band
):
    """Rows whose goal would lie outside of the text look at the token farthest away."""
    weights = np.eye(LENGTH, k=offset)
    beyond = np.flatnonzero(weights.sum(1) == 0)
    weights[beyond, 0 if offset > 0 else -1] = 1
    found = features_of(weights)
    assert found["diagonal"] == pytest.approx(diagonal)
    cells = 16 + 2 * 15 + 2 * 14
    share = band * (16 - len(beyond)) / 16
    assert found["band"] == pytest.approx(share - cells / 256)


def test_what_sinks_hide_counts_as_if_they_were_not_there():
    """A tenth lies on the diagonal; three tokens have nothing beside the sinks: they look evenly.

    Of what these three give, 5, 5 and 3 of 16 parts lie in the band.
    """
    found = features_of(sinks(LENGTH, {4: 0.3, 9: 0.3, 15: 0.3}) + 0.1 * np.eye(LENGTH))
    assert found["band_of_rest"] == pytest.approx((13 + 13 / 16) / 16 - 74 / 256)


def spans(*sizes: int) -> Map:
    """Even attention within spans of these sizes and none beyond."""
    span = np.repeat(range(len(sizes)), sizes)
    weights = (span[:, None] == span).astype(float)
    return weights / weights.sum(1, keepdims=True)


@pytest.mark.parametrize("sizes", [(5, 7), (7, 5)])
def test_two_squares_hold_more_than_their_share_of_the_cells(sizes):
    """Beyond the band 6 + 20 of 90 cells lie in squares of 5 and 7 tokens; all the weight does."""
    weights = 0.4 * spans(*sizes) + sinks(12, {0: 0.2, 6: 0.2, 11: 0.2})
    assert features_of(weights)["block_of_rest"] == pytest.approx(1 - 26 / 90, abs=1e-5)


def test_a_row_looks_at_a_sink_from_a_tenth_of_its_weight_on():
    """Even rows give it 0.2, odd ones 0.05; the first and last row and those near do not count."""
    share = np.where(np.arange(20) % 2, 0.05, 0.2)
    weights = np.tile(((1 - share) / 19)[:, None], 20)
    weights[:, 0] = share
    assert features_of(weights)["rows_with_a_sink"] == pytest.approx(8 / 18)


@pytest.mark.parametrize(("far", "near"), [([2], 7 * 0.5 / 100), ([2, 13], 0)])
def test_a_column_that_a_quarter_of_the_rows_sees_from_afar_is_a_stripe(far, near):
    """Column 8 is seen by all near rows and by one or two of the seven that are far away.

    What is no stripe lies near the diagonal with 7 of 100 cells, half as bright as the brightest.
    Column 0, to which all the rest goes, is a stripe.
    """
    weights = np.zeros((LENGTH, LENGTH))
    weights[[5, 6, 7, 8, 9, 10, 11, *far], 8] = 0.5
    weights[:, 0] = 1 - weights[:, 8]
    assert features_of(weights)["near"] == pytest.approx(near)


def test_far_corners_of_two_squares_are_held_against_what_is_outside_of_both():
    """Half of all weight goes to a sink, a stripe that counts nowhere.

    The second half of the text gives a fifth of the rest to the first. On a scale where the sink is
    1 the corners have 35 cells of 1/9 and 50 of 0.08; outside are 90 of 0 and 80 of 0.2/9.
    """
    weights = np.zeros((20, 20))
    weights[:10, :10] = 0.5 / 9
    weights[10:, 10:], weights[10:, :10] = 0.04, 0.1 / 9
    weights[:, 7] = 0.5
    corners, outside = (35 / 9 + 50 * 0.08) / 85, 80 * 0.2 / 9 / 170
    expected = (corners - outside) / (corners + outside + 0.02)
    assert features_of(weights)["far_corners"] == pytest.approx(expected)


def test_a_ridge_is_brighter_than_what_lies_three_to_five_tokens_away():
    """Tokens look at the next one and at the fourth, and at the first where there is none.

    Half of the cells one token away are seen, as nobody looks back, and half of those four away.
    """
    weights = 0.5 * np.eye(20, k=1) + 0.5 * np.eye(20, k=4)
    weights[:, 0] += 1 - weights.sum(1)
    expected = np.log((1 / 2 + 0.01) / (1 / 6 + 0.01))
    assert features_of(weights)["ridge"] == pytest.approx(expected)
