"""The page of ablated heads: frames that it derives from rows by hand."""

import pytest

from stages.ablate import page
from stages.ablate.page import agreement_of_modes, arms_together, by_others, effects, worst_heads
from stages.ablate.shares_page import relative_changes
from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.verdicts.answers import NotMeasured
from tests.ablate.rows import effect, gate, mean
from tests.claims import write_table


@pytest.fixture
def ablated(measures):
    """Two fine-tunings of task one, its control, and decoys of another metric and family."""
    rows = [
        gate(0.02, p_holm=0.01, head=0),
        gate(-0.06, p_holm=0.01, head=1),
        gate(0.04, p_holm=0.2, head=0, seed=1),
        gate(-0.02, p_holm=0.04, head=1, seed=1, baseline=0.6),
        gate(0.0, head=0, arm=TUNED_FROM_RANDOM, baseline=0.5),
        gate(-0.01, head=1, arm=TUNED_FROM_RANDOM, baseline=0.5),
        gate(0.5, head=0, p_holm=0.001, metric="f1"),
        gate(-0.5, head=-1, p_holm=0.001, family="layer"),
    ]
    write_table(measures, GATES, rows)
    means = [mean(-0.02), mean(0.01, seed=1), mean(-0.005, arm=TUNED_FROM_RANDOM)]
    write_table(measures, MEANS, [*means, mean(0.5, family="layer"), mean(0.5, metric="f1")])
    chosen = [
        mean(value, picked="best", arm=arm)
        for arm, value in ((TUNED, 0.01), (TUNED_FROM_RANDOM, 0.0))
    ]
    write_table(measures, HELD_OUT, [*chosen, mean(-0.5, picked="worst")])
    return measures


def test_a_head_is_significant_only_if_it_is_so_in_every_fine_tuning(ablated):
    heads = effects(family="head", mode="zero")(ablated).set_index(["arm", "head"])
    tuned = heads.loc[TUNED]
    assert tuned["effect"].tolist() == pytest.approx([3, -4])
    assert tuned["significant"].tolist() == [False, True]
    assert tuned["baseline"].tolist() == pytest.approx([0.8, 0.7])
    in_percent = effects("relative", family="head", mode="zero")(ablated)
    # -0.06 and -0.02, of a metric of 0.8 each.
    assert in_percent["relative"].tolist()[1] == pytest.approx(-5)


def test_both_encoders_stand_side_by_side(ablated):
    table = arms_together(ablated)
    assert table[["data", "mode", "arm"]].to_numpy().tolist() == [
        ["one", "zero", TUNED],
        ["one", "zero", TUNED_FROM_RANDOM],
    ]
    tuned, control = table.to_dict("records")
    assert tuned["all_heads"] == pytest.approx(80)
    assert (tuned["largest_gain"], tuned["largest_loss"]) == pytest.approx((3, -4))
    assert (tuned["helping_heads"], tuned["hurting_heads"]) == (0, 1)
    assert (tuned["mean"], tuned["best_held_out"]) == pytest.approx((-0.5, 1))
    assert tuned["mean_low"] < -0.5 < tuned["mean_high"]
    assert (control["all_heads"], control["mean"]) == pytest.approx((50, -0.5))
    assert (control["helping_heads"], control["best_held_out"]) == (0, 0)


def test_the_control_is_a_panel_of_the_same_figure(ablated):
    sections = page.PAGE.sections(ablated)
    (figure,) = [item for item in sections[0].items if item.name == "ablate-heads-zero"][:1]
    assert sections[0].title == "T9: each head alone, zero"
    assert set(figure.plot["panel"]) == {"one, tuned", "one, tuned_from_random"}
    assert figure.finding == (
        "Highest: head 0 of layer 0 (+3.8 %); lowest: head 1 of layer 0 (-5.0 %); "
        "random weights: -1.2 to 0.0 %."
    )
    assert not [section for section in sections if section.title.startswith("K8b")]


def test_modes_are_compared_head_by_head(measures):
    values = {"zero": (1, 2, 3), "uniform": (2, 4, 5), "mean": (3, 2, 1)}
    rows = [
        gate(value, mode=mode, head=head)
        for mode, of_mode in values.items()
        for head, value in enumerate(of_mode)
    ]
    write_table(measures, GATES, [*rows, gate(9, head=0, arm=TUNED_FROM_RANDOM)])
    pairs = agreement_of_modes(measures).set_index(["first", "second"])["spearman"]
    assert pairs.to_dict() == pytest.approx(
        {("zero", "uniform"): 1, ("zero", "mean"): -1, ("uniform", "mean"): -1}
    )


def test_shares_are_in_percent_and_name_the_control(measures):
    place = {"mode": "zero", "share": 0.5, "draws": 10}
    rows = [
        effect(-0.08, **place, band="lower"),
        effect(-0.04, **place, band="all", arm=TUNED_FROM_RANDOM),
    ]
    write_table(measures, CURVES, [*rows, effect(9, **place, band="all", metric="f1")])
    points = relative_changes(CURVES, "zero")(measures)
    assert points["band"].tolist() == ["lower half", "all layers, random weights"]
    assert points["relative"].tolist() == pytest.approx([-10, -5])
    assert points["share"].tolist() == [50, 50]
    with pytest.raises(NotMeasured):  # a configuration without shares of halves
        relative_changes(GAPS, "zero")(measures)


def test_each_task_is_scored_without_the_heads_of_the_other(measures):
    """Random weights were measured on task one alone, so they have no pair of tasks."""
    for task, needed in (("one", (0, 1)), ("two", (3, 2))):
        rows = [
            gate(-0.2 if head in needed else 0.0, head=head, mode="uniform") for head in range(4)
        ]
        write_table(measures, GATES, rows, data=task)
    control = [gate(0.0, head=head, mode="uniform", arm=TUNED_FROM_RANDOM) for head in range(4)]
    write_table(measures, GATES, control, data="one")
    rows = by_others(measures)
    assert rows[["data", "heads", "arm"]].to_numpy().tolist() == [
        ["one", "heads of two", TUNED],
        ["two", "heads of one", TUNED],
    ]
    assert rows["effect"].tolist() == pytest.approx([20, 20])
    worst = worst_heads(measures)
    assert worst[worst["data"] == "two"]["head"].tolist()[:2] == [2, 3]
