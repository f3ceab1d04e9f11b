"""Gates against the baseline on the same examples: effects with their resamples."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy  # whose submodules load when they are first used
from jaxtyping import Bool, Float, Int

from stages.core.intervals.intervals import draw_samples, percentile_interval
from stages.core.outcomes.deciding import ACCURACY
from stages.core.outcomes.outcomes import Outcomes
from stages.core.outcomes.weighted import weighted_scores


@dataclass(frozen=True)
class ResampledMetric:
    """The metric on the same resamples of the examples, with every head on and under each gate.

    `weights` say how often each resample draws each example.
    """

    weights: Int[np.ndarray, "resample example"]
    before: Float[np.ndarray, " resample"]
    after: Float[np.ndarray, "gate resample"]

    @property
    def effects(self) -> Float[np.ndarray, "gate resample"]:
        """After minus before, in the metric's unit."""
        return self.after - self.before


def draw_weights(count: int, resamples: int, seed: int) -> Int[np.ndarray, "resample {count}"]:
    """How often each resample of `draw_samples` has each example."""
    samples = draw_samples(count, resamples, seed)
    return np.stack([np.bincount(sample, minlength=count) for sample in samples])


def resample(outcomes: Outcomes, resamples: int, seed: int) -> ResampledMetric:
    """The bootstrap over examples that all intervals of these outcomes come from.

    Outcomes of as many examples are drawn alike, so those of several seeds of a task are paired.
    NaN where there is but one example, which says nothing of others.
    """
    count = len(outcomes.labels)
    weights = draw_weights(count, resamples, seed)
    predictions = np.concatenate([outcomes.baseline[None], outcomes.gated])
    scores = weighted_scores(outcomes.metric, outcomes.labels, predictions, weights)
    if count < 2:
        scores[:] = np.nan
    return ResampledMetric(weights, scores[0], scores[1:])


def one_more_each_way(
    outcomes: Outcomes, gates: int, resamples: int, stream: tuple[int, ...]
) -> Float[np.ndarray, "{gates} {resamples}"]:
    """What one more won and one more lost example add to effects on resamples.

    Where few examples change, resamples of these alone make intervals far too narrow, and none at
    all where no example changes. With one more of each they cover as Bonett and Price (2012) found
    for the limits that they give in a formula. Of other metrics than accuracy nothing is added.

    Args:
        stream: the seed, and numbers that tell other draws of the same seed apart.
    """
    if outcomes.metric != ACCURACY:
        return np.zeros((gates, resamples))
    won, lost = np.random.default_rng(stream).poisson(size=(2, gates, resamples))
    return (won - lost) / len(outcomes.labels)


def paired_effects(outcomes: Outcomes, effects: Float[np.ndarray, "gate resample"]) -> pd.DataFrame:
    """The effect of each gate on the metric with the interval of its resamples and a p-value.

    p is McNemar's exact test for accuracy; for other metrics it is the normal approximation with
    the bootstrap's standard error.

    Args:
        effects: on resamples.

    Returns:
        One row a gate: value, effect, low, high, p; value and effect in the metric's unit.
    """
    value = outcomes.after
    effect = value - outcomes.before
    low, high = percentile_interval(effects)
    if outcomes.metric == ACCURACY:
        before_right = outcomes.baseline == outcomes.labels
        p = [_mcnemar(before_right, after == outcomes.labels) for after in outcomes.gated]
    else:
        error = effects.std(axis=1, ddof=1)
        ratio = np.divide(effect, error, out=np.zeros_like(effect), where=error > 0)
        p = 2 * scipy.stats.norm.sf(np.abs(ratio))
    return pd.DataFrame({"value": value, "effect": effect, "low": low, "high": high, "p": p})


def _mcnemar(
    before_right: Bool[np.ndarray, " example"], after_right: Bool[np.ndarray, " example"]
) -> float:
    lost, won = np.sum(before_right & ~after_right), np.sum(~before_right & after_right)
    # Most who resample outcomes test nothing, and would load statsmodels for it.
    from statsmodels.stats.contingency_tables import mcnemar

    # The test looks at nothing but the two counts of examples that changed.
    return mcnemar([[0, lost], [won, 0]], exact=True).pvalue
