"""What the claims about surface attention read, on tables by hand with decoys."""

from fractions import Fraction

import numpy as np
import pytest

from stages.core.stage.arms import RANDOM_WEIGHTS, RECORDED, UNTUNED
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.claims import SUMMARIES
from stages.core.verdicts.depth import Band
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.region import Region, verdict
from stages.surface.tables import HEADS, SEP_HEADS, STRONGEST
from tests.claims import found, write_table

LAYERS, HEADS_OF_LAYER = 4, 3
UPPER = Band(Fraction(3, 4), Fraction(1))


@pytest.fixture
def texts(tmp_path) -> Measures:
    """Two corpora; the first decides."""
    return Measures(tmp_path, {}, [], [], ["pairs", "others"])


def rows(statistic: str, of_layer, arm: str = UNTUNED, half: float = 0.01) -> list[dict]:
    """Every head has what its layer has, and 0.01 more than the head before it."""
    heads = []
    for layer in range(LAYERS):
        for head in range(HEADS_OF_LAYER):
            mean = of_layer(layer) + 0.01 * head
            keys = {"arm": arm, "layer": layer, "head": head, "statistic": statistic}
            limits = {"amount_low": mean - half, "amount_high": mean + 2 * half}
            heads.append(keys | {"amount": mean, "texts": 40} | limits)
    return heads


def both(texts: Measures, own, control) -> None:
    """The statistic `sep` of encoder and control, beside decoys: a statistic, and a corpus."""
    table = rows("sep", own) + rows("sep", control, RANDOM_WEIGHTS) + rows("cls", lambda _: 0.7)
    write_table(texts, HEADS, table, spread=0.001, data="pairs")
    write_table(texts, HEADS, rows("sep", lambda _: 0.9), spread=0.001, data="others")


def test_a_mean_over_layers_is_of_these_layers_of_the_first_corpus(texts):
    both(texts, lambda layer: [0.1, 0.2, 0.5, 0.7][layer], lambda layer: 0.1)
    answer = found(texts, "layers_mean", statistic="sep", layers=UPPER)
    assert answer.pooled.value == pytest.approx(0.61)  # (0.5 + 0.7) / 2, and 0.01 of the heads
    assert answer.control.value == pytest.approx(0.11)
    assert answer.beyond.value == pytest.approx(0.5)
    assert answer.tasks["others"].value == pytest.approx(0.91)
    assert (answer.decided_on, answer.counted, answer.pooled.n) == ("pairs", "texts", 40)
    # Heads and encoders are drawn alike: their means are as wide as one of them, differences less.
    assert answer.pooled.high - answer.pooled.low == pytest.approx(4 * 0.001, rel=0.2)
    assert answer.beyond.high - answer.beyond.low == pytest.approx(0, abs=1e-6)


def test_a_contrast_is_of_these_layers_less_the_others(texts):
    both(texts, lambda layer: [0.1, 0.2, 0.5, 0.7][layer], lambda layer: [0, 0, 0, 0.1][layer])
    answer = found(texts, "layers_contrast", statistic="sep", layers=UPPER)
    assert answer.pooled.value == pytest.approx(0.45)
    assert answer.control.value == pytest.approx(0.05)
    assert answer.beyond.value == pytest.approx(0.4)
    # Three heads of 0, 0.01 and 0.02 more, drawn in two layers on each side.
    error = np.std([0, 0.01, 0.02]) / np.sqrt(6) * np.sqrt(2)
    assert answer.pooled.high - answer.pooled.low == pytest.approx(3.92 * error, rel=0.25)
    assert answer.pooled.low < 0.45 < answer.pooled.high


def test_what_random_weights_have_as_well_does_not_hold(texts):
    both(texts, lambda layer: 0.1 * layer, lambda layer: 0.11 * layer)
    answer = found(texts, "layers_contrast", statistic="sep", layers=UPPER)
    assert verdict(answer.pooled, Region(above=0)) == "holds"
    assert verdict(answer.pooled, Region(above=0), answer.beyond) != "holds"


def test_heads_of_layers_that_differ_by_chance_show_nothing(texts):
    """Every head its own number, as random weights have it: the sharpest texts do not help."""
    held = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        numbers = generator.normal(size=(LAYERS, HEADS_OF_LAYER))
        table = rows("sep", lambda _: 0.0)
        for row in table:
            row["amount"] = numbers[row["layer"], row["head"]]
        folder = Measures(texts.folder / str(seed), {}, [], [], ["pairs"])
        write_table(folder, HEADS, table, spread=1e-6, data="pairs")
        answer = found(folder, "layers_contrast", statistic="sep", layers=UPPER)
        held += verdict(answer.pooled, Region(above=0)) == "holds"
    assert held <= 5  # by the interval over texts alone it would be half of them


def test_a_band_that_is_all_or_none_of_the_layers_is_not_measured(texts):
    both(texts, lambda layer: 0.1, lambda layer: 0.1)
    for band in (Band(Fraction(0), Fraction(1)), Band(Fraction(1, 99), Fraction(1, 98))):
        with pytest.raises(NotMeasured, match="too few layers"):
            found(texts, "layers_contrast", statistic="sep", layers=band)


def test_heads_are_counted_with_a_range(texts):
    both(texts, lambda layer: [0.1, 0.488, 0.7, 0.9][layer], lambda layer: 0.2)
    answer = found(texts, "heads_above", statistic="sep", share=0.5)
    # One more head has a mean above the share, by less than its interval.
    assert (answer.pooled.value, answer.pooled.low, answer.pooled.high) == (7, 6, 9)
    assert (answer.control.value, answer.bounds, answer.pooled.n) == (0, "range", 12)
    assert verdict(answer.pooled, Region(above=0), answer.beyond, counts=True) == "holds"


def test_the_median_head_is_not_the_mean(texts):
    both(texts, lambda layer: [0, 0, 0.1, 0.9][layer], lambda layer: 0.3)
    answer = found(texts, "median_head", statistic="sep")
    assert answer.pooled.value == pytest.approx(0.06)  # between 0.02 and 0.1
    assert answer.control.value == pytest.approx(0.31)
    assert answer.beyond.value == pytest.approx(-0.25)
    assert (answer.pooled.n, answer.counted) == (40, "texts")
    # Resamples have medians too: of 0 to 0.02 and of 0.1 to 0.12, as heads are drawn in layers.
    assert 0.045 < answer.pooled.low < 0.06 < answer.pooled.high < 0.075


def strongest(arm: str, statistic: str, value: float) -> dict:
    limits = {"score": value, "score_low": value - 0.1, "score_high": value + 0.02}
    place = {"arm": arm, "statistic": statistic, "layer": 1, "head": 2, "texts": 30}
    return place | limits | {"same": True}


def test_the_strongest_head_is_of_its_statistic(texts):
    table = [
        strongest(UNTUNED, "pattern_next", 0.6),
        strongest(UNTUNED, "next", 0.5),
        strongest(UNTUNED, "pattern_previous", 0.9),
        strongest(RANDOM_WEIGHTS, "pattern_next", 0.1),
    ]
    write_table(texts, STRONGEST, table, spread=0.01, data="pairs")
    answer = found(texts, "strongest_head", pattern="next")
    assert (answer.pooled.value, answer.pooled.low, answer.pooled.high) == (0.6, 0.5, 0.62)
    assert (answer.pooled.n, answer.beyond.value) == (30, pytest.approx(0.5))
    assert found(texts, "strongest_head", statistic="next").pooled.value == 0.5
    with pytest.raises(NotMeasured, match="pattern_sentence"):
        found(texts, "strongest_head", pattern="sentence")


def test_recorded_attention_has_no_control(texts):
    write_table(texts, STRONGEST, [strongest(RECORDED, "next", 0.5)], data="pairs")
    answer = found(texts, "strongest_head", statistic="next")
    assert answer.control is None
    assert "recorded" in answer.uncontrolled


def test_figures_of_the_strongest_heads(texts):
    table = [
        strongest(RANDOM_WEIGHTS, "pattern_next", 0.1),
        strongest(UNTUNED, "pattern_next", 0.6),
        strongest(UNTUNED, "next", 0.5),
    ]
    write_table(texts, STRONGEST, table[::-1], data="pairs")
    assert SUMMARIES["surface"](texts) == {"pairs": {"next": {"head": "1-2", "strength": 0.6}}}


def sep_rows(arm: str, sums: list[float], cases: list[float]) -> list[dict]:
    return [
        {"arm": arm, "layer": layer, "heads": 1.0, "texts": 20}
        | {"sep_to_sep_sum": total, "cases": count}
        for layer, (total, count) in enumerate(zip(sums, cases, strict=True))
    ]


def test_sep_to_sep_is_of_all_cases_of_the_layers(texts):
    """Two layers, of one and of three heads: 19 and 42 of 20 and 60."""
    table = sep_rows(UNTUNED, [20, 20, 19, 42], [20, 20, 20, 60])
    table += sep_rows(RANDOM_WEIGHTS, [0, 0, 2, 6], [20, 20, 20, 60])
    write_table(texts, SEP_HEADS, table, spread=2.0, data="pairs")
    answer = found(texts, "sep_to_sep", layers=UPPER)
    assert answer.pooled.value == pytest.approx(61 / 80)
    # Sums and cases are drawn together: of both layers with 4 more or less, times 1 - 61 / 80.
    assert answer.pooled.drawn.std() == pytest.approx(4 * (1 - 61 / 80) / 80, rel=0.2)
    assert answer.control.value == pytest.approx(8 / 80)
    assert (answer.pooled.n, answer.counted) == (20, "texts")


def test_without_a_head_that_attends_to_sep_nothing_is_measured(texts):
    write_table(texts, SEP_HEADS, sep_rows(UNTUNED, [5, 0, 0, 0], [6, 0, 0, 0]), data="pairs")
    with pytest.raises(NotMeasured, match=r"\[SEP\]"):
        found(texts, "sep_to_sep", layers=UPPER)
