"""What sets heads that hurt apart: figures of this room, and columns of other pages beside them."""

import numpy as np
import pandas as pd

from stages.core.pages.gather import head_column
from stages.core.pages.page import Section, Table, heads_figure
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.harmful.said import CHOSEN, said_of_heads

PLACE = ["layer", "head"]
# Columns of other pages that may set heads that hurt apart: page, column, what it is called here.
OTHERS = (
    ("patterns", "pattern", "pattern"),
    ("drift", "cosine before/after tuning", "cosine before/after tuning"),
    ("surface", "surface role", "surface role"),
)


def apart(cells: pd.DataFrame, measures: Measures) -> Section:
    """The section of it.

    Args:
        cells: one row a task, layer and head: loss, confidence and entropy with their limits, and
            the share of the halves that chose it.
    """
    known = cells.assign(hurts=cells["chosen"] >= CHOSEN)
    for page, column, name in OTHERS:
        try:
            values = head_column(page, column, measures).rename(name).reset_index()
        except NotMeasured:
            continue
        known = known.merge(values, on=PLACE, how="left")
    shown = known[known["chosen"] > 0].sort_values(["task", "loss"], kind="stable")
    order = {task: place for place, task in enumerate(cells["task"].unique())}
    shown = shown.sort_values("task", key=lambda task: task.map(order), kind="stable")
    return Section(
        "What sets them apart",
        f"Heads that at least {CHOSEN:.0%} of the halves chose, beside all others of the encoder.",
        (
            heads_figure(
                "harmful-heads",
                "Change of the loss without each head",
                "Each cell shows, layer x head for each task, how the loss changes without the "
                "head, as a share of the largest change of the task; below 0 the head hurts. A dot "
                "marks heads that at least half of the halves chose.",
                known.assign(
                    share=known["loss"] / known.groupby("task")["loss"].transform(_largest)
                ),
                "share",
                "share of the largest change",
                diverging=True,
                tooltip=["task", *PLACE, "loss", "loss_low", "loss_high", "chosen"],
                marked="hurts",
                finding=said_of_heads(cells),
            ),
            Table(
                "harmful-apart",
                "Heads that hurt beside the others",
                "Each row compares the mean of a 'figure' over the heads that hurt with its mean "
                "over all others. Confidence is the largest weight of a row of attention, entropy "
                "(nats) that of the row, both means over rows and examples. Of a class, as the "
                "pattern of most of a head's maps, the row has the share of the heads that belong "
                "to it; drift, patterns and roles are those of the table of all heads.",
                _beside(known),
            ),
            Table(
                "harmful-chosen",
                "Every head that a half chose",
                "The table lists, task by task, the heads that some half chose, by the change of "
                "the loss without each alone, the lowest first. 'chosen' is the share of halves "
                "(and fine-tunings) that chose the head.",
                shown.drop(columns="hurts"),
            ),
        ),
    )


def _largest(values: pd.Series) -> float:
    return float(values.abs().max())


def _beside(known: pd.DataFrame) -> pd.DataFrame:
    """One row a task and figure, or class: of the heads that hurt, and of the others."""
    names = [name for _, _, name in OTHERS if name in known]
    rows = []
    for task, own in known.groupby("task", sort=False):
        for name in ("confidence", "entropy", *names):
            values, prefix = pd.DataFrame({name: own[name]}), ""
            if not pd.api.types.is_numeric_dtype(own[name]):
                values, prefix = pd.get_dummies(own[name]).astype(float), f"{name}: "
            for column in values:
                means = values[column].groupby(own["hurts"]).mean()
                rows.append(
                    {
                        "task": task,
                        "figure": f"{prefix}{column}",
                        "heads that hurt": int(own["hurts"].sum()),
                        "of these": means.get(True, np.nan),
                        "of the others": means.get(False, np.nan),
                    }
                )
    return pd.DataFrame(rows)
