"""Several heads that one half of the texts selects, measured on the other half.

`stages.core.intervals.held_out.held_out` selects one head by its score. Here a rule selects several
by one measure, and others are taken of them, also in another encoder at the same places. Each
resample of the groups of texts selects and measures anew.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from stages.core.intervals.groups import LEAST_GROUPS, line_weights, sums_of_groups
from stages.core.intervals.held_out import Half, cross_fitted

OfTexts = Float[np.ndarray, "head text"]
# Which heads are chosen, by their means over texts.
Rule = Callable[[Float[np.ndarray, "line head"]], Bool[np.ndarray, "line head"]]


class ChosenHeads(NamedTuple):
    """How many heads were chosen, and what they have on the texts that did not choose them.

    The first line is of the texts as they are, the others are of the resamples. `heads` is the mean
    over halves and divisions. `sums` are over chosen heads and texts, mean over divisions, and
    `cases` is how many of these there are: parts of an encoder add up.
    """

    heads: Float[np.ndarray, " line"]
    sums: Float[np.ndarray, "measure line"]
    cases: Float[np.ndarray, "measure line"]

    @property
    def means(self) -> Float[np.ndarray, "measure line"]:
        """The mean over the chosen heads and texts; NaN where there is none."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.sums / self.cases


def strongest(count: int) -> Rule:
    """The rule that takes the `count` heads with the largest means; none where none is known."""

    def rule(means: Float[np.ndarray, "line head"]) -> Bool[np.ndarray, "line head"]:
        order = np.argsort(-means, axis=1, kind="stable")[:, :count]
        chosen = np.zeros(means.shape, dtype=bool)
        np.put_along_axis(chosen, order, True, axis=1)
        return chosen & ~np.isnan(means)

    return rule


def above(bound: float) -> Rule:
    """The rule that takes all heads with a mean above `bound`."""

    def rule(means: Float[np.ndarray, "line head"]) -> Bool[np.ndarray, "line head"]:
        return means > bound

    return rule


def held_out_heads(
    choosing: OfTexts,
    rule: Rule,
    measured: Sequence[OfTexts],
    groups: Int[np.ndarray, " text"],
    resamples: int,
    seed: int,
) -> ChosenHeads:
    """Choose heads on each half of the texts by `choosing`, and take `measured` on the other half.

    A text counts where it has a number. Fewer than `LEAST_GROUPS` groups give no resamples (NaN),
    and one alone, which has no other half, gives nothing at all.

    Args:
        measured: of the same heads, or of those at the same places of another encoder, on the same
            texts; one array for each measure.
    """
    count = len(np.unique(groups))
    votes, *tables = (_sums(values, groups) for values in (choosing, *measured))

    def score(selecting: Half, scored: Half) -> Float[np.ndarray, "measure line"]:
        sums, cases = map(selecting.padded_sums, votes)
        chosen = rule(sums / cases)
        of_chosen = [
            np.where(chosen, scored.padded_sums(table[part]), 0.0).sum(1)
            for part in range(2)
            for table in tables
        ]
        return np.stack([chosen.sum(1), *of_chosen])

    heads, *found = cross_fitted(score, line_weights(count, resamples, seed), seed)
    # The two halves of a division have all texts.
    sums_and_cases = 2 * np.array(found).reshape(2, len(tables), len(heads))
    if count < LEAST_GROUPS:
        unknown = slice(1 if count > 1 else 0, None)
        heads[unknown], sums_and_cases[..., unknown] = np.nan, np.nan
    return ChosenHeads(heads, *sums_and_cases)


def _sums(
    values: OfTexts, groups: Int[np.ndarray, " text"]
) -> Float[np.ndarray, "part head group"]:
    """For each group the sum over its texts, NaN left out, and how many are not NaN."""
    known = ~np.isnan(values)
    return sums_of_groups(np.stack([np.where(known, values, 0.0), known.astype(float)]), groups)
