"""Heads chosen on one half of the texts: answers by hand, and noise that must score chance."""

import numpy as np
import pytest

from stages.core.maps.chosen_heads import above, held_out_heads, strongest

TEXTS = 40
ALONE = np.arange(TEXTS)


def of_heads(*means: float) -> np.ndarray:
    return np.tile(np.array(means, dtype=float)[:, None], (1, TEXTS))


def test_rules_by_hand():
    means = np.array([[0.1, 0.9, 0.5], [0.6, 0.2, 0.6]])
    assert strongest(2)(means).tolist() == [[False, True, True], [True, False, True]]
    unknown = np.array([[np.nan, np.nan, np.nan], [np.nan, 0.1, 0.2]])
    assert strongest(2)(unknown).tolist() == [[False] * 3, [False, True, True]]
    assert above(0.5)(means).tolist() == [[False, True, False], [True, False, True]]


def test_what_is_measured_is_of_the_chosen_heads_alone():
    found = held_out_heads(
        of_heads(0.1, 0.8, 0.2, 0.7),
        strongest(2),
        [of_heads(100, 1, 100, 3), of_heads(100, 10, 100, 30)],
        ALONE,
        20,
        0,
    )
    np.testing.assert_allclose(found.heads, 2)
    np.testing.assert_allclose(found.means, np.tile([[2.0], [20.0]], 21))
    # Two heads on each text; a resample has as many texts, however they fall into halves.
    np.testing.assert_allclose(found.cases[:, 0], 2 * TEXTS)
    np.testing.assert_allclose(found.sums[:, 0], [2 * 2 * TEXTS, 20 * 2 * TEXTS])


def test_a_bound_that_no_head_is_above_chooses_none():
    found = held_out_heads(of_heads(0.1, 0.5), above(0.5), [of_heads(1, 1)], ALONE, 20, 0)
    assert (found.heads == 0).all()
    assert (found.sums == 0).all()
    assert (found.cases == 0).all()
    assert np.isnan(found.means).all()


def test_noise_that_chose_scores_chance():
    """The best of many noisy heads on the very texts lie far above 0, on others at 0."""
    generator = np.random.default_rng(1)
    values = []
    for _ in range(30):
        noise = generator.normal(size=(60, TEXTS))
        found = held_out_heads(noise, strongest(3), [noise], ALONE, 2, 0)
        values.append(found.means[0, 0])
        assert np.sort(noise.mean(1))[-3:].mean() > 0.15
    assert np.mean(values) == pytest.approx(0, abs=0.03)


def test_texts_of_one_group_are_never_on_both_sides():
    """Each pair of texts has a head of its own: those that one half chooses are 0 on the other."""
    groups = np.repeat(np.arange(TEXTS // 2), 2)
    own = (groups == np.arange(TEXTS // 2)[:, None]).astype(float)
    found = held_out_heads(own, above(0.01), [own], groups, 5, 0)
    assert found.heads[0] == TEXTS / 4
    assert found.sums[0, 0] == 0


def test_texts_without_a_number_neither_choose_nor_count():
    choosing = of_heads(0.9, 0.1)
    choosing[:, 10:] = np.nan
    measured = of_heads(1.0, 5.0)
    measured[0, ::2] = np.nan
    found = held_out_heads(choosing, strongest(1), [measured, of_heads(1, 0)], ALONE, 5, 0)
    assert found.means[0, 0] == 1
    assert found.cases[:, 0].tolist() == [TEXTS / 2, TEXTS]


def test_resamples_are_of_the_measured_texts():
    """The spread is that of the mean of a half, mean over divisions: of nearly all texts."""
    generator = np.random.default_rng(0)
    measured = np.stack([generator.normal(size=TEXTS), np.full(TEXTS, 50.0)])
    found = held_out_heads(of_heads(1, 0), strongest(1), [measured], ALONE, 2000, 0)
    error = measured[0].std() / np.sqrt(TEXTS)
    assert found.means[0, 0] == pytest.approx(measured[0].mean(), abs=1e-12)
    assert found.means[0, 1:].std() == pytest.approx(error, rel=0.1)


@pytest.mark.parametrize(("count", "known"), [(1, 0), (4, 1), (5, 21)])
def test_few_groups_give_no_resamples(count, known):
    found = held_out_heads(
        of_heads(1, 0)[:, :count], strongest(1), [of_heads(3, 0)[:, :count]], ALONE[:count], 20, 0
    )
    assert (~np.isnan(found.means)).sum() == known
