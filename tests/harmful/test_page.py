"""The page of heads that hurt, on synthetic measures."""

import numpy as np
import pandas as pd
import pytest

from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures, open_measures
from stages.harmful import apart, page
from stages.harmful.tables import HEADS
from tests.synthetic_measures import PARAMETERS, TASKS, write_harmful


@pytest.fixture
def measured(tmp_path, monkeypatch) -> Measures:
    """Nothing but what the stage writes, and columns of two other pages in place of these."""
    (tmp_path / "params.yaml").write_text(PARAMETERS, encoding="utf-8")
    for task in TASKS:
        write_harmful(tmp_path, task, np.random.default_rng(0))
    columns = {"pattern": ["Block", "Vertical"] * 6, "cosine before/after tuning": np.arange(12.0)}
    index = pd.MultiIndex.from_product([range(4), range(3)], names=["layer", "head"])

    def head_column(name: str, column: str, measures: Measures) -> pd.Series:
        if column not in columns:
            raise NotMeasured(f"there is no {name}")
        return pd.Series(columns[column], index, name=column)

    monkeypatch.setattr(apart, "head_column", head_column)
    monkeypatch.chdir(tmp_path)
    return open_measures()


def tables(measures: Measures) -> dict[str, pd.DataFrame]:
    sections = page.sections(measures)
    items = [item for section in sections for item in section.items]
    return {item.name: item.frame for item in items if hasattr(item, "frame")}


def test_seeds_and_tasks_are_held_against_one_another(measured):
    found = tables(measured)
    seeds = found["harmful-seeds"]
    assert seeds["task"].value_counts().to_dict() == {"relevance": 3, "sentiment": 3}
    assert seeds[["low", "high"]].notna().all(axis=None)
    others = found["harmful-tasks"]
    assert list(zip(others["task"], others["heads of"], strict=True)) == [
        ("relevance", "sentiment"),
        ("sentiment", "relevance"),
    ]


def test_columns_of_other_pages_stand_beside_heads_that_hurt(measured):
    found = tables(measured)["harmful-apart"].set_index(["task", "figure"])
    rows = measured.frame(HEADS)
    rows = rows[(rows["task"] == "relevance") & (rows["arm"] == "tuned")]
    mean = rows.groupby(["layer", "head"])[["chosen", "confidence"]].mean()
    hurts = mean["chosen"] >= 0.5
    row = found.loc[("relevance", "confidence")]
    assert row["heads that hurt"] == hurts.sum() == 1
    assert row["of these"] == pytest.approx(mean["confidence"][hurts].mean())
    assert row["of the others"] == pytest.approx(mean["confidence"][~hurts].mean())
    of_relevance = found.loc["relevance"]
    # Head 1.2 is the sixth of all.
    assert of_relevance.loc["cosine before/after tuning", "of these"] == 5
    others = of_relevance["of the others"]
    assert others["cosine before/after tuning"] == pytest.approx((66 - 5) / 11)
    assert of_relevance.loc[["pattern: Block", "pattern: Vertical"], "of these"].tolist() == [0, 1]
    assert others["pattern: Block"] == pytest.approx(6 / 11)
    assert not any(name.startswith("surface role") for name in of_relevance.index)


def test_the_table_of_all_heads_gets_a_column_a_task(measured):
    heads = page.heads(measured)
    assert list(heads.columns) == ["loss without: relevance", "loss without: sentiment"]
    assert heads.index.names == ["layer", "head"]
    assert np.isfinite(heads.to_numpy()).all()


def test_examples_are_of_the_first_fine_tuning(measured):
    examples = tables(measured)["harmful-examples"]
    assert set(examples["seed"]) == {0}
    assert set(examples["arm"]) == {"tuned"}
