"""Sentences about gradients, on shares whose sentences are known."""

import pandas as pd

from stages.gradients.said import said_of_layers, said_of_separators


def row(panel: str, weights: str, layer: int, kind: str, value: float, width: float) -> dict:
    known = {"panel": panel, "weights": weights, "layer": layer, "kind": kind, "value": value}
    return known | {"low": value - width, "high": value + width}


ROWS = pd.DataFrame(
    [
        row("task, tuned", "tuned", 0, "sep", 0.0, 0.01),  # a lower layer
        row("task, tuned", "tuned", 0, "words", 1.0, 0.01),
        row("task, tuned", "tuned", 1, "sep", 0.5, 0.01),
        row("task, tuned", "tuned", 1, "words", 1.0, 0.01),
        row("task, tuned", "tuned", 2, "sep", 0.1, 0.01),
        row("task, tuned", "tuned", 2, "words", 0.8, 0.01),
        row("task, tuned", "tuned", 3, "sep", 0.1, 0.2),  # the intervals meet
        row("task, tuned", "tuned", 3, "words", 0.4, 0.2),
        row("task, random_weights", "random_weights", 3, "sep", 0.9, 0.01),
        row("task, random_weights", "random_weights", 3, "words", 0.4, 0.01),
    ]
)


def test_separators_are_below_words_where_intervals_do_not_meet():
    assert said_of_separators(ROWS) == (
        "In the upper half of the layers, of all losses, the gradient of attention to [SEP] is "
        "smaller than that of attention to words in 1 of 2 layers and larger in 0; their intervals "
        "meet in 1. Random weights: smaller than that of attention to words in 0 of 1 layer and "
        "larger in 1; their intervals meet in 0."
    )
    assert said_of_separators(ROWS[ROWS["weights"] == "random_weights"]) == ""
    assert said_of_separators(ROWS[ROWS["kind"] == "sep"]) == ""


def test_layers_where_separators_matter_most_and_least():
    assert said_of_layers(ROWS[ROWS["weights"] == "tuned"]) == [
        "task, tuned, [SEP]: highest in layer 1 (50%) and lowest in layer 0 (0%)."
    ]
    assert said_of_layers(ROWS.iloc[:0]) == []
