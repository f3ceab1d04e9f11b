"""What the numbers of maps before and after tuning say, in sentences that follow by rules."""

import pandas as pd

from stages.core.pages.said import head_name, highest_and_lowest, number


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


def said_of_last_two(cells: pd.DataFrame, control: pd.DataFrame | None = None) -> str:
    """On how many tasks the last two layers are those that changed most, as the source found."""
    tasks = list(cells["task"].unique())
    if not tasks:
        return ""
    held = _last_two_lead(cells)
    which = f" ({', '.join(map(str, held))})" if held else ""
    beside = ""
    if control is not None and len(control):
        count, total = len(_last_two_lead(control)), control["task"].nunique()
        beside = f"; tuned from random weights on {count} of {total}"
    return (
        f"The last two layers change more than all others on {len(held)} of "
        f"{len(tasks)} {'task' if len(tasks) == 1 else 'tasks'}{which}{beside}. Means over heads, "
        "without an interval."
    )


def _last_two_lead(cells: pd.DataFrame) -> list:
    """The tasks on which each of the last two layers has a lower mean cosine than all others."""
    held = []
    for task, own in cells.groupby("task", sort=False):
        layers = own.groupby("layer")["cosine"].mean().sort_index()
        if len(layers) > 2 and layers.iloc[-2:].max() < layers.iloc[:-2].min():
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
        else f"; tuned from random weights {number(control['cosine'].min(), '.2f')}"
    )
    if len(most) > 1:
        return f"The most changed maps are those of {len(most)} heads (cosine {said} each{beside})."
    row = most.iloc[0]
    return (
        f"The most changed maps are those of {head_name(row['layer'], row['head'])} on "
        f"{row['task']} (cosine {said}{beside})."
    )
