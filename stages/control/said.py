"""What the numbers of the encoder that began at random say, in sentences that follow by rules."""

import pandas as pd

from stages.core.pages.said import interval, number
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM

FORM = "+.1f"


def said_of_heads(table: pd.DataFrame) -> list[str]:
    """For each task what a head that is off does, with pretrained weights and with random ones.

    Args:
        table: one row a task and kind of `weights`, in points, under one mode.
    """
    said = []
    for task, own in table.groupby("task", sort=False, observed=True):
        rows = own.set_index("weights")
        if not {TUNED, TUNED_FROM_RANDOM} <= set(rows.index):
            continue
        pretrained, control = rows.loc[TUNED], rows.loc[TUNED_FROM_RANDOM]
        said.append(
            f"{task}: with all heads on, {number(pretrained['all_heads_on'], '.1f')} points with "
            f"pretrained weights and {number(control['all_heads_on'], '.1f')} with random ones; "
            f"one head off changes them by {_mean(pretrained)} and {_mean(control)} on average, by "
            f"{_largest(pretrained)} and {_largest(control)} at most."
        )
    return said


def _mean(row: pd.Series) -> str:
    return f"{number(row['mean'], FORM)} {interval(row['mean_low'], row['mean_high'], FORM)}"


def _largest(row: pd.Series) -> str:
    """The largest change, of whatever sign."""
    gain, loss = row["largest_gain"], row["largest_loss"]
    return number(gain if gain > -loss else loss, FORM)
