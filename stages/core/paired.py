"""Gates against the baseline on the same examples: effects, and choices that are held out."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from stages.core.intervals import LEVEL, bootstrap_rows
from stages.core.metrics import METRICS
from stages.core.outcomes import Outcomes


def paired_effects(outcomes: Outcomes, resamples: int, seed: int) -> pd.DataFrame:
    """The effect of each gate on the metric with a paired bootstrap interval and a p-value.

    All gates share the resamples. p is McNemar's exact test for accuracy; for other metrics it is
    the normal approximation with the bootstrap's standard error.

    Returns:
        One row a gate: value, effect, low, high, p; value and effect in the metric's unit.
    """
    score, labels, baseline = METRICS[outcomes.metric], outcomes.labels, outcomes.baseline

    def effect(true: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        return score(true, after) - score(true, before)

    rows = []
    for after in outcomes.gated:
        value, low, high, error = bootstrap_rows(effect, (labels, baseline, after), resamples, seed)
        if outcomes.metric == "accuracy":
            before_right, after_right = baseline == labels, after == labels
            p = mcnemar(
                pd.crosstab(before_right, after_right).reindex(
                    index=[False, True], columns=[False, True], fill_value=0
                ),
                exact=True,
            ).pvalue
        else:
            p = 2 * stats.norm.sf(abs(value) / error) if error > 0 else 1.0
        rows.append(
            {"value": score(labels, after), "effect": value, "low": low, "high": high, "p": p}
        )
    return pd.DataFrame(rows).astype(float)


def mean_effect(
    outcomes: Outcomes, gated: Float[np.ndarray, "gates n"], resamples: int, seed: int
) -> dict[str, float]:
    """The mean effect of some gates, as of one drawn at random, with a paired bootstrap interval.

    Returns:
        effect, low, high in the metric's unit.
    """
    score, labels, baseline = METRICS[outcomes.metric], outcomes.labels, outcomes.baseline
    generator = np.random.default_rng(seed)

    def effect(rows: np.ndarray) -> float:
        return np.mean(score(labels[rows], gated[:, rows])) - score(labels[rows], baseline[rows])

    resampled = [
        effect(generator.integers(len(labels), size=len(labels))) for _ in range(resamples)
    ]
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    value = effect(np.arange(len(labels)))
    return {"effect": float(value), "low": float(low), "high": float(high)}


def held_out_choices(
    outcomes: Outcomes, gated: Float[np.ndarray, "gates n"], resamples: int, seed: int
) -> dict[str, dict[str, float]]:
    """Pick the gates with the largest and smallest effect on one half, score them on the other.

    The best of many noisy gates always looks like a gain on the examples that chose it. Halves are
    drawn anew each time; for the interval each half is also resampled within itself, so that no
    example stands on both sides.

    Returns:
        For `best` and `worst`: picked (the gate chosen most often), chosen_effect (on the half that
        chose), effect (on the other half), low, high (percentile interval of effect).
    """
    score, labels, baseline = METRICS[outcomes.metric], outcomes.labels, outcomes.baseline
    generator = np.random.default_rng(seed)

    def effects(rows: np.ndarray) -> np.ndarray:
        return score(labels[rows], gated[:, rows]) - score(labels[rows], baseline[rows])

    # Each line: effects by the half that chooses, by the other half; then the same, resampled.
    halves = np.empty((resamples, 4, len(gated)))
    for line in halves:
        order = generator.permutation(len(labels))
        parts = order[: len(order) // 2], order[len(order) // 2 :]
        again = [generator.choice(part, len(part)) for part in parts]
        line[:] = [effects(rows) for rows in (*parts, *again)]
    return {
        "best": _chosen(halves, np.argmax),
        "worst": _chosen(halves, np.argmin),
    }


def _chosen(
    halves: Float[np.ndarray, "resamples 4 gates"], choose: Callable[..., np.ndarray]
) -> dict[str, float]:
    chosen_by, scored_on, chosen_by_again, scored_on_again = halves.swapaxes(0, 1)
    lines = np.arange(len(halves))
    picks = choose(chosen_by, axis=1)
    resampled = scored_on_again[lines, choose(chosen_by_again, axis=1)]
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return {
        "picked": int(np.bincount(picks).argmax()),
        "chosen_effect": float(chosen_by[lines, picks].mean()),
        "effect": float(scored_on[lines, picks].mean()),
        "low": float(low),
        "high": float(high),
    }
