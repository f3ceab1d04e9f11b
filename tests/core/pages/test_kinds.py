"""Kinds of figures: what each draws of a table, and the sentence that it makes of the numbers."""

from dataclasses import replace

import pandas as pd
import pytest

from stages.core.pages.charts import rows_of
from stages.core.pages.declared import HeadColumn, Page, Section, first_sentences
from stages.core.pages.kinds import Curves, Dots, Grid, HeadGrid, Matrix, Scatter, Shares
from stages.core.tables import Table, Value, count, name
from stages.core.verdicts.answers import NotMeasured
from tests.claims import write_table

TABLE = Table(
    "stage/heads",
    keys="data arm layer head",
    values={
        "effect": Value("effect", "points", "+.1f", interval=True, resampled=True),
        "share": Value("share", "share", ".1%", (0, 1)),
        "relation": name("relation"),
        "cases": count("cases"),
    },
)
OF_SHARES = TABLE.values["share"]
OTHER = Table("other/heads", keys="data arm layer head", values={"share": Value("share")})


def heads(*effects: float) -> list[dict]:
    """Heads 0, 1 of layer 0, then of layer 1."""
    return [
        {"layer": place // 2, "head": place % 2, "effect": effect, "share": abs(effect) / 10}
        for place, effect in enumerate(effects)
    ]


@pytest.fixture
def drawn(measures):
    """Four heads of the encoder and of random weights; the second head is the farthest below."""
    write_table(measures, TABLE, heads(1, -4, 2, 0), 0.1, arm="untuned")
    write_table(measures, TABLE, heads(0.5, 0.5, -0.5, 0), 0.1, arm="random_weights")
    return measures


def rows_drawn(figure) -> pd.DataFrame:
    return pd.concat(list(rows_of(figure.chart)), ignore_index=True).drop_duplicates()


def test_a_grid_of_heads_puts_random_weights_into_a_panel_of_their_own(drawn):
    figure = HeadGrid("grid", "Heads", TABLE, "effect").draw(drawn)
    assert figure.finding == (
        "Highest: head 0 of layer 1 (+2.0 points); lowest: head 1 of layer 0 (-4.0 points); "
        "random weights: -0.5 to +0.5 points."
    )
    assert figure.plot["panel"].unique().tolist() == ["one, untuned", "one, random_weights"]
    assert len(figure.plot) == 8
    scale = figure.drawn["spec"]["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domainMid"] == 0  # an effect may be below 0
    amounts = HeadGrid("grid", "Heads", TABLE, "share").draw(drawn)
    assert "domainMid" not in amounts.drawn["spec"]["layer"][0]["encoding"]["color"]["scale"]


def test_cells_that_print_alike_are_counted_and_none_is_named(measures):
    write_table(measures, TABLE, heads(1, 1.01, 1, 1), arm="untuned")
    figure = HeadGrid("grid", "Heads", TABLE, "effect").draw(measures)
    assert figure.finding == "All 4 are alike: +1.0 points."


def test_lines_over_layers_are_means_over_heads(drawn):
    figure = Curves("layers", "Layers", TABLE, "effect").draw(drawn)
    rows = rows_drawn(figure).set_index(["arm", "layer"])
    assert rows.loc[("untuned", 0), "value"] == pytest.approx(-1.5)
    assert rows.loc[("random_weights", 1), "value"] == pytest.approx(-0.25)
    assert rows.loc[("untuned", 0), "low"] < -1.5 < rows.loc[("untuned", 0), "high"]
    assert figure.finding == (
        "one: highest in layer 1 (+1.0 points) and lowest in layer 0 (-1.5 points); "
        "random weights: -0.2 to +0.5 points."
    )


def test_dots_count_what_is_shown_above_and_below(drawn):
    figure = Dots("dots", "Heads", TABLE, "effect", label=("layer", "head")).draw(drawn)
    # An interval of 0.2 to either side; the last head is at 0.
    assert figure.finding.startswith("Above 0: 2 of 4, below 1, not shown 1; random weights: ")
    assert "2 of 4, below 1, not shown 1" in figure.finding.split("random weights")[1]
    assert figure.finding.endswith("highest: 1, 0 (+2.0 points); lowest: 0, 1 (-4.0 points).")


def test_dots_count_nothing_above_the_smallest_possible_value():
    """A share is never below 0, and its random weights have a range of their own."""
    rows = pd.DataFrame(
        [("cls", "tuned", 0.4), ("sep", "tuned", 0.1), ("cls", "random_weights", 0.05)],
        columns=["kind", "arm", "share"],
    )
    rows = rows.assign(share_low=rows["share"] - 0.01, share_high=rows["share"] + 0.01)
    kind = Dots("dots", "Kinds", lambda _: rows, "share", of=OF_SHARES, label=("kind",))
    assert kind.draw(None).finding == (
        "Highest: cls (40.0%); lowest: sep (10.0%); random weights: 5.0%."
    )


def test_dots_without_a_bound_count_nothing(drawn):
    kind = Dots("dots", "Heads", TABLE, "effect", label=("layer", "head"), bound=None)
    assert kind.draw(drawn).finding == (
        "Highest: 1, 0 (+2.0 points); lowest: 0, 1 (-4.0 points); "
        "random weights: -0.5 to +0.5 points."
    )


def test_published_values_stand_beside_the_row_that_they_are_of(drawn):
    kind = Dots(
        "dots", "Heads", TABLE.where(head=0, arm="untuned"), "effect", label=("layer",),
        published={1: 2.5},
    )  # fmt: skip
    rows = rows_drawn(kind.draw(drawn))
    published = rows[rows["mark"] == "published"]
    assert published[["label", "value"]].to_numpy().tolist() == [["1", 2.5]]


def test_shares_name_the_largest_kind_of_the_encoder():
    rows = pd.DataFrame(
        [
            ("one", "untuned", "block", 0.7), ("one", "untuned", "other", 0.3),
            ("one", "random_weights", "block", 0.1), ("one", "random_weights", "other", 0.9),
            ("two", "untuned", "block", 0.5), ("two", "untuned", "other", 0.5),
        ],
        columns=["data", "arm", "kind", "share"],
    )  # fmt: skip
    kind = Shares("shares", "Shares", lambda _: rows, "share", of=TABLE.values["share"])
    assert kind.draw(None).finding == "Largest on average: block, 50% to 70% in 2 bars."


def test_a_scatter_says_its_rank_correlation_panel_by_panel():
    rows = pd.DataFrame({"data": "one", "layer": 0, "head": [0, 1, 2, 3], "x": [1, 2, 3, 4]})
    rows = rows.assign(effect=[4.0, 3.0, 2.0, 1.0])
    kind = Scatter("dots", "Dots", lambda _: rows, "effect", of=TABLE.values["effect"], x="x")
    assert kind.draw(None).finding == "Rank correlation: one -1.00 (4 dots)."


def test_a_matrix_says_how_much_lies_on_its_diagonal():
    rows = pd.DataFrame({"true": ["a", "a", "b"], "given": ["a", "b", "b"], "maps": [6, 2, 2]})
    kind = Matrix("m", "M", lambda _: rows, "maps", of=count("maps"), x="given", y="true")
    assert kind.draw(None).finding == "On the diagonal: 80% of 10."


def test_each_panel_of_a_matrix_has_names_of_its_own():
    rows = pd.DataFrame({"data": ["x", "y"], "true": ["a", "b"], "given": ["a", "b"], "maps": 1})
    kind = Matrix("m", "M", lambda _: rows, "maps", of=count("maps"), x="given", y="true")
    drawn = replace(kind, panel="data").draw(None)
    assert drawn.drawn["resolve"]["scale"] == {"x": "independent", "y": "independent"}
    assert rows_drawn(drawn)[list(rows)].equals(rows)


def test_a_table_has_the_declared_titles_and_no_resamples(drawn):
    frame = Grid("table", "Table", TABLE).draw(drawn).frame
    of_function = Grid("table", "Table", lambda all: all.rows(TABLE), values=TABLE.values)
    assert of_function.draw(drawn).frame.columns.tolist() == frame.columns.tolist()
    assert sorted(frame) == sorted(
        [
            *("data", "arm", "layer", "head", "effect, points", "effect, low", "effect, high"),
            *("share", "relation", "cases"),
        ]
    )


def page(*content, heads=()) -> Page:
    sections = tuple(Section(f"S{number}", "", (kind,)) for number, kind in enumerate(content))
    return Page("T", "", "Where heads look", 1, ("X1",), sections, heads)


def test_a_page_leaves_out_what_the_configuration_lacks(drawn):
    made = page(HeadGrid("a", "A", OTHER, "share"), HeadGrid("b", "B", TABLE, "effect"))
    assert [section.title for section in made.sections(drawn)] == ["S1"]
    assert first_sentences(made.sections(drawn))[0].startswith("Highest: head 0 of layer 1")
    with pytest.raises(NotMeasured):
        page(HeadGrid("a", "A", OTHER, "share")).sections(drawn)


def test_columns_of_heads_are_means_or_one_for_each_data_set(drawn):
    write_table(drawn, TABLE, heads(3, 0, 0, 0), data="two", arm="untuned")
    mean, each, first = (
        page(heads=(HeadColumn("effect", TABLE, "effect", join=join),)).heads(drawn)
        for join in ("mean", "each", "first")
    )
    assert mean.loc[(0, 0), "effect"] == pytest.approx(2)
    assert each.loc[(0, 0)].to_dict() == {"effect, one": 1, "effect, two": 3}
    assert first.loc[(0, 1), "effect"] == -4
    write_table(drawn, TABLE, heads(9, 9, 9, 9), arm="tuned")  # its column is of the tuned encoder
    tuned = page(heads=(HeadColumn("effect", TABLE, "effect"),)).heads(drawn)
    assert tuned["effect"].tolist() == [9, 9, 9, 9]
    (facts,) = page(heads=(HeadColumn("effect", TABLE, "effect"),)).head_facts("name")
    of_head = facts.rows(drawn).query("layer == 0 and head == 1")
    assert of_head[["data", "arm", "effect, points"]].to_numpy().tolist() == [
        ["one", "untuned", -4.0],
        ["one", "random_weights", 0.5],
        ["one", "tuned", 9.0],
        ["two", "untuned", 0.0],
    ]


def test_a_plane_is_coloured_and_counted_by_kind(measures):
    """Two panels keep the places of their heads; a layer, a number, is no kind to count."""
    rows = pd.DataFrame(
        [
            {"data": "one", "arm": arm, "layer": layer, "head": 0, "x": layer, "effect": -layer}
            | {"role": role}
            for arm in ("untuned", "random_weights")
            for layer, role in enumerate(("b", "a", "c", "b", "a"))
        ]
    )
    of = TABLE.values["effect"]
    panel = ("data", "arm")
    kind = Scatter("p", "P", lambda _: rows, "effect", of=of, x="x", panel=panel, colour="role")
    figure = kind.draw(measures)
    assert figure.finding == "10 heads: 4 a, 4 b and 2 c."
    points = figure.chart.data
    assert points[["panel", "layer", "x", "y", "role"]].iloc[[1, 7]].to_numpy().tolist() == [
        ["untuned", 1, 1, -1, "a"],
        ["random_weights", 2, 2, -2, "c"],
    ]
    assert replace(kind, colour="layer").draw(measures).finding == ""


def test_dots_without_a_bound_count_no_rows():
    rows = pd.DataFrame({"data": "one", "arm": "tuned", "text": ["intact", "shuffled"]})
    rows = rows.assign(grade=[2.0, 1.0], grade_low=[1.9, 0.9], grade_high=[2.1, 1.1])
    of = Value("mean grade", "grades")
    dots = Dots("grades", "Grades", lambda _: rows, "grade", label=("text",), of=of, bound=None)
    assert (
        dots.draw(None).finding == "Highest: intact (2.00 grades); lowest: shuffled (1.00 grades)."
    )
