"""Sentences about scores, on points whose sentences are known."""

import math

import pandas as pd

from stages.finetune.said import (
    NO_ENCODER,
    said_of_confusions,
    said_of_gains,
    said_of_scores,
)

SCORES = pd.DataFrame(
    [
        ("a", "majority class", 21.0, 18.0, 24.0),
        ("a", "word overlap", 32.0, 28.0, 36.0),
        ("a", "untuned", 20.0, 18.0, 22.0),
        ("a", "tuned_from_random", 70.0, 66.0, 74.0),
        ("a", "tuned", 73.0, 71.0, 76.0),
        ("a", "random_weights", 99.0, 98.0, 100.0),  # the control of attention, no model of tasks
        ("b", "untuned", 50.0, 40.0, 60.0),
        ("b", "tuned", 35.0, 30.0, 39.0),
        ("c", "untuned", 50.0, 50.0, 50.0),
        ("c", "tuned", 60.0, 60.0, 60.0),  # no width: nothing is shown
        ("d", "untuned", math.nan, math.nan, math.nan),
    ],
    columns=["task", "model", "value", "low", "high"],
)


GAINS = pd.DataFrame(
    [
        ("a", "untuned", 50.0, 56.0),
        ("a", "tuned_from_random", -2.0, 8.0),
        ("a", NO_ENCODER, 30.0, 48.0),
        ("b", "untuned", -29.0, -1.0),
        ("c", "untuned", 10.0, 10.0),  # no width: nothing is shown
        ("d", "untuned", math.nan, math.nan),
    ],
    columns=["task", "over", "low", "high"],
)


def test_the_tuned_encoder_is_above_where_the_whole_interval_of_the_difference_is():
    assert said_of_gains(GAINS) == [
        "The tuned encoder beside the untuned encoder: above it on a, below it on b, neither is "
        "shown to be above on c and d.",
        "The tuned encoder beside the encoder tuned from random weights: neither is shown to be "
        "above on a.",
        "The tuned encoder beside the best simple baseline: above it on a.",
    ]
    assert said_of_gains(GAINS.iloc[:0]) == []


def test_the_scores_of_a_task_stand_in_one_place():
    assert said_of_scores(SCORES) == (
        "Points of the tuned encoder: a 73.0 (untuned encoder 20.0, encoder tuned from random "
        "weights 70.0, best simple baseline 32.0); b 35.0 (untuned encoder 50.0); c 60.0 "
        "(untuned encoder 50.0)."
    )
    assert said_of_scores(SCORES.iloc[:0]) == ""


def test_what_is_most_often_taken_for_another():
    def counts(*examples: int) -> pd.DataFrame:
        places = {"label": ["x", "x", "y", "y"], "predicted": ["x", "y", "x", "y"]}
        return pd.DataFrame({**places, "examples": examples})

    assert said_of_confusions(counts(5, 3, 1, 1)) == (
        "6 of 10 are told right (60%). Most often x for y (3)."
    )
    assert said_of_confusions(counts(4, 3, 3, 0)) == (
        "4 of 10 are told right (40%). Most often x for y and y for x (3 each)."
    )
    assert said_of_confusions(counts(4, 0, 0, 6)) == "10 of 10 are told right (100%)."
    assert said_of_confusions(counts(0, 0, 0, 0)) == ""
