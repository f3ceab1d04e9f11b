"""Gates against the baseline on the same examples: effects, and choices that are held out."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from stages.core.intervals.intervals import percentile_interval
from stages.core.outcomes.outcomes import Outcomes
from stages.core.tasks.metrics import scorer


@dataclass(frozen=True)
class ResampledMetric:
    """The metric on the same resamples of the examples, with every head on and under each gate."""

    before: Float[np.ndarray, " resample"]
    after: Float[np.ndarray, "gate resample"]

    @property
    def effects(self) -> Float[np.ndarray, "gate resample"]:
        """After minus before, in the metric's unit."""
        return self.after - self.before


def draw_samples(count: int, resamples: int, seed: int) -> Int[np.ndarray, "resample {count}"]:
    """The examples of each resample."""
    return np.random.default_rng(seed).integers(count, size=(resamples, count))


def resample(outcomes: Outcomes, resamples: int, seed: int) -> ResampledMetric:
    """The bootstrap over examples that all intervals of these outcomes come from.

    NaN where there is but one example, which says nothing of others.
    """
    count = len(outcomes.labels)
    if count < 2:
        unknown = np.full((1 + len(outcomes.gated), resamples), np.nan)
        return ResampledMetric(unknown[0], unknown[1:])
    samples = draw_samples(count, resamples, seed)
    score = scorer(outcomes.metric, outcomes.labels[samples])
    before, *after = (
        score(predictions[samples]) for predictions in (outcomes.baseline, *outcomes.gated)
    )
    return ResampledMetric(before, np.stack(after))


def paired_effects(outcomes: Outcomes, resampled: ResampledMetric) -> pd.DataFrame:
    """The effect of each gate on the metric with a paired bootstrap interval and a p-value.

    p is McNemar's exact test for accuracy; for other metrics it is the normal approximation with
    the bootstrap's standard error.

    Returns:
        One row a gate: value, effect, low, high, p; value and effect in the metric's unit.
    """
    value = outcomes.after
    effect = value - outcomes.before
    low, high = percentile_interval(resampled.effects)
    if outcomes.metric == "accuracy":
        before_right = outcomes.baseline == outcomes.labels
        p = [_mcnemar(before_right, after == outcomes.labels) for after in outcomes.gated]
    else:
        error = resampled.effects.std(axis=1, ddof=1)
        ratio = np.divide(effect, error, out=np.zeros_like(effect), where=error > 0)
        p = 2 * stats.norm.sf(np.abs(ratio))
    return pd.DataFrame({"value": value, "effect": effect, "low": low, "high": high, "p": p})


def _mcnemar(
    before_right: Bool[np.ndarray, " example"], after_right: Bool[np.ndarray, " example"]
) -> float:
    lost, won = np.sum(before_right & ~after_right), np.sum(~before_right & after_right)
    # The test looks at nothing but the two counts of examples that changed.
    return mcnemar([[0, lost], [won, 0]], exact=True).pvalue


def mean_effect(
    outcomes: Outcomes, resampled: ResampledMetric, gates: Int[np.ndarray, " some"]
) -> dict[str, float]:
    """The mean effect of some gates, as of one drawn at random, with a paired bootstrap interval.

    Args:
        gates: rows of `outcomes.gated`.

    Returns:
        effect, low, high in the metric's unit.
    """
    effect = outcomes.after[gates].mean() - outcomes.before
    low, high = percentile_interval(resampled.effects[gates].mean(axis=0))
    return {"effect": float(effect), "low": float(low), "high": float(high)}


@dataclass(frozen=True)
class Halves:
    """The effect of each gate on one half of the examples, and on the other; drawn many times.

    `_again` are effects on the same halves, each resampled within itself, so that no example stands
    on both sides.
    """

    choosing: Float[np.ndarray, "resample gate"]
    scoring: Float[np.ndarray, "resample gate"]
    choosing_again: Float[np.ndarray, "resample gate"]
    scoring_again: Float[np.ndarray, "resample gate"]


def halve(outcomes: Outcomes, resamples: int, seed: int) -> Halves:
    """Draw halves of the examples, the same for all gates."""
    labels = outcomes.labels
    generator = np.random.default_rng(seed)
    predictions = np.concatenate([outcomes.baseline[None], outcomes.gated])

    def effects(rows: np.ndarray) -> np.ndarray:
        before, *after = scorer(outcomes.metric, labels[rows])(predictions[:, rows])
        return np.array(after) - before

    drawn = np.empty((resamples, 4, len(outcomes.gated)))
    for line in drawn:
        order = generator.permutation(len(labels))
        parts = order[: len(order) // 2], order[len(order) // 2 :]
        again = [generator.choice(part, len(part)) for part in parts]
        line[:] = [effects(rows) for rows in (*parts, *again)]
    return Halves(*drawn.swapaxes(0, 1))


def held_out_choices(
    halves: Halves, gates: Int[np.ndarray, " some"]
) -> dict[str, dict[str, float]]:
    """Pick of some gates those with the largest and smallest effect on one half, score the other.

    The best of many noisy gates always looks like a gain on the examples that chose it.

    Args:
        gates: rows of `outcomes.gated`.

    Returns:
        For `best` and `worst`: picked (the row of the gate chosen most often), chosen_effect (on
        the half that chose), effect (on the other half), low, high (percentile interval of effect).
    """
    return {"best": _chosen(halves, gates, np.argmax), "worst": _chosen(halves, gates, np.argmin)}


def _chosen(
    halves: Halves, gates: Int[np.ndarray, " some"], choose: Callable[..., np.ndarray]
) -> dict[str, float]:
    lines = np.arange(len(halves.choosing))
    picks = gates[choose(halves.choosing[:, gates], axis=1)]
    picks_again = gates[choose(halves.choosing_again[:, gates], axis=1)]
    low, high = percentile_interval(halves.scoring_again[lines, picks_again])
    return {
        "picked": int(np.bincount(picks).argmax()),
        "chosen_effect": float(halves.choosing[lines, picks].mean()),
        "effect": float(halves.scoring[lines, picks].mean()),
        "low": float(low),
        "high": float(high),
    }
