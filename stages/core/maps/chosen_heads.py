"""Heads that one half of the texts chooses, and what they do on the other.

`stages.core.intervals.held_out` chooses one head by the very score that it is held to. Here a rule
chooses several by one measure, and others are taken of them. Each half's heads are measured on the
other half, over several divisions into halves; each resample of the groups of texts chooses and
measures anew. Chosen heads may also be measured in another encoder, at the same places.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from stages.core.intervals.groups import LEAST_GROUPS, group_weights, sums_of_groups
from stages.core.intervals.held_out import SPLITS, halves

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
    weights = np.concatenate([np.ones((1, count)), group_weights(count, resamples, seed)])
    heads = np.zeros(len(weights))
    found = np.zeros((2, len(measured), len(weights)))
    choosing_sums, *measured_sums = (_sums(values, groups) for values in (choosing, *measured))
    for split in range(SPLITS):
        side = halves(np.arange(count), seed + split)
        for half in (0, 1):
            one, other = weights * (side == half), weights * (side != half)
            with np.errstate(invalid="ignore", divide="ignore"):
                chosen = rule((one @ choosing_sums[0]) / (one @ choosing_sums[1]))
            heads += chosen.sum(1)
            for measure, parts in enumerate(measured_sums):
                for part, of_groups in enumerate(parts):
                    found[part, measure] += np.where(chosen, other @ of_groups, 0.0).sum(1)
    heads, found = heads / (2 * SPLITS), found / SPLITS
    if count < LEAST_GROUPS:
        unknown = slice(1 if count > 1 else 0, None)
        heads[unknown], found[..., unknown] = np.nan, np.nan
    return ChosenHeads(heads, *found)


def _sums(
    values: OfTexts, groups: Int[np.ndarray, " text"]
) -> Float[np.ndarray, "part group head"]:
    """Of each group the sum over its texts, NaN left out, and how many are not NaN."""
    known = ~np.isnan(values)
    both = sums_of_groups(np.stack([np.where(known, values, 0.0), known.astype(float)]), groups)
    return both.transpose(0, 2, 1)
