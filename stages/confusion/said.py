"""What the numbers of confusion say, in sentences that follow by rules.

Each is of the first set of stimuli, with random weights beside the encoder.
"""

import pandas as pd

from stages.confusion.tables import EVERY_LAYER
from stages.core.pages.said import highest_and_lowest, listed, number, side, tally
from stages.core.stage.arms import RANDOM_WEIGHTS, RECORDED

SIDES = ("above", "below")


def own_and_control(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of the encoder on its first set, and those of random weights on the same."""
    control = rows["encoder"] == RANDOM_WEIGHTS
    if control.all():
        return rows[~control], rows[control]
    first = rows.loc[~control, "set"].iloc[0]
    of_set = rows["set"] == first
    return rows[~control & of_set], rows[control & of_set]


def on_first_set(rows: pd.DataFrame, said: str) -> str:
    """What is said of the first set, with its name where the rows have further ones."""
    own, _ = own_and_control(rows)
    if not said or own.empty or rows["set"].nunique() == 1:
        return said
    one = own.iloc[0]
    return f"On {one['set']} ({one['encoder']}): {said[0].lower()}{said[1:]}"


def said_of_control(rows: pd.DataFrame) -> str:
    """Which sets have the control of random weights beside them."""
    said = []
    if (rows["encoder"] == RANDOM_WEIGHTS).any():
        said.append("Random weights are the control.")
    if names := sorted(set(rows["set"][rows["encoder"] == RECORDED])):
        said.append(f"Attention on {listed(names)} was recorded elsewhere, without random weights.")
    return " ".join(said) or "There is no control of random weights."


def said_of_chance(mean: pd.DataFrame) -> str:
    """In how many conditions attention is above or below that of equal weights.

    Args:
        mean: one row a condition: confusion, low, high and chance, mean over heads and layers.
    """
    own, control = own_and_control(mean)
    if own.empty:
        return ""
    said = f"Confusion is {_tally(own)}"
    beside = f". With random weights it is {_tally(control)}" if len(control) else ""
    return f"{said}{beside}. Above means that distractors get more than their share."


def _tally(rows: pd.DataFrame) -> str:
    ends = zip(rows["low"], rows["high"], rows["chance"], strict=True)
    found = pd.Series([side(*row) for row in ends], dtype=object)
    return tally(found, "condition", SIDES, bound="that of equal attention")


def said_of_conditions(mean: pd.DataFrame) -> str:
    """The most and the least confusing condition, beyond equal attention."""
    own, _ = own_and_control(mean)
    if own.empty:
        return ""
    beyond = (own["confusion"] - own["chance"]).set_axis(own["condition"])
    return (
        "Beyond equal attention, confusion is "
        f"{highest_and_lowest(beyond, 'condition', '+.2f', unit='bits')}."
    )


def said_of_layers(rows: pd.DataFrame) -> str:
    """Where confusion is highest and lowest, mean over the conditions of a phenomenon.

    Args:
        rows: one row a condition and layer, of the mean over heads.
    """
    own, control = own_and_control(rows[rows["layer"] != EVERY_LAYER])
    if own.empty:
        return ""
    bits = own.groupby("layer")["confusion"].mean()
    said = (
        "Mean over conditions, confusion is "
        f"{highest_and_lowest(bits, 'layer', '.2f', unit='bits')}"
    )
    if control.empty:
        return f"{said}."
    beside = control.groupby("layer")["confusion"].mean()
    low, high = number(beside.min(), ".2f"), number(beside.max(), ".2f")
    return f"{said}; random weights have {low if low == high else f'{low} to {high}'}."


def said_of_least(rows: pd.DataFrame) -> str:
    """What the head that is least confused on other sentences has, beside random weights.

    Args:
        rows: one row a condition and layer, of the least confused head; `EVERY_LAYER` of all.
    """
    parts = []
    for phenomenon, of_one in rows[rows["layer"] == EVERY_LAYER].groupby("phenomenon", sort=False):
        own, control = own_and_control(of_one)
        if own.empty:
            continue
        heads = own["best"].unique()
        beside = f", with random weights {_range(control)}" if len(control) else ""
        parts.append(
            f"for {phenomenon} {_range(own)} bits by condition, where equal attention has "
            f"{_range(own, 'chance')}{beside} (chosen on all sentences: head {listed(heads)})"
        )
    return f"The least confused head, chosen held out, has {'; '.join(parts)}." if parts else ""


def _range(rows: pd.DataFrame, column: str = "confusion") -> str:
    low, high = number(rows[column].min(), ".2f"), number(rows[column].max(), ".2f")
    return low if low == high else f"{low} to {high}"


def said_of_heads(cells: pd.DataFrame) -> str:
    """How many heads prefer the right candidate, for each phenomenon."""
    said = []
    for phenomenon, of_one in cells.groupby("phenomenon", sort=False):
        own, control = own_and_control(of_one)
        if own.empty:
            continue
        beside = (
            f" (random weights: {int((control['beyond_chance'] < 0).sum())} of {len(control)})"
            if len(control)
            else ""
        )
        below = int((own["beyond_chance"] < 0).sum())
        said.append(f"for {phenomenon} {below} of {len(own)} heads{beside}")
    if not said:
        return ""
    return f"More to the right candidate than equal attention would give: {listed(said)}."
