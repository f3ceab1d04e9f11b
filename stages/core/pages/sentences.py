"""The one sentence of each kind of figure, made from its numbers by rules.

No numbers can contradict it: values are compared as they are printed, and a difference is said only
where an interval shows it.
"""

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
import scipy  # whose submodules load when they are first used

from stages.core.pages.joined import control_rows
from stages.core.pages.said import (
    ABOVE,
    BELOW,
    MOST_NAMES,
    NOT_SHOWN,
    counted,
    extreme,
    head_name,
    highest_and_lowest,
    listed,
    number,
    sides,
)
from stages.core.pages.titles import in_words
from stages.core.tables import Value, interval_of
from stages.core.verdicts.of_data import studied_rows

MOST_PANELS = 3  # so many panels or lines have a sentence each; more are summed up


def extremes_in_words(
    rows: pd.DataFrame, column: str, value: Value, further: Iterable[str] = ()
) -> str:
    """The highest and the lowest head of the encoder, and between what random weights lie."""
    studied, control = studied_rows(rows), control_rows(rows)
    told_apart = [name for name in ("data", "arm", *further) if name in studied]
    several = [name for name in told_apart if studied[name].nunique() > 1]
    parts = _extremes(studied.set_index(["layer", "head", *several])[column], value, _heads)
    if not parts:
        return ""
    if len(control):
        parts.append(f"random weights: {_range(control[column], value)}")
    return _sentence(parts)


def _heads(heads: list[tuple]) -> str:
    if len(heads) > MOST_NAMES:
        return f"{len(heads)} cells"
    return listed(
        head_name(int(layer), int(head)) + "".join(f", {in_words(str(name))}" for name in names)
        for layer, head, *names in heads
    )


def _extremes(values: pd.Series, value: Value, in_text: Callable[[list], str]) -> list[str]:
    """The names of the highest and of the lowest value; one part if all print alike."""
    (highest, most), (lowest, least) = (
        extreme(values, value.format, largest) for largest in (True, False)
    )
    if not highest:
        return []
    if most == least:
        alike = f"all {len(highest)} are alike" if len(highest) > 1 else in_text(highest)
        return [f"{alike}: {_with_unit(most, value)}"]
    return [
        f"{word}: {in_text(names)} ({_with_unit(printed, value)})"
        for word, names, printed in (("highest", highest, most), ("lowest", lowest, least))
    ]


def _rows(names: list) -> str:
    return in_words(listed(names)) if len(names) <= MOST_NAMES else f"{len(names)} rows"


def layers_in_words(
    points: pd.DataFrame, x: str, noun: str, line: str, value: Value, column: str = "value"
) -> str:
    """Where along the axis each panel of the encoder is highest and lowest; then random weights."""
    studied, control = studied_rows(points), control_rows(points)
    groups = list(studied.groupby(["panel", line], sort=False, dropna=False))
    if len(groups) > MOST_PANELS:
        values = studied[column].dropna()
        if values.empty:
            return ""
        parts = [f"Over {len(groups)} lines the values are {_range(values, value)}"]
    else:
        parts = []
        for (panel, name), rows in groups:
            label = panel if len(groups) == 1 or panel == name else f"{panel}, {name}"
            where = highest_and_lowest(
                rows.set_index(x)[column], noun, value.format, unit=_unit(value)
            )
            parts.append(f"{in_words(str(label))}: {where}")
    if len(control):
        parts.append(f"random weights: {_range(control[column], value)}")
    return f"{'; '.join(parts)}."  # it may begin with a name, which stays as it is


def tally_in_words(
    rows: pd.DataFrame,
    column: str,
    value: Value,
    interval: str,
    bound: float | None,
    bound_name: str,
) -> str:
    """How many rows of the encoder are shown above and below a bound, and the extreme ones.

    Args:
        rows: with a column `label`.
        interval: the value whose interval is compared with the bound.
        bound: None: the sentence counts no rows.
        bound_name: how the sentence calls the bound.
    """
    studied, control = studied_rows(rows), control_rows(rows)
    ends = interval_of(interval)
    parts = []
    if bound is not None and ends[0] in rows:
        parts.append(f"above {bound_name}: {_sides(studied, bound, *ends)}")
        if len(control):
            parts.append(f"random weights: {_sides(control, bound, *ends)}")
    parts += _extremes(studied.set_index("label")[column], value, _rows)
    return _sentence(parts)


def _sides(rows: pd.DataFrame, bound: float, low: str, high: str) -> str:
    found = sides(rows, bound, low, high)
    above, below, open_rows = (int((found == side).sum()) for side in (ABOVE, BELOW, NOT_SHOWN))
    return f"{above} of {len(rows)}, below {below}, not shown {open_rows}"


def shares_in_words(
    rows: pd.DataFrame, kind: str, share: str, label: str, panel: str | None
) -> str:
    """The kind with the largest mean share of the encoder, and between what its shares lie."""
    studied = studied_rows(rows)
    means = studied.groupby(kind, sort=False)[share].mean()
    names, _ = extreme(means, ".1%")
    if not names:
        return ""
    shares = studied.loc[studied[kind] == names[0], share]
    bars = len(studied[[label, *([panel] if panel else [])]].drop_duplicates())
    over = f" in {bars} bars" if bars > 1 else ""
    return f"Largest on average: {in_words(str(names[0]))}, {_span(shares, '.0%')}{over}."


def correlation_in_words(rows: pd.DataFrame, x: str, y: str) -> str:
    """Spearman's correlation of both axes, panel by panel."""
    parts = []
    for panel, points in rows.groupby("panel", sort=False):
        both = points[[x, y]].dropna()
        if len(both) < 3 or both[x].nunique() < 2 or both[y].nunique() < 2:
            continue
        correlation = scipy.stats.spearmanr(both[x], both[y]).statistic
        parts.append(f"{in_words(str(panel))} {number(correlation, '+.2f')} ({len(both)} dots)")
    if len(parts) > MOST_PANELS:
        parts = [*parts[:MOST_PANELS], f"{len(parts) - MOST_PANELS} further panels"]
    return f"Rank correlation: {'; '.join(parts)}." if parts else ""


def counts_in_words(kinds: pd.Series) -> str:
    """How many heads are of each kind, the most frequent first; numbers are no kinds."""
    if pd.api.types.is_numeric_dtype(kinds):
        return ""
    counts = kinds.value_counts()
    names = sorted(counts.index, key=lambda name: (-counts[name], str(name)))
    return f"{counted(len(kinds), 'head')}: {listed(f'{counts[name]} {name}' for name in names)}."


def _sentence(parts: list[str]) -> str:
    joint = "; ".join(parts)
    return f"{joint[0].upper()}{joint[1:]}." if joint else ""


def _range(values: pd.Series, value: Value) -> str:
    return _with_unit(_span(values, value.format), value)


def _span(values: pd.Series, form: str) -> str:
    """The smallest and the largest value, as "0.1 to 0.3"; one number if they print alike."""
    values = values[np.isfinite(values.astype(float))]
    if values.empty:
        return "no value"
    low, high = number(values.min(), form), number(values.max(), form)
    return low if low == high else f"{low} to {high}"


def _with_unit(printed: str, value: Value) -> str:
    unit = _unit(value)
    return f"{printed} {unit}" if unit else printed


def _unit(value: Value) -> str:
    """The unit as it stands behind a number; shares and correlations have none."""
    return (
        value.unit
        if value.unit in ("points", "nats", "bits", "grades")
        else ("%" if value.unit == "percent" else "")
    )
