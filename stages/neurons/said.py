"""What the page says of its numbers: of heads beside random weights, corpus by corpus."""

import re

import pandas as pd

from stages.core.pages.beside import Beside, each_corpus, first_corpus
from stages.core.pages.said import (
    ABOVE,
    BELOW,
    NOT_SHOWN,
    apart,
    beside_control,
    extreme,
    highest_and_lowest,
    listed,
    measured,
    number,
    top_heads,
)
from stages.core.pages.titles import PATTERN_TITLES
from stages.neurons.tables import SHARE, STRENGTH, WITHOUT

# Patterns that an embedding is asked about: who comes before and behind, and which text it is.
ASKED = {
    "position": ("previous", "next"),
    "segment": ("sentence", "related_other"),
}


def of_largest(count: int) -> str:
    """As "largest neuron", "4 largest neurons"."""
    return "largest neuron" if count == 1 else f"{count} largest neurons"


def said_of_few(chosen: pd.DataFrame, neurons: int) -> str:
    """In which heads few neurons carry most of the score, and in which least, on the first corpus.

    Args:
        chosen: as CHOSEN.
        neurons: how many a head has.
    """
    found = first_corpus(chosen)
    counts = [
        int(match[1])
        for name in found.own["measure"].unique()
        if (match := re.fullmatch(rf"{SHARE}_(\d+)", name))
    ]
    if not counts:
        return f"On {found.corpus}, shares of neurons were not measured."
    count = 4 if 4 in counts else max(counts)
    own, control = (_of_measure(rows, f"{SHARE}_{count}") for rows in (found.own, found.control))
    carry = "carries" if count == 1 else "carry"
    said = highest_and_lowest(own, "pattern", ".0%", words=("most", "least"))
    ends = dict.fromkeys(number(end, ".0%") for end in (control.min(), control.max()))
    beside = beside_control(" to ".join(ends) if len(control) else "")
    return (
        f"On {found.corpus}, of a score's parts the {of_largest(count)} of a head's {neurons} "
        f"{carry} {said}; at the same places {beside}."
    )


def said_without(chosen: pd.DataFrame, removed: str) -> str:
    """What is left of the patterns that an embedding is asked about, on the first corpus.

    Args:
        chosen: as CHOSEN.
        removed: position or segment.
    """
    found = first_corpus(chosen)
    parts = [_fall(found, pattern, removed) for pattern in ASKED[removed]]
    parts = [part for part in parts if part]
    if not parts:
        return ""
    return f"Without {removed} embeddings, on {found.corpus}, {'; '.join(parts)}."


def _fall(found: Beside, pattern: str, removed: str) -> str:
    own, control = (
        rows[rows["pattern"] == pattern].set_index("measure") for rows in (found.own, found.control)
    )
    names = (STRENGTH, f"{WITHOUT}_{removed}")
    if not set(names) <= set(own.index):
        return ""
    limits = ["value", "low", "high"]
    before, after = (own.loc[name, limits].astype(float) for name in names)
    beside = ""
    if set(names) <= set(control.index):
        ends = (number(control.loc[name, "value"], ".3f") for name in names)
        beside = f"at the same places from {' to '.join(ends)}"
    words = {ABOVE: "rises", BELOW: "falls", NOT_SHOWN: "is not shown to change:"}
    change = words[apart(after["low"], after["high"], before["low"], before["high"])]
    return (
        f"the strength of heads of {PATTERN_TITLES[pattern]} {change} from "
        f"{measured(*before, '.3f')} to {measured(*after, '.3f')} ({beside_control(beside)})"
    )


def _of_measure(rows: pd.DataFrame, measure: str) -> pd.Series:
    own = rows[rows["measure"] == measure]
    return own.set_index(own["pattern"].map(PATTERN_TITLES))["value"].dropna()


def said_of_shares(cells: pd.DataFrame, labels: dict[str, str]) -> str:
    """The heads with most and least of each column, corpus by corpus.

    Args:
        cells: as NEURONS.
        labels: columns, and what they are called.
    """
    said = []
    for found in each_corpus(cells):
        parts = []
        for name, label in labels.items():
            most = extreme(found.control[name], ".0%")[1] if len(found.control) else ""
            name_of = label[:1].upper() + label[1:] if parts else label  # it begins a sentence
            parts.append(
                f"{name_of}: most in {top_heads(found.own, name, '.0%')}, least in "
                f"{top_heads(found.own, name, '.0%', largest=False)}; most {beside_control(most)}"
            )
        said.append(f"On {found.corpus}, {'. '.join(parts)}.")
    return " ".join(said)


def said_of_removed(rows: pd.DataFrame) -> str:
    """Which patterns a head loses most of without each embedding, corpus by corpus.

    Args:
        rows: as REMOVED.
    """
    said = []
    for found in each_corpus(rows):
        for removed, own in found.own.groupby("removed", sort=False):
            parts = []
            for pattern, of_pattern in own.groupby("pattern", sort=False):
                _, least = extreme(of_pattern["change"], "+.2f", largest=False)
                if least.startswith("-"):
                    parts.append(
                        f"{PATTERN_TITLES[str(pattern)]} in "
                        f"{top_heads(of_pattern, 'change', '+.2f', largest=False)}"
                    )
            if parts:
                said.append(
                    f"On {found.corpus}, without {removed} strength falls most, pattern by "
                    f"pattern: {listed(parts)}."
                )
            else:
                said.append(f"On {found.corpus}, without {removed} no strength falls.")
    return " ".join(said)
