"""What the page puts together from the numbers of heads."""

import pytest

from stages.core.pages.page import Figure, Table
from stages.core.verdicts.measures import Measures
from stages.surface.page import PAGE, of_layers, separators, statistics_of_heads
from stages.surface.tables import HEADS, SEP_HEADS, STRONGEST
from tests.claims import write_table

PAIR = ("untuned", "random_weights")


@pytest.fixture
def texts(tmp_path) -> Measures:
    """Two heads and two statistics, of the encoder and of random weights."""
    measures = Measures(tmp_path, {}, [], [], ["pairs"])
    for arm, less in zip(PAIR, (0.0, 0.4), strict=True):
        rows = [
            {"layer": 1, "head": head, "statistic": statistic, "amount": amount - less}
            for statistic, amounts in {
                "pattern_next": (0.5, 0.9),
                "pattern_previous": (0.7, 0.6),
                "sep": (0.5, 0.6),
            }.items()
            for head, amount in enumerate(amounts)
        ]
        write_table(measures, HEADS, rows, 0.01, "pairs", arm=arm)
    return measures


def test_random_weights_stand_beside_the_encoder_statistic_by_statistic(texts):
    titles = {"pattern_previous": "previous", "pattern_next": "next"}
    rows = statistics_of_heads(titles)(texts)
    panels = rows[["statistic", "arm"]].drop_duplicates().to_numpy().tolist()
    assert panels == [[title, arm] for title in ("previous", "next") for arm in PAIR]
    assert rows["amount"].tolist() == pytest.approx([0.7, 0.6, 0.3, 0.2, 0.5, 0.9, 0.1, 0.5])


def test_a_heads_role_is_its_strongest_pattern_and_its_page_has_all(texts):
    heads = PAGE.heads(texts)
    assert heads["surface role"].to_dict() == {(1, 0): "previous token", (1, 1): "next token"}
    assert heads["strength of its role"].tolist() == pytest.approx([0.7, 0.9])
    (fact,) = PAGE.head_facts("surface")
    rows = fact.rows(texts)
    rows = rows[(rows["head"] == 1) & (rows["arm"] == "untuned")]
    assert rows["strength of its role"].tolist() == pytest.approx([0.9, 0.6])


def test_layers_are_means_over_heads(texts):
    rows = of_layers(texts).set_index("arm")["amount"]
    assert rows.to_dict() == pytest.approx({"untuned": 0.55, "random_weights": 0.15})


def test_sep_to_sep_is_a_share_of_layers_with_cases(texts):
    rows = [
        {"layer": layer, "heads": heads, "sep_to_sep_sum": total, "cases": cases}
        for layer, heads, total, cases in ((0, 0.0, 0.0, 0.0), (1, 1.0, 3.0, 4.0))
    ]
    write_table(texts, SEP_HEADS, rows, data="pairs")
    table = separators(texts)
    assert table[["layer", "sep_to_sep"]].to_numpy().tolist() == [[1, 0.75]]


def test_shares_and_patterns_of_one_neighbour_are_told_apart(texts):
    rows = [
        {"statistic": statistic, "score": score}
        for statistic, score in (("next", 0.3), ("pattern_next", 0.6))
    ]
    write_table(texts, STRONGEST, rows, data="pairs")
    items = [item for section in PAGE.sections(texts) for item in section.items]
    (table,) = (
        item for item in items if isinstance(item, Table) and item.name == "surface-strongest"
    )
    names = dict(zip(table.frame["statistic"], table.frame["amount in other texts"], strict=True))
    assert names == {"share to the next token": 0.3, "next token": 0.6}
    (figure,) = (
        item for item in items if isinstance(item, Figure) and item.name == "surface-neighbours"
    )
    assert "0.3" in str(figure.drawn) and "0.6" not in str(figure.drawn)
