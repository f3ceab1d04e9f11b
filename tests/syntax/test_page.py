"""What the page puts beside the numbers of the source, and what it says of its own."""

import numpy as np
import pytest

from stages.core.pages.page import Figure
from stages.syntax.page import PAGE, beside_published
from stages.syntax.tables import ALL_LAYERS, ALL_RELATIONS, BEST, HEADS
from tests.claims import write_table


def best(relation: str, score: float, gain: float, spread: float = 0.1, **others) -> dict:
    """A relation's best head; the gain over the offset lies in [gain - spread, gain + spread]."""
    row = {"relation": relation, "within": ALL_LAYERS, "layer": 2, "head": 1, "score": score}
    row |= {"rival": score - gain, "gain": gain}
    return row | {"gain_low": gain - spread, "gain_high": gain + spread} | others


@pytest.fixture
def syntax(measures):
    """Three relations, beside other layers, random weights, and the accuracy of heads."""
    rows = [best("det", 0.9, 0.2), best("obj", 0.8, 0.4), best("amod", 0.5, 0.05)]
    rows += [best("obj", 0.99, 0.8, within="layer 2"), best(ALL_RELATIONS, 0.6, 0.2)]
    write_table(measures, BEST, rows, 0.01, arm="untuned")
    rows = [best("det", 0.2, -0.2), best("obj", 0.1, -0.2)]
    write_table(measures, BEST, rows, 0.01, arm="random_weights")
    rows = [
        {"layer": 2, "head": 1, "relation": "obj", "accuracy": 0.7, "offset_accuracy": 0.3},
        {"layer": 2, "head": 1, "relation": "det", "accuracy": 0.9, "offset_accuracy": 0.8},
        {"layer": 1, "head": 0, "relation": "obj", "accuracy": 0.2, "offset_accuracy": 0.3},
    ]
    write_table(measures, HEADS, rows, arm="untuned")
    return measures


def test_published_accuracies_stand_beside_the_relation_that_they_are_of(syntax):
    table = beside_published(syntax).query("arm == 'untuned'").set_index("relation")
    assert table.loc["obj", ["score", "published", "published_offset"]].tolist() == [
        0.8,
        0.868,
        0.4,
    ]
    assert np.isnan(table.loc[ALL_RELATIONS, "published"])
    assert ALL_LAYERS not in table.index


def test_dots_of_a_relation_are_head_control_offset_and_source(syntax):
    (figure,) = (
        item
        for section in PAGE.sections(syntax)
        for item in section.items
        if isinstance(item, Figure) and item.name == "syntax-relations"
    )
    (rows,) = (
        rows for rows in figure.drawn["datasets"].values() if any("label" in row for row in rows)
    )
    objects = {row["mark"]: row["value"] for row in rows if row["label"].startswith("obj")}
    assert objects == {
        "untuned": 0.8,
        "random_weights": 0.1,
        "best offset": 0.4,
        "Clark et al., Table 1": 0.868,
    }
    assert figure.finding == (
        "Above the best offset: 2 of 3, below 0, not shown 1; random weights: 0 of 2, below 2, "
        "not shown 0; highest: det (determiner) (90.0%); "
        "lowest: amod (adjectival modifier) (50.0%)."
    )


def test_the_table_of_heads_has_each_heads_best_relation(syntax):
    heads = PAGE.heads(syntax)
    assert heads.loc[(2, 1)].tolist() == ["obj", "", 0.7, pytest.approx(0.4)]
    assert heads.loc[(1, 0)].iloc[-1] == pytest.approx(-0.1)
    (fact,) = PAGE.head_facts("syntax")
    rows = fact.rows(syntax)
    assert rows[["layer", "head", "best relation"]].to_numpy().tolist() == [
        [2, 1, "obj"],
        [1, 0, "obj"],
    ]
