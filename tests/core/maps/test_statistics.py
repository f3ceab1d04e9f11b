"""Statistics of attention on maps drawn by hand."""

import numpy as np
import pytest
import torch
from scipy import stats

from stages.core.maps.statistics import (
    STATISTICS,
    Moments,
    TokenKinds,
    query_entropy,
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
MASKS = (REAL, flags([1, 0, 0, 0, 0]), flags([0, 0, 0, 1, 0]), flags([0, 0, 1, 0, 0]))
KINDS = TokenKinds(*MASKS)
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
    # uniform: the 16 cells are 0 to 3 places away: 4 x 0, 6 x 1, 4 x 2, 2 x 3
    "distance": [0.75, 0.75, 0.0, 20 / 16, 6 / 4],
    "entropy": [0.0, 0.0, 0.0, np.log(4), 0.0],
    "cls_entropy": [0.0, 0.0, 0.0, np.log(4), 0.0],
}


def by_name(probabilities: torch.Tensor, kinds: TokenKinds) -> dict[str, torch.Tensor]:
    values = surface_statistics(probabilities, kinds).unbind(-1)
    return dict(zip(STATISTICS, values, strict=True))


def test_every_statistic_has_an_answer_by_hand():
    assert list(STATISTICS) == list(BY_HAND)


@pytest.mark.parametrize("name", BY_HAND)
def test_statistic_by_hand(name):
    values = by_name(HEADS, KINDS)[name]
    np.testing.assert_allclose(values[0], BY_HAND[name], atol=1e-6)


def test_padding_does_not_change_a_statistic():
    kinds = TokenKinds(*(mask[:, :4] for mask in MASKS))
    unpadded = surface_statistics(HEADS[..., :4, :4], kinds)
    torch.testing.assert_close(surface_statistics(HEADS, KINDS), unpadded)


def test_two_examples_of_a_batch_do_not_mix():
    both = torch.cat([HEADS, HEADS.flip(1)])
    kinds = TokenKinds(*(mask.repeat(2, 1) for mask in MASKS))
    for name, values in by_name(both, kinds).items():
        np.testing.assert_allclose(values[0], BY_HAND[name], atol=1e-6)
        np.testing.assert_allclose(values[1], BY_HAND[name][::-1], atol=1e-6)


def test_absent_kind_is_nan_in_its_own_example_alone():
    without = flags([0, 0, 0, 0, 0])
    kinds = TokenKinds(*(mask.repeat(2, 1) for mask in MASKS[:3]), torch.cat([without, MASKS[3]]))
    values = by_name(HEADS.repeat(2, 1, 1, 1), kinds)
    assert values["punctuation"][0].isnan().all()
    np.testing.assert_allclose(values["punctuation"][1], BY_HAND["punctuation"], atol=1e-6)
    assert not values["sep"].isnan().any()


def test_a_single_token_has_no_neighbour():
    one = flags([1])
    values = by_name(maps([[1.0]]), TokenKinds(one, one, ~one, ~one))
    assert {name for name, value in values.items() if value.isnan().all()} == {
        "sep",
        "punctuation",
        "sep_to_sep",
        "previous",
        "next",
    }
    assert values["distance"].item() == values["entropy"].item() == 0


def test_entropy_of_known_distributions():
    probabilities = maps([[0.5, 0.5, 0, 0], [0.25] * 4, [0.5, 0.25, 0.25, 0], [1, 0, 0, 0]])
    expected = [np.log(2), np.log(4), 1.5 * np.log(2), 0]
    np.testing.assert_allclose(query_entropy(probabilities)[0, 0], expected, atol=1e-6)


def test_moments_equal_numpy_whatever_the_batches():
    generator = torch.Generator().manual_seed(0)
    values = torch.rand(11, 2, generator=generator) + 1000
    sparse = values.clone()
    sparse[:4] = NAN  # the whole first batch and more
    sparse[9, 1] = NAN
    moments = Moments(["dense", "sparse"])
    both = torch.stack([values, sparse], dim=-1)
    for part in torch.stack([both, both + 1], dim=1).split(3):
        moments.add(part.numpy())
    frame = moments.frame().set_index(["layer", "head", "statistic"])
    assert len(frame) == 2 * 2 * 2
    for layer in range(2):
        for head in range(2):
            for name, data in [("dense", values), ("sparse", sparse)]:
                column = data[:, head].double().numpy() + layer
                row = frame.loc[(layer, head, name)]
                assert row["examples"] == np.isfinite(column).sum()
                assert row["mean"] == pytest.approx(np.nanmean(column), abs=1e-4)
                error = stats.sem(column, nan_policy="omit")
                assert row["standard_error"] == pytest.approx(error, rel=1e-3)


def test_moments_of_one_and_of_no_example():
    moments = Moments(["seen", "absent"])
    moments.add(np.array([[[[0.5, NAN]]]]))
    seen, absent = moments.frame().to_dict("records")
    assert (seen["mean"], seen["examples"], absent["examples"]) == (0.5, 1, 0)
    assert np.isnan([seen["standard_error"], absent["mean"], absent["standard_error"]]).all()


def test_moments_of_nothing_say_so():
    with pytest.raises(ValueError, match="no example"):
        Moments(["seen"]).frame()


def test_two_examples_have_an_error():
    moments = Moments(["seen"])
    moments.add(np.array([[[[1.0]]], [[[4.0]]]]))
    (seen,) = moments.frame().to_dict("records")
    assert (seen["mean"], seen["standard_error"]) == (2.5, pytest.approx(1.5))
