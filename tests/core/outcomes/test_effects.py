import numpy as np
import pytest

from stages.core.heads.gates import random_shares, single_heads, whole_layers
from stages.core.outcomes.effects import (
    curve_points,
    curve_table,
    effect_table,
    gap_table,
    held_out_table,
    mean_table,
)
from stages.core.outcomes.outcomes import Outcomes, gate_table
from stages.core.outcomes.paired import halve, resample

LABELS = np.zeros(40)
BASELINE = np.r_[np.zeros(30), np.ones(10)]


def outcomes(gates, gated):
    return Outcomes(gate_table(gates), "accuracy", LABELS, BASELINE, gated)


def resampled(outcomes, resamples):
    return outcomes, resample(outcomes, resamples, seed=0)


def test_effects_and_holm_within_a_family_and_mode():
    gates = [*single_heads(1, 3, "zero"), *whole_layers(1, 3, "zero")]
    gated = np.tile(BASELINE, (4, 1))
    gated[0, 30:] = 0  # right on ten more
    gated[3, :8] = 1  # wrong on eight more
    table = effect_table(*resampled(outcomes(gates, gated), 200))
    assert table["effect"].tolist() == pytest.approx([0.25, 0, 0, -0.2])
    assert table["relative"].tolist() == pytest.approx([1 / 3, 0, 0, -0.2 / 0.75])
    assert table["p_holm"][0] == pytest.approx(3 * 2 * 0.5**10)
    assert table["p_holm"][3] == pytest.approx(2 * 0.5**8)  # the only layer: nothing to correct


def test_held_out_table_has_best_and_worst_of_heads_and_layers():
    gates = [*single_heads(2, 2, "zero"), *whole_layers(2, 2, "zero")]
    gated = np.tile(BASELINE, (6, 1))
    gated[2] = 0  # head 1.0 mends everything
    gated[4] = 1  # layer 0 breaks everything
    evidence = outcomes(gates, gated)
    table = held_out_table(evidence, halve(evidence, 50, 0))
    rows = table.set_index(["family", "picked"])
    assert tuple(rows.loc[("head", "best"), ["layer", "head"]]) == (1, 0)
    assert rows.loc[("head", "best"), "effect_heldout"] == pytest.approx(0.25, abs=0.05)
    assert tuple(rows.loc[("layer", "worst"), ["layer", "head"]]) == (0, -1)
    assert rows.loc[("layer", "worst"), "effect_heldout"] == pytest.approx(-0.75, abs=0.05)


def test_curve_is_the_mean_over_draws():
    gates = list(random_shares(2, 4, "zero", [0.5, 1.0], draws=2, seed=0))
    gated = np.tile(BASELINE, (len(gates), 1))
    for row, gate in enumerate(gates):
        if gate.band == "all" and gate.share == 1.0:
            gated[row] = 1
        elif gate.band == "all":
            gated[row, : 4 * (gate.draw + 1)] = 1  # 4 and 8 of 40 wrong
    evidence = outcomes(gates, gated)
    curves = curve_table(evidence, curve_points(*resampled(evidence, 400), 0))
    whole = curves[curves["band"] == "all"].set_index("share")
    assert whole.loc[0.0, "effect"] == 0
    assert whole.loc[0.5, "effect"] == pytest.approx(-0.15)
    assert whole.loc[0.5, "low"] < -0.15 < whole.loc[0.5, "high"]
    assert whole.loc[1.0, "effect"] == pytest.approx(-0.75)
    assert whole.loc[1.0, "relative"] == pytest.approx(-1)
    assert whole.loc[1.0, "relative_high"] == pytest.approx(-1)
    assert (curves[curves["band"] == "lower"]["effect"] == 0).all()
    assert len(curves) == 3 * 3


def test_means_over_heads_and_over_layers():
    gates = [*single_heads(1, 2, "zero"), *whole_layers(1, 2, "zero")]
    gated = np.tile(BASELINE, (3, 1))
    gated[0, 30:] = 0  # 10 of 40 more right
    gated[2, :8] = 1  # 8 of 40 more wrong
    table = mean_table(*resampled(outcomes(gates, gated), 100)).set_index("family")
    assert table.loc["head", ["effect", "gates", "examples"]].tolist() == [0.125, 2, 40]
    assert table.loc["layer", "effect"] == pytest.approx(-0.2)


def test_gap_of_the_halves_is_paired():
    gates = list(random_shares(2, 2, "zero", [1.0], draws=1, seed=0))
    gated = np.tile(BASELINE, (len(gates), 1))
    for row, gate in enumerate(gates):
        gated[row, : {"all": 0, "lower": 12, "upper": 2}[gate.band]] = 1
    evidence = outcomes(gates, gated)
    gap = gap_table(evidence, curve_points(*resampled(evidence, 400), 0)).iloc[0]
    assert gap["effect"] == pytest.approx(-0.25)  # 12 against 2 of 40
    assert gap["relative"] == pytest.approx(-0.25 / 0.75)
    assert gap["low"] < -0.25 < gap["high"] < 0


def test_an_encoder_of_one_layer_has_no_halves():
    gates = list(random_shares(1, 2, "zero", [0.5], draws=1, seed=0))
    evidence = outcomes(gates, np.tile(BASELINE, (len(gates), 1)))
    points = [point for point in curve_points(*resampled(evidence, 10), 0) if point.band == "all"]
    assert gap_table(evidence, points).empty
    assert "relative_low" in gap_table(evidence, points)


def test_a_metric_of_0_has_no_relative_changes():
    gates = list(random_shares(2, 2, "zero", [0.5], 2, 0))
    gated = np.zeros((len(gates), 40))  # all right
    nothing = Outcomes(gate_table(gates), "accuracy", LABELS, np.ones(40), gated)
    table = effect_table(*resampled(nothing, 20))
    assert table["effect"].tolist() == [1.0] * len(gates)
    assert table["relative"].isna().all()
    points = curve_points(*resampled(nothing, 20), 0)
    for table in (curve_table(nothing, points), gap_table(nothing, points)):
        rows = table[table["share"] > 0] if "band" in table else table
        assert rows[["relative", "relative_low", "relative_high"]].isna().all(axis=None)
        assert rows[["effect", "low", "high"]].notna().all(axis=None)
