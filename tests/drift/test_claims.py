"""How much more the last layers change, on hand-made cosines with decoys."""

from fractions import Fraction

import pytest

from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.depth import Band
from stages.core.verdicts.region import Region, verdict
from stages.drift.tables import DRIFT
from tests.claims import found, write_table

LAST_TWO = Band(Fraction(3, 4), Fraction(1))  # of four layers


def heads(*layers: float) -> list[dict]:
    """Two heads a layer, around the mean cosine of their layer, in higher layers farther apart."""
    return [
        {"layer": layer, "head": head, "cosine": cosine + distance * layer, "examples": 20}
        for layer, cosine in enumerate(layers)
        for head, distance in enumerate((-0.02, 0.02))
    ]


def write(measures, data, *layers, spread=0.01, arm=TUNED, seed=0, variant="cropped"):
    keys = {"seed": seed, "arm": arm, "variant": variant}
    write_table(measures, DRIFT, heads(*layers), spread, data, **keys)


def drift(measures, without=(), variant="cropped", layers=LAST_TWO):
    return found(
        measures, "drift_of_last_layers", variant=variant, layers=layers, without=list(without)
    )


def test_the_least_changed_of_the_last_against_the_most_changed_of_the_others(measures):
    """Changes of 0.3 and 0.1, then of 0.5 and 0.6: from 0.3 to 0.5; between means it is more."""
    write(measures, "one", 0.7, 0.9, 0.5, 0.4)
    write(measures, "one", 0.1, 0.2, 0.9, 0.9, variant="padded")  # a decoy
    answer = drift(measures)
    # Layers are drawn alike, so that nothing is left of their noise.
    pooled = answer.pooled.value, answer.pooled.low, answer.pooled.high
    assert pooled == pytest.approx((0.2, 0.2, 0.2), abs=1e-5)
    assert (answer.pooled.n, answer.arm, answer.seeds) == (20, TUNED, 1)
    assert drift(measures, variant="padded").pooled.value == pytest.approx(0.1 - 0.9)


def test_every_task_must_change_most_at_the_end_but_those_left_out(measures):
    write(measures, "one", 0.9, 0.9, 0.5, 0.4)
    write(measures, "two", 0.9, 0.6, 0.7, 0.2)
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
    for task in ("one", "two"):
        write(measures, task, 0.9, 0.9, 0.5, 0.4)
    write(measures, "one", 0.9, 0.9, 0.6, 0.6, arm=TUNED_FROM_RANDOM)
    write(measures, "two", 0.9, 0.9, 0.2, 0.2, arm=TUNED_FROM_RANDOM)
    answer = drift(measures)
    # 0.4 less 0.3, and 0.4 less 0.7.
    assert answer.control.value == pytest.approx(0.3)
    assert answer.beyond.value == pytest.approx(-0.3)
    assert verdict(answer.pooled, Region(above=0), answer.beyond) == "fails"


def test_padded_maps_have_no_control(measures):
    write(measures, "one", 0.9, 0.9, 0.5, 0.4, variant="padded")
    write(measures, "one", 0.9, 0.9, 0.5, 0.4, arm=TUNED_FROM_RANDOM)
    answer = drift(measures, variant="padded")
    assert answer.control is None
    assert answer.uncontrolled


def test_seeds_widen_the_interval(measures):
    write(measures, "one", 0.9, 0.9, 0.5, 0.4, spread=0.001)
    write(measures, "one", 0.9, 0.9, 0.7, 0.4, spread=0.001, seed=1)
    answer = drift(measures)
    assert answer.pooled.value == pytest.approx(0.3)
    assert answer.seeds == 2
    assert answer.pooled.high - answer.pooled.low > 0.5  # a t interval of 0.2 and 0.4


def test_too_few_layers_are_not_measured(measures):
    write(measures, "one", 0.5)
    with pytest.raises(NotMeasured, match="too few layers"):
        drift(measures)
