"""Statistics of attention on maps drawn by hand."""

import numpy as np
import pytest
import torch
from scipy import stats

from stages.core.attention.statistics import (
    Moments,
    TokenKinds,
    attention_shares,
    mean_distance,
    mean_intervals,
    offset_share,
    query_entropy,
    query_mean,
    surface_statistics,
)

NAN = float("nan")


def maps(*rows_of_heads) -> torch.Tensor:
    """One example: [1, head, query, key]."""
    return torch.tensor(rows_of_heads, dtype=torch.float32)[None]


def flags(*rows) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.bool)


# [CLS] a . [SEP] and one column of padding; the last query row is what a model leaves there.
REAL = flags([1, 1, 1, 1, 0])
KINDS = TokenKinds(REAL, flags([1, 0, 0, 0, 0]), flags([0, 0, 0, 1, 0]), flags([0, 0, 1, 0, 0]))
NOISE = [0.7, 0.1, 0.1, 0.1, 0.0]
PREVIOUS = [[1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], NOISE]
NEXT = [[0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 0], NOISE]
SELF = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], NOISE]
UNIFORM = [[0.25, 0.25, 0.25, 0.25, 0]] * 4 + [NOISE]
TO_SEP = [[0, 0, 0, 1, 0]] * 4 + [NOISE]
HEADS = maps(PREVIOUS, NEXT, SELF, UNIFORM, TO_SEP)

# columns:           previous next  self  uniform     to [SEP]
BY_HAND = {
    "cls": [0.5, 0.0, 0.25, 0.25, 0.0],
    "sep": [0.0, 0.5, 0.25, 0.25, 1.0],
    "punctuation": [0.25, 0.25, 0.25, 0.25, 0.0],
    "sep_to_sep": [0.0, 1.0, 1.0, 0.25, 1.0],
    "previous": [1.0, 0.0, 0.0, 0.25, 0.0],
    "next": [0.0, 1.0, 0.0, 0.25, 1 / 3],
    "current": [0.25, 0.25, 1.0, 0.25, 0.25],
    "entropy": [0.0, 0.0, 0.0, np.log(4), 0.0],
    "cls_entropy": [0.0, 0.0, 0.0, np.log(4), 0.0],
    # uniform: the 16 cells are 0 to 3 places away: 4 x 0, 6 x 1, 4 x 2, 2 x 3
    "distance": [0.75, 0.75, 0.0, 20 / 16, 6 / 4],
}


def test_every_statistic_has_an_answer_by_hand():
    assert list(surface_statistics(HEADS, KINDS)) == list(BY_HAND)


@pytest.mark.parametrize("name", BY_HAND)
def test_statistic_by_hand(name):
    values = surface_statistics(HEADS, KINDS)[name]
    np.testing.assert_allclose(values[0], BY_HAND[name], atol=1e-6)


def test_padding_does_not_change_a_statistic():
    cut = HEADS[..., :4, :4]
    kinds = TokenKinds(*(mask[:, :4] for mask in vars(KINDS).values()))
    padded, unpadded = surface_statistics(HEADS, KINDS), surface_statistics(cut, kinds)
    for name in padded:
        torch.testing.assert_close(padded[name], unpadded[name])


def test_two_examples_of_a_batch_do_not_mix():
    both = torch.cat([HEADS, HEADS.flip(1)])
    kinds = TokenKinds(*(mask.repeat(2, 1) for mask in vars(KINDS).values()))
    for name, values in surface_statistics(both, kinds).items():
        np.testing.assert_allclose(values[0], BY_HAND[name], atol=1e-6)
        np.testing.assert_allclose(values[1], BY_HAND[name][::-1], atol=1e-6)


def test_absent_kind_is_nan_and_not_zero():
    kinds = TokenKinds(KINDS.real, KINDS.cls, KINDS.sep, torch.zeros_like(REAL))
    values = surface_statistics(HEADS, kinds)
    assert values["punctuation"].isnan().all()
    assert not values["sep"].isnan().any()


def test_shares_between_kinds():
    probabilities = maps([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [0.6, 0.4, 0.0]])
    shares = attention_shares(
        probabilities,
        queries=flags([1, 1, 0], [0, 0, 1], [0, 0, 0])[None],
        keys=flags([0, 1, 1], [1, 0, 0], [0, 0, 0])[None],
    )
    # to the last two: (0.9 + 0.5) / 2; to the first: (0.1 + 0.5) / 2
    expected = [[0.7, 0.3, NAN], [0.4, 0.6, NAN], [NAN, NAN, NAN]]
    np.testing.assert_allclose(shares[0, 0], expected, atol=1e-6)


def test_farther_offsets_and_too_short_a_text():
    probabilities = maps([[0.0, 0.1, 0.9], [1.0, 0.0, 0.0], [0.4, 0.6, 0.0]])
    real = flags([1, 1, 1])
    assert offset_share(probabilities, real, 2).item() == pytest.approx(0.9)
    assert offset_share(probabilities, real, -2).item() == pytest.approx(0.4)
    assert offset_share(probabilities, real, 3).isnan().all()
    assert offset_share(probabilities, flags([1, 1, 0]), 2).isnan().all()


def test_entropy_of_known_distributions():
    probabilities = maps([[0.5, 0.5, 0, 0], [0.25] * 4, [0.5, 0.25, 0.25, 0], [1, 0, 0, 0]])
    expected = [np.log(2), np.log(4), 1.5 * np.log(2), 0]
    np.testing.assert_allclose(query_entropy(probabilities)[0, 0], expected, atol=1e-6)
    mean = query_mean(query_entropy(probabilities), flags([1, 1, 0, 0]))
    assert mean.item() == pytest.approx(1.5 * np.log(2))


def test_distance_weighs_by_attention():
    probabilities = maps([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    assert mean_distance(probabilities, flags([1, 1, 1])).item() == pytest.approx((1 + 0 + 1) / 3)


def test_moments_equal_numpy_whatever_the_batches():
    generator = torch.Generator().manual_seed(0)
    values = torch.rand(11, 2, generator=generator) + 1000
    sparse = values.clone()
    sparse[:4] = NAN  # the whole first batch and more
    sparse[9, 1] = NAN
    moments = Moments(layers=2)
    for first, second in zip(values.split(3), sparse.split(3), strict=True):
        for layer in range(2):
            moments.add(layer, {"dense": first + layer, "sparse": second + layer})
    frame = moments.frame().set_index(["layer", "head", "statistic"])
    assert len(frame) == 2 * 2 * 2
    for layer in range(2):
        for head in range(2):
            for name, data in [("dense", values), ("sparse", sparse)]:
                column = data[:, head].double().numpy() + layer
                row = frame.loc[(layer, head, name)]
                assert row["count"] == np.isfinite(column).sum()
                assert row["mean"] == pytest.approx(np.nanmean(column), abs=1e-4)
                error = stats.sem(column, nan_policy="omit")
                assert row["standard_error"] == pytest.approx(error, rel=1e-3)


def test_moments_of_one_and_of_no_example():
    moments = Moments(layers=1)
    moments.add(0, {"seen": torch.tensor([[0.5]]), "absent": torch.tensor([[NAN]])})
    seen, absent = moments.frame().to_dict("records")
    assert (seen["mean"], seen["count"], absent["count"]) == (0.5, 1, 0)
    assert np.isnan([seen["standard_error"], absent["mean"], absent["standard_error"]]).all()


def test_moments_refuse_other_statistics():
    moments = Moments(layers=1)
    moments.add(0, {"entropy": torch.zeros(1, 1)})
    with pytest.raises(ValueError, match="the statistics are"):
        moments.add(0, {"cls": torch.zeros(1, 1)})


def test_mean_intervals_agree_with_the_normal_approximation():
    values = np.random.default_rng(0).normal(size=(400, 2, 3)) * [1, 2, 3] + 5
    mean, low, high = mean_intervals(values, resamples=4000, seed=1, level=0.95)
    np.testing.assert_allclose(mean, values.mean(0))
    half_width = 1.96 * stats.sem(values)
    np.testing.assert_allclose(high - mean, half_width, rtol=0.1)
    np.testing.assert_allclose(mean - low, half_width, rtol=0.1)


def test_mean_intervals_are_repeatable_and_level_matters():
    values = np.random.default_rng(0).normal(size=(50, 3))
    first, second = (mean_intervals(values, 500, seed=3, level=0.95) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    narrow = mean_intervals(values, 500, seed=3, level=0.5)
    assert (narrow[2] - narrow[1] < first[2] - first[1]).all()
