import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stages.core.heads.gates import random_shares, single_heads, whole_layers
from stages.core.outcomes.effects import (
    curve_points,
    curve_table,
    effect_table,
    fixed_tables,
    gap_table,
    held_out_table,
    mean_table,
    random_tables,
)
from stages.core.outcomes.outcomes import Outcomes, gate_table
from stages.core.outcomes.paired import resample
from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS

LABELS = np.zeros(40)
BASELINE = np.r_[np.zeros(30), np.ones(10)]


def outcomes(gates, gated):
    return Outcomes(gate_table(gates), "accuracy", LABELS, BASELINE, gated)


def resampled(outcomes, resamples):
    return outcomes, resample(outcomes, resamples, seed=0)


def test_effects_and_holm_within_a_family_and_mode():
    gates = [*single_heads(1, 3, "zero"), *whole_layers(1, 3, "zero"), *single_heads(1, 3, "mean")]
    gated = np.tile(BASELINE, (7, 1))
    gated[0, 30:] = 0  # right on ten more
    gated[3, :8] = 1  # wrong on eight more
    gated[5, :12] = 1  # wrong on twelve more
    table = effect_table(*resampled(outcomes(gates, gated), 200), (0,))
    assert table["effect"].tolist() == pytest.approx([0.25, 0, 0, -0.2, 0, -0.3, 0])
    assert table["relative"].tolist()[:4] == pytest.approx([1 / 3, 0, 0, -0.2 / 0.75])
    assert table["p_holm"][0] == pytest.approx(3 * 2 * 0.5**10)
    assert table["p_holm"][3] == pytest.approx(2 * 0.5**8)  # the only layer: nothing to correct
    assert table["p_holm"][5] == pytest.approx(3 * 2 * 0.5**12)  # of three heads in its mode


def test_relative_limits_are_of_the_baseline_of_the_same_resample():
    """A gate that is always wrong loses all of the metric, whatever the resample."""
    gates = list(single_heads(1, 1, "zero"))
    table = effect_table(*resampled(outcomes(gates, np.ones((1, 40))), 400), (0,))
    row = table.iloc[0]
    assert row["effect_low"] < -0.75 < row["effect_high"]
    assert row["effect_high"] - row["effect_low"] > 0.2
    spread = table["relative_drawn"][0] * resample(outcomes(gates, np.ones((1, 40))), 400, 0).before
    np.testing.assert_allclose(spread, table["effect_drawn"][0])


def test_held_out_table_has_best_and_worst_of_heads_and_layers():
    gates = [*single_heads(2, 2, "zero"), *whole_layers(2, 2, "zero")]
    gated = np.tile(BASELINE, (6, 1))
    gated[2] = 0  # head 1.0 mends everything
    gated[4] = 1  # layer 0 breaks everything
    table = held_out_table(*resampled(outcomes(gates, gated), 100), 50, (0,))
    rows = table.set_index(["family", "picked"])
    assert tuple(rows.loc[("head", "best"), ["layer", "head"]]) == (1, 0)
    assert rows.loc[("head", "best"), "effect"] == pytest.approx(0.25)
    assert rows.loc[("head", "best"), "relative"] == pytest.approx(0.25 / 0.75)
    assert tuple(rows.loc[("layer", "worst"), ["layer", "head"]]) == (0, -1)
    assert rows.loc[("layer", "worst"), "effect"] == pytest.approx(-0.75)
    drawn = np.stack(list(table["effect_drawn"])), np.stack(list(table["relative_drawn"]))
    assert [lines.shape for lines in drawn] == [(4, 100)] * 2
    limits = rows[["effect_low", "effect", "effect_high"]].to_numpy()
    assert (np.diff(limits, axis=1) > 0).all()


def test_curve_is_the_mean_over_draws():
    gates = list(random_shares(2, 4, "zero", [0.5, 1.0], draws=2, seed=0))
    gated = np.tile(BASELINE, (len(gates), 1))
    for row, gate in enumerate(gates):
        if gate.band == "all" and gate.share == 1.0:
            gated[row] = 1
        elif gate.band == "all":
            gated[row, : 4 * (gate.draw + 1)] = 1  # 4 and 8 of 40 wrong
    evidence = resampled(outcomes(gates, gated), 400)
    curves = curve_table(*evidence, curve_points(*evidence, 0))
    whole = curves[curves["band"] == "all"].set_index("share")
    assert whole.loc[0.0, "effect"] == 0
    assert whole.loc[0.5, "effect"] == pytest.approx(-0.15)
    assert whole.loc[0.5, "effect_low"] < -0.15 < whole.loc[0.5, "effect_high"]
    assert whole.loc[0.5, "draws"] == 2
    assert whole.loc[1.0, "effect"] == pytest.approx(-0.75)
    assert whole.loc[1.0, "relative"] == pytest.approx(-1)
    assert whole.loc[1.0, "relative_high"] == pytest.approx(-1)
    assert (curves[curves["band"] == "lower"]["effect"] == 0).all()
    assert len(curves) == 3 * 3


def test_the_interval_of_a_curve_is_the_t_interval_of_its_draws():
    """Where draws differ and examples do not: every example changes alike under a draw."""
    gates = [gate for gate in random_shares(2, 4, "zero", [0.5], 6, 0) if gate.band == "all"]
    labels = np.zeros(400)
    gated = np.random.default_rng(0).random((6, 400)) < np.linspace(0.1, 0.6, 6)[:, None]
    evidence = Outcomes(gate_table(gates), "accuracy", labels, labels, gated.astype(float))
    (point,) = curve_points(evidence, resample(evidence, 4000, 0), 0)
    means = -gated.mean(axis=1)
    half_width = stats.t(5).ppf(0.975) * means.std(ddof=1) / np.sqrt(6)
    low, high = np.quantile(point.changes, [0.025, 0.975])
    assert high - low == pytest.approx(2 * half_width, rel=0.08)


def test_means_over_heads_and_over_layers():
    gates = [*single_heads(1, 2, "zero"), *whole_layers(1, 2, "zero")]
    gated = np.tile(BASELINE, (3, 1))
    gated[0, 30:] = 0  # 10 of 40 more right
    gated[2, :8] = 1  # 8 of 40 more wrong
    table = mean_table(*resampled(outcomes(gates, gated), 100))
    rows = table.set_index("family")
    assert rows.loc["head", ["effect", "gates", "examples"]].tolist() == [0.125, 2, 40]
    assert rows.loc["head", "relative"] == pytest.approx(0.125 / 0.75)
    assert rows.loc["layer", "effect"] == pytest.approx(-0.2)
    assert rows.loc["layer", "effect_low"] == pytest.approx(
        np.quantile(table["effect_drawn"][1], 0.025)
    )


def test_means_and_choices_are_of_one_family_and_mode_and_not_of_random_draws():
    gates = [
        *single_heads(1, 2, "zero"),
        *single_heads(1, 2, "mean"),
        *random_shares(1, 2, "zero", [0.5], 2, 0),
    ]
    gated = np.tile(BASELINE, (len(gates), 1))
    for row, wrong in enumerate((4, 8, 12, 16)):
        gated[row, :wrong] = 1
    gated[4:] = 1
    evidence = resampled(outcomes(gates, gated), 20)
    means = mean_table(*evidence).set_index("mode")
    assert means["effect"].to_dict() == pytest.approx({"mean": -14 / 40, "zero": -6 / 40})
    assert means["gates"].tolist() == [2, 2]
    chosen = held_out_table(*evidence, 20, (0,)).set_index(["mode", "picked"])
    assert chosen["effect"].to_dict() == pytest.approx(
        {
            ("mean", "best"): -12 / 40,
            ("mean", "worst"): -16 / 40,
            ("zero", "best"): -4 / 40,
            ("zero", "worst"): -8 / 40,
        },
        abs=0.03,  # a half may have none of the examples in which two gates differ
    )


def test_the_mean_of_opposite_effects_is_surer_than_either():
    """Two heads that err on the same examples in opposite ways: their mean hardly moves."""
    gates = list(single_heads(1, 2, "zero"))
    gated = np.tile(BASELINE, (2, 1))
    gated[0, 30:], gated[1, :10] = 0, 1
    both, alone = (
        mean_table(*resampled(outcomes(gates[:count], gated[:count]), 300)).iloc[0]
        for count in (2, 1)
    )
    assert both["effect"] == 0
    assert both["effect_high"] - both["effect_low"] < alone["effect_high"] - alone["effect_low"]


def test_gap_of_the_halves_is_paired():
    gates = list(random_shares(2, 2, "zero", [1.0], draws=1, seed=0))
    gated = np.tile(BASELINE, (len(gates), 1))
    for row, gate in enumerate(gates):
        gated[row, : {"all": 0, "lower": 12, "upper": 2}[gate.band]] = 1
    evidence = resampled(outcomes(gates, gated), 400)
    table = gap_table(*evidence, curve_points(*evidence, 0))
    gap = table.iloc[0]
    assert gap["effect"] == pytest.approx(-0.25)  # 12 against 2 of 40
    assert gap["relative"] == pytest.approx(-0.25 / 0.75)
    assert gap["effect_low"] < -0.25 < gap["effect_high"] < 0
    # The two examples that both lose are in no resample's gap.
    weights = evidence[1].weights
    np.testing.assert_allclose(table["effect_drawn"][0], -weights[:, 2:12].sum(axis=1) / 40)


def test_an_encoder_of_one_layer_has_no_halves():
    gates = list(random_shares(1, 2, "zero", [0.5], draws=1, seed=0))
    evidence = resampled(outcomes(gates, np.tile(BASELINE, (len(gates), 1))), 10)
    points = [point for point in curve_points(*evidence, 0) if point.band == "all"]
    table = gap_table(*evidence, points)
    assert table.empty
    assert "relative_low" in table
    assert "effect_drawn" in table


def test_a_metric_of_0_has_no_relative_changes():
    gates = list(random_shares(2, 2, "zero", [0.5], 2, 0))
    gated = np.zeros((len(gates), 40))  # all right
    nothing = Outcomes(gate_table(gates), "accuracy", LABELS, np.ones(40), gated)
    evidence = resampled(nothing, 20)
    points = curve_points(*evidence, 0)
    for table in (curve_table(*evidence, points), gap_table(*evidence, points)):
        rows = table[table["share"] > 0] if "band" in table else table
        assert rows[["relative_low", "relative_high"]].isna().all(axis=None)
        assert rows["relative"].isna().all()
        assert rows[["effect", "effect_low", "effect_high"]].notna().all(axis=None)


def test_tables_are_written_with_the_resamples_of_their_rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gates = [*single_heads(2, 2, "zero"), *whole_layers(2, 2, "zero")]
    gated = np.tile(BASELINE, (6, 1))
    gated[:, 30:32] = 0
    shares = list(random_shares(2, 2, "zero", [0.5, 1.0], 2, 0))
    tables = fixed_tables(outcomes(gates, gated), 25, 10, 0, "tuned")
    tables |= random_tables(outcomes(shares, np.tile(BASELINE, (len(shares), 1))), 25, 0)
    assert list(tables) == [GATES, MEANS, HELD_OUT, CURVES, GAPS]
    for declared, rows in tables.items():
        runs = [rows.assign(seed=4, arm="tuned"), rows.assign(seed=0, arm="tuned_from_random")]
        declared.write(runs, data="one")
        written = pd.read_parquet(declared.path("one"))
        assert written["seed"].tolist() == [4] * len(rows) + [0] * len(rows)
        assert written.loc[written["seed"] == 0, "arm"].unique().tolist() == ["tuned_from_random"]
        for column in ("effect", "relative"):
            drawn = np.stack(list(written[f"{column}_drawn"]))
            assert drawn.shape == (len(written), 25)
            low = np.quantile(drawn, 0.025, axis=1)
            np.testing.assert_allclose(written[f"{column}_low"], low, atol=1e-6)
