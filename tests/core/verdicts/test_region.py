"""Verdicts and power on intervals whose answers are known."""

import math

import pytest
from pydantic import ValidationError
from scipy import stats

from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.region import Region, power, verdict


def estimate(low: float, high: float, n: int = 10) -> Estimate:
    return Estimate((low + high) / 2, low, high, n)


@pytest.mark.parametrize(
    ("region", "low", "high", "expected"),
    [
        ({"above": 0}, 0.1, 2.0, "holds"),
        ({"above": 0}, -0.1, 2.0, "undecided"),
        ({"above": 0}, -2.0, -0.1, "fails"),
        ({"above": 0}, 0.0, 2.0, "undecided"),  # an interval that ends on the bound is not inside
        ({"above": 0}, -2.0, 0.0, "fails"),
        ({"above": 0}, 0.0, 0.0, "undecided"),  # no width decides nothing,
        ({"above": 0}, 5.0, 5.0, "undecided"),  # wherever it lies
        ({"below": 0}, -2.0, -0.1, "holds"),
        ({"below": 0}, -2.0, 0.1, "undecided"),
        ({"below": 0}, 0.1, 2.0, "fails"),
        ({"above": 0, "margin": 1}, -0.9, 0.5, "holds"),  # not worse by more than the margin
        ({"above": 0, "margin": 1}, -1.5, 0.5, "undecided"),
        ({"above": 0, "margin": 1}, -3.0, -1.0, "fails"),
        ({"below": 0, "margin": 1}, 0.2, 0.9, "holds"),
        ({"below": 0, "margin": 1}, 0.5, 1.5, "undecided"),
        ({"below": 0, "margin": 1}, 1.0, 2.0, "fails"),
        ({"above": 0.32, "below": 0.61}, 0.4, 0.5, "holds"),
        ({"above": 0.32, "below": 0.61}, 0.3, 0.5, "undecided"),
        ({"above": 0.32, "below": 0.61}, 0.2, 0.7, "undecided"),
        ({"above": 0.32, "below": 0.61}, 0.62, 0.7, "fails"),
        ({"above": 0}, math.nan, math.nan, "undecided"),
    ],
)
def test_the_whole_interval_decides(region, low, high, expected):
    assert verdict(estimate(low, high), Region(**region)) == expected


@pytest.mark.parametrize(
    ("region", "low", "high", "expected"),
    [
        ({"above": 0}, 0.1, 0.9, "holds"),
        ({"above": 0}, -0.1, 0.9, "undecided"),
        ({"above": 0}, -0.9, -0.1, "fails"),  # random weights have more
        ({"below": 9}, 0.1, 0.9, "fails"),  # of a claim of little, random weights have less
        ({"below": 9}, -0.9, -0.1, "holds"),
        ({"above": 0, "below": 9}, -0.9, -0.1, "holds"),  # beside a band it decides nothing
    ],
)
def test_a_claim_of_one_bound_is_also_beyond_random_weights(region, low, high, expected):
    assert verdict(estimate(1, 2), Region(**region), estimate(low, high)) == expected


def test_beyond_random_weights_does_not_make_up_for_the_region():
    assert verdict(estimate(-2, -1), Region(above=0), estimate(1, 2)) == "fails"
    assert verdict(estimate(-2, 1), Region(above=0), estimate(1, 2)) == "undecided"


def test_a_count_may_be_of_one_number():
    assert verdict(estimate(3, 3), Region(above=0), counts=True) == "holds"
    assert verdict(estimate(0, 0), Region(above=0), counts=True) == "fails"


@pytest.mark.parametrize(
    "region", [{}, {"margin": 1}, {"above": 0, "margin": -1}, {"above": 2, "below": 1}]
)
def test_a_region_needs_a_bound_and_no_negative_margin(region):
    with pytest.raises(ValidationError):
        Region(**region)


def test_power_is_that_of_a_normal_test_four_times_in_five():
    # A standard error of 1: the interval is 1.96 wide to both sides.
    half_width = stats.norm.isf(0.025)
    found = power(estimate(-half_width, half_width, n=100), Region(above=0), published=1.0)
    rejected = stats.norm.sf(half_width - found.smallest_shown)
    assert rejected == pytest.approx(0.8)
    assert found.published == 1.0
    # 2.8 times as far takes 7.85 times as many.
    assert found.needed == math.ceil(100 * found.smallest_shown**2)
    assert 780 < found.needed < 790


def test_power_looks_towards_the_bound():
    uneven = Estimate(5, 4, 9, 100)
    above, below = Region(above=0), Region(below=10)
    assert power(uneven, above, None).smallest_shown == pytest.approx(1.4294, abs=1e-3)
    assert power(uneven, below, None).smallest_shown == pytest.approx(4 * 1.4294, abs=1e-3)
    assert power(uneven, below, published=7.0).published == 3.0
    assert power(uneven, Region(above=0, margin=1), published=2.0).published == 3.0


def test_what_was_shown_needs_no_more_cases():
    assert power(estimate(4, 6), Region(above=0), published=5.0).needed is None
    assert power(estimate(4, 6), Region(above=0), published=-5.0).needed is None
    assert power(estimate(4, 6), Region(above=0, below=9), published=5.0) is None
    assert power(estimate(4, 4), Region(above=0), published=5.0) is None
