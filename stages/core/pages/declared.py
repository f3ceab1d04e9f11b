"""A page is declared: sections of figures and tables, and columns of the table of all heads."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from stages.core.pages.joined import PLACE, joined
from stages.core.pages.kinds import Kind, Rows, declaration_of
from stages.core.pages.page import Figure, Group
from stages.core.pages.page import Section as DrawnSection
from stages.core.tables import Value, interval_of
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import STUDIED

MOST_SENTENCES = 2  # of the figures' sentences at the top of a page
JOINS = {
    "mean": "the mean over data sets",
    "first": "of the first data set",
    "each": "a column for each data set",
}


@dataclass(frozen=True)
class Section:
    """A heading, a paragraph that says how to read what follows, and figures and tables."""

    title: str
    text: str
    content: tuple[Kind, ...]


@dataclass(frozen=True)
class HeadFacts:
    """A table on the page of every head.

    Attributes:
        page: the page that has the same of all heads.
        order: its place among the tables.
        text: how to read it.
        rows: gives layer, head and the columns that are shown, under the names that readers see. It
            raises `NotMeasured` if the configuration lacks the measures.
    """

    page: str
    order: int
    title: str
    text: str
    rows: Callable[[Measures], pd.DataFrame]


@dataclass(frozen=True)
class HeadColumn:
    """A value of each head: a column of the table of all heads and a table on each head's page.

    Attributes:
        title: its heading.
        rows: a declared table with one row a head, data set, arm and seed, or a selection of its
            rows; or a function of the `Measures` that returns such rows, joined over seeds.
        value: the column.
        join: the column is the `mean` over data sets, of the `first` of them, or there is one
            column for `each`.
        show: further columns that stand beside the value, with their titles.
        text: how to read it.
        of: the declaration of `value`, if `rows` is a function.
    """

    title: str
    rows: Rows
    value: str
    join: Literal["mean", "first", "each"] = "mean"
    show: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    of: Value | None = None

    def joint(self, measures: Measures) -> pd.DataFrame:
        """One row a data set, arm and head: the value with its interval, and columns to show."""
        rows = (
            self.rows(measures) if callable(self.rows) else joined(measures, self.rows, self.value)
        )
        ends = [end for end in interval_of(self.value) if end in rows]
        keys = [key for key in ("data", "arm") if key in rows]
        return rows[[*keys, *PLACE, *self.show, self.value, *ends]]

    def columns(self, measures: Measures) -> pd.DataFrame:
        """The columns of the table of all heads, indexed by layer and head.

        They are of one arm: the first of `STUDIED` that has rows.
        """
        rows = self.joint(measures)
        if "arm" in rows:
            arm = next((name for name in STUDIED if (rows["arm"] == name).any()), None)
            rows = rows[rows["arm"] == arm]
        if rows.empty:
            raise NotMeasured(f"{self.title}: only random weights were measured")
        if self.join == "each":
            table = rows.pivot_table(index=PLACE, columns="data", values=self.value, sort=False)
            return table.rename(columns=lambda data: f"{self.title}, {data}").rename_axis(
                None, axis=1
            )
        if self.join == "first":
            first = rows[rows["data"] == rows["data"].iloc[0]] if "data" in rows else rows
            first = first.drop_duplicates(PLACE)
            table = first.set_index(PLACE)[[*self.show, self.value]]
            return table.rename(columns={self.value: self.title, **self.show})
        return rows.groupby(PLACE)[self.value].mean().rename(self.title).to_frame()

    def facts(self, page: str, order: int) -> HeadFacts:
        """The table on the page of each head: the value of each data set and arm."""
        declared = declaration_of(self.rows, self.value, self.of)
        ends = dict(zip(interval_of(self.value), ("low", "high"), strict=True))

        def rows(measures: Measures) -> pd.DataFrame:
            titles = {self.value: declared.heading, **ends, **self.show}
            return self.joint(measures).rename(columns=titles)

        return HeadFacts(page, order, self.title, self.text, rows)


def first_sentences(sections: list[DrawnSection]) -> list[str]:
    """The sentences of the first figures that have one."""
    items = [item for section in sections for item in section.items]
    sentences = [item.finding for item in items if isinstance(item, Figure) and item.finding]
    return sentences[:MOST_SENTENCES]


@dataclass(frozen=True)
class Page:
    """The page of one study.

    Attributes:
        order: its place among the pages.
        studies: the studies whose claims it shows.
        content: its sections; figures that the configuration lacks are left out.
    """

    title: str
    summary: str
    group: Group
    order: int
    studies: tuple[str, ...]
    content: tuple[Section, ...]
    head_columns: tuple[HeadColumn, ...] = ()

    def sections(self, measures: Measures) -> list[DrawnSection]:
        """The sections with what this configuration has.

        Raises:
            NotMeasured: it has nothing of them.
        """
        sections, lacking = [], NotMeasured("nothing on this page was measured")
        for section in self.content:
            items = []
            for kind in section.content:
                try:
                    items.append(kind.draw(measures))
                except NotMeasured as error:
                    lacking = error
            if items:
                sections.append(DrawnSection(section.title, section.text, tuple(items)))
        if not sections:
            raise lacking
        return sections

    @property
    def heads_text(self) -> str:
        """What the columns are that the page adds to the table of all heads."""
        return " ".join(
            f"{column.title}: {JOINS[column.join]}. {column.text}".strip()
            for column in self.head_columns
        )

    def heads(self, measures: Measures) -> pd.DataFrame:
        """The columns that the page adds to the table of all heads, indexed by layer and head.

        Raises:
            NotMeasured: it adds none.
        """
        tables = []
        for column in self.head_columns:
            with suppress(NotMeasured):
                tables.append(column.columns(measures))
        if not tables:
            raise NotMeasured("the page adds nothing to the table of all heads")
        return pd.concat(tables, axis=1)

    def head_facts(self, name: str) -> list[HeadFacts]:
        """The tables that the page adds to the page of each head."""
        return [column.facts(name, self.order) for column in self.head_columns]
