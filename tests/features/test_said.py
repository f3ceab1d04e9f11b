"""Sentences about kinds of tokens, on shares whose sentences are known."""

import math

import pandas as pd

from stages.features.said import said_of_changes, said_of_cls, said_of_heads, said_of_matches


def test_what_rises_and_falls_most_by_tuning():
    rows = pd.DataFrame(
        [
            ("cls", 0, 1, 0.2),
            ("sep", 1, 0, -0.1),
            ("noun", 1, 1, -0.1),
            ("sep", 0, 0, math.nan),
            ("noun by spelling", 0, 0, 0.9),
        ],
        columns=["kind", "layer", "head", "change_share"],
    )
    assert said_of_heads(rows) == (
        "By tuning the largest rise is +0.200 (attention to [CLS] in head 1 of layer 0) and the "
        "largest fall is -0.100 (2 kinds and heads alike); means over tasks, without an interval."
    )
    assert said_of_heads(rows.assign(change_share=0.0001)) == (
        "No head's attention to any kind changes by a thousandth."
    )
    assert said_of_heads(rows.iloc[:0]) == ""


def test_kinds_that_change_most_and_least_are_means_over_tasks():
    rows = pd.DataFrame(
        {
            "task": ["a", "b", "a", "a"],
            "kind": ["cls", "cls", "noun", "verb as a substring"],
            "change": [0.1, 0.3, 0.05, 0.9],
        }
    )
    assert said_of_changes(rows) == (
        "The absolute change by tuning, mean over heads and tasks, is largest in kind [CLS] (0.200 "
        "of all attention) and smallest in kind noun (0.050 of all attention)."
    )


def test_what_cls_looks_at_stands_beside_random_weights():
    rows = pd.DataFrame(
        [
            ("a", "tuned", "sep", 0.4),
            ("a", "tuned", "noun", 0.3),
            ("a", "tuned", "noun by spelling", 0.9),
            ("a", "untuned", "noun", 0.8),
            ("a", "random_weights", "sep", 0.05),
            ("b", "tuned", "sep", 0.2),
            ("b", "tuned", "cls", 0.2),
            ("c", "untuned", "sep", 0.2),
        ],
        columns=["task", "model", "kind", "value"],
    )
    assert said_of_cls(rows) == (
        "The largest weight of [CLS] goes to kind [SEP] on a (0.400; random weights 0.050), kinds "
        "[SEP] and [CLS] on b (0.200)."
    )
    assert said_of_cls(rows.iloc[:0]) == ""


def test_heads_in_which_the_same_word_gains_are_counted():
    rows = pd.DataFrame(
        [
            ("a", "tuned", 0, 0, 0.2, 0.1, 0.3),
            ("a", "tuned", 0, 1, 0.1, -0.1, 0.3),
            ("a", "random_weights", 0, 0, 0.0, -0.1, 0.1),
            ("b", "untuned", 0, 0, 0.2, 0.1, 0.3),
        ],
        columns=["task", "arm", "layer", "head", "gain", "low", "high"],
    )
    assert said_of_matches(rows) == [
        "a, gain of the same word, each head by itself: above 0 in 1 of 2 heads; neither is shown "
        "in 1. Random weights: not shown to be above or below 0 in the only head. Most in head 0 "
        "of layer 0 (+0.200)."
    ]
