"""What the page says of importance by hand, beside rows that it must leave alone."""

import math

import pandas as pd

from stages.importance.said import said_of_agreement, said_of_cost, said_of_exact, said_of_first


def agreement(task: str, exact: str, value: float, half: float = 0.1, **others) -> dict:
    row = {"task": task, "seed": 0, "norm": "none", "exact": exact, "spearman": value}
    return row | {"low": value - half, "high": value + half} | others


def test_agreement_says_on_how_many_tasks_it_is_shown():
    rows = pd.DataFrame(
        [
            agreement("one", "loss", 0.3),
            agreement("two", "loss", -0.05),
            agreement("one", "absolute loss", 0.9),
            agreement("two", "absolute loss", 0.7),
            agreement("one", "accuracy", -0.3),
            agreement("two", "accuracy", 0.3),
            agreement("one", "loss", -0.9, norm="layer"),
        ]
    )
    assert said_of_agreement(rows) == [
        "The rank correlation over heads of importance with how far each head moves the loss is "
        "0.70 to 0.90: above 0 on both tasks.",
        "The rank correlation over heads of importance with how much the loss rises without each "
        "head is -0.05 to 0.30: above 0 on 1 of 2 tasks.",
        "The rank correlation over heads of importance with what the metric loses without each "
        "head is -0.30 to 0.30: above 0 on 1 of 2 tasks and below 0 on 1 of 2 tasks.",
    ]


def test_one_task_is_named_and_what_is_not_shown_is_said():
    rows = [agreement("one", "absolute loss", 0.9), agreement("one", "loss", 0.05)]
    shown, open_ = said_of_agreement(pd.DataFrame(rows))
    assert shown.endswith("is 0.90: above 0 on one.")
    assert open_.endswith("is 0.05: not shown to be above or below 0.")
    # Three seeds that differ so much that their mean may be 0: examples alone do not show it.
    rows = [
        agreement("one", "loss", value, seed=seed) for seed, value in enumerate((0.2, 0.9, 0.3))
    ]
    assert said_of_agreement(pd.DataFrame(rows))[0].endswith(
        "0.47: not shown to be above or below 0."
    )
    rows = [agreement(task, "loss", 0.9, half=0) for task in ("one", "two")]
    assert said_of_agreement(pd.DataFrame(rows))[0].endswith(
        "0.90: not shown to be above or below 0 on any of 2 tasks."
    )


def test_costs_are_a_range_over_tasks():
    assert said_of_cost(pd.DataFrame({"ratio": [0.22, 0.31, 0.25]})).startswith(
        "It takes 22% to 31%"
    )
    assert said_of_cost(pd.DataFrame({"ratio": [0.22, 0.221]})).startswith("It takes 22% of")


def test_heads_are_counted_by_their_own_intervals_and_the_first_named():
    cells = pd.DataFrame({"task": "one", "layer": 0, "head": range(3)})
    cells = cells.assign(
        loss_low=[0.1, -0.1, -0.2], loss_high=[0.2, 0.1, -0.1], importance=[0.3, math.nan, 0.1]
    )
    assert said_of_exact(cells) == (
        "The loss without the head, by the 95% interval of each head alone. one: higher in 1 of 3 "
        "heads, lower in 1; neither is shown in 1."
    )
    assert said_of_first(cells) == (
        "On one the largest importance is that of head 0 of layer 0 (0.3), the smallest that of "
        "head 2 of layer 0 (0.1)."
    )
    alike = said_of_first(cells.assign(importance=0.2))
    assert "is that of all 3 heads alike (0.2), the smallest that of all 3 heads alike" in alike
    assert said_of_first(cells.iloc[:0]) == ""
