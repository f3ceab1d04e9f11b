"""Intervals of what has a smallest or largest value, cut there.

Means over a few fine-tunings have intervals that know of no such bound. What is beyond it is not
possible, so nothing that could be is left out; a claim's interval stays as it decides.
"""

import pandas as pd


def cut(
    rows: pd.DataFrame,
    low: str,
    high: str,
    least: float | pd.Series = 0.0,
    most: float | None = 1.0,
) -> pd.DataFrame:
    """The rows with both ends of an interval between the bounds.

    Args:
        least: of all rows, or of each.
        most: None: there is no largest value.
    """
    return rows.assign(**{name: rows[name].clip(least, most) for name in (low, high)})


def said_of_cut(what: str, least: float = 0.0, most: float | None = 1.0) -> str:
    """The sentence beside such intervals.

    Args:
        what: whose intervals they are, as "a cosine".
    """
    beyond = f"below {least:g}" if most is None else f"below {least:g} or above {most:g}"
    return f"Intervals that would reach {beyond}, where {what} cannot be, are cut there."
