"""Kinds of figures over declared tables: each draws itself and says one sentence of its numbers.

`rows` of a kind is a declared table, a selection of its rows, or a function of the `Measures` that
returns rows; then `of` declares the value. Fine-tunings are joined (`joined`). Random weights stand
beside the encoder in every kind: as panels, marks or lines of their own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from stages.core.pages import charts
from stages.core.pages.joined import joined, layer_means, panels
from stages.core.pages.page import Figure, heads_figure
from stages.core.pages.page import Table as PageTable
from stages.core.pages.sentences import (
    correlation_in_words,
    counts_in_words,
    extremes_in_words,
    layers_in_words,
    shares_in_words,
    tally_in_words,
)
from stages.core.tables import Selection, Table, Value, interval_of
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures

Rows = Table | Selection | Callable[[Measures], pd.DataFrame]


@dataclass(frozen=True)
class Kind:
    """Part of a page.

    Attributes:
        name: of its files.
        title: its heading.
        rows: see the module.
        value: the column that is drawn.
        caption: how to read it.
        of: the declaration of `value`, if `rows` is a function.
    """

    name: str
    title: str
    rows: Rows
    value: str = ""
    caption: str = ""
    of: Value | None = None

    @property
    def declared(self) -> Value:
        """The declaration of the value."""
        return declaration_of(self.rows, self.value, self.of)

    def frame(self, measures: Measures) -> pd.DataFrame:
        """The rows, joined over seeds.

        Raises:
            NotMeasured: there is none.
        """
        if not callable(self.rows):
            return joined(measures, self.rows, *([self.value] if self.value else []))
        rows = self.rows(measures)
        if rows.empty:
            raise NotMeasured(f"{self.name}: these data give it no row")
        return rows

    def points(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the value and its interval as `value`, `low` and `high`."""
        ends = dict(zip(interval_of(self.value), ("low", "high"), strict=True))
        points = rows.rename(columns={self.value: "value", **ends})
        for end in ("low", "high"):
            if end not in points:
                points[end] = points["value"]
        return points

    def draw(self, measures: Measures) -> Figure | PageTable:
        """What stands on the page.

        Raises:
            NotMeasured: the configuration lacks the rows.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class HeadGrid(Kind):
    """Layer x head, a panel a data set and arm, all on one scale of colours.

    Attributes:
        panel: further columns that a panel has one value of.
        marked: a column of booleans; a dot marks cells in which it is true.
        diverging: white is 0; None: where the value may be below 0.
        abreast: so many panels that follow each other stand in one row.
    """

    panel: tuple[str, ...] = ()
    marked: str | None = None
    diverging: bool | None = None
    abreast: int = 1

    def draw(self, measures: Measures) -> Figure:
        rows = panels(self.frame(measures), *self.panel)
        least = self.declared.bounds[0]
        diverging = (least is None or least < 0) if self.diverging is None else self.diverging
        tooltip = ["panel", "layer", "head", self.value]
        tooltip += [end for end in interval_of(self.value) if end in rows]
        return heads_figure(
            self.name,
            self.title,
            f"Layer x head. {self.caption}".strip(),
            rows,
            self.value,
            self.declared.heading,
            panel="panel",
            diverging=diverging,
            marked=self.marked,
            abreast=self.abreast,
            tooltip=tooltip,
            finding=extremes_in_words(rows, self.value, self.declared, self.panel),
        )


@dataclass(frozen=True)
class Curves(Kind):
    """Lines of the value with their interval: over layers, shares or whatever `x` is.

    A table of heads gives the mean over the heads of each layer.

    Attributes:
        x: the column along the axis.
        x_title: its title.
        line: the column with the names of the lines.
        panel: columns that a panel has one value of.
        levels: lines that are the same all along the axis. The sentence leaves them out, and all
            figures that name the same levels draw them in the same colours.
    """

    x: str = "layer"
    x_title: str = "layer"
    line: str = "arm"
    panel: tuple[str, ...] = ("data",)
    levels: tuple[str, ...] = ()

    def draw(self, measures: Measures) -> Figure:
        if not callable(self.rows) and "head" in _table(self.rows).key_columns:
            points = self.points(layer_means(measures, self.rows, self.value))
        else:
            points = self.points(self.frame(measures))
        points = points.assign(panel=_joint(points, self.panel))
        heading = self.declared.heading
        is_level = points[self.line].isin(self.levels)
        chart = charts.curves(
            points,
            self.x,
            self.x_title,
            heading,
            group=self.line,
            panel="panel",
            of_page=[*points.loc[~is_level, self.line].unique(), *self.levels],
        )
        return Figure(
            self.name,
            self.title,
            f"A line for each {self.line}, a panel for each data set. {self.caption}".strip(),
            chart,
            finding=layers_in_words(
                points[~is_level], self.x, self.x_title, self.line, self.declared
            ),
        )


@dataclass(frozen=True)
class Dots(Kind):
    """An estimate with its interval a row; published values and rivals are marks of their own.

    Attributes:
        label: columns that name a row.
        mark: the column that tells the marks of a row apart.
        published: the value that the source prints, by the value of the first label.
        source: how the legend calls it.
        rival: a column with another value of the same unit, drawn once a row.
        rival_title: how the legend calls it.
        bound: the value that the sentence counts rows above and below; None: it counts none, and
            the axis need not show 0.
        gain: the column whose interval says so, if it is not the value's.
        words: puts the first label in words.
        uncounted: values of the first label that the sentence leaves out.
    """

    label: tuple[str, ...] = ("data",)
    words: Callable[[str], str] = str
    mark: str = "arm"
    published: Mapping[str, float] | None = None
    source: str = "published"
    rival: str = ""
    rival_title: str = ""
    bound: float | None = 0.0
    gain: str = ""
    uncounted: tuple[str, ...] = ()

    def draw(self, measures: Measures) -> Figure:
        rows = self.frame(measures)
        several = rows["data"].nunique() > 1 if "data" in rows else False
        label = (*self.label, "data") if several and "data" not in self.label else self.label
        in_words = rows.assign(**{label[0]: rows[label[0]].astype(str).map(self.words)})
        points = self.points(rows).assign(label=_joint(in_words, label))
        marks = [points.assign(mark=points.get(self.mark, self.title))]
        once = points.drop_duplicates("label")
        if self.rival in once:
            value = once[self.rival]
            low, high = (once.get(end, value) for end in interval_of(self.rival))
            rivals = once.assign(mark=self.rival_title, value=value, low=low, high=high)
            marks.append(rivals[value.notna()])
        if self.published:
            value = once[self.label[0]].map(self.published)
            known = once.assign(mark=self.source, value=value, low=value, high=value)
            marks.append(known[value.notna()])
        joint = pd.concat(marks, ignore_index=True)[["label", "mark", "value", "low", "high"]]
        grouped = "mark" if joint["mark"].nunique() > 1 else None
        return Figure(
            self.name,
            self.title,
            f"A dot with its 95% interval for each row. {self.caption}".strip(),
            charts.dots(
                joint,
                "label",
                self.declared.heading,
                group=grouped,
                zero=self.bound is not None,
            ),
            finding=tally_in_words(
                rows.assign(label=points["label"])[~rows[label[0]].isin(self.uncounted)],
                self.value,
                self.declared,
                self.gain or self.value,
                self.bound,
                f"the {self.rival_title}" if self.gain else f"{self.bound or 0:g}",
            ),
        )


@dataclass(frozen=True)
class Shares(Kind):
    """Stacked bars that add up to 1: a bar a `label`, a colour a `kind`."""

    label: str = "arm"
    kind: str = "kind"
    panel: str | None = "data"

    def draw(self, measures: Measures) -> Figure:
        rows = self.frame(measures)
        return Figure(
            self.name,
            self.title,
            f"Bars add up to 100%. {self.caption}".strip(),
            charts.shares(
                rows, self.label, self.value, self.kind, self.panel, self.declared.heading
            ),
            finding=shares_in_words(rows, self.kind, self.value, self.label, self.panel),
        )


@dataclass(frozen=True)
class Scatter(Kind):
    """A dot a row: the value against the column `x`, all panels on the same scales.

    Attributes:
        colour: the column that colours the dots; the axes then mean nothing and are not drawn.
    """

    x: str = ""
    x_title: str = ""
    panel: tuple[str, ...] = ("data",)
    tooltip: tuple[str, ...] = ("layer", "head")
    colour: str = ""

    def draw(self, measures: Measures) -> Figure:
        rows = self.frame(measures)
        rows = rows.assign(panel=_joint(rows, self.panel))
        if self.colour:
            points = rows.rename(columns={self.x: "x", self.value: "y"})
            tooltip = list(dict.fromkeys([*self.tooltip, self.colour]))
            return Figure(
                self.name,
                self.title,
                f"A dot for each head. {self.caption}".strip(),
                charts.plane(points, self.colour, panel="panel", tooltip=tooltip),
                finding=counts_in_words(rows[self.colour]),
            )
        return Figure(
            self.name,
            self.title,
            f"A dot for each head. {self.caption}".strip(),
            charts.scatter(
                rows,
                self.x,
                self.value,
                (self.x_title, self.declared.heading),
                panel="panel",
                tooltip=[*self.tooltip, self.x, self.value],
                comparable=True,
            ),
            finding=correlation_in_words(rows, self.x, self.value),
        )


@dataclass(frozen=True)
class Matrix(Kind):
    """Counts of the column `x` against the column `y`; a panel for each value of `panel`."""

    x: str = ""
    y: str = ""
    panel: str | None = None

    def draw(self, measures: Measures) -> Figure:
        rows = self.frame(measures)
        total = rows[self.value].sum()
        same = rows.loc[rows[self.x] == rows[self.y], self.value].sum()
        finding = f"On the diagonal: {same / total:.0%} of {total:,.0f}." if total else ""
        chart = charts.matrix(rows, self.x, self.y, self.value, self.panel)
        return Figure(self.name, self.title, self.caption, chart, finding=finding)


@dataclass(frozen=True)
class Grid(Kind):
    """A table on the page; its headings are the titles of the declared values.

    Attributes:
        columns: those that are shown; by default all, resamples left out.
        values: the declarations of columns, if `rows` is a function.
        titles: of columns that no declaration names.
        words: columns, each with its values in words.
        height: so many rows stand unfolded.
    """

    columns: tuple[str, ...] = ()
    values: Mapping[str, Value] | None = None
    titles: Mapping[str, str] | None = None
    words: Mapping[str, Mapping[str, str]] | None = None
    height: int = 16

    def draw(self, measures: Measures) -> PageTable:
        if callable(self.rows):
            rows, values = self.frame(measures), self.values or {}
        else:
            rows = measures.rows(self.rows)
            values = _table(self.rows).values
        in_words = {
            column: rows[column].replace(names) for column, names in (self.words or {}).items()
        }
        rows = rows.assign(**in_words)
        shown = rows[list(self.columns)] if self.columns else rows
        return PageTable(
            self.name,
            self.title,
            self.caption,
            shown.rename(columns=_headings(values) | dict(self.titles or {})),
            self.height,
        )


def declaration_of(rows: Rows, value: str, of: Value | None) -> Value:
    """The declaration of a value; `of`, if rows come from a function."""
    if of is not None:
        return of
    if callable(rows):
        raise ValueError(f"the rows of `{value}` come from a function; declare it in `of`")
    return _table(rows).values[value]


def _table(rows: Table | Selection) -> Table:
    return rows if isinstance(rows, Table) else rows.table


def _headings(values: Mapping[str, Value]) -> dict[str, str]:
    """The heading of each column: its title with its unit."""
    headings = {}
    for column, value in values.items():
        if value.numbered:
            continue
        headings[column] = value.heading
        for end, word in zip(interval_of(column), ("low", "high"), strict=True):
            headings[end] = f"{value.title}, {word}"
    return headings


def _joint(rows: pd.DataFrame, columns: tuple[str, ...]) -> pd.Series:
    """The values of some columns as one text a row; columns of one value alone are left out."""
    present = [name for name in columns if name in rows]
    telling = [name for name in present if rows[name].nunique() > 1] or present[:1]
    texts: Any = rows[telling[0]].astype(str)
    for name in telling[1:]:
        texts = texts + ", " + rows[name].astype(str)
    return texts
