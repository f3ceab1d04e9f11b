"""From the outcomes of gates to effects: tables with intervals, held-out choices and curves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.gates import Gate
from stages.core.intervals import LEVEL, held_out_choice, holm, paired_effects
from stages.core.metrics import METRICS


@dataclass(frozen=True)
class Outcomes:
    """The task's primary metric, labels, and predictions with every head on and under each gate."""

    gates: Sequence[Gate]
    metric: str
    labels: Float[np.ndarray, " n"]
    baseline: Float[np.ndarray, " n"]
    gated: Float[np.ndarray, "gates n"]

    @property
    def before(self) -> float:
        """The metric with every head on."""
        return float(METRICS[self.metric](self.labels, self.baseline))


def gate_table(gates: Sequence[Gate]) -> pd.DataFrame:
    """One row a gate: gate, family, mode, layer, head, band, share, draw, heads_off, first_layer.

    `layer` and `head` are -1 where the gate is more than one.
    """
    return pd.DataFrame(
        {
            "gate": gate.name,
            "family": gate.family,
            "mode": gate.mode,
            "layer": gate.first_layer if gate.family in ("head", "layer") else -1,
            "head": gate.heads[0][1] if gate.family == "head" else -1,
            "band": gate.band,
            "share": gate.share,
            "draw": gate.draw,
            "heads_off": len(gate.heads),
        }
        for gate in gates
    )


def effect_table(outcomes: Outcomes, resamples: int, seed: int) -> pd.DataFrame:
    """`gate_table` with metric, baseline, value, effect, relative, low, high, p and p_holm.

    `effect` is value minus baseline in the metric's unit (absolute, as Kovaleva et al. 2019),
    `relative` is effect / baseline (as the query-title study). `p_holm` is corrected within each
    family and mode; random draws are not tested one by one.
    """
    evidence = outcomes.metric, outcomes.labels, outcomes.baseline, outcomes.gated
    effects = paired_effects(*evidence, resamples, seed)
    table = pd.concat([gate_table(outcomes.gates), effects], axis=1)
    before = outcomes.before
    table.insert(table.columns.get_loc("value"), "metric", outcomes.metric)
    table.insert(table.columns.get_loc("value"), "baseline", before)
    table["relative"] = table["effect"] / before if before else np.nan
    table["p_holm"] = np.nan
    for (family, _), group in table.groupby(["family", "mode"]):
        if family == "random":
            table.loc[group.index, "p"] = np.nan
        else:
            table.loc[group.index, "p_holm"] = holm(group["p"].to_numpy())
    return table


def held_out_table(outcomes: Outcomes, resamples: int, seed: int) -> pd.DataFrame:
    """The best and the worst head and layer of each mode, chosen on one half, scored on the other.

    Returns:
        family, mode, picked (`best` | `worst`), layer and head chosen most often, metric, baseline,
        effect_picked_half, effect_heldout, relative_heldout, low, high (of effect_heldout).
    """
    before = outcomes.before
    rows = []
    table = gate_table(outcomes.gates)
    for (family, mode), group in table[table["family"] != "random"].groupby(["family", "mode"]):
        for picked in ("best", "worst"):
            choice = held_out_choice(
                outcomes.metric,
                outcomes.labels,
                outcomes.baseline,
                outcomes.gated[group.index],
                largest=picked == "best",
                resamples=resamples,
                seed=seed,
            )
            gate = group.iloc[choice["picked"]]
            rows.append(
                {
                    "family": family,
                    "mode": mode,
                    "picked": picked,
                    "layer": gate["layer"],
                    "head": gate["head"],
                    "metric": outcomes.metric,
                    "baseline": before,
                    "effect_picked_half": choice["chosen_effect"],
                    "effect_heldout": choice["effect"],
                    "relative_heldout": choice["effect"] / before if before else np.nan,
                    "low": choice["low"],
                    "high": choice["high"],
                }
            )
    return pd.DataFrame(rows)


def curve_table(
    outcomes: Outcomes, resamples: int, seed: int, level: float = LEVEL
) -> pd.DataFrame:
    """The mean effect of a random share of heads, over draws (query-title study, section 2.1).

    The interval resamples draws and examples, so it speaks of other draws on other examples. The
    share 0 is the baseline itself.

    Returns:
        mode, band, share, draws, metric, baseline, effect, relative, low, high (of effect),
        relative_low, relative_high (of relative).
    """
    score, labels, before = METRICS[outcomes.metric], outcomes.labels, outcomes.before
    generator = np.random.default_rng(seed)
    samples = generator.integers(len(labels), size=(resamples, len(labels)))
    resampled_before = score(labels[samples], outcomes.baseline[samples])
    tail = (1 - level) / 2
    rows = []
    table = gate_table(outcomes.gates)
    for (mode, band), band_group in table.groupby(["mode", "band"]):
        zero = {"effect": 0.0, "low": 0.0, "high": 0.0}
        points = [{"share": 0.0, "draws": 1, **zero, "relative_low": 0.0, "relative_high": 0.0}]
        for share, group in band_group.groupby("share"):
            drawn = outcomes.gated[group.index]
            effect = float(np.mean(score(labels, drawn)) - before)
            resampled = np.stack([score(labels[samples], draw[samples]) for draw in drawn])
            picks = generator.integers(len(drawn), size=(len(drawn), resamples))
            changes = np.take_along_axis(resampled, picks, axis=0).mean(axis=0) - resampled_before
            low, high = np.quantile(changes, [tail, 1 - tail])
            with np.errstate(all="ignore"):
                relative = np.nan_to_num(changes / resampled_before)
            relative_low, relative_high = np.quantile(relative, [tail, 1 - tail])
            points.append(
                {
                    "share": share,
                    "draws": len(drawn),
                    "effect": effect,
                    "low": low,
                    "high": high,
                    "relative_low": relative_low,
                    "relative_high": relative_high,
                }
            )
        rows += [{"mode": mode, "band": band, **point} for point in points]
    curves = pd.DataFrame(rows)
    curves["metric"] = outcomes.metric
    curves["baseline"] = before
    curves["relative"] = curves["effect"] / before if before else np.nan
    return curves
