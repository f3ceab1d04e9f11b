"""What the page says of its numbers: of heads beside random weights, corpus by corpus."""

import pandas as pd

from stages.core.pages.beside import Beside, each_corpus, first_corpus
from stages.core.pages.said import (
    beside_control,
    extreme,
    head_name,
    highest_and_lowest,
    measured,
    number,
    top_heads,
)

NEIGHBOURS = {"previous": "the token before", "next": "the token behind"}
LOOKED_AT = {"sep": "[SEP]", "cls": "[CLS]", "punctuation": "punctuation"}


def said_of_neighbours(strongest: pd.DataFrame) -> str:
    """What the head with most attention to a neighbour gives it, held out.

    Args:
        strongest: as STRONGEST.
    """
    found = first_corpus(strongest)
    parts = []
    for statistic, neighbour in NEIGHBOURS.items():
        own, control = (
            rows[rows["statistic"] == statistic].to_dict("records")
            for rows in (found.own, found.control)
        )
        if not own:
            continue
        (row,) = own
        with_random = number(control[0]["value"], ".1%") if control else ""
        head = head_name(row["layer"], row["head"])
        if not row["same"]:
            head = f"the head that half of the texts choose ({head} on all)"
        parts.append(
            f"{head} gives "
            f"{measured(row['value'], row['low'], row['high'], '.1%')} of its attention to "
            f"{neighbour} ({beside_control(with_random)})"
        )
    if not parts:
        return f"On {found.corpus}, attention to neighbours was not measured."
    return f"On {found.corpus}, on texts that did not choose it, {', and '.join(parts)}."


def said_of_special(rows: pd.DataFrame) -> str:
    """What [SEP], [CLS] and punctuation get on average over heads, on the first corpus.

    Args:
        rows: as HEADS.
    """
    found = first_corpus(rows)
    parts = []
    for statistic, name in LOOKED_AT.items():
        own, control = (_mean(part, statistic) for part in (found.own, found.control))
        if own:
            parts.append(f"{own} to {name} ({beside_control(control)})")
    if not parts:
        return f"On {found.corpus}, attention to special tokens was not measured."
    return f"Averaged over all heads on {found.corpus}, attention goes by {', '.join(parts)}."


def _mean(rows: pd.DataFrame, statistic: str) -> str:
    values = rows.loc[rows["statistic"] == statistic, "mean"].dropna()
    return number(values.mean(), ".0%") if len(values) else ""


def said_of_breadth(rows: pd.DataFrame) -> str:
    """In which layers attention is broadest and narrowest, on the first corpus."""
    return _breadth(first_corpus(rows))


def _breadth(found: Beside) -> str:
    own, control = (
        rows[rows["statistic"] == "entropy"].groupby("layer")["mean"].mean()
        for rows in (found.own, found.control)
    )
    said = highest_and_lowest(own, "layer", ".1f", unit="nats", words=("broadest", "narrowest"))
    beside = _range(control, ".1f", "nats")
    return f"Attention on {found.corpus} is {said}; {beside_control(beside)}."


def said_of_most(rows: pd.DataFrame, titles: dict[str, str], form: str) -> str:
    """Of each statistic the head with most of it, corpus by corpus, beside the most of the control.

    Args:
        rows: as HEADS.
        titles: names of statistics, and what they are called.
    """
    said = []
    for found in each_corpus(rows):
        parts = []
        for statistic, title in titles.items():
            own, control = (
                part[part["statistic"] == statistic] for part in (found.own, found.control)
            )
            if own["mean"].notna().any():
                most = extreme(control["mean"], form)[1] if len(control) else ""
                parts.append(f"{title} {top_heads(own, 'mean', form)}, {beside_control(most)}")
        if parts:
            said.append(f"Most on {found.corpus}: {'; '.join(parts)}.")
    return " ".join(said)


def said_of_layers(rows: pd.DataFrame, titles: dict[str, str], form: str, unit: str = "") -> str:
    """Of each statistic the layers with most and least, corpus by corpus, beside the control."""
    said = []
    for found in each_corpus(rows):
        for statistic, title in titles.items():
            own, control = (
                part[part["statistic"] == statistic].groupby("layer")["mean"].mean()
                for part in (found.own, found.control)
            )
            if own.notna().any():
                where = highest_and_lowest(own, "layer", form, unit=unit)
                beside = beside_control(_range(control, form, unit))
                said.append(f"On {found.corpus}, {title}: {where}; {beside}.")
    return " ".join(said)


def _range(values: pd.Series, form: str, unit: str = "") -> str:
    """From the lowest to the highest, as "0.1 to 0.3 nats"; "" where there is none."""
    values = values.dropna()
    if values.empty:
        return ""
    ends = dict.fromkeys(number(end, form) for end in (values.min(), values.max()))
    return " ".join(part for part in (" to ".join(ends), unit) if part)
