"""What the numbers of attention to kinds of tokens say, in sentences that follow by rules."""

import pandas as pd

from stages.core.pages.said import (
    extreme,
    head_name,
    highest_and_lowest,
    listed,
    number,
    sides,
    some_of,
    tally,
    top_heads,
)
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED

SPELT = "spelling|substring"  # the original's ways of finding a kind
FORM = "+.3f"
NAMES = {"cls": "[CLS]", "sep": "[SEP]"}


def said_of_heads(mean: pd.DataFrame) -> str:
    """Where attention to a kind rises and falls most by tuning.

    Args:
        mean: one row a kind, layer and head: change_share.
    """
    plain = mean[~mean["kind"].str.contains(SPELT)]
    values = plain.set_index(["kind", "layer", "head"])["change_share"].dropna()
    if values.empty:
        return ""
    parts = []
    for word, value in (("rise", values.max()), ("fall", values.min())):
        said = number(value, FORM)
        if not said.startswith("+" if word == "rise" else "-"):
            continue
        places = [place for place, one in values.items() if number(one, FORM) == said]
        kind, layer, head = places[0]
        where = (
            f"attention to {NAMES.get(kind, kind)} in {head_name(layer, head)}"
            if len(places) == 1
            else f"{len(places)} kinds and heads alike"
        )
        parts.append(f"the largest {word} is {said} ({where})")
    if not parts:
        return "No head's attention to any kind changes by a thousandth."
    return f"By tuning {listed(parts)}; means over tasks, without an interval."


def said_of_changes(changes: pd.DataFrame) -> str:
    """Which kinds tuning changes most and least.

    Args:
        changes: one row a task and kind: change, the mean absolute change.
    """
    plain = changes[~changes["kind"].str.contains(SPELT)]
    means = plain.groupby("kind", sort=False)["change"].mean().rename(index=NAMES)
    said = highest_and_lowest(
        means, "kind", ".3f", unit="of all attention", words=("largest", "smallest")
    )
    return f"The absolute change by tuning, mean over heads and tasks, is {said}."


def said_of_cls(rows: pd.DataFrame) -> str:
    """What [CLS] of the tuned encoder gives most to in the last layer, beside random weights.

    Args:
        rows: one row a task, model and kind: value, the largest weight on the kind.
    """
    plain = rows[~rows["kind"].str.contains(SPELT)]
    parts = []
    for task, of_task in plain.groupby("task", sort=False):
        values = of_task[of_task["model"] == TUNED].set_index("kind")["value"].dropna()
        if values.empty:
            continue
        kinds, said = extreme(values, ".3f")
        control = of_task[of_task["model"] == RANDOM_WEIGHTS].set_index("kind")["value"]
        beside = (
            f"; random weights {number(control[kinds[0]], '.3f')}"
            if len(kinds) == 1 and kinds[0] in control
            else ""
        )
        names = [NAMES.get(kind, kind) for kind in kinds]
        parts.append(f"{some_of(names, 'kind')} on {task} ({said}{beside})")
    return f"The largest weight of [CLS] goes to {', '.join(parts)}." if parts else ""


def said_of_matches(rows: pd.DataFrame) -> list[str]:
    """For each task in how many heads the same word in the other text gains, and where most.

    Args:
        rows: one row a task, arm and head: gain, low and high; no rows of single texts.
    """
    said = []
    for task, of_task in rows.groupby("task", sort=False):
        own = of_task[of_task["arm"] == TUNED]
        control = of_task[of_task["arm"] == RANDOM_WEIGHTS]
        if own.empty:
            continue
        words = ("above", "below")
        beside = (
            f" Random weights: {tally(sides(control), 'head', words, bound='0')}."
            if len(control)
            else ""
        )
        said.append(
            f"{task}, gain of the same word, each head by itself: "
            f"{tally(sides(own), 'head', words, bound='0')}.{beside} Most in "
            f"{top_heads(own, 'gain', FORM)}."
        )
    return said
