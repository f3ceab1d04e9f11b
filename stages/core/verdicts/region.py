"""Where a claim is true, the one rule that gives a verdict, and what could have been seen."""

import math
from typing import Literal

import scipy  # whose submodules load when they are first used
from pydantic import PositiveInt, model_validator

from stages.core.intervals.intervals import LEVEL
from stages.core.stage.settings import Parameters
from stages.core.verdicts.estimates import Estimate

Verdict = Literal["holds", "fails", "undecided", "not decidable here"]
POWER = 0.8  # with which `smallest_shown` would have been seen


class Region(Parameters):
    """Where the claim is true: strictly above and below these bounds, each eased by the margin."""

    above: float | None = None
    below: float | None = None
    margin: float = 0.0

    @model_validator(mode="after")
    def _has_a_bound(self) -> "Region":
        if self.above is None and self.below is None:
            raise ValueError("give `above`, `below` or both")
        if self.margin < 0:
            raise ValueError("a margin is 0 or more")
        if self.upper <= self.lower:
            raise ValueError(f"nothing lies above {self.lower:g} and below {self.upper:g}")
        return self

    @property
    def lower(self) -> float:
        return float("-inf") if self.above is None else self.above - self.margin

    @property
    def upper(self) -> float:
        return float("inf") if self.below is None else self.below + self.margin

    @property
    def direction(self) -> int:
        """1 for a region above a bound, -1 for one below a bound, 0 for one between two."""
        return (self.below is None) - (self.above is None)

    def depth(self, value: float) -> float:
        """How far a value lies inside a region of one bound; negative outside of it."""
        return value - self.lower if self.direction > 0 else self.upper - value


def verdict(
    estimate: Estimate, region: Region, beyond: Estimate | None = None, counts: bool = False
) -> Verdict:
    """Give the verdict on a claim.

    It `holds` if the whole interval lies in the region and, for a region above or below one bound,
    the whole interval of the difference to the control lies beyond 0 in the same direction. It
    `fails` if none of the interval lies in the region, or none of the difference lies beyond 0. An
    interval that ends on a bound is not inside. One that is not known, or has no width, decides
    nothing.

    Args:
        beyond: the estimate less that of random weights, where there are any.
        counts: whether the estimate is a count with its range, which may be of one number.
    """
    parts = [_place(estimate, region, counts)]
    if beyond is not None and region.direction:
        side = Region(above=0) if region.direction > 0 else Region(below=0)
        parts.append(_place(beyond, side, counts))
    if "fails" in parts:
        return "fails"
    return "holds" if set(parts) == {"holds"} else "undecided"


def _place(estimate: Estimate, region: Region, counts: bool) -> Verdict:
    """Where an interval lies: inside (`holds`), outside (`fails`), or across an end."""
    if not (estimate.has_width or (counts and estimate.low == estimate.high)):
        return "undecided"
    if region.lower < estimate.low and estimate.high < region.upper:
        return "holds"
    if estimate.high <= region.lower or estimate.low >= region.upper:
        return "fails"
    return "undecided"


class Power(Parameters):
    """What these data could have shown: distances from the region's bound, in the claim's unit."""

    smallest_shown: float  # with a probability of `POWER`
    published: float | None = None  # of the source's value
    needed: PositiveInt | None = None  # cases that would show the published one, where these do not


def power(estimate: Estimate, region: Region, published: float | None) -> Power | None:
    """Work out the smallest effect that the data could have shown, and how many cases would do.

    Of an interval of half-width h towards the bound, the standard error is h / 1.96; an effect of
    2.8 standard errors would be shown four times in five. Cases needed grow with its square.

    Returns:
        None for a region between two bounds, and where the interval is not known.
    """
    if not region.direction or not estimate.has_width:
        return None
    above = region.direction > 0
    half_width = estimate.value - estimate.low if above else estimate.high - estimate.value
    normal = scipy.stats.norm.isf((1 - LEVEL) / 2)
    smallest = max(half_width, 0.0) * (normal + scipy.stats.norm.isf(1 - POWER)) / normal
    distance = None if published is None else region.depth(published)
    needed = None
    if distance is not None and 0 < distance < smallest:
        needed = math.ceil(estimate.n * (smallest / distance) ** 2)
    return Power(smallest_shown=smallest, published=distance, needed=needed)
