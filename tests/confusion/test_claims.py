"""What claims read of tables of confusion, and what the page says of them."""

from fractions import Fraction
from math import log

import pytest

from stages.confusion import page
from stages.confusion.tables import CONDITIONS, EVERY_LAYER, HEADS, LEAST, MEAN
from stages.core.stage.arms import RECORDED
from stages.core.verdicts.claims import SUMMARIES
from stages.core.verdicts.depth import Band
from stages.core.verdicts.measures import NotMeasured
from tests.claims import found, write_drawn, write_rows

NATS = log(2)
BITS = {"A1": 1.4, "A2": 1.2, "A3": 1.1, "A4": 0.9, "R1": 1.0, "R5": 1.8}
LAYERS = (1.0, 1.5, 0.9, 0.8)  # added to the condition's own, less their mean


def rows_of(encoder: str, scale: float = 1.0) -> list[dict]:
    rows = []
    for name, bits in BITS.items():
        chance = 1.585 if name == "R5" else 1.0
        facts = {"encoder": encoder, "condition": name, "chance": chance, "items": 40}
        facts |= {"phenomenon": "agreement" if name[0] == "A" else "reflexive", "sentences": 9}
        facts |= {"modifier": "", "auxiliary": "agreeing", "distractors": 1, "matching": 0}
        of_layers = [chance + scale * (bits - chance + shift - 1.05) for shift in LAYERS]
        values = [chance + scale * (bits - chance), *of_layers]
        for layer, value in zip(range(EVERY_LAYER, 4), values, strict=True):
            for heads, less in ((MEAN, 0), (LEAST, 0.5)):
                place = {"heads": heads, "layer": layer, "best": "2-1" if less else ""}
                limits = {"low": value - less - 0.1, "high": value - less + 0.1}
                rows.append(facts | place | {"confusion": value - less} | limits)
    return rows


def heads_of(encoder: str) -> list[dict]:
    return [
        {"encoder": encoder, "phenomenon": phenomenon, "layer": layer, "head": 0}
        | {"beyond_chance": 0.1 * layer - 0.15}
        for phenomenon in ("agreement", "reflexive")
        for layer in range(4)
    ]


@pytest.fixture
def tables(measures):
    rows = [*rows_of("untuned"), *rows_of("random_weights", 0.1)]
    write_drawn(measures, CONDITIONS, rows, 0.02, set="one")
    write_rows(measures, HEADS, [*heads_of("untuned"), *heads_of("random_weights")], set="one")
    return measures


def test_differences_in_nats_beside_random_weights(tables):
    one = found(tables, "confusion_difference", more=["A1", "A2"], less=["A3", "A4"])
    assert one.pooled.value == pytest.approx(0.3 * NATS)
    assert (one.counted, one.pooled.n, one.arm) == ("lexical items", 40, "untuned")
    assert one.control.value == pytest.approx(0.03 * NATS)
    assert one.beyond.value == pytest.approx(0.27 * NATS)


def test_every_difference_is_the_smallest(tables):
    more, less = ["A1", "A2"], ["A3", "A4"]
    one = found(tables, "confusion_difference", more=more, less=less, every=True)
    assert one.pooled.value == pytest.approx((1.2 - 1.1) * NATS)


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


def test_the_page_says_what_its_numbers_say(tables):
    conditions, layers, heads = page.sections(tables)
    said = conditions.items[0].finding
    assert "confusion is highest in condition A1 (+0.40 bits) and lowest in condition A4" in said
    assert "above that of equal attention in 3 of 6 conditions; neither is shown in 3" in said
    agreement, _, least, _ = (figure.finding for figure in layers.items)
    assert "highest in layer 1 (1.60 bits) and lowest in layer 3 (0.90 bits)" in agreement
    assert "head 2-1" in least
    assert "for agreement 0.40 to 0.90 bits by condition" in least
    assert "for agreement 2 of 4 heads (random weights: 2 of 4)" in heads.items[0].finding


def test_recorded_attention_is_a_set_by_itself(tables):
    assert "Random weights are the control. A modal" in page.sections(tables)[0].text
    write_drawn(tables, CONDITIONS, rows_of(RECORDED, 2), 0.02, set="two")
    write_rows(tables, HEADS, heads_of(RECORDED), set="two")
    both = found(tables, "confusion_beyond_chance", conditions=["A1"])
    # The first set decides, with its control; the other's model stands beside it.
    assert (both.decided_on, both.arm) == ("one", "untuned")
    assert both.tasks["one"].value == pytest.approx(0.4 * NATS)
    assert both.tasks["two"].value == pytest.approx(0.8 * NATS)
    conditions, layers, heads = page.sections(tables)
    assert (
        "Random weights are the control. Attention on two was recorded elsewhere, without random "
        "weights." in conditions.text
    )
    said = conditions.items[0].finding
    assert said.startswith("On one (untuned): beyond equal attention, confusion is highest in")
    assert layers.items[0].finding.startswith("On one (untuned): mean over conditions, confusion")
    assert heads.items[0].finding.startswith("On one (untuned): more to the right candidate than")
    assert all(sentence.startswith("On one (untuned): ") for sentence in page.in_short(tables))


def test_recorded_attention_alone_has_no_control(measures):
    write_drawn(measures, CONDITIONS, rows_of(RECORDED), 0.02, set="two")
    write_rows(measures, HEADS, heads_of(RECORDED), set="two")
    one = found(measures, "confusion_beyond_chance", conditions=["A1"])
    assert (one.arm, one.control) == (RECORDED, None)
    assert "recorded elsewhere" in one.uncontrolled
    said = page.sections(measures)[0].text
    assert "Random weights are the control" not in said
    assert "Attention on two was recorded elsewhere" in said


def test_conditions_of_a_modal_are_left_out_in_short_and_said_to_be(measures, tables):
    assert "left out" not in page.in_short(tables)[0]
    modal = [row | {"condition": "A1 modal"} for row in rows_of("untuned")]
    write_drawn(measures, CONDITIONS, [*rows_of("untuned"), *modal], 0.02, set="one")
    first, *others = page.in_short(measures)
    assert first.endswith(" Conditions of a modal are left out.")
    assert "left out" not in " ".join(others)
    write_drawn(measures, CONDITIONS, modal, 0.02, set="one")
    assert page.in_short(measures) == []
