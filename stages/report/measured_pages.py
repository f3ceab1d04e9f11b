"""The pages whose measures a configuration has, and the table of all heads."""

from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from typing import get_args

import pandas as pd

from stages.core.pages.declared import Page, first_sentences
from stages.core.pages.gather import pages
from stages.core.pages.page import Figure, Group, Section, Table, with_rows
from stages.core.verdicts.answers import NotMeasured, some_rows
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.models import by_model

HEAD = ["model", "layer", "head"]
HeadTables = dict[str, dict[str, pd.DataFrame]]


@dataclass(frozen=True)
class MeasuredPage:
    """A page with the sections that it shows in this configuration."""

    page: Page
    sections: list[Section]
    read: list[str] = field(default_factory=list)  # folders of work/measures

    @property
    def in_short(self) -> list[str]:
        """The sentences at its top."""
        return first_sentences(self.sections)

    @property
    def items(self) -> list[Figure | Table]:
        """All figures and tables."""
        return [item for section in self.sections for item in section.items]


def measured_pages(measures: Measures) -> dict[str, MeasuredPage]:
    """The pages whose measures this configuration has, by name, in their order."""
    measured = {}
    for name, page in pages().items():
        with suppress(NotMeasured):
            measures.read.clear()
            sections = with_rows(page.sections(measures))
            if sections:
                measured[name] = MeasuredPage(page, sections, sorted(measures.read))
    return measured


def navigation(measured: dict[str, MeasuredPage]) -> dict[Group, dict[str, Page]]:
    """The pages by name in each group; groups without a page are left out."""
    groups = {
        group: {name: one.page for name, one in measured.items() if one.page.group == group}
        for group in get_args(Group)
    }
    return {group: some for group, some in groups.items() if some}


def head_tables(measures: Measures, shown: dict[str, Page]) -> HeadTables:
    """What each page adds to the table of all heads, by model and page."""
    found: HeadTables = {}
    for model, own in by_model(measures).items():
        found[model] = {}
        for name, page in shown.items():
            with suppress(NotMeasured):
                found[model][name] = some_rows(page.heads(own))
    return found


def heads_of_pages(found: HeadTables) -> pd.DataFrame:
    """One row a model, layer and head; every page adds its columns."""
    tables = []
    for model, parts in found.items():
        if parts:
            joint = reduce(lambda left, right: left.join(right, how="outer"), parts.values())
            tables.append(joint.reset_index().assign(model=model))
    if not tables:
        return pd.DataFrame(columns=HEAD)
    table = pd.concat(tables, ignore_index=True)
    return table[[*HEAD, *table.columns.difference(HEAD, sort=False)]]


def columns_of_pages(found: HeadTables, shown: dict[str, Page]) -> pd.DataFrame:
    """One row a page that adds columns to the table of all heads: their names, what they are."""
    rows: dict[str, tuple[str, list[str]]] = {}
    for parts in found.values():
        for name, table in parts.items():
            _, names = rows.setdefault(name, (shown[name].heads_text, []))
            names += [str(one) for one in table if str(one) not in names]
    lines = [(name, names, said) for name, (said, names) in rows.items()]
    return pd.DataFrame(lines, columns=["page", "columns", "what they are"])
