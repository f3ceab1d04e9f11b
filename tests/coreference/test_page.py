"""What the page puts beside the numbers of the source."""

import numpy as np
import pytest

from stages.core.pages.page import Figure
from stages.coreference.page import PAGE, with_published, without_doubles
from stages.coreference.tables import BEST, HEADS
from tests.claims import write_table

RULES = {"nearest": 0.4, "head match": 0.5, "rules": 0.7}
GAINS = {"nearest": (0.1, 0.5), "head match": (-0.1, 0.3), "rules": (-0.3, -0.1)}
ROWS = [
    ("untuned", "all", 0.6, 50),
    ("untuned", "pronoun", 0.5, 30),
    ("untuned", "proper", 0.8, 20),
    ("random_weights", "all", 0.3, 50),
    ("random_weights", "pronoun", 0.2, 50),  # of one kind only
]


def best_rows(arm: str, kind: str, score: float, cases: int) -> list[dict]:
    keys = {"arm": arm, "kind": kind, "layer": 1, "head": 3, "cases": cases, "same": True}
    return [
        keys
        | {"rule": rule, "score": score, "rival": rival, "gain": score - rival}
        | {"gain_low": GAINS[rule][0], "gain_high": GAINS[rule][1]}
        for rule, rival in RULES.items()
    ]


@pytest.fixture
def two_kinds(measures):
    rows = [row for of_kind in ROWS for row in best_rows(*of_kind)]
    write_table(measures, BEST, rows, 0.05)
    return measures


def test_all_mentions_of_one_kind_stand_once(two_kinds):
    rows = without_doubles(two_kinds.rows(BEST)).drop_duplicates(["arm", "kind"])
    assert list(zip(rows["arm"], rows["kind"], strict=True)) == [
        ("untuned", "all"),
        ("untuned", "pronoun"),
        ("untuned", "proper"),
        ("random_weights", "pronoun"),
    ]


def test_measured_and_published_scores_stand_in_one_row_and_unit(two_kinds):
    table = with_published(two_kinds).set_index(["arm", "kind", "rule"]).sort_index()
    assert len(table) == 4 * 3
    row = table.loc["untuned", "proper", "rules"]
    columns = ["score", "score_low", "score_high", "published", "rival", "published_rule"]
    np.testing.assert_allclose(row[columns].astype(float), [0.8, 0.7, 0.9, 0.73, 0.7, 0.77])
    row = table.loc["untuned", "all", "rules"]
    np.testing.assert_allclose(row[["gain", "published_rule"]].astype(float), [-0.1, 0.69])
    control = table.loc["random_weights", "pronoun", "nearest"]
    assert np.isnan(control["published"])
    assert control["published_rule"] == pytest.approx(0.29)


def test_the_best_head_is_compared_with_each_rule_by_its_interval(two_kinds):
    (figure,) = (
        item
        for section in PAGE.sections(two_kinds)
        for item in section.items
        if isinstance(item, Figure)
    )
    assert figure.finding.startswith("Above the rule: 3 of 9, below 3, not shown 3; ")
    (rows,) = (
        rows for rows in figure.drawn["datasets"].values() if any("label" in row for row in rows)
    )
    marks = {row["mark"]: row["value"] for row in rows if row["label"] == "pronoun, rules"}
    assert marks == {
        "untuned": 0.5,
        "random_weights": 0.2,
        "rule": 0.7,
        "best head in Clark et al., Table 2": 0.64,
    }


def test_a_half_without_mentions_gives_no_score(measures):
    rows = [row | {"score": np.nan} for row in best_rows("untuned", "all", 0.5, 9)]
    write_table(measures, BEST, rows)
    assert with_published(measures).empty


def test_each_kind_of_mention_is_a_column_of_the_table_of_heads(measures):
    rows = [
        {"layer": 0, "head": 2, "kind": kind, "accuracy": accuracy}
        for kind, accuracy in (("all", 0.6), ("proper", 0.73))
    ]
    write_table(measures, HEADS, rows, arm="untuned")
    control = [row | {"accuracy": 0.1} for row in rows]
    write_table(measures, HEADS, control, arm="random_weights")
    heads = PAGE.heads(measures)
    expected = {"coreference": {(0, 2): 0.6}, "coreference, proper": {(0, 2): 0.73}}
    assert heads.to_dict() == expected
