"""How much more the last layers change, on hand-made cosines with decoys."""

from fractions import Fraction

import pytest

from stages.core.maps.tables import TUNED_HEADS
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.depth import Band
from stages.core.verdicts.region import Region, verdict
from tests.claims import found, write_drawn

LAST_TWO = Band(Fraction(3, 4), Fraction(1))  # of four layers


def heads(*layers: float, variant: str = "cropped", seed: int = 0, arm: str = TUNED) -> list[dict]:
    """Two heads a layer, around the mean cosine of their layer, in higher layers farther apart."""
    rows = []
    for layer, cosine in enumerate(layers):
        for head, off in enumerate((-0.02, 0.02)):
            place = {"layer": layer, "head": head, "cosine": cosine + off * layer, "count": 20}
            rows.append(place | {"variant": variant, "arm": arm, "seed": seed})
    return rows


def drift(measures, without=(), variant="cropped", layers=LAST_TWO):
    return found(
        measures, "drift_of_last_layers", variant=variant, layers=layers, without=list(without)
    )


def test_the_least_changed_of_the_last_against_the_most_changed_of_the_others(measures):
    """Changes of 0.3 and 0.1, then of 0.5 and 0.6: from 0.3 to 0.5; between means it is more."""
    decoy = heads(0.1, 0.2, 0.9, 0.9, variant="padded")
    write_drawn(measures, TUNED_HEADS, heads(0.7, 0.9, 0.5, 0.4) + decoy, 0.01, task="one")
    answer = drift(measures)
    # Layers are drawn alike, so that nothing is left of their noise.
    pooled = answer.pooled.value, answer.pooled.low, answer.pooled.high
    assert pooled == pytest.approx((0.2, 0.2, 0.2), abs=1e-5)
    assert (answer.pooled.n, answer.arm, answer.seeds) == (20, TUNED, 1)
    assert drift(measures, variant="padded").pooled.value == pytest.approx(0.1 - 0.9)


def test_every_task_must_change_most_at_the_end_but_those_left_out(measures):
    write_drawn(measures, TUNED_HEADS, heads(0.9, 0.9, 0.5, 0.4), 0.01, task="one")
    write_drawn(measures, TUNED_HEADS, heads(0.9, 0.6, 0.7, 0.2), 0.01, task="two")
    answer = drift(measures)
    assert answer.pooled.value == pytest.approx(-0.1)
    assert {task: round(one.value, 6) for task, one in answer.tasks.items()} == {
        "one": 0.4,
        "two": -0.1,
    }
    assert verdict(answer.pooled, Region(above=0)) == "fails"
    left = drift(measures, without=["two"])
    assert left.pooled.value == pytest.approx(0.4)
    assert list(left.tasks) == ["one"]


def test_an_encoder_that_began_at_random_is_the_control(measures):
    for task, control in (("one", (0.9, 0.9, 0.6, 0.6)), ("two", (0.9, 0.9, 0.2, 0.2))):
        rows = heads(0.9, 0.9, 0.5, 0.4) + heads(*control, arm=TUNED_FROM_RANDOM)
        write_drawn(measures, TUNED_HEADS, rows, 0.01, task=task)
    answer = drift(measures)
    # 0.4 less 0.3, and 0.4 less 0.7.
    assert answer.control.value == pytest.approx(0.3)
    assert answer.beyond.value == pytest.approx(-0.3)
    assert verdict(answer.pooled, Region(above=0), answer.beyond) == "fails"


def test_padded_maps_have_no_control(measures):
    rows = heads(0.9, 0.9, 0.5, 0.4, variant="padded")
    control = heads(0.9, 0.9, 0.5, 0.4, arm=TUNED_FROM_RANDOM)
    write_drawn(measures, TUNED_HEADS, rows + control, 0.01, task="one")
    answer = drift(measures, variant="padded")
    assert answer.control is None
    assert "padding" in answer.uncontrolled


def test_seeds_widen_the_interval(measures):
    rows = heads(0.9, 0.9, 0.5, 0.4) + heads(0.9, 0.9, 0.7, 0.4, seed=1)
    write_drawn(measures, TUNED_HEADS, rows, 0.001, task="one")
    answer = drift(measures)
    assert answer.pooled.value == pytest.approx(0.3)
    assert answer.seeds == 2
    assert answer.pooled.high - answer.pooled.low > 0.5  # a t interval of 0.2 and 0.4


def test_too_few_layers_are_not_measured(measures):
    write_drawn(measures, TUNED_HEADS, heads(0.5), 0.01, task="one")
    with pytest.raises(NotMeasured, match="too few layers"):
        drift(measures)
