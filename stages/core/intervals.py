"""Uncertainty: bootstrap intervals, paired effects of gates, Holm's correction, held-out choice."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from stages.core.metrics import METRICS

LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A value with the percentile bootstrap interval around it."""

    value: float
    low: float
    high: float


def bootstrap(
    statistic: Callable[..., np.ndarray],
    arrays: tuple[np.ndarray, ...],
    resamples: int,
    seed: int,
    level: float = LEVEL,
) -> Interval:
    """Percentile bootstrap of `statistic(*arrays)` over the last axis, arrays resampled together.

    Args:
        statistic: takes arrays [..., n] and returns [...].
        arrays: one or more arrays [n] of the same examples.
    """
    value, low, high, _ = bootstrap_rows(statistic, arrays, resamples, seed, level)
    return Interval(float(value), float(low), float(high))


def bootstrap_rows(
    statistic: Callable[..., np.ndarray],
    arrays: tuple[np.ndarray, ...],
    resamples: int,
    seed: int,
    level: float = LEVEL,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """As `bootstrap` for arrays [rows, n]: value, low, high and standard error, each [rows]."""
    value = np.asarray(statistic(*arrays))
    if arrays[0].shape[-1] < 2:
        unknown = np.full_like(value, np.nan, dtype=float)
        return value, unknown, unknown, unknown
    result = stats.bootstrap(
        arrays,
        lambda *samples, axis=-1: statistic(*samples),
        paired=len(arrays) > 1,
        vectorized=True,
        n_resamples=resamples,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    interval = result.confidence_interval
    return value, interval.low, interval.high, result.standard_error


def paired_effects(
    metric: str,
    labels: Float[np.ndarray, " n"],
    baseline: Float[np.ndarray, " n"],
    gated: Float[np.ndarray, "gates n"],
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """The effect of each gate on `metric` with a paired bootstrap interval and a p-value.

    All gates share the resamples. p is McNemar's exact test for accuracy; for other metrics it is
    the normal approximation with the bootstrap's standard error.

    Returns:
        One row a gate: value, effect, low, high, p; value and effect in the metric's unit.
    """
    score = METRICS[metric]

    def effect(true: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        return score(true, after) - score(true, before)

    rows = []
    for after in gated:
        value, low, high, error = bootstrap_rows(effect, (labels, baseline, after), resamples, seed)
        if metric == "accuracy":
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


def holm(p: Float[np.ndarray, " tests"]) -> Float[np.ndarray, " tests"]:
    """p-values corrected for the number of tests (Holm 1979)."""
    return multipletests(p, method="holm")[1]


def held_out_choice(
    metric: str,
    labels: Float[np.ndarray, " n"],
    baseline: Float[np.ndarray, " n"],
    gated: Float[np.ndarray, "gates n"],
    largest: bool,
    resamples: int,
    seed: int,
    level: float = LEVEL,
) -> dict[str, float]:
    """Pick the gate with the largest (or smallest) effect on one half, score it on the other half.

    The best of many noisy gates always looks like a gain on the examples that chose it. Halves are
    drawn anew each time; for the interval each half is also resampled within itself, so that no
    example stands on both sides.

    Returns:
        picked (the gate chosen most often), chosen_effect (on the half that chose), effect (on the
        other half), low, high (percentile interval of effect).
    """
    score = METRICS[metric]
    generator = np.random.default_rng(seed)
    choose = np.argmax if largest else np.argmin

    def effects(rows: np.ndarray) -> np.ndarray:
        return score(labels[rows], gated[:, rows]) - score(labels[rows], baseline[rows])

    plain, resampled, picks = [], [], []
    for _ in range(resamples):
        order = generator.permutation(len(labels))
        halves = order[: len(order) // 2], order[len(order) // 2 :]
        chosen_by, scored_on = effects(halves[0]), effects(halves[1])
        pick = int(choose(chosen_by))
        picks.append(pick)
        plain.append((chosen_by[pick], scored_on[pick]))
        again = [generator.choice(half, len(half)) for half in halves]
        resampled.append(effects(again[1])[choose(effects(again[0]))])
    tail = (1 - level) / 2
    chosen_effect, effect = np.mean(plain, axis=0)
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return {
        "picked": int(np.bincount(picks).argmax()),
        "chosen_effect": float(chosen_effect),
        "effect": float(effect),
        "low": float(low),
        "high": float(high),
    }
