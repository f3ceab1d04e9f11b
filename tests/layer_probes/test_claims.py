"""What the claims about probes read, on tables by hand with decoys."""

from fractions import Fraction

import pytest

from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.depth import Band
from tests.claims import found
from tests.layer_probes.rows import probe_rows, write_probes

AUXILIARY = {"probe": "main_auxiliary", "part": "relative"}
FOUR_TO_SIX = Band(Fraction(4, 12), Fraction(6, 12))  # layers 1 and 2 of six
ONE_TO_THREE = Band(Fraction(1, 12), Fraction(3, 12))  # layer 0
FOUR_OF_LARGE = Band(Fraction(4, 24), Fraction(4, 24))  # layer 0


def write_auxiliary(measures):
    write_probes(
        measures,
        probe_rows("main_auxiliary", "test", [1.0] * 6, first=1.0),  # a decoy
        probe_rows("subject_noun", "relative", [0.0] * 6, first=1.0),  # and another
        probe_rows(**AUXILIARY, layers=[0.3, 0.8, 0.9, 0.7, 0.5, 0.5], embeddings=0.1, first=0.05),
        probe_rows(
            **AUXILIARY,
            layers=[0.2, 0.3, 0.2, 0.2, 0.2, 0.2],
            arm=RANDOM_WEIGHTS,
            embeddings=0.2,
            first=0.05,
        ),
    )


def test_accuracies_of_layers_are_held_against_the_others(measures):
    write_auxiliary(measures)
    answer = found(measures, "probe_band_over_rest", **AUXILIARY, layers=FOUR_TO_SIX)
    assert answer.pooled.value == pytest.approx(85 - 50)
    assert answer.control.value == pytest.approx(25 - 20)
    assert answer.beyond.value == pytest.approx(30)
    assert (answer.decided_on, answer.counted, answer.pooled.n) == ("written", "lexical items", 20)


def test_a_step_is_from_the_layer_beneath_or_from_the_embeddings(measures):
    write_auxiliary(measures)
    lowest = found(measures, "probe_step", **AUXILIARY, layers=FOUR_OF_LARGE)
    assert lowest.pooled.value == pytest.approx(30 - 10)
    assert lowest.control.value == pytest.approx(0)
    higher = found(measures, "probe_step", **AUXILIARY, layers=FOUR_TO_SIX)
    assert higher.pooled.value == pytest.approx(80 - 30)


def test_layers_are_held_against_who_names_the_first(measures):
    write_auxiliary(measures)
    answer = found(measures, "probe_over_first", **AUXILIARY, layers=FOUR_TO_SIX)
    assert answer.pooled.value == pytest.approx(85 - 5)
    everywhere = found(measures, "probe_over_first", **AUXILIARY)
    assert everywhere.pooled.value == pytest.approx(100 * 3.7 / 6 - 5)


def test_accuracy_and_loss_on_a_part(measures):
    write_probes(
        measures,
        probe_rows("subject_noun", "test", [1.0, 0.8], first=1.0),
        probe_rows("subject_noun", "compound", [0.8, 0.9], first=0.0),
        probe_rows("subject_noun", "possessive", [0.1, 0.3], first=0.0),
    )
    subject = {"probe": "subject_noun"}
    good = found(measures, "probe_accuracy", **subject, part="compound")
    assert good.pooled.value == pytest.approx(85)
    # The noise of both rows is the same, of standard deviation 0.01.
    assert good.pooled.high - good.pooled.low == pytest.approx(3.92, abs=0.6)
    poor = found(measures, "probe_loss", **subject, part="possessive")
    assert poor.pooled.value == pytest.approx(90 - 20)
    assert poor.control is None
    assert "weakness" in poor.uncontrolled
    with pytest.raises(NotMeasured, match="lack sentences"):
        found(measures, "probe_loss", **subject, part="relative")


def test_later_positions_lose_more(measures):
    """From the lowest layer to the highest: 10 points at position 2, 40 and 50 at 4 and 5."""
    write_probes(
        measures,
        probe_rows("nth_token", "test", [1.0, 0.9, 0.9, 0.9, 0.9, 0.9], position=2),
        probe_rows("nth_token", "test", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], position=3),  # a decoy
        probe_rows("nth_token", "test", [0.9, 0.9, 0.9, 0.9, 0.9, 0.5], position=4),
        probe_rows("nth_token", "test", [0.9, 0.9, 0.9, 0.9, 0.9, 0.4], position=5),
    )
    positions = {"first": [2], "later": [4, 5], "layers": ONE_TO_THREE}
    answer = found(measures, "later_positions_fall", **positions)
    assert answer.pooled.value == pytest.approx(45 - 10)


def test_words_without_position_have_no_control(measures):
    for_position = {
        arm: [
            row
            for position, words in ((2, 0.3), (3, 0.2))
            for row in probe_rows(
                "nth_token",
                "test",
                [1.0, 1.0],
                position,
                arm,
                embeddings=0.9,
                words=words,
                chance=0.1,
            )
        ]
        for arm in ("untuned", RANDOM_WEIGHTS)
    }
    write_probes(measures, *for_position.values())
    answer = found(measures, "words_over_chance", positions=[2, 3])
    assert answer.pooled.value == pytest.approx(15)
    assert answer.control is None
    assert "before the lowest layer" in answer.uncontrolled
    answer = found(measures, "position_over_words", positions=[2, 3])
    assert answer.pooled.value == pytest.approx(90 - 25)


def test_an_encoder_without_a_layer_at_the_depth_is_not_measured(measures):
    write_probes(measures, probe_rows(**AUXILIARY, layers=[0.5]))
    with pytest.raises(NotMeasured):
        found(measures, "probe_band_over_rest", **AUXILIARY, layers=FOUR_TO_SIX)
