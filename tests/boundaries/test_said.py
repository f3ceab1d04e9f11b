"""Sentences about heads as segmenters, on rows whose sentences are known."""

import pandas as pd

from stages.boundaries.said import (
    said_of_best,
    said_of_granularity,
    said_of_heads,
    said_of_marks,
    said_of_pairs,
    said_of_unions,
)


def row(encoder: str, value: float, rival: float, gain: tuple[float, float], **more) -> dict:
    low, high = gain
    known = {"corpus": "gsd", "encoder": encoder, "value": value, "rival_value": rival}
    return known | {"gain_low": low, "gain_high": high} | more


def best(encoder: str, score: str, *numbers, constant: str = "always") -> dict:
    return row(encoder, *numbers, score=score, reader="best head", constant=constant)


def test_the_best_head_stands_beside_its_constant_and_random_weights():
    rows = pd.DataFrame(
        [
            best("random_weights", "accuracy", 0.555, 0.62, (-0.1, 0.1)),
            best("untuned", "accuracy", 0.7, 0.62, (0.05, 0.11)),
            best("untuned", "F1", 0.4, 0.5, (-0.2, -0.01), constant="never"),
            best("untuned", "accuracy", 0.9, 0.1, (0.5, 0.9)) | {"reader": "all heads"},
        ]
    )
    assert said_of_best(rows, "accuracy") == (
        "gsd: the best head has 70.0% of the positions right (random weights: 55.5%), more than "
        "the 62.0% of saying that every token ends a word."
    )
    assert said_of_best(rows, "F1") == (
        "gsd: the best head's F1 over words is 0.40, less than the 0.50 of saying that none does."
    )
    same = rows.assign(gain_low=0.0, gain_high=0.0)
    assert "not shown to differ from the 62.0%" in said_of_best(same, "accuracy")


def test_the_largest_union_is_spoken_of():
    rows = pd.DataFrame(
        [
            row("untuned", 0.95, 0.9, (0.02, 0.07), heads=5),
            row("untuned", 0.8, 0.9, (-0.2, -0.1), heads=2),
            row("random_weights", 0.93, 0.9, (0.02, 0.07), heads=5),
        ]
    )
    assert said_of_unions(rows) == (
        "gsd: of the 5 best heads at least one is right at 95.0% of the positions (random weights: "
        "93.0%), more than the 90.0% of 5 heads drawn at random."
    )
    assert "at 95.0% of the positions, more than the 90.0% of 5" in said_of_unions(rows[:2])


def test_stretches_within_stretches_stand_beside_chance_and_random_weights():
    rows = pd.DataFrame(
        [
            row("untuned", 0.6, 0.5, (0.05, 0.15), heads=3),
            row("random_weights", 0.5, 0.5, (-0.05, 0.05), heads=3),
        ]
    )
    assert said_of_granularity(rows) == (
        "gsd: among its 3 best heads, 60.0% of the coarser's stretches are made of whole ones of "
        "the finer, more than the 50.0% of chance; with random weights 50.0%, not shown to differ "
        "from the 50.0% of chance."
    )


def test_heads_and_pairs_beyond_chance_are_counted():
    rows = pd.DataFrame(
        {
            "corpus": "gsd",
            "encoder": ["untuned"] * 3 + ["random_weights"],
            "beyond": [0.1, 0.0, -0.1, 0.2],
            "marks": [0.1, 0.5, 0.25, 0.9],
            "ends": 0.62,
        }
    )
    assert said_of_heads(rows) == (
        "gsd: right more often than the constant are 1 of 3 heads and 1 of 1 heads of random "
        "weights."
    )
    assert said_of_pairs(rows[:3]) == (
        "gsd: more of the coarser's stretches than by chance are made of the finer's in 1 of 3 "
        "pairs, on all texts."
    )
    assert said_of_marks(rows) == (
        "gsd: heads mark between 10.0% and 50.0% of the positions (random weights: 90.0% and "
        "90.0%), of which 62.0% end a word."
    )
