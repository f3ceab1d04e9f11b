"""What the page says of its numbers: grades of shuffled texts, and heads that tell the order."""

import pandas as pd

from stages.core.pages.said import (
    ABOVE,
    ARMS,
    BELOW,
    NOT_SHOWN,
    beside_control,
    control_last,
    listed,
    measured,
    number,
    side,
    top_heads,
)
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.word_order import tables


def said_of_grades(found: pd.DataFrame) -> str:
    """What the numbers of one task and unit show, in sentences.

    Args:
        found: one row a quantity: quantity, value, low, high.
    """
    rows = found.set_index("quantity")
    order, random = rows.loc[tables.ORDER_RISE], rows.loc[tables.RANDOM_RISE]
    parts = [said_of_changes(found)]
    if rows.loc[tables.RISE_BEYOND, "low"] > 0 and order["low"] <= 0 and random["high"] < 0:
        parts.append(
            "So the grades are higher with order heads off than with random ones because random "
            "heads cost grades; that order heads bring any back is not shown."
        )
    return " ".join([*parts, said_of_fallen(rows)])


def said_of_changes(found: pd.DataFrame) -> str:
    """What shuffling does to the mean grade, and heads that are off: as `said_of_grades`."""
    rows = found.set_index("quantity")

    def said(quantity: str) -> str:
        value, low, high = (rows.loc[quantity, name] for name in ("value", "low", "high"))
        words = {ABOVE: "rises", BELOW: "falls", NOT_SHOWN: "is not shown to change"}
        ends = f"{number(low, '+.2f')} to {number(high, '+.2f')}"
        return f"{words[side(low, high)]} ({number(value, '+.2f')} grades, {ends})"

    return (
        f"The mean grade {said(tables.FALL)} when the texts are shuffled; "
        f"with the order heads off as well it {said(tables.ORDER_RISE)} from there; "
        f"with random heads off it {said(tables.RANDOM_RISE)}."
    )


def said_of_fallen(rows: pd.DataFrame) -> str:
    """What is shown of the texts whose grade fell.

    Args:
        rows: value, low and high of each quantity.
    """
    fallen, order, random = (
        rows.loc[name, "value"] for name in (tables.FALLEN, tables.ORDER_BACK, tables.RANDOM_BACK)
    )
    if not fallen > 0:
        return "No text is graded lower."
    beyond = rows.loc[tables.BACK_BEYOND]
    words = {
        ABOVE: "which is more",
        BELOW: "which is fewer",
        NOT_SHOWN: "a difference that is not shown",
    }
    return (
        f"The grade falls on {number(fallen, '.0%')} of the texts; of these "
        f"{number(order, '.0%')} come back by a grade or more with the order heads off, "
        f"{number(random, '.0%')} with random heads off: "
        f"{words[side(beyond['low'], beyond['high'])]}."
    )


def said_of_shares(rows: pd.DataFrame) -> str:
    """How the share of the highest grade differs from text to text, task by task.

    Args:
        rows: one row a task, condition, place and grade: share, mean over fine-tunings.
    """
    said = []
    for task, own in rows.groupby("task", sort=False):
        highest = own[own["place"] == own["place"].max()]
        parts = [
            f"{number(row['share'], '.0%')} ({row['condition']})"
            for row in highest.to_dict("records")
        ]
        grade = highest["grade"].iloc[0]
        said.append(f"With the highest grade of {task}, {grade}: {listed(parts)}.")
    return " ".join(said)


def said_of_means(table: pd.DataFrame) -> str:
    """The mean grades, task by task.

    Args:
        table: one row a task and condition: mean, low, high.
    """
    said = []
    for task, own in table.groupby("task", sort=False):
        parts = [
            f"{measured(row['mean'], row['low'], row['high'], '.2f')} ({row['condition']})"
            for row in own.to_dict("records")
        ]
        said.append(f"Mean grade of {task}: {listed(parts)}.")
    return " ".join(said)


def said_of_order_heads(found: pd.DataFrame, task: str, unit: str) -> str:
    """The mean score of the order heads of one task, beside random weights.

    Args:
        found: one row a task, unit, arm and quantity, over fine-tunings.
    """
    own = found[(found["task"] == task) & (found["unit"] == unit)]
    own = own[own["quantity"] == tables.SCORE].set_index("arm")
    if TUNED not in own.index:
        return ""
    scores = {arm: measured(*own.loc[arm, ["value", "low", "high"]], ".3f") for arm in own.index}
    return (
        f"On {task}, the heads chosen for telling the order of {unit} score {scores[TUNED]} on "
        "texts that did not choose them, where 1 is a head that follows positions alone "
        f"({beside_control(scores.get(RANDOM_WEIGHTS, ''))})."
    )


def said_of_scores(cells: pd.DataFrame) -> str:
    """The head with the highest score of each task, unit and arm.

    Args:
        cells: one row a task, unit, arm and head: score.
    """
    said = []
    for (task, unit), own in cells.groupby(["task", "unit"], sort=False):
        parts = [
            f"{top_heads(of_arm, 'score', '.2f')} of {ARMS.get(str(arm), str(arm))}"
            for arm, of_arm in control_last(own.groupby("arm", sort=False))
        ]
        said.append(f"The highest score on {task}, {unit}: {listed(parts)}.")
    return " ".join(said)
