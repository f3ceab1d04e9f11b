"""The page on what the stage measures of oracle heads."""

import contextlib

import pytest

from stages.boundaries.page import PAGE
from stages.boundaries.settings import Boundaries
from stages.boundaries.stage import write_tables
from stages.core.pages.page import Figure, Table
from tests.unsegmented import boundary_tables

PARAMETERS = Boundaries(corpora=[], unions=[1, 2, 5], compared=3, penalty=1.0, resamples=20, seed=0)


@pytest.fixture
def measured(measures):
    root = measures.folder
    with contextlib.chdir(root):
        write_tables(boundary_tables(root, 24, PARAMETERS), "one")
    measures.folder = root / "work" / "measures"
    measures._wanted["corpus"] = ["one"]
    return measures


def test_every_part_of_the_page_has_its_figure_and_table(measured):
    best, unions, granularity, heads = PAGE.sections(measured)
    accuracy, words, *_ = best.items
    assert accuracy.finding.startswith("one: the best head has 100.0% of the positions right (ran")
    assert ", more than the " in accuracy.finding
    assert words.finding.startswith("one: the best head's F1 over words is 1.00 (random weights: ")
    assert unions.items[0].finding.startswith("one: of the 5 best heads at least one is right at 1")
    assert "made of the finer's in" in granularity.items[0].finding
    in_short = PAGE.in_short(measured)
    assert in_short[:2] == [accuracy.finding, unions.items[0].finding]
    assert in_short[2].startswith("one: among its 3 best heads, ")
    items = [item for section in (best, unions, granularity, heads) for item in section.items]
    names = [(type(item), item.name) for item in items]
    assert len(set(names)) == len(names)
    assert {kind for kind, _ in names} == {Figure, Table}
    figures = {item.name: item for item in items if isinstance(item, Figure)}
    # Four layers of three heads, of the encoder and of random weights.
    cells = figures["boundaries-heads"].plot
    assert len(cells) == 24
    own = cells[cells["panel"] == "one, untuned"].set_index(["layer", "head"])["value"]
    assert own.idxmax() == (2, 1)
    drawn = figures["boundaries-accuracy"].chart.to_dict()
    assert "better constant" in str(drawn)


def test_every_head_of_the_report_has_its_accuracy(measured):
    table = PAGE.heads(measured)
    assert table.loc[(2, 1), "ends of words"] == 1
    assert len(table) == 12
