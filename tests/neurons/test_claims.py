"""What the claims about neurons read, on tables by hand with decoys."""

import numpy as np
import pytest

from stages.core.stage.arms import RANDOM_WEIGHTS, UNTUNED
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.region import Region, verdict
from stages.neurons.tables import CHOSEN
from tests.claims import found, write_table


@pytest.fixture
def texts(tmp_path) -> Measures:
    return Measures(tmp_path, {}, [], [], ["pairs"])


def rows(arm: str, pattern: str, texts: int = 40, **values: float) -> list[dict]:
    """Lopsided limits, 0.02 below and 0.04 above."""
    return [
        {"arm": arm, "pattern": pattern, "measure": name, "heads": 3.0, "texts": texts}
        | {"score": value, "score_low": value - 0.02, "score_high": value + 0.04}
        for name, value in values.items()
    ]


def table(measures: Measures, *parts: list[dict], spread: float = 0.01) -> None:
    write_table(measures, CHOSEN, [row for part in parts for row in part], spread, "pairs")


def test_a_pattern_is_held_against_another(texts):
    table(
        texts,
        rows(UNTUNED, "next", strength=0.5, share_4=0.3, share_1=0.9),
        rows(UNTUNED, "delimiter", strength=0.6, share_4=0.5, share_1=0.1),
        rows(UNTUNED, "previous", strength=0.6, share_4=0.8),
        # No head of random weights follows a pattern; the same places count all the same.
        rows(RANDOM_WEIGHTS, "next", strength=0.0, share_4=0.22),
        rows(RANDOM_WEIGHTS, "delimiter", strength=0.0, share_4=0.25),
    )
    arguments = {"column": "share_4", "pattern": "delimiter", "against": "next"}
    answer = found(texts, "neurons_of_patterns", **arguments)
    assert answer.pooled.value == pytest.approx(0.2)
    assert answer.control.value == pytest.approx(0.03)
    assert answer.beyond.value == pytest.approx(0.17)
    assert (answer.pooled.n, answer.counted) == (40, "texts")
    # All are drawn alike: the difference has no spread.
    assert answer.pooled.high - answer.pooled.low < 1e-6


def test_a_pattern_that_no_heads_follow_is_not_measured(texts):
    table(
        texts,
        rows(UNTUNED, "next", strength=0.215, share_4=0.3),  # its interval reaches below 0.2
        rows(UNTUNED, "delimiter", strength=0.6, share_4=0.5),
    )
    arguments = {"column": "share_4", "pattern": "delimiter", "against": "next"}
    with pytest.raises(NotMeasured, match="follow the pattern next"):
        found(texts, "neurons_of_patterns", **arguments)
    with pytest.raises(NotMeasured, match="sign_consistency"):
        found(texts, "heads_of_pattern", column="sign_consistency", pattern="delimiter")


def test_a_measure_of_one_patterns_heads(texts):
    table(
        texts,
        rows(UNTUNED, "next", strength=0.5, sep_to_cls=0.7),
        rows(UNTUNED, "delimiter", strength=0.5, sep_to_cls=0.1),
        rows(RANDOM_WEIGHTS, "next", strength=0.0, sep_to_cls=0.04),
    )
    answer = found(texts, "heads_of_pattern", column="sep_to_cls", pattern="next")
    pooled = answer.pooled
    assert (pooled.value, pooled.low, pooled.high) == pytest.approx((0.7, 0.68, 0.74))
    assert answer.beyond.value == pytest.approx(0.66)


@pytest.mark.parametrize(
    ("within", "across", "told"), [(0.9, 0.3, 0.7), (0.6, 0.1, 0.6), (0.9, 0.9, 0.1)]
)
def test_signs_must_differ_on_both_sides(texts, within, across, told):
    own = rows(UNTUNED, "sentence", strength=0.5, positive_within=within, positive_across=across)
    control = rows(
        RANDOM_WEIGHTS, "sentence", strength=0.0, positive_within=0.55, positive_across=0.45
    )
    table(texts, own, control)
    answer = found(texts, "signs_by_sentence", pattern="sentence")
    assert answer.pooled.value == pytest.approx(told)
    assert answer.control.value == pytest.approx(0.55)
    drawn = np.minimum(within + noise(), 1 - across - noise())
    np.testing.assert_allclose(answer.pooled.drawn, drawn, atol=1e-6)


def noise() -> np.ndarray:
    """As `write_table` has it."""
    return 0.01 * np.random.default_rng(0).normal(size=200)


def test_strength_kept_is_a_ratio_of_the_same_texts(texts):
    own = rows(UNTUNED, "next", strength=0.8, without_position=0.2, without_segment=0.7)
    control = rows(RANDOM_WEIGHTS, "next", strength=0.01, without_position=0.0)
    table(texts, own, control)
    answer = found(texts, "strength_kept", pattern="next", removed="position")
    assert answer.pooled.value == pytest.approx(0.25)
    expected = (0.2 + noise()) / (0.8 + noise())
    np.testing.assert_allclose(answer.pooled.drawn, expected, rtol=1e-5)
    assert answer.control is None  # nothing can be kept where there is no strength
    assert "random weights" in answer.uncontrolled
    assert verdict(answer.pooled, Region(below=0.5)) == "holds"
    with pytest.raises(NotMeasured, match="without_token"):
        found(texts, "strength_kept", pattern="next", removed="token")
