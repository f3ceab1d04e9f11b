"""What the page says of neurons by hand, beside rows that it must leave alone."""

import math

import pandas as pd
import pytest

from stages.core.stage.arms import RANDOM_WEIGHTS, UNTUNED
from stages.neurons.page import labels_of
from stages.neurons.said import (
    of_largest,
    said_of_few,
    said_of_removed,
    said_of_shares,
    said_without,
)


def chosen(pattern: str, encoder: str = UNTUNED, **values: float) -> list[dict]:
    return [
        {"corpus": "pairs", "encoder": encoder, "pattern": pattern, "measure": name}
        | {"value": value, "low": value - 0.02, "high": value + 0.02}
        for name, value in values.items()
    ]


def table(*parts: list) -> pd.DataFrame:
    decoy = [row | {"corpus": "others"} for row in chosen("next", share_4=0.99, strength=0.99)]
    return pd.DataFrame([row for part in (*parts, decoy) for row in part])


def test_few_neurons_are_four_of_the_first_corpus():
    rows = table(
        chosen("next", share_1=0.9, share_4=0.3, strength=1),
        chosen("delimiter", share_1=0.1, share_4=0.6),
        chosen("previous", share_4=0.302),
        chosen("next", RANDOM_WEIGHTS, share_4=0.2),
        chosen("delimiter", RANDOM_WEIGHTS, share_4=0.25),
    )
    assert said_of_few(rows, 32) == (
        "On pairs, of a score's parts the 4 largest neurons of a head's 32 carry most in pattern "
        "[CLS] and [SEP] (60%) and least in patterns next token and previous token (30% each); at "
        "the same places with random weights 20% to 25%."
    )
    rows = table(chosen("next", share_1=0.5), chosen("delimiter", share_1=0.5))
    assert said_of_few(rows, 8) == (
        "On pairs, of a score's parts the largest neuron of a head's 8 carries 50% in both "
        "patterns; at the same places random weights were not measured."
    )
    assert "were not measured" in said_of_few(table(chosen("next", strength=1)), 8)


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (0.1, "falls from 0.500 [0.480, 0.520] to 0.100 [0.080, 0.120]"),
        (0.9, "rises from 0.500 [0.480, 0.520] to 0.900 [0.880, 0.920]"),
        (0.47, "is not shown to change: from 0.500 [0.480, 0.520] to 0.470 [0.450, 0.490]"),
        (math.nan, "is not shown to change: from 0.500 [0.480, 0.520] to no value [no interval]"),
    ],
)
def test_a_strength_falls_where_the_intervals_lie_apart(after, said):
    rows = table(
        chosen("next", strength=0.5, without_position=after, without_segment=0),
        chosen("next", RANDOM_WEIGHTS, strength=0, without_position=0.01),
        chosen("sentence", strength=0.9, without_position=0),
    )
    assert said_without(rows, "position") == (
        f"Without position embeddings, on pairs, the strength of heads of next token {said} (with "
        "random weights at the same places from 0.000 to 0.010)."
    )
    assert said_without(rows, "segment") == ""


def test_labels_are_words_and_shares_name_heads():
    assert [of_largest(count) for count in (1, 4)] == ["largest neuron", "4 largest neurons"]
    cells = pd.DataFrame({"corpus": "pairs", "encoder": UNTUNED, "layer": [0, 1], "head": 0})
    cells = cells.assign(share_1=[0.1, 0.4], share_2=0.5, sign_consistency=[0.3, 0.3])
    labels = labels_of(cells)
    assert labels == {"share_1": "largest neuron", "sign_consistency": "constant signs"}
    control = cells.assign(encoder=RANDOM_WEIGHTS, share_1=0.05)
    assert said_of_shares(pd.concat([cells, control]), labels) == (
        "On pairs, largest neuron: most in head 0 of layer 1 (40%), least in head 0 of layer 0 "
        "(10%); most with random weights 5%. Constant signs: most in both heads alike (30%), least "
        "in both heads alike (30%); most with random weights 30%."
    )


def test_only_falls_that_can_be_read_are_named():
    rows = pd.DataFrame(
        [
            {"corpus": "pairs", "encoder": UNTUNED, "removed": removed, "pattern": pattern}
            | {"layer": 0, "head": head, "change": change}
            for removed, pattern, changes in (
                ("position", "next", (-0.9, -0.1)),
                ("position", "related_other", (-0.001, 0.4)),
                ("segment", "next", (0.0, math.nan)),
            )
            for head, change in enumerate(changes)
        ]
    )
    assert said_of_removed(rows) == (
        "On pairs, without position strength falls most, pattern by pattern: next token in head 0 "
        "of layer 0 (-0.90). On pairs, without segment no strength falls."
    )
