"""Sentences about the control, on rows whose sentences are known."""

import pandas as pd

from stages.control.said import said_of_heads


def row(task: str, weights: str, on: float, mean: tuple, gain: float, loss: float) -> dict:
    known = dict(zip(("mean", "mean_low", "mean_high"), mean, strict=True))
    known |= {"task": task, "weights": weights, "all_heads_on": on}
    return known | {"largest_gain": gain, "largest_loss": loss}


def test_both_encoders_stand_in_one_sentence_for_each_task():
    table = pd.DataFrame(
        [
            row("a", "tuned", 74.61, (-1.56, -2.96, -0.13), 1.43, -37.37),
            row("a", "tuned_from_random", 19.0, (0.0, 0.0, 0.0), 1.0, -0.5),
            row("b", "tuned", 66.0, (0.8, 0.2, 1.5), 5.0, -4.0),  # without its control
        ]
    )
    assert said_of_heads(table) == [
        "a: with all heads on, 74.6 points with pretrained weights and 19.0 with random ones; one "
        "head off changes them by -1.6 [-3.0, -0.1] and 0.0 [no interval] on average, by -37.4 and "
        "+1.0 at most."
    ]
    assert said_of_heads(table.iloc[:0]) == []
