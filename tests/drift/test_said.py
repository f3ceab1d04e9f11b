"""Sentences about maps before and after tuning, on cosines whose sentences are known."""

import math

import pandas as pd

from stages.drift.said import said_of_heads, said_of_last_layers, said_of_layers


def cells(**layers: list[float]) -> pd.DataFrame:
    """Two heads a layer, a hundredth below and above the mean that is given."""
    return pd.DataFrame(
        {"task": task, "layer": layer, "head": head, "cosine": mean + (0.01, -0.01)[head]}
        for task, means in layers.items()
        for layer, mean in enumerate(means)
        for head in (0, 1)
    )


def test_layers_that_change_least_and_most_stand_beside_random_weights():
    rows = cells(a=[0.99, 0.9, 0.5], b=[0.8, 0.8, 0.8])
    control = cells(a=[0.4, 0.3, 0.45])
    assert said_of_layers(rows, control) == [
        "a, mean cosine of a layer: least changed in layer 0 (0.99) and most changed in layer 2 "
        "(0.50); tuned from random weights 0.30 to 0.45.",
        "b, mean cosine of a layer: 0.80 in all 3 layers.",
    ]


def test_the_last_two_of_twelve_layers_change_most_where_both_are_below_all_others():
    above = [0.9] * 9
    rows = cells(a=[*above, 0.8, 0.5, 0.6], b=[*above, 0.5, 0.4, 0.6], c=[0.5] * 12)
    beginning = "What answers to the last two of the source's twelve layers"
    assert said_of_last_layers(rows) == (
        f"{beginning} (layers 10 and 11) changes more than all others on 1 of 3 tasks (a). Means "
        "over heads, without an interval."
    )
    assert "tasks (a); tuned from random weights on 2 of 2 tasks. Means" in said_of_last_layers(
        rows, cells(a=[*above, 0.8, 0.2, 0.1], b=[*above, 0.8, 0.3, 0.2])
    )
    assert "on none of 2 tasks. Means" in said_of_last_layers(cells(b=[0.5] * 12, c=[0.5] * 12))
    assert "on no task; tuned from random weights on the one task measured. Means" in (
        said_of_last_layers(cells(c=[0.5] * 12), cells(c=[*above, 0.8, 0.2, 0.1]))
    )
    assert said_of_last_layers(rows.iloc[:0]) == ""


def test_of_fewer_layers_the_last_sixth_answers_to_the_last_two_of_twelve():
    rows = cells(a=[0.9, 0.9, 0.5, 0.4, 0.5, 0.3], b=[0.9, 0.9, 0.5, 0.2, 0.2, 0.3])
    assert "(layer 5) changes more than all others on 1 of 2 tasks (a)." in (
        said_of_last_layers(rows)
    )


def test_the_most_changed_head_is_named_and_ties_are_counted():
    rows = cells(a=[0.9, 0.5], b=[0.9, 0.9])
    assert said_of_heads(rows) == (
        "The most changed maps are those of head 1 of layer 1 on a (cosine 0.49)."
    )
    assert said_of_heads(rows, cells(a=[0.3])).endswith(
        "on a (cosine 0.49; tuned from random weights no head below 0.29)."
    )
    assert said_of_heads(cells(a=[0.5], b=[0.5])) == (
        "The most changed maps are those of 2 heads (cosine 0.49 each)."
    )
    assert said_of_heads(rows.assign(cosine=math.nan)) == ""
