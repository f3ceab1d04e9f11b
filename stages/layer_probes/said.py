"""What the page says of its numbers: where a word can be read, and beside what."""

import pandas as pd

from stages.core.pages.said import (
    ABOVE,
    BELOW,
    NOT_SHOWN,
    apart,
    beside_control,
    highest_and_lowest,
    number,
)
from stages.layer_probes.tables import FIRST, LAYER


def said_of_best(rows: pd.DataFrame) -> str:
    """What is seen in a panel: the best layer, and whether it is beyond who names the first one."""
    best = _best(rows)
    said = f"{_name(rows)}: {_where(rows)} ({_percent(best)}"
    first = rows[rows["state"] == FIRST]
    if first.empty:
        return said + ")."
    (row,) = first.to_dict("records")
    ends = (best["low"], best["high"], row["low"], row["high"])
    words = {ABOVE: "above", BELOW: "below", NOT_SHOWN: "not told apart from"}
    return f"{said}), {words[apart(*ends)]} the first one ({_percent(row)})."


def said_of_fall(rows: pd.DataFrame) -> str:
    """What is seen in a panel: the best layer, and what is left in the highest."""
    best, layers = _best(rows), rows[rows["state"] == LAYER]
    top = layers.loc[layers["layer"].idxmax()]
    return f"{_name(rows)}: {_where(rows)} ({_percent(best)}), {_percent(top)} in the highest."


def _best(rows: pd.DataFrame) -> pd.Series:
    """The row of the layer with the highest accuracy, the lowest of several."""
    layers = rows[rows["state"] == LAYER]
    return layers.loc[layers["accuracy"].idxmax()]


def _where(rows: pd.DataFrame) -> str:
    """The layers that are best, in words; where several are alike, none of them stands out."""
    layers = rows[rows["state"] == LAYER]
    alike = sorted(layers.loc[layers["accuracy"] == layers["accuracy"].max(), "layer"])
    if len(alike) == 1:
        return f"best in layer {alike[0]}"
    if len(alike) == len(layers):
        return "alike in every layer"
    return f"best in layers {', '.join(map(str, alike[:-1]))} and {alike[-1]} alike"


def _name(rows: pd.DataFrame) -> str:
    name = str(rows["panel"].iloc[0])
    return name[0].upper() + name[1:]


def _percent(row: pd.Series | dict) -> str:
    return number(row["accuracy"], ".0%")


def said_beside_control(rows: pd.DataFrame, control: pd.DataFrame) -> str:
    """`said_of_best`, and the best that is read from layers of random weights.

    Args:
        rows: of one panel, of the encoder.
        control: of the same panel, of random weights.
    """
    layers = control[control["state"] == LAYER]
    best = f"at most {number(layers['accuracy'].max(), '.0%')}" if len(layers) else ""
    return f"{said_of_best(rows)[:-1]}; {beside_control(best)}."


def said_of_positions(rows: pd.DataFrame, control: pd.DataFrame) -> str:
    """Where the n-th word is read best and worst, mean over n.

    Args:
        rows: of the probes of positions, of the encoder.
        control: the same of random weights.
    """
    own, other = (
        part[part["state"] == LAYER].groupby("layer")["accuracy"].mean() for part in (rows, control)
    )
    said = highest_and_lowest(own, "layer", ".0%")
    ends = dict.fromkeys(number(end, ".0%") for end in (other.min(), other.max()))
    beside = beside_control(" to ".join(ends) if len(other) else "")
    return f"The n-th word of a sentence is found, mean over n, {said}; {beside}."
