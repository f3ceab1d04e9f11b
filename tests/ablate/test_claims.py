"""Effects of heads, layers and random shares, on hand-made rows."""

import pytest

from stages.core.verdicts.estimates import Estimate, NotMeasured
from stages.core.verdicts.learnt import not_learnt
from stages.core.verdicts.measures import Measures
from tests.claims import MIDDLE, UPPER_HALF, found, write, write_run


def gate(task_effect: float, **columns) -> dict:
    """One row of the ablation: an effect with an interval of 0.01 to both sides."""
    defaults = {
        "seed": 0,
        "family": "head",
        "mode": "zero",
        "layer": 0,
        "head": 0,
        "baseline": 0.8,
        "examples": 400,
        "effect": task_effect,
        "low": task_effect - 0.01,
        "high": task_effect + 0.01,
        "p_holm": 1.0,
    }
    return defaults | columns


def write_held_out(measures: Measures, task: str, effect: float, **columns) -> None:
    row = gate(effect, picked="best", effect_heldout=effect, effect_picked_half=1.0) | columns
    write(measures, f"effects/{task}-heldout", [row])


def test_best_head_is_the_held_out_gain_of_the_weakest_task(measures):
    write_held_out(measures, "one", 0.02, mode="uniform")
    write_held_out(measures, "two", 0.03, mode="uniform")
    gain = found(measures, "best_head_held_out")
    assert gain.pooled.value == pytest.approx(2)
    assert gain.pooled.low == pytest.approx(1)
    assert gain.tasks["two"].value == pytest.approx(3)
    assert (gain.pooled.n, gain.counted) == (800, "examples")


def test_layer_held_out_takes_the_most_extreme_task(measures):
    write_held_out(measures, "one", -0.02, mode="uniform", family="layer", picked="worst")
    write_held_out(measures, "two", -0.03, mode="uniform", family="layer", picked="worst")
    assert found(measures, "layer_held_out", picked="worst").pooled.value == pytest.approx(-3)
    with pytest.raises(NotMeasured):
        found(measures, "layer_held_out", picked="best")


def test_best_layer_is_relative_to_the_baseline(measures):
    write_held_out(measures, "one", 0.04, family="layer")
    # 0.04 of 0.8 is 5%.
    assert found(measures, "best_layer_relative", task="one").pooled.value == pytest.approx(5)


def test_significant_heads_are_counted_with_what_is_not_excluded(measures):
    rows = [
        gate(-0.1, layer=0, head=0, p_holm=0.01),
        gate(-0.1, layer=0, head=1, p_holm=0.2),
        gate(0.1, layer=1, head=0, p_holm=0.01),
        gate(-0.1, layer=1, head=1, p_holm=0.01),
    ]
    write(measures, "effects/one", rows)
    hurting = found(measures, "hurting_heads", task="one")
    assert hurting.pooled == Estimate(2, 2, 3, 4)
    upper = found(measures, "hurting_heads", layers=UPPER_HALF, task="one")
    assert upper.pooled == Estimate(1, 1, 1, 2)
    helping = found(measures, "heads_with_effect", mode="zero", sign=1)
    assert helping.pooled == Estimate(1, 1, 2, 4)


def test_mean_head_effect_is_the_best_task(measures):
    write(measures, "effects/one-means", [gate(0.02, mode="uniform")])
    write(measures, "effects/two-means", [gate(0.03, mode="uniform"), gate(0.5)])
    effect = found(measures, "mean_head_effect")
    assert effect.pooled.value == pytest.approx(3)
    assert effect.tasks["one"] == Estimate(2, 1, 3, 400)


def test_seeds_of_a_task_are_averaged(measures):
    rows = [gate(0.02, mode="uniform"), gate(0.06, mode="uniform", seed=1)]
    write(measures, "effects/one-means", rows)
    assert found(measures, "mean_head_effect").pooled.value == pytest.approx(4)


def test_a_task_that_was_not_learnt_says_nothing_about_heads(measures):
    for task, wrong in (("one", 10), ("two", 2)):
        write_run(measures, f"finetune/{task}", wrong, arm="tuned", seed=0)
        write_run(measures, f"baseline/{task}", 10, model="majority")
        write(measures, f"effects/{task}-means", [gate(0.02, mode="uniform")])
        write(measures, f"effects/{task}", [gate(0.02)])
    assert not_learnt(measures) == ["one"]
    assert list(found(measures, "mean_head_effect").tasks) == ["two"]
    with pytest.raises(NotMeasured, match="on one the tuned encoder"):
        found(measures, "hurting_heads", task="one")
    write_run(measures, "finetune/two", 10, arm="tuned", seed=0)
    with pytest.raises(NotMeasured, match="better than the majority class"):
        found(measures, "mean_head_effect")


def test_middle_layers_are_found_by_depth(measures):
    effects = [0.5, 0.5, 0.04, 0.08, 0.12, 0.5]
    rows = [gate(effect, family="layer", layer=layer) for layer, effect in enumerate(effects)]
    write(measures, "effects/one", rows)
    # The third to fifth layer of six: 0.08 of 0.8 is 10%.
    middle = found(measures, "effect_of_layers", layers=MIDDLE, task="one")
    assert middle.pooled.value == pytest.approx(10)
    assert middle.pooled.n == 400
    write(measures, "effects/one", rows[:1])
    with pytest.raises(NotMeasured, match="too few layers"):
        found(measures, "effect_of_layers", layers=MIDDLE, task="one")


def test_small_effects_are_bounded_by_their_intervals(measures):
    rows = [
        gate(0.0, low=-0.001, high=0.001),  # inside 1% of 0.8
        gate(0.0, low=-0.02, high=0.02),  # small, but its interval is not
        gate(0.02, low=0.004, high=0.03),  # large, but its interval touches
        gate(-0.1, low=-0.2, high=-0.05),
    ]
    write(measures, "effects/one", rows)
    share = found(measures, "share_of_small_effects", within=1.0, task="one").pooled
    assert (share.value, share.low, share.high) == (0.5, 0.25, 0.75)


def test_curves_and_gaps_are_read_at_the_share(measures):
    rows = [
        {
            "seed": 0,
            "mode": mode,
            "band": band,
            "share": share,
            "draws": 10,
            "examples": 96,
            "relative": -share * steepness,
            "relative_low": -share * steepness - 0.01,
            "relative_high": -share * steepness + 0.01,
        }
        for mode, band, steepness in (
            ("zero", "all", 0.1),
            ("zero", "lower", 0.5),
            ("mean", "all", 1),
        )
        for share in (0.1, 0.8)
    ]
    write(measures, "effects/one-curves", rows)
    write(measures, "effects/one-gaps", [row for row in rows if row["band"] == "lower"])
    point = found(measures, "random_share", share=0.1, task="one").pooled
    assert (point.value, point.low, point.high) == pytest.approx((-1, -2, 0))
    assert point.n == 96
    gap = found(measures, "lower_against_upper", share=0.8, task="one").pooled
    assert (gap.value, gap.low) == pytest.approx((-40, -41))
    with pytest.raises(NotMeasured):
        found(measures, "random_share", share=0.2, task="one")
