"""The page on what the stage measures of oracle heads."""

import contextlib

import pytest

from stages.boundaries.page import PAGE, over_constant, pairs, unions
from stages.boundaries.settings import Boundaries
from stages.boundaries.stage import write_boundaries
from stages.boundaries.tables import UNIONS
from stages.core.pages.page import Figure, Table
from tests.unsegmented import boundary_tables

PARAMETERS = Boundaries(corpora=[], unions=[1, 2, 5], compared=3, penalty=1.0, resamples=20, seed=0)


@pytest.fixture
def measured(measures):
    root = measures.folder
    with contextlib.chdir(root):
        write_boundaries(boundary_tables(root, 24, PARAMETERS), "one")
    measures.folder = root / "work" / "measures"
    measures._wanted["corpus"] = ["one"]
    return measures


def test_every_section_has_its_figures_and_tables(measured):
    sections = PAGE.sections(measured)
    items = [item for section in sections for item in section.items]
    names = [(type(item), item.name) for item in items]
    assert len(set(names)) == len(names)
    assert {kind for kind, _ in names} == {Figure, Table}
    figures = {item.name: item for item in items if isinstance(item, Figure)}
    assert figures["boundaries-accuracy"].finding.startswith(
        "Above the better constant: 2 of 2, below 0, not shown 0; random weights: "
    )
    assert "better constant" in str(figures["boundaries-accuracy"].drawn)
    # Four layers of three heads, of the encoder and of random weights.
    cells = figures["boundaries-heads"].plot
    assert len(cells) == 24
    untuned = cells[cells["panel"] == "one, untuned"].set_index(["layer", "head"])["value"]
    assert untuned.idxmax() == (2, 1)


def test_unions_of_random_heads_stand_beside_those_of_the_best(measured):
    rows = unions(measured).query("arm == 'random_weights' and heads == 2").set_index("union")
    (row,) = measured.rows(UNIONS.where(arm="random_weights", heads=2)).to_dict("records")
    for union, column in (("best heads", "score"), ("random heads", "rival")):
        ends = [row[column], row[f"{column}_low"], row[f"{column}_high"]]
        assert rows.loc[union, ["score", "score_low", "score_high"]].tolist() == ends


def test_heads_and_pairs_are_held_against_constant_and_chance(measured):
    heads = over_constant(measured).set_index(["arm", "layer", "head"])
    ends = heads["ends"].iloc[0]
    assert heads.loc[("untuned", 2, 1), "beyond"] == pytest.approx(100 * ends)  # never: 1 - ends
    pair = pairs(measured).query("coarser == '1-2' and finer == '2-1' and arm == 'untuned'")
    (row,) = pair.to_dict("records")
    assert row["beyond"] == pytest.approx(1 - row["by_chance"])
    assert row["apart"] == pytest.approx(row["disagreement"])  # the finer marks all that it marks


def test_every_head_of_the_report_has_its_accuracy(measured):
    table = PAGE.heads(measured)
    assert table.loc[(2, 1), "ends of words"] == 1
    assert len(table) == 12
