"""What the page says of its numbers: heads that match, and what is lost without them.

Scores are shares of attention, changes without heads are in percent of the metric.
"""

import pandas as pd

from stages.core.pages.joined_seeds import drawn_rows_over_seeds
from stages.core.pages.said import (
    ABOVE,
    ARMS,
    BELOW,
    NOT_SHOWN,
    apart,
    beside_control,
    control_last,
    listed,
    measured,
    side,
    top_heads,
)
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.matching.tables import ALL, DRAWS, MATCHING, RANDOM, SCORE, STRONGEST

PERCENT = 100
VALUE = ("value", "low", "high")
RELATIVE = ("relative", "relative_low", "relative_high")


def said_of_strongest(groups: pd.DataFrame, task: str) -> str:
    """What the strongest heads of the lower half give to equal terms, beside random weights.

    Args:
        groups: as GROUPS, drawn.
    """
    own = groups[(groups["arm"] == groups["heads_of"]) & (groups["task"] == task)]
    own = own[(own["figure"] == SCORE) & (own["group"] == STRONGEST)]
    if own.empty:
        return ""
    joint = drawn_rows_over_seeds(own, ["arm"], [VALUE]).set_index("arm")
    if TUNED not in joint.index:
        return ""
    control = _measured(joint.loc[RANDOM_WEIGHTS]) if RANDOM_WEIGHTS in joint.index else ""
    return (
        f"On {task}, the strongest heads of the tuned encoder's lower half give to the equal term "
        f"across the pair, beyond chance, {_measured(joint.loc[TUNED])} of their attention "
        f"({beside_control(control)})."
    )


def _measured(row: pd.Series) -> str:
    return measured(*(row[name] for name in VALUE), ".1%")


def said_of_off(off: pd.DataFrame, task: str) -> str:
    """What the tuned encoder loses without the heads that match, and without random ones.

    Args:
        off: as OFF, drawn.
    """
    own = off[(off["arm"] == TUNED) & (off["task"] == task)]
    parts = []
    for sample, family, words in (
        (ALL, MATCHING, "with the heads that match off"),
        (DRAWS, RANDOM, "with as many random heads of the same layers off"),
    ):
        rows = own[(own["sample"] == sample) & (own["family"] == family)]
        if rows.empty:
            continue
        (row,) = drawn_rows_over_seeds(rows, ["task", "family"], [RELATIVE]).to_dict("records")
        value, low, high = (PERCENT * row[name] for name in RELATIVE)
        way = {ABOVE: "rises", BELOW: "falls", NOT_SHOWN: "is not shown to change"}[side(low, high)]
        parts.append(f"{words} it {way} ({measured(value, low, high, '+.1f', 'percent')})")
    return f"The metric of {task}: {'; '.join(parts)}." if parts else ""


def said_of_tuning(groups: pd.DataFrame, task: str) -> str:
    """Whether heads that match in the tuned encoder gave equal terms as much before tuning.

    Args:
        groups: as GROUPS, drawn.
    """
    own = groups[(groups["heads_of"] == TUNED) & (groups["task"] == task)]
    own = own[(own["figure"] == SCORE) & (own["group"] == MATCHING)]
    if own["arm"].nunique() < 2:
        return ""
    joint = drawn_rows_over_seeds(own, ["arm"], [VALUE]).set_index("arm")
    before, after = joint.drop(index=TUNED).iloc[0], joint.loc[TUNED]
    words = {ABOVE: "more than", BELOW: "less than", NOT_SHOWN: "not shown to be other than"}
    how = words[apart(after["low"], after["high"], before["low"], before["high"])]
    return (
        f"The heads that match after tuning give them {_measured(after)}, {how} the "
        f"{_measured(before)} before it at the same places."
    )


def said_of_scores(scores: pd.DataFrame) -> str:
    """The head with the highest score of each encoder, task by task.

    Args:
        scores: one row a task, arm and head, over seeds.
    """
    said = []
    for task, own in scores.groupby("task", sort=False):
        parts = [
            f"{top_heads(of_arm, SCORE, '.1%')} of {ARMS.get(str(arm), str(arm))}"
            for arm, of_arm in control_last(own.groupby("arm", sort=False))
        ]
        said.append(f"Most on {task}: {listed(parts)}.")
    return " ".join(said)


def said_of_changes(own: pd.DataFrame) -> str:
    """Where the metric changes without heads, task by task.

    Args:
        own: of the tuned encoder: task, off, value, low, high in percent.
    """
    said = []
    for task, rows in own.groupby("task", sort=False):
        words: dict[str, list[str]] = {ABOVE: [], BELOW: [], NOT_SHOWN: []}
        for row in rows.to_dict("records"):
            value = measured(*(row[name] for name in VALUE), "+.1f", "percent")
            words[side(row["low"], row["high"])].append(f"{row['off']} ({value})")
        parts = [
            f"{name} without {listed(heads)}"
            for name, heads in zip(
                ("rises", "falls", "is not shown to change"), words.values(), strict=True
            )
            if heads
        ]
        said.append(f"The metric of {task} {'; it '.join(parts)}.")
    return " ".join(said)
