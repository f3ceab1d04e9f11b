"""What the page says of its numbers: how importance ranks heads, and which heads it puts first."""

import pandas as pd

from stages.core.pages.said import (
    ABOVE,
    BELOW,
    number,
    of_all,
    sides,
    tally,
    top_heads,
)
from stages.core.verdicts.estimates import rows_over_seeds
from stages.importance.tables import UNNORMED

# What importance is held against, in words.
EXACT = {
    "absolute loss": "how far each head moves the loss",
    "loss": "how much the loss rises without each head",
}
METRIC = "what the metric loses without each head"


def said_of_agreement(agreement: pd.DataFrame) -> list[str]:
    """Whether importance ranks heads as the grid does, by how far they move the loss and which way.

    Args:
        agreement: as AGREEMENT.
    """
    rows = agreement[agreement["norm"] == UNNORMED]
    rows = rows.assign(exact=rows["exact"].where(rows["exact"].isin(EXACT), METRIC).replace(EXACT))
    keys = ["task", "exact"]
    joint = rows_over_seeds(rows, keys, [("spearman", "low", "high")])
    order = [exact for exact in (*EXACT.values(), METRIC) if exact in set(joint["exact"])]
    return [_agreement(joint[joint["exact"] == exact], exact) for exact in order]


def _agreement(rows: pd.DataFrame, exact: str) -> str:
    found = sides(rows)
    above, below = int((found == ABOVE).sum()), int((found == BELOW).sum())
    ends = dict.fromkeys(number(end, ".2f") for end in rows["spearman"].agg(["min", "max"]))
    if above == below == 0:
        any_of = f" on any of {len(rows)} tasks" if len(rows) > 1 else ""
        shown = f"not shown to be above or below 0{any_of}"
    else:
        parts = []
        if above:
            parts.append(f"above 0 on {_on(rows, above)}")
        if below:
            parts.append(f"below 0 on {_on(rows, below)}")
        shown = " and ".join(parts)
    return (
        f"The rank correlation over heads of importance with {exact} is {' to '.join(ends)}: "
        f"{shown}."
    )


def _on(rows: pd.DataFrame, count: int) -> str:
    return str(rows["task"].iloc[0]) if len(rows) == 1 else of_all(count, len(rows), "task")


def said_of_cost(costs: pd.DataFrame) -> str:
    """What importance costs beside the grid, counted in operations.

    Args:
        costs: as COSTS.
    """
    ends = dict.fromkeys(number(end, ".0%") for end in costs["ratio"].agg(["min", "max"]))
    return (
        f"It takes {' to '.join(ends)} of the operations of the exact grid, counted and not timed."
    )


def said_of_exact(cells: pd.DataFrame) -> str:
    """In how many heads the loss rises or falls without the head, task by task.

    Args:
        cells: one row a task, layer and head, over fine-tunings.
    """
    said = []
    for task, own in cells.groupby("task", sort=False):
        found = sides(own, low="loss_low", high="loss_high")
        said.append(f"{task}: {tally(found, 'head', ('higher', 'lower'))}")
    return f"The loss without the head, by the 95% interval of each head alone. {'. '.join(said)}."


def said_of_first(cells: pd.DataFrame) -> str:
    """The head that importance puts first and last on each task."""
    said = [
        f"On {task} the largest importance is that of {top_heads(own, 'importance', '.2g')}, the "
        f"smallest that of {top_heads(own, 'importance', '.2g', largest=False)}."
        for task, own in cells.groupby("task", sort=False)
    ]
    return " ".join(said)
