"""Effects of heads, layers and random shares, on hand-made rows."""

from typing import Any

import numpy as np
import pytest

from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.tables import drawn_of
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.learnt import not_learnt
from stages.core.verdicts.measures import Measures
from tests.ablate.rows import BASELINE, effect, gate, mean
from tests.claims import MIDDLE, UPPER_HALF, found, write_run, write_table


def write_held_out(measures: Measures, task: str, value: float, **columns) -> None:
    row = effect(value, effect_picked_half=1.0)
    place = {"family": "head", "mode": "uniform", "picked": "best"}
    own = row | place | columns
    others = ({"metric": "f1"}, {"family": "random"}, {"mode": "mean"}, {"picked": "usual"})
    decoys = [own | other | {"effect": 9.0, "relative": 9.0} for other in others]
    decoys.append(decoys[0] | {"metric": "accuracy", "arm": "untuned"})
    write_table(measures, HELD_OUT, [*decoys, own], data=task)


def write_gates(measures: Measures, rows: list[dict[str, Any]], **arguments: Any) -> None:
    """Gates of one family with output set to zero, beside others that no claim here is about."""
    own, other = ("head", "layer") if rows[0]["family"] == "head" else ("layer", "head")
    decoys = [gate(-9.0, family=own, mode="uniform"), gate(-9.0, family=other)]
    path = measures.folder / "ablate/one/gates.parquet"
    path.unlink(missing_ok=True)
    write_table(measures, GATES, [*decoys, *rows], **arguments)


def test_best_head_is_the_held_out_gain_of_the_weakest_task_in_accuracy(measures):
    write_held_out(measures, "one", 0.02)
    write_held_out(measures, "two", 0.03)
    gain = found(measures, "best_head_held_out")
    assert gain.pooled.value == pytest.approx(2)
    assert gain.pooled.low == pytest.approx(1)
    assert gain.tasks["two"].value == pytest.approx(3)
    assert (gain.pooled.n, gain.counted, gain.arm, gain.seeds) == (800, "examples", "tuned", 1)


def test_layer_held_out_takes_the_most_extreme_task(measures):
    write_held_out(measures, "one", -0.02, family="layer", picked="worst")
    write_held_out(measures, "two", -0.03, family="layer", picked="worst")
    assert found(measures, "layer_held_out", picked="worst").pooled.value == pytest.approx(-3)
    with pytest.raises(NotMeasured, match="picked best"):
        found(measures, "layer_held_out", picked="best")


def test_a_layer_must_help_and_beat_its_control_on_one_and_the_same_task(measures):
    """The layer of task one helps, and as much with random weights; that of task two hurts less."""
    for task, own, control in (("one", 0.05, 0.05), ("two", -0.02, -0.2)):
        place = {"family": "layer", "mode": "uniform", "picked": "best", "effect_picked_half": 1.0}
        rows = [
            effect(value, arm=arm, **place)
            for arm, value in (("tuned_from_random", control), ("tuned", own))
        ]
        write_table(measures, HELD_OUT, rows, data=task)
    answer = found(measures, "layer_held_out", picked="best")
    assert answer.pooled.value == pytest.approx(5)
    assert answer.beyond.value == pytest.approx(0, abs=1e-6)
    assert answer.beyond.low <= 1e-6  # on task two the difference is 18 points


def test_best_layer_is_relative_to_the_baseline(measures):
    write_held_out(measures, "one", 0.04, family="layer", mode="zero")
    # 0.04 of 0.8 is 5%.
    assert found(measures, "best_layer_relative", task="one").pooled.value == pytest.approx(5)


def test_the_control_is_the_encoder_tuned_from_random_weights(measures):
    control = [gate(-0.04), gate(0.0, head=1)]
    control = [row | {"arm": "tuned_from_random"} for row in control]
    write_gates(measures, [*control, gate(-0.08), gate(-0.02, head=1)])
    answer = found(measures, "least_effect_of_heads", task="one")
    assert (answer.pooled.value, answer.control.value) == pytest.approx((-10, -5))
    assert answer.beyond.value == pytest.approx(-5)


def test_a_control_that_has_learnt_nothing_is_none(measures):
    for arm, wrong in (("tuned", 2), ("tuned_from_random", 10)):
        write_run(measures, "finetune/one", wrong, arm=arm, seed=0)
    write_run(measures, "baseline/one", 10, model="majority")
    write_gates(measures, [gate(-0.08), gate(0.0, arm="tuned_from_random")])
    answer = found(measures, "least_effect_of_heads", task="one")
    assert answer.control is None
    assert "(tuned_from_random) better than the majority class" in answer.uncontrolled


def test_the_smallest_of_many_heads_allows_for_the_choice(measures):
    rows = [gate(-0.04), gate(0.02, head=1), gate(-0.016, layer=1), gate(0.1, layer=1, head=1)]
    write_gates(measures, rows)
    everywhere = found(measures, "least_effect_of_heads", task="one").pooled
    assert everywhere.value == pytest.approx(-5)
    assert everywhere.low == pytest.approx(-6.25)
    assert everywhere.high > -5 + 1.25 + 0.2  # wider than the interval of that head alone
    assert everywhere.n == 400
    upper = found(measures, "least_effect_of_heads", layers=UPPER_HALF, task="one").pooled
    assert upper.value == pytest.approx(-2)


def test_mean_head_effect_is_the_best_task(measures):
    for task, value in (("one", 0.02), ("two", 0.03)):
        rows = [mean(value, mode="uniform"), mean(0.5), mean(0.5, mode="uniform", family="layer")]
        write_table(measures, MEANS, rows, data=task)
    answer = found(measures, "mean_head_effect")
    assert answer.pooled.value == pytest.approx(3)
    one = answer.tasks["one"]
    assert (one.value, one.low, one.high, one.n) == pytest.approx((2, 1, 3, 400))


def test_seeds_of_a_task_add_their_variance(measures):
    rows = [mean(value, mode="uniform", seed=seed) for seed, value in ((0, 0.02), (1, 0.06))]
    write_table(measures, MEANS, rows, data="one")
    pooled = found(measures, "mean_head_effect").pooled
    assert pooled.value == pytest.approx(4)
    # The standard error of 2 and 6 is 2; t with one degree of freedom is 12.7.
    assert pooled.low == pytest.approx(4 - 12.706 * 2, abs=0.1)


def test_a_task_that_was_not_learnt_says_nothing_about_heads(measures):
    for task, wrong in (("one", 10), ("two", 2)):
        write_run(measures, f"finetune/{task}", wrong, arm="tuned", seed=0)
        write_run(measures, f"prepare/{task}-baselines", 10, model="majority")
        rows = [mean(0.02, mode="uniform")]
        write_table(measures, MEANS, rows, data=task)
        write_table(measures, GATES, [gate(0.02)], data=task)
    assert not_learnt(measures) == ["one"]
    assert list(found(measures, "mean_head_effect").tasks) == ["two"]
    with pytest.raises(NotMeasured, match="about the task one"):
        found(measures, "least_effect_of_heads", task="one")
    write_run(measures, "finetune/two", 10, arm="tuned", seed=0)
    with pytest.raises(NotMeasured, match="better than the majority class"):
        found(measures, "mean_head_effect")


def test_middle_layers_are_found_by_depth_and_the_least_of_them_decides(measures):
    effects = [-0.5, -0.5, 0.04, 0.12, 0.08, -0.5]
    rows = [gate(value, family="layer", layer=layer) for layer, value in enumerate(effects)]
    write_gates(measures, rows)
    # The third to fifth layer of six: 0.04 of 0.8 is 5%.
    middle = found(measures, "least_effect_of_layers", layers=MIDDLE, task="one")
    assert middle.pooled.value == pytest.approx(5)
    assert middle.pooled.n == 400
    everywhere = found(measures, "least_effect_of_layers", task="one")
    assert everywhere.pooled.value == pytest.approx(-62.5)
    write_gates(measures, rows[:1])
    with pytest.raises(NotMeasured, match="too few layers"):
        found(measures, "least_effect_of_layers", layers=MIDDLE, task="one")


def test_the_usual_effect_takes_off_what_chance_adds(measures):
    generator = np.random.default_rng(0)
    true = np.array([0.0, 0.0, 0.0, 0.04] * 50)
    measured = true + generator.normal(scale=0.02, size=200)
    rows = [gate(value, head=head) for head, value in enumerate(measured)]
    write_gates(measures, rows, spread=0.02 / BASELINE)
    usual = found(measures, "usual_effect_of_heads", task="one").pooled
    # The root of a quarter of 0.04 squared is 0.02, of 0.8 it is 2.5%; measured it would be 3.5%.
    assert usual.value == pytest.approx(2.5, abs=0.4)
    write_gates(measures, [gate(0.0), gate(0.0, head=1)], spread=0.02)
    assert found(measures, "usual_effect_of_heads", task="one").pooled.value < 0


def test_the_usual_effect_leaves_in_what_resamples_have_more(measures):
    """Noise of one more win and loss (0.1 of 20 examples) is no variance of the effects."""
    rows = [gate(value, head=head, examples=20) for head, value in enumerate((0.08, -0.08) * 50)]
    won, lost = np.random.default_rng(0).poisson(size=(2, len(rows), 200))
    for row, noise in zip(rows, (won - lost) / 20 / BASELINE, strict=True):
        row[drawn_of("relative")] = row["relative"] + noise
    write_table(measures, GATES, rows, data="one")
    usual = found(measures, "usual_effect_of_heads", task="one").pooled
    assert usual.value == pytest.approx(10, abs=0.2)
    assert (usual.low + usual.high) / 2 == pytest.approx(10, abs=1)


def test_curves_and_gaps_are_read_at_the_share(measures):
    rows = [
        effect(-share * steepness, mode=mode, band=band, share=share, draws=10)
        for mode, band, steepness in (
            ("zero", "all", 0.08),
            ("zero", "lower", 0.4),
            ("mean", "all", 1),
        )
        for share in (0.1, 0.8)
    ]
    gaps = [{**row} for row in rows if row["band"] == "lower"]
    for row in gaps:
        del row["band"]
    write_table(measures, CURVES, rows, data="one")
    write_table(measures, GAPS, gaps, data="one")
    point = found(measures, "random_share", share=0.1, task="one").pooled
    assert (point.value, point.low, point.high) == pytest.approx((-1, -2.25, 0.25))
    further = found(measures, "larger_share", share=0.8, beside=0.1, task="one").pooled
    assert further.value == pytest.approx(-7)
    gap = found(measures, "lower_against_upper", share=0.8, task="one").pooled
    assert (gap.value, gap.low) == pytest.approx((-40, -41.25))
    with pytest.raises(NotMeasured, match="share 0.2"):
        found(measures, "random_share", share=0.2, task="one")
