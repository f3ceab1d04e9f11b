"""From the outcomes of gates to effects: tables with intervals, held-out choices and curves."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.intervals.intervals import holm, percentile_interval
from stages.core.outcomes.outcomes import Outcomes
from stages.core.outcomes.paired import (
    Halves,
    ResampledMetric,
    halve,
    held_out_choices,
    mean_effect,
    paired_effects,
    resample,
)


def fixed_tables(outcomes: Outcomes, resamples: int, seed: int) -> dict[str, pd.DataFrame]:
    """Tables of gates that are not random: `gates`, `means` and `held_out`."""
    resampled = resample(outcomes, resamples, seed)
    return {
        "gates": effect_table(outcomes, resampled),
        "means": mean_table(outcomes, resampled),
        "held_out": held_out_table(outcomes, halve(outcomes, resamples, seed)),
    }


def random_tables(outcomes: Outcomes, resamples: int, seed: int) -> dict[str, pd.DataFrame]:
    """Tables of random shares of heads: `gates`, `curves` and `gaps`."""
    resampled = resample(outcomes, resamples, seed)
    points = curve_points(outcomes, resampled, seed)
    return {
        "gates": effect_table(outcomes, resampled),
        "curves": curve_table(outcomes, points),
        "gaps": gap_table(outcomes, points),
    }


def effect_table(outcomes: Outcomes, resampled: ResampledMetric) -> pd.DataFrame:
    """The gates with metric, examples, baseline, value, effect, relative, low, high, p and p_holm.

    `effect` is value minus baseline in the metric's unit (absolute, as Kovaleva et al. 2019),
    `relative` is effect / baseline (as the query-title study; unknown for baselines of 0 and less).
    `p_holm` is corrected within each family and mode; random draws are not tested one by one.
    """
    effects = paired_effects(outcomes, resampled)
    evidence = pd.DataFrame(_evidence(outcomes), index=effects.index)
    table = pd.concat([outcomes.gates, evidence, effects], axis=1)
    table["relative"] = _relative(table["effect"], outcomes)
    table["p_holm"] = np.nan
    for (family, _), group in table.groupby(["family", "mode"]):
        if family == "random":
            table.loc[group.index, "p"] = np.nan
        else:
            table.loc[group.index, "p_holm"] = holm(group["p"].to_numpy())
    return table


def mean_table(outcomes: Outcomes, resampled: ResampledMetric) -> pd.DataFrame:
    """The mean effect over all heads, and over all layers, of each mode.

    Returns:
        family, mode, gates (how many), metric, examples, baseline, effect, low, high.
    """
    return pd.DataFrame(
        {
            "family": family,
            "mode": mode,
            "gates": len(group),
            **_evidence(outcomes),
            **mean_effect(outcomes, resampled, group.index.to_numpy()),
        }
        for (family, mode), group in _fixed(outcomes)
    )


def held_out_table(outcomes: Outcomes, halves: Halves) -> pd.DataFrame:
    """The best and the worst head and layer of each mode, chosen on one half, scored on the other.

    Returns:
        family, mode, picked (`best` | `worst`), layer and head chosen most often, metric, examples,
        baseline, effect_picked_half, effect_heldout, relative_heldout, low, high (of
        effect_heldout).
    """
    rows = []
    for (family, mode), group in _fixed(outcomes):
        for picked, choice in held_out_choices(halves, group.index.to_numpy()).items():
            gate = outcomes.gates.loc[choice["picked"]]
            rows.append(
                {
                    "family": family,
                    "mode": mode,
                    "picked": picked,
                    "layer": gate["layer"],
                    "head": gate["head"],
                    **_evidence(outcomes),
                    "effect_picked_half": choice["chosen_effect"],
                    "effect_heldout": choice["effect"],
                    "relative_heldout": _relative(choice["effect"], outcomes),
                    "low": choice["low"],
                    "high": choice["high"],
                }
            )
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Point:
    """The change by one share of one band's heads, mean over draws, in the same resamples as all.

    `changes` and `relative_changes` are of resampled draws on resampled examples; relative ones are
    NaN where the metric with every head on is not above 0.
    """

    mode: str
    band: str
    share: float
    draws: int
    effect: float
    changes: Float[np.ndarray, " resample"]
    relative_changes: Float[np.ndarray, " resample"]


def curve_points(outcomes: Outcomes, resampled: ResampledMetric, seed: int) -> list[Point]:
    """Every mode, band and share of random gates (query-title study, section 2.1).

    Draws and examples are resampled, so intervals speak of other draws on other examples.
    """
    generator = np.random.default_rng([seed, 1])  # not the stream that drew the examples
    before = resampled.before
    points = []
    for (mode, band, share), group in outcomes.gates.groupby(["mode", "band", "share"]):
        draws = group.index.to_numpy()
        picks = generator.integers(len(draws), size=(len(draws), len(before)))
        after = np.take_along_axis(resampled.after[draws], picks, axis=0).mean(axis=0)
        relative = (after - before) / np.where(before > 0, before, np.nan)
        effect = float(outcomes.after[draws].mean() - outcomes.before)
        points.append(Point(mode, band, share, len(draws), effect, after - before, relative))
    return points


def curve_table(outcomes: Outcomes, points: list[Point]) -> pd.DataFrame:
    """The mean effect of a random share of heads; the share 0 is the baseline itself.

    Returns:
        mode, band, share, draws, metric, examples, baseline, effect, relative, low, high (of
        effect), relative_low, relative_high (of relative); relative ones as in `effect_table`.
    """
    nothing = np.zeros(1)
    starts = {(point.mode, point.band) for point in points}
    zeros = [Point(mode, band, 0.0, 1, 0.0, nothing, nothing) for mode, band in sorted(starts)]
    table = pd.DataFrame(_described(point, outcomes) for point in [*zeros, *points])
    return table.sort_values(["mode", "band", "share"], kind="stable", ignore_index=True)


def gap_table(outcomes: Outcomes, points: list[Point]) -> pd.DataFrame:
    """What a share of the lower half's heads costs more than the same share of the upper half's.

    Paired: both halves are turned off on the same resampled examples.

    Returns:
        As `curve_table`, the effect of the lower band minus that of the upper; without `band`.
    """
    by_place = {(point.mode, point.band, point.share): point for point in points}
    gaps = [
        Point(
            lower.mode,
            "lower-upper",
            lower.share,
            lower.draws,
            lower.effect - upper.effect,
            lower.changes - upper.changes,
            lower.relative_changes - upper.relative_changes,
        )
        for lower in points
        if lower.band == "lower"
        and (upper := by_place.get((lower.mode, "upper", lower.share))) is not None
    ]
    # An encoder of one layer has no halves: an empty table with the same columns.
    columns = _described(Point("", "", 0.0, 0, 0.0, np.zeros(1), np.zeros(1)), outcomes).keys()
    rows = (_described(gap, outcomes) for gap in gaps)
    return pd.DataFrame(rows, columns=list(columns)).drop(columns="band")


def _described(point: Point, outcomes: Outcomes) -> dict[str, str | float]:
    low, high = percentile_interval(point.changes)
    # Where some resamples have no relative change, neither has the point an interval.
    relative_low, relative_high = percentile_interval(point.relative_changes)
    return {
        "mode": point.mode,
        "band": point.band,
        "share": point.share,
        "draws": point.draws,
        **_evidence(outcomes),
        "effect": point.effect,
        "relative": _relative(point.effect, outcomes),
        "low": low,
        "high": high,
        "relative_low": relative_low,
        "relative_high": relative_high,
    }


def _fixed(outcomes: Outcomes) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """The gates of each family and mode that are not drawn at random."""
    gates = outcomes.gates
    yield from gates[gates["family"] != "random"].groupby(["family", "mode"])


def _evidence(outcomes: Outcomes) -> dict[str, str | float]:
    return {
        "metric": outcomes.metric,
        "examples": len(outcomes.labels),
        "baseline": outcomes.before,
    }


def _relative(effect: float | pd.Series, outcomes: Outcomes) -> float | pd.Series:
    """A share of the metric with every head on; unknown where that is not above 0."""
    return effect / outcomes.before if outcomes.before > 0 else effect * np.nan
