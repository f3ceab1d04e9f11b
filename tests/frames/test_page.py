"""The page of frames, with and without a head that was selected."""

import pandas as pd

from stages.core.verdicts.measures import Measures
from stages.frames.page import PAGE
from stages.frames.tables import BEST, HEADS
from tests.claims import write_table
from tests.frames.test_claims import HEAD_ROWS, best_row


def names(measures: Measures) -> list[str]:
    return [item.name for section in PAGE.sections(measures) for item in section.items]


def test_without_a_best_head_its_table_is_left_out(measures, monkeypatch):
    """No link of the corpus can be moved, so that no head is selected."""
    write_table(measures, HEADS, HEAD_ROWS)
    measures._wanted["corpus"] = ["one"]
    monkeypatch.setattr("stages.core.tables.MEASURES", measures.folder)
    BEST.write(pd.DataFrame(), data="one")
    assert names(measures) == ["frames-heads", "frames-heads"]


def test_the_head_that_links_most_stands_beside_random_weights(measures):
    rows = [best_row("random_weights", 0.006), best_row("untuned", 0.3)]
    write_table(measures, BEST, rows)
    measures._wanted["corpus"] = ["one"]
    figure, table = PAGE.sections(measures)[0].items
    assert figure.finding == (
        "Above 0: 1 of 1, below 0, not shown 0; random weights: 0 of 1, below 0, not shown 1; "
        "one: +0.30."
    )
    assert table.frame["arm"].tolist() == ["random_weights", "untuned"]


def test_the_table_of_heads_has_the_gain_over_moved_links(measures):
    rows = [row | {"gain": row["weight"] - 0.1} for row in HEAD_ROWS]
    write_table(measures, HEADS, rows)
    measures._wanted["corpus"] = ["one"]
    heads = PAGE.heads(measures).loc[(2, 0)]
    assert heads.round(6).to_dict() == {
        "weight on frame links": 0.4,
        "weight on moved frame links": 9.0,
        "frame links": 0.3,
    }
