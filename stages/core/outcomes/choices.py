"""The best and the worst of many gates, chosen on one half of the examples, scored on the other.

The best of many noisy gates always looks like a gain on the examples that chose it. Here each half
chooses and the other scores, over many divisions in halves, and the effect is the mean of them all:
what to expect of a gate that half as many examples choose. Its interval is of this very mean. An
example moves it in two ways, as one that scores and as one that chooses; from both comes its
contribution (the infinitesimal jackknife of Efron 2014 and of Wager and Athey 2018, section 4, for
draws of halves), and resamples draw the contributions. Such a variance is rather too large than too
small (Efron and Stein 1981), most where the choice is all chance.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from stages.core.outcomes.outcomes import Outcomes
from stages.core.outcomes.paired import ResampledMetric
from stages.core.outcomes.weighted import weighted_scores


@dataclass(frozen=True)
class HalvedEffects:
    """The effects of each gate on both halves of many divisions of the examples.

    `first` is 1 for the examples of the first half. `values` are what each example contributes to
    the effect of each gate on all examples, which is their mean.
    """

    first: Float[np.ndarray, "split example"]
    on_first: Float[np.ndarray, "split gate"]
    on_second: Float[np.ndarray, "split gate"]
    values: Float[np.ndarray, "gate example"]


@dataclass(frozen=True)
class GateChoice:
    """A choice among gates: the gate chosen most often, and effects in the metric's unit.

    `chosen_effect` is on the halves that chose, `effect` on those that did not, `drawn` the latter
    on resamples.
    """

    picked: int
    chosen_effect: float
    effect: float
    drawn: Float[np.ndarray, " resample"]


def halve(outcomes: Outcomes, splits: int, seed: int) -> HalvedEffects:
    """Divide the examples in halves, the same for all gates and all outcomes of as many examples.

    NaN where there is but one example.
    """
    count = len(outcomes.labels)
    first = np.zeros((splits, count))
    first[:, : count // 2] = 1
    first = np.random.default_rng([seed, 2]).permuted(first, axis=1)
    predictions = np.concatenate([outcomes.baseline[None], outcomes.gated])

    def effects(weights: np.ndarray) -> np.ndarray:
        scores = weighted_scores(outcomes.metric, outcomes.labels, predictions, weights)
        return scores[1:] - scores[0]

    if count < 2:
        none = np.full((splits, len(outcomes.gated)), np.nan)
        return HalvedEffects(first, none, none, none[:1].T)
    whole, without = effects(np.ones((1, count))), effects(1 - np.eye(count))
    values = count * whole - (count - 1) * without
    return HalvedEffects(first, effects(first).T, effects(1 - first).T, values)


def held_out_choice(
    halves: HalvedEffects, gates: Int[np.ndarray, " some"], sign: int, resampled: ResampledMetric
) -> GateChoice:
    """Choose of some gates the one with the largest effect on a half, and score it on the other.

    Args:
        gates: rows of the outcomes.
        sign: 1 for the largest effect, -1 for the smallest.
        resampled: of the outcomes that were halved.
    """
    lines = np.arange(len(halves.first))
    sides = (halves.on_first, halves.on_second)
    of_first, of_second = (gates[(sign * side[:, gates]).argmax(axis=1)] for side in sides)
    on_chosen = halves.on_first[lines, of_first], halves.on_second[lines, of_second]
    # Of each division: what the first half chose, scored on the second, and the other way about.
    scores = halves.on_second[lines, of_first], halves.on_first[lines, of_second]
    effect = float(np.mean(scores))
    contributions = _contributions(halves, (of_first, of_second), scores)
    drawn = effect + (resampled.weights - 1) @ contributions / halves.first.shape[1]
    return GateChoice(
        int(np.bincount(np.concatenate([of_first, of_second])).argmax()),
        float(np.mean(on_chosen)),
        effect,
        drawn,
    )


def _contributions(
    halves: HalvedEffects,
    chosen: tuple[Int[np.ndarray, " split"], Int[np.ndarray, " split"]],
    scores: tuple[Float[np.ndarray, " split"], Float[np.ndarray, " split"]],
) -> Float[np.ndarray, " example"]:
    """What each example contributes to the held-out effect, less the mean of all.

    Args:
        chosen: the gates that the first halves chose, and the second halves.
        scores: the effects of these on the other halves.
    """
    splits, count = halves.first.shape
    second = 1 - halves.first
    scoring = np.zeros(count)
    for gate in np.unique(np.concatenate(chosen)):
        often = second[chosen[0] == gate].sum(axis=0) + halves.first[chosen[1] == gate].sum(axis=0)
        scoring += often / splits * halves.values[gate]
    scoring -= scoring.mean()
    # What the scores owe to the examples that chose, not to those that scored.
    left = [
        score - side @ scoring / side.sum(axis=1)
        for score, side in zip(scores, (second, halves.first), strict=True)
    ]
    choosing = (left[0] @ halves.first + left[1] @ second) / splits
    whole = scoring + count * (choosing - choosing.mean())
    # So few divisions leave noise in `choosing`, whose variance is known and is taken off.
    noise = count**2 * np.var((left[0] - left[1]) / 2) / splits
    variance = max(np.mean(whole**2) - noise, np.mean(scoring**2))
    return whole * np.sqrt(variance / np.mean(whole**2)) if whole.any() else whole
