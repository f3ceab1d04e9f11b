"""From the outcomes of gates to tables of effects, with intervals and resamples."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import scipy  # whose submodules load when they are first used
from jaxtyping import Float, Int

from stages.core.intervals.intervals import LEVEL, holm, percentile_interval
from stages.core.outcomes.choices import halve, held_out_choice
from stages.core.outcomes.outcomes import Outcomes
from stages.core.outcomes.paired import (
    ResampledMetric,
    one_more_each_way,
    paired_effects,
    resample,
)
from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.tables import Table, estimate_columns


def fixed_tables(
    outcomes: Outcomes, resamples: int, splits: int, seed: int, arm: str
) -> dict[Table, pd.DataFrame]:
    """Rows of the tables of gates that are not random, without seed and arm.

    Args:
        splits: divisions in halves: one selects, the other scores.
        arm: of the encoder; what `one_more_each_way` adds is drawn for each apart.
    """
    resampled = resample(outcomes, resamples, seed)
    stream = (seed, *arm.encode())
    return {
        GATES: effect_table(outcomes, resampled, stream),
        MEANS: mean_table(outcomes, resampled),
        HELD_OUT: held_out_table(outcomes, resampled, splits, stream),
    }


def random_tables(outcomes: Outcomes, resamples: int, seed: int) -> dict[Table, pd.DataFrame]:
    """Rows of the tables of random shares of heads, without seed and arm."""
    resampled = resample(outcomes, resamples, seed)
    points = curve_points(outcomes, resampled, seed)
    return {
        CURVES: curve_table(outcomes, resampled, points),
        GAPS: gap_table(outcomes, resampled, points),
    }


def effect_table(
    outcomes: Outcomes, resampled: ResampledMetric, stream: tuple[int, ...]
) -> pd.DataFrame:
    """One row a gate, with the columns of `GATES` but for seed and arm.

    `effect` is `ablated` minus `baseline` in the metric's unit (absolute, as Kovaleva et al. 2019),
    `relative` is effect / baseline (as the query-title study; unknown for baselines of 0 and less).
    `p_holm` is corrected within each family and mode.
    """
    effects = resampled.effects
    effects = effects + one_more_each_way(outcomes, *effects.shape, stream)
    paired = paired_effects(outcomes, effects).rename(columns={"value": "ablated"})
    described = _described(paired["effect"].to_numpy(), effects, outcomes, resampled)
    places = outcomes.gates[["family", "mode", "layer", "head", "precision"]]
    table = pd.concat([places, described, paired[["ablated", "p"]]], axis=1)
    table["p_holm"] = np.nan
    for _, group in table.groupby(["family", "mode"]):
        table.loc[group.index, "p_holm"] = holm(group["p"].to_numpy())
    return table


def mean_table(outcomes: Outcomes, resampled: ResampledMetric) -> pd.DataFrame:
    """The mean effect over all heads, and over all layers, of each mode: columns of `MEANS`."""
    places, effects, drawn = [], [], []
    for (family, mode), gates in _fixed(outcomes):
        places.append({"family": family, "mode": mode, "gates": len(gates)})
        effects.append(outcomes.after[gates].mean() - outcomes.before)
        drawn.append(resampled.effects[gates].mean(axis=0))
    described = _described(np.array(effects), np.stack(drawn), outcomes, resampled)
    return pd.concat([pd.DataFrame(places), described], axis=1)


def held_out_table(
    outcomes: Outcomes, resampled: ResampledMetric, splits: int, stream: tuple[int, ...]
) -> pd.DataFrame:
    """The best and the worst head and layer of each mode, selected on one half of the examples.

    They are scored on the other half. The columns are those of `HELD_OUT`.
    """
    halves = halve(outcomes, splits, stream[0])
    places, choices = [], []
    for (family, mode), gates in _fixed(outcomes):
        for picked, sign in (("best", 1), ("worst", -1)):
            choice = held_out_choice(halves, gates, sign, resampled)
            gate = outcomes.gates.loc[choice.picked]
            places.append(
                {
                    "family": family,
                    "mode": mode,
                    "picked": picked,
                    "layer": gate["layer"],
                    "head": gate["head"],
                    "effect_picked_half": choice.chosen_effect,
                }
            )
            choices.append(choice)
    drawn = np.stack([choice.drawn for choice in choices])
    drawn = drawn + one_more_each_way(outcomes, *drawn.shape, (*stream, 1))
    effects = np.array([choice.effect for choice in choices])
    described = _described(effects, drawn, outcomes, resampled)
    return pd.concat([pd.DataFrame(places), described], axis=1)


@dataclass(frozen=True)
class Point:
    """The change by one share of one band's heads, mean over draws, in the same resamples as all.

    `changes` are of resampled draws on resampled examples, in the metric's unit.
    """

    mode: str
    band: str
    share: float
    draws: int
    effect: float
    changes: Float[np.ndarray, " resample"]

    def keys(self) -> dict[str, str | float]:
        """What tells it from the other points."""
        return {"mode": self.mode, "band": self.band, "share": self.share, "draws": self.draws}


def curve_points(outcomes: Outcomes, resampled: ResampledMetric, seed: int) -> list[Point]:
    """Every mode, band and share of random gates (query-title study, section 2.1).

    Draws and examples are resampled, so intervals speak of other draws on other examples.
    """
    generator = np.random.default_rng([seed, 1])  # not the stream that drew the examples
    points = []
    for (mode, band, share), group in outcomes.gates.groupby(["mode", "band", "share"]):
        draws = group.index.to_numpy()
        effects = resampled.effects[draws]
        picks = generator.integers(len(draws), size=effects.shape)
        mean = effects.mean(axis=0)
        other_draws = np.take_along_axis(effects, picks, axis=0).mean(axis=0) - mean
        changes = mean + _for_few(len(draws)) * other_draws
        effect = float(outcomes.after[draws].mean() - outcomes.before)
        points.append(Point(mode, band, share, len(draws), effect, changes))
    return points


def _for_few(draws: int) -> float:
    """How much wider than a percentile interval the t interval of the mean of few draws is."""
    if draws < 2:
        return 1.0
    upper = (1 + LEVEL) / 2
    student = scipy.stats.t(draws - 1).ppf(upper) / scipy.stats.norm.ppf(upper)
    return float(student * np.sqrt(draws / (draws - 1)))


def curve_table(
    outcomes: Outcomes, resampled: ResampledMetric, points: list[Point]
) -> pd.DataFrame:
    """The mean effect of a random share of heads; the share 0 is the baseline: `CURVES`."""
    nothing = np.zeros(resampled.before.shape)
    starts = sorted({(point.mode, point.band) for point in points})
    zeros = [Point(mode, band, 0.0, 1, 0.0, nothing) for mode, band in starts]
    ordered = sorted([*zeros, *points], key=lambda point: (point.mode, point.band, point.share))
    return _table_of(ordered, outcomes, resampled)


def gap_table(outcomes: Outcomes, resampled: ResampledMetric, points: list[Point]) -> pd.DataFrame:
    """What a share of the lower half's heads costs more than the same share of the upper half's.

    Paired: both halves are ablated on the same resampled examples. The columns are those of `GAPS`.
    """
    by_place = {(point.mode, point.band, point.share): point for point in points}
    gaps = [
        replace(
            lower,
            band="lower-upper",
            effect=lower.effect - upper.effect,
            changes=lower.changes - upper.changes,
        )
        for lower in points
        if lower.band == "lower"
        and (upper := by_place.get((lower.mode, "upper", lower.share))) is not None
    ]
    return _table_of(gaps, outcomes, resampled).drop(columns="band")


def _table_of(points: list[Point], outcomes: Outcomes, resampled: ResampledMetric) -> pd.DataFrame:
    # An encoder of one layer has no halves: an empty table with the same columns.
    columns = Point("", "", 0.0, 0, 0.0, np.zeros(1)).keys().keys()
    changes = np.array([point.changes for point in points]).reshape(-1, len(resampled.before))
    effects = np.array([point.effect for point in points])
    described = _described(effects, changes, outcomes, resampled)
    places = pd.DataFrame([point.keys() for point in points], columns=list(columns))
    return pd.concat([places, described], axis=1)


def _described(
    effects: Float[np.ndarray, " row"],
    drawn: Float[np.ndarray, "row resample"],
    outcomes: Outcomes,
    resampled: ResampledMetric,
) -> pd.DataFrame:
    """The columns `metric` and `EFFECTS`, a row an effect.

    The baseline of relative effects is that of the same resample; where one of them is not above 0
    there is no interval.
    """
    before, baseline = outcomes.before, resampled.before
    relative = drawn / np.where(baseline > 0, baseline, np.nan)
    in_share = effects / (before if before > 0 else np.nan)
    return pd.DataFrame(
        {
            "metric": outcomes.metric,
            "examples": len(outcomes.labels),
            "baseline": before,
            **estimate_columns("effect", effects, *percentile_interval(drawn), drawn),
            **estimate_columns("relative", in_share, *percentile_interval(relative), relative),
        }
    )


def _fixed(outcomes: Outcomes) -> Iterator[tuple[tuple[str, str], Int[np.ndarray, " some"]]]:
    """The rows of the gates of each family and mode that are not drawn at random."""
    gates = outcomes.gates
    for keys, group in gates[gates["family"] != "random"].groupby(["family", "mode"]):
        yield keys, group.index.to_numpy()
