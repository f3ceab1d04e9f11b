"""What the numbers of heads and layers that are off say, in sentences that follow by rules."""

import pandas as pd

from stages.core.pages.said import (
    ABOVE,
    BELOW,
    NOT_SHOWN,
    counted,
    head_name,
    listed,
    measured,
    number,
    sides,
)

FORM = "+.1f"


def said_of_effects(
    cells: pd.DataFrame, noun: str, unit: str, control: pd.DataFrame | None = None
) -> str:
    """On which tasks which change is shown with one head or layer off, and the largest loss.

    Args:
        cells: one row a task and head or layer: task, layer, perhaps head, effect, low, high and
            `significant`, which holds after Holm's correction.
        noun: "head" or "layer".
        control: the same of the encoder that was tuned from random weights; None: not measured.
    """
    cells = cells[cells["effect"].notna()]
    if cells.empty:
        return ""
    parts = [
        f"{words} on {listed(tasks)}"
        for words, tasks in (
            ("worse", _counts(cells[cells["significant"] & (cells["effect"] < 0)], cells, noun)),
            ("better", _counts(cells[cells["significant"] & (cells["effect"] > 0)], cells, noun)),
        )
        if tasks
    ]
    shown = (
        f"With one {noun} off, after Holm's correction: {', '.join(parts)}."
        if parts
        else f"No change with one {noun} off is shown on any task, after Holm's correction."
    )
    said = f"{shown} {_largest_loss(cells, noun, unit)}"
    if control is None or control.empty:
        return said
    worse = int((control["significant"] & (control["effect"] < 0)).sum())
    better = int((control["significant"] & (control["effect"] > 0)).sum())
    return (
        f"{said} Control, tuned from random weights: worse without {worse} and better without "
        f"{better} of {len(control)}, largest loss {_loss(control, unit)}."
    )


def _counts(shown: pd.DataFrame, cells: pd.DataFrame, noun: str) -> list[str]:
    """Of each task with some, how many of its heads or layers, as "sentiment (1 of 72 heads)"."""
    totals = cells.groupby("task", sort=False).size()
    counts = shown.groupby("task", sort=False).size()
    plural = {task: noun if totals[task] == 1 else f"{noun}s" for task in counts.index}
    return [f"{task} ({counts[task]} of {totals[task]} {plural[task]})" for task in counts.index]


def _loss(cells: pd.DataFrame, unit: str) -> str:
    """The size of the largest loss, without a sign; 0 where nothing is lost."""
    return number(max(0.0, -cells["effect"].min()), ".1f", unit)


def _largest_loss(cells: pd.DataFrame, noun: str, unit: str) -> str:
    said = number(cells["effect"].min(), FORM)
    if not said.startswith("-"):
        return f"No {noun} costs anything."
    worst = cells[[number(effect, FORM) == said for effect in cells["effect"]]]
    if len(worst) > 1:
        return f"The largest change for the worse is {said} {unit}, without {len(worst)} {noun}s."
    row = worst.iloc[0]
    place = head_name(row["layer"], row["head"]) if noun == "head" else f"layer {row['layer']}"
    size = measured(row["effect"], row["low"], row["high"], FORM, unit)
    alone = "" if row["significant"] else ", not corrected for the number of them"
    return f"The largest change for the worse is on {row['task']}, without {place}: {size}{alone}."


def said_of_held_out(rows: pd.DataFrame, control: pd.DataFrame | None = None) -> str:
    """Whether the head that looked best gains on examples that did not choose it.

    Args:
        rows: one a task, of the best head: task, effect_heldout, low and high in points.
        control: the same of the encoder that was tuned from random weights; None: not measured.
    """
    if rows.empty:
        return ""
    beside = ""
    if control is not None and len(control):
        beside = f" Control, tuned from random weights: {_by_sides(control)}."
    return (
        "Without the head that one half of the examples chose as best to turn off, scored on the "
        f"other half, in points: {_by_sides(rows)}.{beside}"
    )


def _by_sides(rows: pd.DataFrame) -> str:
    found = sides(rows)
    words = {ABOVE: "a gain on", BELOW: "a loss on", NOT_SHOWN: "no change shown on"}
    parts = [
        f"{words[side]} "
        + listed(
            f"{row['task']} ({measured(row['effect_heldout'], row['low'], row['high'], FORM)})"
            for row in rows[found == side].to_dict("records")
        )
        for side in words
        if (found == side).any()
    ]
    return "; ".join(parts)


def said_of_others(rows: pd.DataFrame) -> str:
    """On which tasks the worst heads of another cost more than other heads do.

    Args:
        rows: task, heads of, change, low, high.
    """
    if rows.empty:
        return ""
    found = sides(rows)
    pairs = [f"{row['task']} on those of {row['heads of']}" for row in rows.to_dict("records")]
    rests = [pair for pair, side in zip(pairs, found, strict=True) if side == BELOW]
    total = counted(len(rows), "pair of tasks", "pairs of tasks")
    if not rests:
        return f"Of {total} none is shown to rest on the heads of the other."
    return f"Of {total} shown to rest on the heads of the other: {listed(rests)}."


def said_of_modes(correlations: pd.DataFrame) -> str:
    """The range of the rank correlations of each two modes over tasks."""
    parts = []
    for (first, second), own in correlations.groupby(["first", "second"], sort=False):
        values = own["spearman"].dropna()
        if values.empty:
            continue
        low, high = number(values.min(), ".2f"), number(values.max(), ".2f")
        parts.append(f"{first} and {second} {low if low == high else f'{low} to {high}'}")
    if not parts:
        return ""
    over = correlations["task"].nunique()
    tasks = f", over {over} tasks" if over > 1 else ""
    return f"Spearman correlation of the effects of heads{tasks}: {'; '.join(parts)}."
