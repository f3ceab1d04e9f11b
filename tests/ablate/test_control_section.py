"""The control beside the tuned encoder: the table, and sentences on rows that are known."""

import pandas as pd
import pytest

from stages.ablate import page
from stages.ablate.control_section import said_of_heads
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import open_measures


def row(task: str, arm: str, on: float, mean: tuple, gain: float, loss: float) -> dict:
    known = dict(zip(("mean", "mean_low", "mean_high"), mean, strict=True))
    known |= {"task": task, "arm": arm, "all_heads_on": on}
    return known | {"largest_gain": gain, "largest_loss": loss}


def test_both_encoders_stand_in_one_sentence_for_each_task():
    table = pd.DataFrame(
        [
            row("a", "tuned", 74.61, (-1.56, -2.96, -0.13), 1.43, -37.37),
            row("a", "tuned_from_random", 19.0, (0.0, 0.0, 0.0), 1.0, -0.5),
            row("b", "tuned", 66.0, (0.8, 0.2, 1.5), 5.0, -4.0),  # without its control
        ]
    )
    assert said_of_heads(table) == [
        "a: with all heads on, 74.6 points with pretrained weights and 19.0 with random ones; one "
        "head ablated changes them by -1.6 [-3.0, -0.1] and 0.0 [no interval] on average, by "
        "-37.4 and +1.0 at most."
    ]
    assert said_of_heads(table.iloc[:0]) == []


def test_the_control_stands_beside_the_tuned_encoder(synthetic_reports):
    table = pd.read_csv(synthetic_reports / "reports/tables/ablate-control-heads.csv")
    assert table["task"].drop_duplicates().tolist() == ["relevance", "sentiment"]
    assert table["arm"].tolist() == ["tuned", "tuned_from_random"] * 4
    assert sorted(set(table["mode"])) == ["uniform", "zero"]  # not `mean`: the control has none
    assert ((table["mean_low"] <= table["mean"]) & (table["mean"] <= table["mean_high"])).all()
    gates = pd.read_parquet(synthetic_reports / "work/measures/ablate/sentiment.parquet")
    heads_zero = (gates["mode"] == "zero") & (gates["family"] == "head")
    rows = table[(table["task"] == "sentiment") & (table["mode"] == "zero")]
    for row in rows.to_dict("records"):
        effects = gates.loc[heads_zero & (gates["arm"] == row["arm"]), "effect"]
        assert row["mean"] == pytest.approx(100 * effects.mean(), abs=1e-3)
    heads = pd.read_csv(synthetic_reports / "reports/heads.csv")
    assert "tuned_from_random, off: sentiment (points)" in heads
    assert "tuned_from_random, cosine before/after tuning" in heads


def test_the_page_stays_where_no_task_was_learnt(synthetic_reports, monkeypatch):
    def refuse(*arguments: object) -> None:
        raise NotMeasured("no task was learnt")

    monkeypatch.chdir(synthetic_reports)
    monkeypatch.setattr(page, "by_heads_of_others", refuse)
    titles = [section.title for section in page.sections(open_measures())]
    assert not [title for title in titles if title.startswith("K8b")]
    assert titles[-1].startswith("Control")
