"""What the page says of its numbers: what is gained without the heads that hurt."""

import pandas as pd

from stages.core.pages.joined_seeds import drawn_rows_over_seeds
from stages.core.pages.said import (
    ABOVE,
    ARMS,
    BELOW,
    NOT_SHOWN,
    head_name,
    listed,
    measured,
    of_all,
    sides,
    tally,
    top_heads,
)
from stages.core.stage.arms import TUNED
from stages.core.stage.tables import drawn_name, interval_names
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.harmful.tables import CALIBRATION, LOSS

PERCENT = 100
# Other heads that are off, or none: what the change is of, and what it is beside.
BESIDE = {"change": "than with all heads on", "beyond": "than with as many random heads off"}
CHOSEN = 0.5  # of the halves that must have chosen a head for it to count as one that hurts


def said_of_loss(scores: pd.DataFrame, arm: str) -> str:
    """Whether the loss is lower without the heads that hurt, over the tasks of one arm.

    Args:
        scores: as SCORES, drawn.
    """
    rows = of_loss_in_percent(scores[scores["arm"] == arm])
    if rows.empty:
        return ""
    names = [interval_names(name) for name in BESIDE]
    joint = drawn_rows_over_seeds(rows, ["task"], names)
    parts = [
        _shown(sides(joint, low=f"{name}_low", high=f"{name}_high"), words)
        for name, words in BESIDE.items()
    ]
    changes = [
        f"{row['task']} {measured(*(row[name] for name in names[0]), '+.1f', 'percent')}"
        for row in joint.to_dict("records")
    ]
    return (
        f"Without the heads that the other half finds to hurt, the loss of {ARMS[arm]} is "
        f"{parts[0]}, and {parts[1]} (change: {listed(changes)})."
    )


def _shown(found: pd.Series, bound: str) -> str:
    """Where the whole interval lies, task by task; of one task, which is named elsewhere."""
    if len(found) > 1:
        return tally(found, "task", ("higher", "lower"), bound=bound)
    words = {ABOVE: "higher", BELOW: "lower", NOT_SHOWN: "not shown to be higher or lower"}
    return f"{words[found.iloc[0]]} {bound}"


def of_loss_in_percent(scores: pd.DataFrame) -> pd.DataFrame:
    """Changes of the loss in percent of that with all heads on, one row a fine-tuning.

    On each resample of the loss with all heads on there, as claims take it.

    Args:
        scores: as SCORES, drawn.
    """
    rows = scores[scores["figure"] == LOSS]
    found = []
    for row in rows.to_dict("records"):
        own, random = (_in_percent(row, name) for name in ("change", "random"))
        changes = {"change": own, "random": random, "beyond": difference_of(own, random)}
        for name, one in changes.items():
            row |= dict(zip(interval_names(name), (one.value, one.low, one.high), strict=True))
            row[drawn_name(name)] = one.drawn
        found.append(row)
    return pd.DataFrame(found) if found else rows


def _in_percent(row: dict, name: str) -> Estimate:
    drawn = row[drawn_name(name)].astype(float) / row[drawn_name("full")]
    found = Estimate.of_drawn(row[name] / row["full"], drawn, int(row["examples"]))
    return found.scaled(PERCENT)


def said_of_metric(scores: pd.DataFrame) -> str:
    """Whether the tuned encoders' first metric changes as well, in points.

    Args:
        scores: as SCORES, drawn.
    """
    rows = scores[~scores["figure"].isin([LOSS, CALIBRATION]) & (scores["arm"] == TUNED)]
    first = rows.groupby("task", sort=False)["figure"].transform("first")
    rows = rows[rows["figure"] == first]
    if rows.empty:
        return ""
    names = interval_names("change")
    joint = drawn_rows_over_seeds(rows, ["task", "figure"], [names])
    joint[list(names)] *= PERCENT
    found = _shown(sides(joint, low=names[1], high=names[2]), "with them off")
    changes = [
        f"{row['task']} {row['figure'].replace('_', ' ')} "
        f"{measured(*(row[name] for name in names), '+.1f', 'points')}"
        for row in joint.to_dict("records")
    ]
    return f"The metric of the tuned encoder is {found} ({listed(changes)})."


def said_of_heads(cells: pd.DataFrame) -> str:
    """Which heads at least half of the halves chose, task by task.

    Args:
        cells: one row a task, layer and head: loss, and the share of the halves that chose it.
    """
    said = []
    for task, own in cells.groupby("task", sort=False):
        hurt = own[own["chosen"] >= CHOSEN]
        named = [head_name(*place) for place in hurt[["layer", "head"]].itertuples(index=False)]
        which = f": {listed(named)}" if named else ""
        were = "was" if len(hurt) == 1 else "were"
        said.append(
            f"On {task}, {of_all(len(hurt), len(own), 'head')} {were} "
            f"chosen by at least half of the halves{which}; alone, the loss is lowest without "
            f"{top_heads(own, 'loss', '+.3f', largest=False)}."
        )
    return " ".join(said)
