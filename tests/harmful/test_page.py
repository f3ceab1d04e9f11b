"""The page of heads that hurt, on synthetic measures."""

import numpy as np
import pandas as pd
import pytest

from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures, open_measures
from stages.harmful import compared
from stages.harmful.compared import all_heads, apart, losses_in_percent, on_seeds, on_tasks
from stages.harmful.page import PAGE, first_examples
from stages.harmful.tables import HEADS
from tests.claims import found, write_table
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

    monkeypatch.setattr(compared, "head_column", head_column)
    monkeypatch.chdir(tmp_path)
    return open_measures()


def test_seeds_and_tasks_are_held_against_one_another(measured):
    seeds = on_seeds(measured)
    assert seeds["data"].value_counts().to_dict() == {"relevance": 3, "sentiment": 3}
    assert seeds[["low", "high"]].notna().all(axis=None)
    others = on_tasks(measured)
    assert list(zip(others["data"], others["heads"], strict=True)) == [
        ("relevance", "heads of sentiment"),
        ("sentiment", "heads of relevance"),
    ]


def test_columns_of_other_pages_stand_beside_heads_that_hurt(measured):
    rows_apart = apart(measured).set_index(["data", "figure"])
    rows = measured.rows(HEADS.where(data="relevance", arm="tuned"))
    mean = rows.groupby(["layer", "head"])[["chosen", "confidence"]].mean()
    hurts = mean["chosen"] >= 0.5
    row = rows_apart.loc[("relevance", "confidence")]
    assert row["heads that hurt"] == hurts.sum() == 1
    assert row["of these"] == pytest.approx(mean["confidence"][hurts].mean())
    assert row["of the others"] == pytest.approx(mean["confidence"][~hurts].mean())
    of_relevance = rows_apart.loc["relevance"]
    # Head 1.2 is the sixth of all.
    assert of_relevance.loc["cosine before/after tuning", "of these"] == 5
    others = of_relevance["of the others"]
    assert others["cosine before/after tuning"] == pytest.approx((66 - 5) / 11)
    assert of_relevance.loc[["pattern: Block", "pattern: Vertical"], "of these"].tolist() == [0, 1]
    assert others["pattern: Block"] == pytest.approx(6 / 11)
    assert not any(name.startswith("surface role") for name in of_relevance.index)


def test_the_table_of_all_heads_gets_a_column_a_task(measured):
    heads = PAGE.heads(measured)
    title = "change of the loss without it"
    assert list(heads.columns) == [f"{title}, relevance", f"{title}, sentiment"]
    assert heads.index.names == ["layer", "head"]
    assert np.isfinite(heads.to_numpy()).all()


def test_examples_are_of_the_first_fine_tuning(measured):
    examples = first_examples(measured)
    assert set(examples["seed"]) == {0}
    assert set(examples["arm"]) == {"tuned"}


def test_the_page_and_the_claims_give_one_interval_for_one_estimate(measured):
    """Three fine-tunings of each task; the control of one task stands beside that task."""
    rows = losses_in_percent(measured).set_index(["data", "arm"])
    for claim, column in (("loss_without_harmful", "change"), ("loss_beyond_random", "beyond")):
        answer = found(measured, claim)
        for task, estimate in answer.tasks.items():
            row = rows.loc[(task, "tuned")]
            ends = row[column], row[f"{column}_low"], row[f"{column}_high"]
            assert ends == pytest.approx((estimate.value, estimate.low, estimate.high))
    difference = rows["change"] - rows["random"]
    assert rows["beyond"].to_numpy() == pytest.approx(difference.to_numpy())


def test_heads_hurt_from_half_of_the_halves_on(measures):
    """The largest change of the tuned encoder is the unit, for random weights too."""
    rows = [
        {"layer": 0, "head": head, "loss": loss, "chosen": chosen}
        for head, (loss, chosen) in enumerate(((-0.2, 0.5), (-0.4, 0.49), (0.1, 0.0)))
    ]
    write_table(measures, HEADS, rows, arm="tuned")
    write_table(measures, HEADS, rows[:1], arm="tuned_from_random")
    heads = all_heads(measures)
    assert heads["hurts"].tolist() == [True, False, False, True]
    assert heads["share"].tolist() == pytest.approx([-0.5, -1, 0.25, -0.5])
