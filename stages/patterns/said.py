"""What the pages say of patterns: which are frequent, in which heads, and how well they are told.

Rows are those of an encoder beside those of random weights, task by task or corpus by corpus.
"""

import numpy as np
import pandas as pd

from stages.core.pages.said import (
    ARMS,
    MOST_NAMES,
    extreme,
    listed,
    measured,
    number,
    of_all,
    top_heads,
)
from stages.core.stage.arms import RANDOM_WEIGHTS

HETEROGENEOUS = "heterogeneous"
MOSTLY = 0.5  # of a head's maps that must have a pattern for it to be the head's


def said_of_frequent(table: pd.DataFrame, place: str, arm: str) -> str:
    """Which pattern is the most frequent of each encoder, and how many maps are heterogeneous.

    Args:
        table: one row a place, encoder and pattern: share with low and high; of one rule.
        place: the column of tasks or corpora.
        arm: the column of encoders.
    """
    said = []
    for name, own in table.groupby(arm, sort=False):
        wide = own.pivot(index="pattern", columns=place, values="share")
        wide = wide[own[place].unique()]
        first: dict[str, list[str]] = {}
        for where in wide:
            names, _ = extreme(wide[where], ".0%")
            first.setdefault(listed(sorted(names)) if names else "no pattern", []).append(where)
        parts = []
        for pattern, where in first.items():
            if len(first) == 1:
                on = of_all(len(where), len(where), place, _plural(place))
                on = where[0] if len(where) == 1 else on
            else:
                on = listed(where) if len(where) <= MOST_NAMES else f"{len(where)} {_plural(place)}"
            parts.append(f"{pattern} on {on}")
        said.append(f"that of {ARMS.get(str(name), str(name))} is {', '.join(parts)}")
    return f"The most frequent pattern: {'; '.join(said)}." if said else ""


def said_of_heterogeneous(table: pd.DataFrame, place: str, arm: str, own: str) -> str:
    """How many maps of an encoder depend on the input, beside those of random weights.

    Args:
        table: as of `said_of_frequent`.
        own: the encoder that is meant.
    """
    rows = table[table["pattern"] == HETEROGENEOUS]
    rows, control = rows[rows[arm] == own], rows[rows[arm] == RANDOM_WEIGHTS]
    rows = rows.sort_values("share", kind="stable")
    if rows.empty:
        return ""
    beside = ""
    if len(control):
        ends = dict.fromkeys(number(end, ".0%") for end in (control["share"].agg(["min", "max"])))
        beside = f"; with random weights {' to '.join(ends)}"
    else:
        beside = "; random weights were not measured"
    least, most = rows.iloc[0], rows.iloc[-1]
    where = measured(*least[["share", "low", "high"]], ".0%")
    if len(rows) == 1:
        return (
            f"Of the maps of {ARMS.get(own, own)}, {where} are heterogeneous on "
            f"{least[place]}{beside}."
        )
    other = measured(*most[["share", "low", "high"]], ".0%")
    return (
        f"Of the maps of {ARMS.get(own, own)}, between {where} ({least[place]}) and {other} "
        f"({most[place]}) are heterogeneous{beside}."
    )


def said_of_beyond(over_heads: pd.Series) -> str:
    """The attention beyond special tokens and neighbours of each arm, a mean over heads and places.

    Args:
        over_heads: by arm.
    """
    parts = [f"{number(value, '.0%')} of {ARMS.get(arm, arm)}" for arm, value in over_heads.items()]
    return (
        f"Beyond [CLS], [SEP] and neighbours goes, mean over heads, this share of the attention: "
        f"{listed(parts)}."
        if parts
        else ""
    )


def said_of_beyond_heads(cells: pd.DataFrame) -> str:
    """The heads with most and least of it.

    Args:
        cells: one row a head of one encoder: layer, head and beyond.
    """
    most = top_heads(cells, "beyond", ".0%")
    least = top_heads(cells, "beyond", ".0%", largest=False)
    return f"Most goes beyond them in {most}, least in {least}."


def said_of_heads(cells: pd.DataFrame) -> str:
    """How many heads have each pattern in most of their maps.

    Args:
        cells: one row a head and pattern of one encoder: share of its maps.
    """
    heads = len(cells.drop_duplicates(["layer", "head"]))
    counts = cells[cells["share"] > MOSTLY].groupby("pattern", sort=False).size()
    patterns = list(cells["pattern"].unique())
    parts = [f"{name} in {counts.get(name, 0)}" for name in patterns]
    rest = heads - int(counts.sum())
    return (
        f"More than half of a head's maps have one pattern in {heads - rest} of {heads} heads: "
        f"{', '.join(parts)}."
    )


def said_of_confusion(counts: pd.DataFrame, row: str, column: str, whose: str) -> str:
    """How many maps lie on the diagonal of a matrix of labels, and where most of the others do.

    Args:
        counts: one row a pair of labels: `row`, `column` and maps.
        whose: what names the classes of the columns, "the network" say.
    """
    total = counts["maps"].sum()
    if not total:
        return "No map was labelled."
    same = counts[row] == counts[column]
    others = counts[~same & (counts["maps"] > 0)]
    share = number(counts.loc[same, "maps"].sum() / total, ".0%")
    said = f"{_upper(whose)} gives {share} of the {total:,.0f} maps the class of their row"
    if others.empty:
        return f"{said}."
    most = others["maps"].max()
    which = others[np.isclose(others["maps"], most)]
    pairs = [f"{one[row]} is called {one[column]}" for one in which.to_dict("records")]
    maps = "1 map" if number(most, ".0f") == "1" else f"{number(most, '.0f')} maps"
    named = (
        f"{listed(pairs)} ({maps}{' each' * (len(pairs) > 1)})"
        if len(pairs) <= MOST_NAMES
        else f"{len(pairs)} changes are as frequent ({maps} each)"
    )
    return f"{said}; most often {named}."


def _plural(place: str) -> str:
    return {"corpus": "corpora"}.get(place, f"{place}s")


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
