"""Whichever table has no rows, as a user's data may have it: pages are drawn and claims decided.

Nothing may end but in `NotMeasured`, which leaves the page or claim out.
"""

from collections.abc import Iterator
from contextlib import suppress

import pandas as pd
import pytest

from stages.core.pages.gather import all_facts, pages
from stages.core.pages.page import with_rows
from stages.core.stage.settings import section
from stages.core.tables import Selection, Table
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.claims import REGISTERED, SUMMARIES, Settings, answer, read_claims
from stages.core.verdicts.measures import Measures, open_measures
from stages.report.head_examples import examples_of
from tests.claims import SETTINGS
from tests.report.sound import GAPS

assert SETTINGS  # tests.claims registers every measure
PAGES = pages()
ROOMS = sorted({one.__module__.split(".")[1] for one in REGISTERED.values()})


class Emptied(Measures):
    """Measures of which one table has no rows."""

    asked: dict[str, Table]
    emptied: str = ""

    def rows(self, wanted: Table | Selection, drawn: bool = False) -> pd.DataFrame:
        table = wanted.table if isinstance(wanted, Selection) else wanted
        self.asked[table.file] = table
        rows = super().rows(wanted, drawn)
        if table.file == self.emptied:
            raise NotMeasured(f"{table.file} has no rows")
        return rows


@pytest.fixture
def measures(synthetic_reports, monkeypatch) -> Emptied:
    """The synthetic measures, of which one table after the other can be emptied."""
    monkeypatch.chdir(synthetic_reports)
    whole = open_measures()
    whole.__class__, whole.asked = Emptied, {}
    return whole


def emptied_in_turn(measures: Emptied) -> Iterator[str]:
    """The pattern of each table that was asked for, while it has no rows."""
    for pattern in sorted(measures.asked):
        measures.emptied = pattern
        measures.kept.clear()
        yield pattern


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_drawn_without_the_rows_of_any_table(measures, name):
    page = PAGES[name]
    whole = page.sections(measures)
    titles = {item.title for section in whole for item in section.items}
    for pattern in emptied_in_turn(measures):
        with suppress(NotMeasured):
            sections = with_rows(page.sections(measures))
            items = [item for section in sections for item in section.items]
            assert not any(item.is_empty for item in items), pattern
            assert {item.title for item in items} <= titles, pattern
            told = [getattr(item, "finding", "") for item in items]
            told += [section.text for section in sections]
            assert not [text for text in told if GAPS.search(text)], pattern
            if sections:
                page.heads(measures)


@pytest.mark.parametrize("room", ROOMS)
def test_claims_are_decided_without_the_rows_of_any_table(measures, room):
    settings, ledger = section(Settings, "findings"), read_claims()
    module = f"stages.{room}."
    own = [claim for claim in ledger.claims if claim.measure and not claim.absent]
    own = [one for one in own if REGISTERED[one.measure].__module__.startswith(module)]
    for claim in own:
        measures.asked.clear()
        measures.emptied = ""
        with suppress(NotMeasured):
            answer(claim, ledger.papers[claim.paper], measures, settings)
        for _ in emptied_in_turn(measures):
            with suppress(NotMeasured):
                answer(claim, ledger.papers[claim.paper], measures, settings)


def test_summaries_and_tables_of_heads_are_made_without_the_rows_of_any_table(measures):
    facts = [fact.rows for fact in all_facts()]
    for make in (*SUMMARIES.values(), *facts, lambda own: examples_of(own, {})):
        measures.asked.clear()
        measures.emptied = ""
        with suppress(NotMeasured):
            make(measures)
        for _ in emptied_in_turn(measures):
            with suppress(NotMeasured):
                make(measures)
