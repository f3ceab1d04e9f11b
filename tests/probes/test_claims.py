"""Claims about probes: one frame by hand, with decoys of other variants, corpora and encoders."""

import pytest

from stages.core.stage.arms import RANDOM_WEIGHTS, RECORDED, UNTUNED
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.claims import SUMMARIES
from stages.core.verdicts.measures import Measures
from stages.probes.tables import SCORES
from tests.claims import found, write_table

SCORED = {
    (UNTUNED, "right-branching"): 0.26,
    (UNTUNED, "attention"): 0.61,
    (UNTUNED, "distances and words"): 0.58,
    (UNTUNED, "attention and words"): 0.77,
    (RANDOM_WEIGHTS, "right-branching"): 0.26,
    (RANDOM_WEIGHTS, "attention"): 0.12,
    (RANDOM_WEIGHTS, "distances and words"): 0.58,
    (RANDOM_WEIGHTS, "attention and words"): 0.30,
}


def row(arm: str, probe: str, uas: float, variant: str = "", punctuation: bool = False) -> dict:
    return {
        "arm": arm,
        "probe": probe,
        "variant": variant,
        "punctuation": punctuation,
        "uas": uas,
        "uas_low": uas - 0.01,
        "uas_high": uas + 0.03,
        "words": 500,
    }


@pytest.fixture
def scored(tmp_path) -> Measures:
    """The source's scores on one corpus, with decoys; another corpus after it."""
    measures = Measures(tmp_path, {}, [], [], ["treebank", "templates"])
    rows = [
        *(row(arm, probe, 0.99, "vectors off by one") for arm, probe in SCORED),
        *(row(arm, probe, uas) for (arm, probe), uas in SCORED.items()),
        *(row(arm, probe, 0.01, "", True) for arm, probe in SCORED),
    ]
    write_table(measures, SCORES, rows, 0.02, "treebank")
    other = [row(arm, probe, 0.9) for arm, probe in SCORED]
    write_table(measures, SCORES, other, 0.02, "templates")
    return measures


def test_a_score_is_in_points_beside_that_of_random_weights(scored):
    answer = found(scored, "attachment", probe="attention and words")
    assert (answer.pooled.value, answer.pooled.low, answer.pooled.high) == pytest.approx(
        (77, 76, 80)
    )
    assert (answer.decided_on, answer.pooled.n, answer.counted) == ("treebank", 500, "words")
    assert answer.control.value == pytest.approx(30)
    # Noise that is the same in both leaves a difference without width.
    beyond = (answer.beyond.value, answer.beyond.low, answer.beyond.high)
    assert beyond == pytest.approx((47, 47, 47), abs=1e-3)
    assert answer.tasks["templates"].value == pytest.approx(90)


@pytest.mark.parametrize(
    ("probe", "rival", "own", "control"),
    [
        ("attention", "right-branching", 35, -14),
        ("attention and words", "distances and words", 19, -28),
        ("attention and words", "attention", 16, 18),
    ],
)
def test_differences_are_paired_and_stand_beside_those_of_random_weights(
    scored, probe, rival, own, control
):
    answer = found(scored, "attachment_over", probe=probe, rival=rival)
    bounds = (answer.pooled.value, answer.pooled.low, answer.pooled.high)
    assert bounds == pytest.approx((own, own, own), abs=1e-3)
    assert answer.control.value == pytest.approx(control)
    assert answer.beyond.value == pytest.approx(own - control)


def test_what_is_said_against_random_weights_has_no_other_control(scored):
    answer = found(scored, "attachment_over_random_weights", probe="attention and words")
    bounds = (answer.pooled.value, answer.pooled.low, answer.pooled.high)
    assert bounds == pytest.approx((47, 47, 47), abs=1e-3)
    assert answer.control is None
    assert answer.beyond is None
    assert "difference to them" in answer.uncontrolled
    assert answer.tasks["templates"].value == pytest.approx(0)


def test_recorded_attention_without_words_or_random_weights(tmp_path):
    measures = Measures(tmp_path, {}, [], [], ["elsewhere"])
    rows = [row(RECORDED, "attention", 0.6), row(RECORDED, "right-branching", 0.3)]
    write_table(measures, SCORES, rows, 0.02, "elsewhere")
    answer = found(measures, "attachment_over", probe="attention", rival="right-branching")
    assert answer.pooled.value == pytest.approx(30)
    assert answer.control is None
    with pytest.raises(NotMeasured):
        found(measures, "attachment", probe="attention and words")
    with pytest.raises(NotMeasured):
        found(measures, "attachment_over_random_weights", probe="attention")


def test_figures_of_every_encoder_and_probe(scored):
    figures = SUMMARIES["probes"](scored)
    found_scores = {
        (encoder, probe): uas
        for encoder, probes in figures["treebank"].items()
        for probe, uas in probes.items()
    }
    assert found_scores == SCORED
    assert set(figures["templates"][UNTUNED].values()) == {0.9}
