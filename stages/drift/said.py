"""What the numbers of maps before and after tuning say, in sentences that follow by rules."""

import pandas as pd

from stages.core.pages.said import highest_and_lowest, number


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
            f"{task}: {highest_and_lowest(layers, 'layer', '.2f', unit='cosine', words=words)}"
            f"{beside}."
        )
    return said


def _range(control: pd.DataFrame | None, task: object) -> str:
    """Between which cosines the layers of the control lie on a task."""
    if control is None or not (control["task"] == task).any():
        return ""
    layers = control[control["task"] == task].groupby("layer")["cosine"].mean()
    low, high = number(layers.min(), ".2f"), number(layers.max(), ".2f")
    return f"; tuned from random weights {low if low == high else f'{low} to {high}'}"


def said_of_last_two(cells: pd.DataFrame) -> str:
    """On how many tasks the last two layers are those that changed most, as the source found."""
    held, tasks = [], list(cells["task"].unique())
    for task in tasks:
        layers = cells[cells["task"] == task].groupby("layer")["cosine"].mean().sort_index()
        if len(layers) > 2 and layers.iloc[-2:].max() < layers.iloc[:-2].min():
            held.append(task)
    if not tasks:
        return ""
    which = f" ({', '.join(map(str, held))})" if held else ""
    return (
        f"The last two layers change more than all others on {len(held)} of "
        f"{len(tasks)} {'task' if len(tasks) == 1 else 'tasks'}{which}; means over heads, without "
        "an interval."
    )


def said_of_heads(cells: pd.DataFrame) -> str:
    """The head that changed most, over all tasks."""
    known = cells[cells["cosine"].notna()]
    if known.empty:
        return ""
    said = number(known["cosine"].min(), ".2f")
    most = known[[number(value, ".2f") == said for value in known["cosine"]]]
    if len(most) > 1:
        return f"The most changed maps are those of {len(most)} heads (cosine {said} each)."
    row = most.iloc[0]
    return (
        f"The most changed maps are those of head {row['head']} of layer {row['layer']} on "
        f"{row['task']}: cosine {said}."
    )
