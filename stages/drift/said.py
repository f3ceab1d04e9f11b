"""What the numbers of maps before and after tuning say, in sentences that follow by rules."""

from fractions import Fraction

import pandas as pd

from stages.core.pages.said import head_name, highest_and_lowest, listed, number
from stages.core.verdicts.depth import Band

LAST = Band(Fraction(11, 12), Fraction(1))  # of the source's twelve layers the last two


def said_of_layers(cells: pd.DataFrame, control: pd.DataFrame | None = None) -> list[str]:
    """For each task where maps are least and most alike before and after tuning.

    Args:
        cells: one row a task, layer and head: cosine.
        control: the same of the encoder that was tuned from random weights; None: not measured.
    """
    said = []
    for task, own in cells.groupby("task", sort=False):
        layers = own.groupby("layer")["cosine"].mean()
        words = ("least changed", "most changed")
        beside = _range(control, task)
        said.append(
            f"{task}, mean cosine of a layer: "
            f"{highest_and_lowest(layers, 'layer', '.2f', words=words)}{beside}."
        )
    return said


def _range(control: pd.DataFrame | None, task: object) -> str:
    """Between which cosines the layers of the control lie on a task."""
    if control is None or not (control["task"] == task).any():
        return ""
    layers = control[control["task"] == task].groupby("layer")["cosine"].mean()
    low, high = number(layers.min(), ".2f"), number(layers.max(), ".2f")
    return f"; tuned from random weights {low if low == high else f'{low} to {high}'}"


def said_of_last_layers(cells: pd.DataFrame, control: pd.DataFrame | None = None) -> str:
    """On how many tasks the last layers changed most, as the source found of two of twelve."""
    tasks = list(cells["task"].unique())
    if not tasks:
        return ""
    held = _last_lead(cells)
    layers = pd.Series(sorted(cells["layer"].unique()))
    last = layers[LAST.holds(layers)]
    names = f"layer{'s' if len(last) != 1 else ''} {listed([str(layer) for layer in last])}"
    which = f" ({', '.join(map(str, held))})" if held else ""
    beside = ""
    if control is not None and len(control):
        count, total = len(_last_lead(control)), control["task"].nunique()
        beside = f"; tuned from random weights on {_of_tasks(count, total)}"
    return (
        f"What answers to the last two of the source's twelve layers ({names}) changes more than "
        f"all others on {_of_tasks(len(held), len(tasks))}{which}{beside}. Means over heads, "
        "without an interval."
    )


def _of_tasks(count: int, total: int) -> str:
    """As "2 of 3 tasks"; the control may have been measured on fewer than the encoder."""
    if total == 1:
        return "the one task measured" if count else "no task"
    return f"{count or 'none'} of {total} tasks"


def _last_lead(cells: pd.DataFrame) -> list:
    """The tasks on which each of the last layers has a lower mean cosine than all others."""
    held = []
    for task, own in cells.groupby("task", sort=False):
        layers = own.groupby("layer")["cosine"].mean().sort_index()
        last = LAST.holds(pd.Series(layers.index)).to_numpy()
        if not last.all() and layers[last].max() < layers[~last].min():
            held.append(task)
    return held


def said_of_heads(cells: pd.DataFrame, control: pd.DataFrame | None = None) -> str:
    """The head that changed most, over all tasks."""
    known = cells[cells["cosine"].notna()]
    if known.empty:
        return ""
    said = number(known["cosine"].min(), ".2f")
    most = known[[number(value, ".2f") == said for value in known["cosine"]]]
    beside = (
        ""
        if control is None or control.empty
        else f"; tuned from random weights no head below {number(control['cosine'].min(), '.2f')}"
    )
    if len(most) > 1:
        return f"The most changed maps are those of {len(most)} heads (cosine {said} each{beside})."
    row = most.iloc[0]
    return (
        f"The most changed maps are those of {head_name(row['layer'], row['head'])} on "
        f"{row['task']} (cosine {said}{beside})."
    )
