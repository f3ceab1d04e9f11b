"""Sentences about confusion, on bits whose sentences are known."""

import pandas as pd

from stages.confusion.said import (
    said_of_chance,
    said_of_conditions,
    said_of_heads,
    said_of_layers,
    said_of_least,
)
from stages.confusion.tables import EVERY_LAYER


def condition(name: str, bits: float, width: float, **more) -> dict:
    known = {"set": "one", "encoder": "untuned", "phenomenon": "agreement", "condition": name}
    known |= {"confusion": bits, "low": bits - width, "high": bits + width}
    return known | {"chance": 1.0, "layer": EVERY_LAYER, "best": "2-3"} | more


ROWS = pd.DataFrame(
    [
        condition("A1", 1.4, 0.1),
        condition("A2", 0.8, 0.1),
        condition("A3", 1.2, 0.3),
        condition("A4", 0.801, 0.0),  # no width: below is not shown
        condition("A1", 1.0, 0.1, encoder="random_weights"),
        condition("A1", 3.0, 0.1, set="two"),  # another set is not spoken of
    ]
)


def test_sides_of_equal_attention_are_counted_beside_random_weights():
    assert said_of_chance(ROWS) == (
        "Confusion is above that of equal attention in 1 of 4 conditions, below in 1; neither is "
        "shown in 2. With random weights it is not shown to be above or below that of equal "
        "attention in the only condition. Above means that distractors get more than their share."
    )
    assert said_of_chance(ROWS[ROWS["encoder"] == "random_weights"]) == ""


def test_the_most_and_the_least_confusing_condition():
    assert said_of_conditions(ROWS) == (
        "Beyond equal attention, confusion is highest in condition A1 (+0.40 bits) and lowest in "
        "conditions A2 and A4 (-0.20 bits each)."
    )


def test_layers_are_means_over_conditions():
    layers = [
        condition("A1", 1.0, 0.1, layer=0),
        condition("A2", 2.0, 0.1, layer=0),
        condition("A1", 0.5, 0.1, layer=1),
        condition("A1", 9.0, 0.1),  # the mean of layers is none
    ]
    assert said_of_layers(pd.DataFrame(layers)) == (
        "Mean over conditions, confusion is highest in layer 0 (1.50 bits) and lowest in layer 1 "
        "(0.50 bits)."
    )
    layers += [condition("A1", 1.0, 0.1, layer=layer, encoder="random_weights") for layer in (0, 1)]
    assert said_of_layers(pd.DataFrame(layers)).endswith("; random weights have 1.00.")


def test_the_least_confused_head_stands_beside_chance_and_random_weights():
    assert said_of_least(ROWS) == (
        "The least confused head, chosen held out, has for agreement 0.80 to 1.40 bits by "
        "condition, where equal attention has 1.00, with random weights 1.00 (chosen on all "
        "sentences: head 2-3)."
    )
    assert said_of_least(ROWS.iloc[:0]) == ""


def test_heads_that_prefer_the_right_candidate_are_counted():
    cells = pd.DataFrame(
        {
            "set": "one",
            "encoder": ["untuned"] * 3 + ["random_weights"],
            "phenomenon": "agreement",
            "beyond_chance": [-0.2, 0.0, 0.3, -0.1],
        }
    )
    assert said_of_heads(cells) == (
        "More to the right candidate than equal attention would give: for agreement 1 of 3 heads "
        "(random weights: 1 of 1)."
    )
