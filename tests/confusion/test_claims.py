"""What claims and page read of tables of confusion."""

from fractions import Fraction
from math import log

import pytest

from stages.confusion.page import PAGE, beyond_equal_attention
from stages.confusion.tables import CONDITIONS, EVERY_LAYER, HEADS, LEAST, MEAN
from stages.core.stage.arms import RECORDED
from stages.core.verdicts.claims import SUMMARIES
from stages.core.verdicts.depth import Band
from stages.core.verdicts.measures import NotMeasured
from tests.claims import found, write_table

NATS = log(2)
BITS = {"A1": 1.4, "A2": 1.2, "A3": 1.1, "A4": 0.9, "R1": 1.0, "R5": 1.8}
LAYERS = (1.0, 1.5, 0.9, 0.8)  # added to the condition's own, less their mean


def rows_of(scale: float = 1.0) -> list[dict]:
    rows = []
    for name, bits in BITS.items():
        chance = 1.585 if name == "R5" else 1.0
        facts = {"condition": name, "chance": chance, "items": 40}
        facts |= {"phenomenon": "agreement" if name[0] == "A" else "reflexive", "sentences": 9}
        facts |= {"modifier": "", "auxiliary": "agreeing", "distractors": 1, "matching": 0}
        of_layers = [chance + scale * (bits - chance + shift - 1.05) for shift in LAYERS]
        values = [chance + scale * (bits - chance), *of_layers]
        for layer, value in zip(range(EVERY_LAYER, 4), values, strict=True):
            for heads, less in ((MEAN, 0), (LEAST, 0.5)):
                place = {"heads": heads, "layer": layer, "best": "2-1" if less else ""}
                ends = value - less - 0.1, value - less + 0.1
                limits = dict(zip(("confusion_low", "confusion_high"), ends, strict=True))
                rows.append(facts | place | {"confusion": value - less} | limits)
    return rows


def heads_of() -> list[dict]:
    return [
        {"phenomenon": phenomenon, "layer": layer, "head": 0}
        | {"beyond_chance": 0.1 * layer - 0.15}
        for phenomenon in ("agreement", "reflexive")
        for layer in range(4)
    ]


def write(measures, arm: str, data: str = "one", scale: float = 1.0):
    write_table(measures, CONDITIONS, rows_of(scale), 0.02, data, arm=arm)
    write_table(measures, HEADS, heads_of(), data=data, arm=arm)


@pytest.fixture
def tables(measures):
    write(measures, "untuned")
    write(measures, "random_weights", scale=0.1)
    return measures


def test_differences_in_nats_beside_random_weights(tables):
    answer = found(tables, "confusion_difference", more=["A1", "A2"], less=["A3", "A4"])
    assert answer.pooled.value == pytest.approx(0.3 * NATS)
    assert (answer.counted, answer.pooled.n, answer.arm) == ("lexical items", 40, "untuned")
    assert answer.control.value == pytest.approx(0.03 * NATS)
    assert answer.beyond.value == pytest.approx(0.27 * NATS)


def test_every_difference_is_the_smallest(tables):
    more, less = ["A1", "A2"], ["A3", "A4"]
    answer = found(tables, "confusion_difference", more=more, less=less, every=True)
    assert answer.pooled.value == pytest.approx((1.2 - 1.1) * NATS)


def test_what_is_beyond_chance(tables):
    plain = found(tables, "confusion_difference", more=["R5"], less=["R1"])
    assert plain.pooled.value == pytest.approx(0.8 * NATS)
    beyond = found(tables, "confusion_difference", more=["R5"], less=["R1"], beyond_chance=True)
    assert beyond.pooled.value == pytest.approx(0.215 * NATS)
    mean = found(tables, "confusion_beyond_chance", conditions=["A1", "R5"])
    assert mean.pooled.value == pytest.approx((0.4 + 0.215) / 2 * NATS)
    least = found(tables, "confusion_beyond_chance", conditions=["A1", "R5"], least=True)
    assert least.pooled.value == pytest.approx(((0.4 + 0.215) / 2 - 0.5) * NATS)


def test_slope_and_rise_over_layers(tables):
    slope = found(tables, "confusion_slope", phenomenon="agreement")
    # By hand: places -1/2, -1/6, 1/6, 1/2, whose squares add up to 5/9.
    by_hand = (-0.5 * 1.0 - 1.5 / 6 + 0.9 / 6 + 0.5 * 0.8) / (5 / 9)
    assert slope.pooled.value == pytest.approx(by_hand * NATS)
    second = Band(Fraction(6, 12), Fraction(6, 12))
    rise = found(tables, "confusion_rise", phenomenon="agreement", layers=second)
    assert rise.pooled.value == pytest.approx(0.5 * NATS)
    lowest = Band(Fraction(3, 12), Fraction(3, 12))
    with pytest.raises(NotMeasured, match="too few layers"):
        found(tables, "confusion_rise", phenomenon="agreement", layers=lowest)


def test_what_a_set_lacks_is_not_measured(tables):
    with pytest.raises(NotMeasured, match="no condition R8"):
        found(tables, "confusion_difference", more=["R8"], less=["R1"])
    with pytest.raises(NotMeasured):
        found(tables, "confusion_slope", phenomenon="tense")


def test_the_summary_has_bits_of_the_encoder(tables):
    table = SUMMARIES["confusion"](tables)
    assert table["one"]["A1"] == {MEAN: pytest.approx(1.4), LEAST: pytest.approx(0.9)}


def test_the_page_has_confusion_beyond_equal_attention(tables):
    rows = beyond_equal_attention(tables, heads=(LEAST,)).set_index(["arm", "condition"])
    r5 = rows.loc[("untuned", "R5")]
    assert (r5["confusion"], r5["chance"]) == pytest.approx((1.3, 1.585))
    bits = r5["beyond"], r5["beyond_low"], r5["beyond_high"]
    assert bits == pytest.approx((-0.285, -0.385, -0.185))
    assert r5["example"].startswith("the lord that can hurt the prince could comfort the wizard")
    conditions, layers, heads = PAGE.sections(tables)
    assert conditions.items[0].finding.startswith(
        "Above 0: 3 of 6, below 0, not shown 3; random weights: 0 of 6, below 0, not shown 6; "
        "highest: A1"
    )
    # All layers together are no point of a line.
    points = layers.items[0].chart.data
    assert points.groupby("condition")["layer"].agg(list)["A1"] == [0, 1, 2, 3] * 2
    assert "Highest: head 0 of layer 3" in heads.items[0].finding


def test_conditions_of_a_modal_are_not_counted(tables):
    modal = [row | {"condition": "A1 modal"} for row in rows_of(5) if row["condition"] == "A1"]
    write_table(tables, CONDITIONS, modal, 0.02, arm="untuned")
    figure = PAGE.sections(tables)[0].items[0]
    assert "A1 modal" in str(figure.drawn["datasets"])
    assert "above 0: 3 of 6" in figure.finding.lower()


def test_recorded_attention_is_a_set_by_itself(tables):
    write(tables, RECORDED, "two", 2)
    answer = found(tables, "confusion_beyond_chance", conditions=["A1"])
    # The first set decides, with its control; the other's model stands beside it.
    assert (answer.decided_on, answer.arm) == ("one", "untuned")
    assert answer.control.value == pytest.approx(0.04 * NATS)
    assert answer.tasks["one"].value == pytest.approx(0.4 * NATS)
    assert answer.tasks["two"].value == pytest.approx(0.8 * NATS)


def test_recorded_attention_alone_has_no_control(measures):
    write(measures, RECORDED, "two")
    answer = found(measures, "confusion_beyond_chance", conditions=["A1"])
    assert (answer.arm, answer.control) == (RECORDED, None)
    assert "recorded elsewhere" in answer.uncontrolled
