import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stages.core.verdicts.estimates import (
    Estimate,
    count_above,
    difference_of,
    largest,
    mean_of,
    mean_on_same_examples,
    over_seeds,
    smallest,
)

ONE, TWO = Estimate(10, 7, 14, 100), Estimate(20, 16, 23, 50)


def values(estimate: Estimate) -> list[float]:
    return [estimate.value, estimate.low, estimate.high, estimate.n]


def test_mean_of_independent_estimates_adds_half_widths_in_quadrature():
    # Below: (3, 4) -> 5 / 2; above: (4, 3) -> 5 / 2.
    assert values(mean_of([ONE, TWO])) == pytest.approx([15, 12.5, 17.5, 150])


def test_mean_on_same_examples_averages_bounds():
    assert values(mean_on_same_examples([ONE, TWO])) == pytest.approx([15, 11.5, 18.5, 100])


def test_smallest_is_above_a_bound_only_if_every_estimate_is():
    found = smallest([ONE, TWO])
    assert (found.value, found.low, found.n) == (10, 7, 150)
    # Two upper ends at once need 2.241 / 1.960 of the half-width.
    assert found.high == pytest.approx(10 + 4 * 2.2414 / 1.95996, abs=1e-3)


def test_largest_mirrors_smallest():
    mirrored = smallest([ONE.scaled(-1), TWO.scaled(-1)]).scaled(-1)
    assert values(largest([ONE, TWO])) == pytest.approx(values(mirrored))
    assert largest([ONE, TWO]).high == 23


def test_one_estimate_is_its_own_mean_smallest_and_largest():
    for combination in (mean_of, mean_on_same_examples, smallest, largest):
        assert values(combination([ONE])) == pytest.approx(values(ONE))


def test_a_negative_scale_turns_the_interval_over():
    assert values(ONE.scaled(-2)) == [-20, -28, -14, 100]


def drawn(value: float, resamples: np.ndarray) -> Estimate:
    return Estimate.of_drawn(value, resamples, 100)


def test_the_interval_of_resamples_is_their_middle_95_percent():
    found = drawn(50, np.arange(1001) / 10)
    assert values(found) == pytest.approx([50, 2.5, 97.5, 100])
    assert np.isnan(drawn(50, np.array([1.0, np.nan])).low)


def test_differences_of_the_same_resamples_are_paired():
    noise = np.random.default_rng(0).normal(size=1000)
    one, other = drawn(3, 3 + noise), drawn(2, 2 + noise + np.linspace(-0.1, 0.1, 1000))
    paired = difference_of(one, other)
    assert paired.value == 1
    assert 0.9 <= paired.low < paired.high <= 1.1


def test_differences_of_independent_estimates_turn_the_second_over():
    """Downwards lie the first one's lower side and the second one's upper, of 3 and of 4."""
    apart = difference_of(Estimate(3, 0, 8, 10), Estimate(2, -10, 6, 8))
    assert values(apart) == pytest.approx([1, 1 - 5, 1 + 13, 8])


def test_a_mean_on_the_same_examples_is_that_of_their_resamples():
    noise = np.random.default_rng(0).normal(size=1000)
    both = [drawn(1, 1 + noise), drawn(3, 3 - noise)]
    mean = mean_on_same_examples(both)
    assert values(mean) == pytest.approx([2, 2, 2, 100])  # what one has more, the other has less


def test_seeds_add_a_t_interval_of_their_values():
    runs = [Estimate(value, value - 1, value + 2, 50) for value in (4.0, 6.0, 8.0)]
    found = over_seeds(runs)
    half_width = stats.t(2).isf(0.025) * 2 / np.sqrt(3)  # their standard deviation is 2
    assert found.value == 6
    assert found.low == pytest.approx(6 - np.hypot(1, half_width))
    assert found.high == pytest.approx(6 + np.hypot(2, half_width))
    assert found.n == 50
    assert over_seeds(runs[:1]) == runs[0]


def test_resamples_of_seeds_carry_the_variance_between_them():
    noise = np.random.default_rng(0).normal(scale=0.1, size=4000)
    runs = [drawn(value, value + noise) for value in (4.0, 6.0, 8.0)]
    found = over_seeds(runs)
    low, high = np.quantile(found.drawn, [0.025, 0.975])
    assert (low, high) == pytest.approx((found.low, found.high), rel=0.1)
    alike = over_seeds([drawn(6, 6 + noise)] * 3)
    assert (alike.low, alike.high) == pytest.approx(tuple(np.quantile(6 + noise, [0.025, 0.975])))


def test_three_seeds_cover_what_another_seed_and_other_examples_would_give():
    generator = np.random.default_rng(1)
    inside = 0
    for _ in range(400):
        examples = generator.normal(scale=0.5)  # the error that all seeds share
        runs = [
            Estimate(value, value - 0.98, value + 0.98, 10)
            for value in generator.normal(scale=1.0, size=3) + examples
        ]
        found = over_seeds(runs)
        inside += found.low <= 0 <= found.high
    assert inside / 400 >= 0.93


def heads_of(*means: float) -> pd.DataFrame:
    """Intervals of which a quarter lies below: their half-width is 1, a standard error 0.51."""
    means = np.array(means)
    return pd.DataFrame({"mean": means, "mean_low": means - 0.5, "mean_high": means + 1.5})


def test_heads_are_counted_that_are_shown_to_be_above_among_so_many():
    """Of four heads the first must be 2.498 standard errors away, which is 1.275 half-widths."""
    assert values(count_above(heads_of(6.28, 5, 4.5, 3.72), "mean", 5)) == [1, 1, 3, 4]
    assert values(count_above(heads_of(6.27, 5, 4.5, 3.73), "mean", 5)) == [1, 0, 4, 4]
    # Once the first two are, the third must be 2.241 away, the last 1.96.
    assert values(count_above(heads_of(9, 9, 6.15, 6.01), "mean", 5)) == [4, 4, 4, 4]
    assert values(count_above(heads_of(9, 9, 6.15, 5.99), "mean", 5)) == [4, 3, 4, 4]


def test_the_smallest_of_several_has_the_lowest_of_all_lower_ends_and_of_all_widened_upper():
    """The third estimate reaches lowest, the second least far up, the first is the smallest."""
    several = [Estimate(10, 9, 40, 1), Estimate(12, 11, 13, 1), Estimate(15, 2, 30, 1)]
    found = smallest(several)
    # Three at once need 2.3940 of 1.9600 half-widths.
    assert values(found) == pytest.approx([10, 2, 12 + 2.3940 / 1.9600, 3], abs=1e-3)


def test_resamples_of_unequal_number_are_not_joined():
    three, two = (Estimate(10, 7, 14, 9, np.arange(float(count))) for count in (3, 2))
    assert mean_of([three, three]).drawn.tolist() == [0, 1, 2]
    assert mean_of([three, two]).drawn is None
    assert mean_of([three, ONE]).drawn is None
