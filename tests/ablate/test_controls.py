"""Effects beside those of the encoder tuned from random weights, and the figures of all effects."""

import numpy as np
import pytest

from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.verdicts.claims import SUMMARIES
from tests.ablate.rows import effect, gate
from tests.claims import found, write_table

CONTROL = "tuned_from_random"
PICKED = {"picked": "best", "effect_picked_half": 1.0}
AT_HALF = {"share": 0.5, "task": "one"}


@pytest.mark.parametrize(
    ("measure", "table", "place", "arguments", "points"),
    [
        (
            "best_head_held_out",
            HELD_OUT,
            {"family": "head", "mode": "uniform", **PICKED},
            {},
            (-8, -4),
        ),
        (
            "best_layer_relative",
            HELD_OUT,
            {"family": "layer", "mode": "zero", **PICKED},
            {"task": "one"},
            (-10, -5),
        ),
        (
            "mean_head_effect",
            MEANS,
            {"family": "head", "mode": "uniform"},
            {},
            (-8, -4),
        ),
        (
            "least_effect_of_layers",
            GATES,
            {"family": "layer", "mode": "zero", "layer": 1, "head": -1},
            {"task": "one"},
            (-10, -5),
        ),
        (
            "random_share",
            CURVES,
            {"mode": "zero", "band": "all", "share": 0.5, "draws": 10},
            AT_HALF,
            (-10, -5),
        ),
        (
            "lower_against_upper",
            GAPS,
            {"mode": "zero", "share": 0.5, "draws": 10},
            AT_HALF,
            (-10, -5),
        ),
    ],
)
def test_every_effect_has_its_own_control(measures, measure, table, place, arguments, points):
    """0.08 of a metric of 0.8, and 0.04 in the control."""
    rows = [effect(-0.04, arm=CONTROL, **place), effect(-0.08, **place)]
    write_table(measures, table, rows, data="one")
    answer = found(measures, measure, **arguments)
    assert (answer.pooled.value, answer.control.value) == pytest.approx(points)
    assert answer.beyond.value == pytest.approx(points[0] - points[1])


def test_the_mean_must_beat_its_control_on_the_task_where_it_is_largest(measures):
    """On task one random weights gain as much, on task two they lose far more."""
    place = {"family": "head", "mode": "uniform"}
    for task, own, control in (("one", 0.05, 0.05), ("two", 0.02, -0.2)):
        rows = [effect(control, arm=CONTROL, **place), effect(own, **place)]
        write_table(measures, MEANS, rows, data=task)
    answer = found(measures, "mean_head_effect")
    assert (answer.pooled.value, answer.control.value) == pytest.approx((5, 5))
    assert answer.beyond.value == pytest.approx(0, abs=1e-6)


def test_only_fine_tunings_of_the_tasks_that_decide_are_counted(measures):
    twice = [gate(-0.08), gate(-0.04, seed=1), gate(0.0, arm=CONTROL, seed=2)]
    write_table(measures, GATES, twice, data="one")
    write_table(measures, GATES, [gate(-0.08)], data="two")
    assert found(measures, "least_effect_of_heads", task="one").seeds == 2
    assert found(measures, "least_effect_of_heads", task="two").seeds == 1


def test_the_larger_share_is_held_against_the_smaller_on_the_same_resamples(measures):
    shares = [(0.1, -0.01), (0.8, -0.08)]
    rows = [effect(value, mode="zero", band="all", share=share) for share, value in shares]
    write_table(measures, CURVES, rows, 0.05, data="one")
    further = found(measures, "larger_share", share=0.8, beside=0.1, task="one").pooled
    np.testing.assert_allclose([further.value, further.low, further.high], -8.75, rtol=1e-4)


def test_figures_of_all_effects_in_accuracy(measures):
    rows = [
        gate(0.02, p_holm=0.01),
        gate(-0.03, head=1, p_holm=0.04),
        gate(-0.01, head=2, p_holm=0.06),
        gate(0.01, head=3, p_holm=0.04),
        gate(0.09, family="layer", p_holm=0.001),
        gate(-0.2, family="layer", layer=1, p_holm=0.001),
        gate(-0.1, family="layer", layer=2, p_holm=0.2),
        gate(0.5, metric="f1", p_holm=0.001),
        gate(-0.07, mode="uniform", p_holm=0.01),
        gate(-0.9, arm=CONTROL, p_holm=0.001),
    ]
    write_table(measures, GATES, rows, data="one")
    zero = {"largest_gain": 0.02, "largest_loss": -0.03}
    zero |= {"helping_heads": 2, "hurting_heads": 1, "helping_layers": 1, "hurting_layers": 1}
    uniform = {"largest_gain": -0.07, "largest_loss": -0.07}
    uniform |= {"helping_heads": 0, "hurting_heads": 1, "helping_layers": 0, "hurting_layers": 0}
    assert SUMMARIES["ablate"](measures) == {"one": {"zero": zero, "uniform": uniform}}
