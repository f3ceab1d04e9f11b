"""Sentences about heads that link, on rows whose sentences are known."""

import pandas as pd

from stages.frames.said import said_of_best, said_of_heads


def best(encoder: str, value: float, low: float, high: float) -> dict:
    row = {"corpus": "news", "encoder": encoder, "layer": 2, "head": 3}
    return row | {"value": value, "low": low, "high": high}


def head(encoder: str, place: int, gain: float, width: float) -> dict:
    row = {"corpus": "news", "encoder": encoder, "layer": place, "head": 0, "gain_weight": gain}
    return row | {"gain_low": gain - width, "gain_high": gain + width}


def test_the_head_that_links_most_stands_beside_random_weights():
    rows = pd.DataFrame([best("random_weights", 0.006, 0, 0.01), best("untuned", 0.15, 0.1, 0.2)])
    assert said_of_best(rows) == [
        "news: the head that links predicates and their elements most gives +0.15 [+0.10, +0.20] "
        "to them beyond words as far apart, held out; random weights: +0.01 [0.00, +0.01]. On all "
        "texts it is head 3 of layer 2."
    ]
    assert said_of_best(rows.iloc[:0]) == []


def test_heads_are_counted_by_their_intervals():
    rows = [head("untuned", 0, 0.1, 0.05), head("untuned", 1, 0.104, 0.2)]
    rows += [head("untuned", 2, -0.1, 0.05), head("random_weights", 0, 0.9, 1.0)]
    assert said_of_heads(pd.DataFrame(rows)) == [
        "news, weight between linked words, each head by itself: more than to words as far apart "
        "in 1 of 3 heads, less in 1; neither is shown in 1. Random weights: not shown to be more "
        "or less than to words as far apart in the only head. Most in head 0 of layer 0 and head 0 "
        "of layer 1 (+0.10 each)."
    ]
