"""What the page says of relations by hand, and what it puts beside what the source prints."""

import math

import pandas as pd
import pytest

from stages.core.stage.arms import RANDOM_WEIGHTS, UNTUNED
from stages.syntax.page import OFFSET, PUBLISHED, SOURCE, beside_published, marks
from stages.syntax.said import said_in_short, said_of_heads, said_of_layers, said_of_relations
from stages.syntax.tables import ALL_LAYERS, ALL_RELATIONS, ALL_WORDS, POSSESSIVE_CLITIC

ALL = PUBLISHED[ALL_WORDS][1:]


def best(relation: str, value: float, gain: tuple, encoder: str = UNTUNED, **others) -> dict:
    """A relation's best head; `gain` are the limits of what it gains on the offset."""
    low, high = gain
    row = {"value": value, "low": value - 0.1, "high": value + 0.1}
    middle = (low + high) / 2
    row |= {"rival_value": value - middle, "rival_low": 0.1, "rival_high": 0.3}
    row |= {"gain_value": middle, "gain_low": low, "gain_high": high}
    place = {"corpus": "one", "encoder": encoder, "relation": relation, "within": ALL_LAYERS}
    return place | row | others


UP, DOWN, EITHER = (0.1, 0.3), (-0.3, -0.1), (-0.1, 0.3)


@pytest.fixture
def rows() -> pd.DataFrame:
    """Three relations, beside what is none, other layers, and a corpus behind the first."""
    return pd.DataFrame(
        [
            best(ALL_RELATIONS, 0.5, UP),
            best(ALL_WORDS, 0.4, EITHER),
            best(POSSESSIVE_CLITIC, 0.5, UP),
            best("det", 0.9, UP),
            best("obj", 0.8, (0.3, 0.5)),
            best("amod", 0.5, EITHER),
            best("obj", 0.99, (0.7, 0.9), within="layer 2"),
            best("det", 0.2, DOWN, RANDOM_WEIGHTS),
            best("obj", 0.1, DOWN, RANDOM_WEIGHTS),
            best("det", 0.9, DOWN, corpus="two"),
        ]
    )


def test_in_short_counts_relations_and_names_the_largest_gain(rows):
    counted, clearest, words = said_in_short(rows, ALL)
    assert counted == (
        "On one, held out, the best head of a relation is above the best fixed offset in 2 of 3 "
        "relations; neither is shown in 1; with random weights below the best fixed offset in "
        "both relations."
    )
    assert clearest == (
        "The largest gain is that of obj (object): 80.0% [70.0%, 90.0%] of its words, where the "
        "offset finds 40.0% (+40.0 points [30.0, 50.0]; with random weights 10.0%)."
    )
    assert words == (
        "Of all words, roots and punctuation among them, the best head finds 40.0%, not shown to "
        "differ from the 30.0% of the best offset; Clark et al. print 34.5% and 26.3%, of "
        "BERT-base on English news."
    )


def test_no_gain_is_claimed_where_no_interval_shows_one(rows):
    rows = rows[rows["corpus"] == "two"]
    assert said_in_short(rows, ALL) == [
        "On two, held out, the best head of a relation is below the best fixed offset in the only "
        "relation; random weights were not measured.",
        "No head is shown to be above the best fixed offset.",
    ]
    width = rows.assign(gain_low=0.2, gain_high=0.2)
    assert "No head is shown to be above" in said_in_short(width, ALL)[1]
    missing = rows.assign(gain_low=math.nan, gain_high=math.nan)
    assert "not shown to be above or below" in said_in_short(missing, ALL)[0]


def test_the_finding_speaks_of_every_corpus(rows):
    said = said_of_relations(rows)
    assert "On one, held out" in said
    assert "On two, held out" in said
    assert "Of all words" not in said


def test_layers_and_heads_are_grouped_and_ties_are_none(rows):
    points = pd.DataFrame(
        [
            {"corpus": "one", "encoder": encoder, "relation": relation, "place": place, "value": of}
            for encoder, relation, values in (
                (UNTUNED, "det", (0.1, 0.9)),
                (UNTUNED, "obj", (0.1, 0.8)),
                (UNTUNED, "amod", (0.5, 0.5)),
                (UNTUNED, "mark", (math.nan, math.nan)),
                (RANDOM_WEIGHTS, "det", (0.2, 0.1)),
            )
            for place, of in enumerate(values)
        ]
    )
    of_all = points[points["relation"] == "det"].assign(relation="all words")  # no relation
    assert said_of_layers(pd.concat([points, of_all])) == (
        "On one, accuracy is highest in layers 0 and 1 (amod), layer 1 (det and obj)."
    )
    cells = points[points["encoder"] == UNTUNED].assign(layer=3)
    cells = cells.rename(columns={"place": "head", "value": "accuracy"})
    assert said_of_heads(cells) == (
        "On one, 1 head of 2 is the most accurate for some relation, head 1 of layer 3 for 2 "
        "relations; for 1 relation several heads are alike."
    )
    assert said_of_heads(cells.iloc[:0]) == ""


def test_own_and_published_accuracies_are_in_percent_side_by_side(rows):
    table = beside_published(rows[rows["within"] == ALL_LAYERS]).set_index(
        ["corpus", "encoder", "relation"]
    )
    obj = table.loc[("one", UNTUNED, "obj")]
    assert obj[["value", "low", "gain_value"]].tolist() == pytest.approx([80, 70, 40])
    published = obj[["published", "published_offset", "published_gain"]].tolist()
    assert published == pytest.approx([86.8, 40.0, 46.8])
    assert obj["published_as"] == "dobj"
    none = table.loc[("one", UNTUNED, ALL_RELATIONS)]
    assert math.isnan(none["published"])
    assert none["published_as"] == ""


def test_dots_of_offset_and_source_stand_once_a_relation(rows):
    drawn = marks(beside_published(rows[rows["within"] == ALL_LAYERS]))
    of = drawn[drawn["label"] == "one: obj (object)"].set_index("whose")
    assert list(of.index) == [UNTUNED, RANDOM_WEIGHTS, OFFSET, SOURCE]
    assert of["value"].tolist() == pytest.approx([80, 10, 40, 86.8])
    assert of.loc[OFFSET, ["low", "high"]].tolist() == pytest.approx([10, 30])
    assert of.loc[SOURCE, "low"] == of.loc[SOURCE, "high"]
    assert len(drawn[drawn["label"] == f"one: {ALL_RELATIONS}"]) == 2


def test_a_single_corpus_is_not_named_before_each_relation(rows):
    rows = rows[(rows["within"] == ALL_LAYERS) & (rows["corpus"] == "one")]
    labels = set(marks(beside_published(rows))["label"])
    assert {"det (determiner)", f"{POSSESSIVE_CLITIC} (possessor)", ALL_WORDS} <= labels
