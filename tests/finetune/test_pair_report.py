"""Claims and page of the models of pairs, on predictions whose scores are known."""

from itertools import chain

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix, f1_score

from stages.core.tasks.tables import PREDICTIONS
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.claims import SUMMARIES
from stages.core.verdicts.measures import Measures
from stages.finetune import pair_baselines_page as page
from stages.finetune.tables import PAIR_CLASSES, PAIR_PREDICTIONS
from tests.claims import found, write_run, write_table

SEEDS = [0, 1, 2]
CLASSES = ["none", "some", "much"]


def write_classes(measures: Measures, names: list[str]) -> None:
    rows = [{"class": number, "name": name} for number, name in enumerate(names)]
    write_table(measures, PAIR_CLASSES, rows)


def test_gain_over_a_model_of_pairs(measures: Measures) -> None:
    """Of twenty: the encoder has 2 and 4 wrong, that from random weights 6, the LSTM 8 and 8."""
    for seed, wrong in ((0, 2), (1, 4)):
        write_run(measures, "finetune/one", wrong, arm="tuned", seed=seed)
        write_run(measures, "pair_baselines/one", 8, arm="lstm", seed=seed)
        write_run(measures, "pair_baselines/one", 1, arm="towers", seed=seed)
    write_run(measures, "finetune/one", 0, arm="untuned", seed=0)
    answer = found(measures, "gain_over_pair_model", model="lstm", task="one")
    assert answer.pooled.value == pytest.approx(25)
    assert (answer.arm, answer.seeds, answer.decided_on) == ("tuned", 2, "one")
    assert answer.control is None
    assert "random" in answer.uncontrolled
    write_run(measures, "finetune/one", 6, arm="tuned_from_random", seed=0)
    answer = found(measures, "gain_over_pair_model", model="lstm", task="one")
    assert answer.control.value == pytest.approx(10)
    assert answer.beyond.value == pytest.approx(15)
    # Four of twenty examples change in both runs, two more in one of them.
    assert answer.beyond.low < 15 < answer.beyond.high
    behind = found(measures, "gain_over_pair_model", model="towers", task="one")
    assert behind.pooled.value == pytest.approx(-10)
    with pytest.raises(NotMeasured, match="task two"):
        found(measures, "gain_over_pair_model", model="lstm", task="two")


def test_figures_of_other_models_are_means_over_seeds(measures: Measures) -> None:
    for seed, wrong in ((0, 2), (1, 6)):
        write_run(measures, "pair_baselines/one", wrong, arm="lstm", seed=seed)
    assert SUMMARIES["pair_baselines"](measures) == {"one": {"lstm": {"accuracy": 0.8}}}


def test_another_task_stands_beside_and_decides_nothing(measures: Measures) -> None:
    for task, wrong in (("one", 5), ("two", 9)):
        write_run(measures, f"finetune/{task}", 1, arm="tuned", seed=0)
        write_run(measures, f"pair_baselines/{task}", wrong, arm="lstm", seed=0)
    answer = found(measures, "gain_over_pair_model", model="lstm", task="two")
    assert answer.pooled.value == pytest.approx(40)
    assert answer.tasks["one"].value == pytest.approx(20)


@pytest.fixture
def three_classes(tmp_path) -> Measures:
    """Sixty examples of three classes, of which models get different shares wrong."""
    measures = Measures(tmp_path, {"one": "accuracy"}, ["tuned", "untuned"], {"one": SEEDS})
    generator = np.random.default_rng(0)
    labels = generator.integers(3, size=60)

    def run(right: float, **columns: object) -> list[dict]:
        drawn = np.where(generator.random(60) < right, labels, (labels + 1) % 3)
        pairs = enumerate(zip(labels, drawn, strict=True))
        return [
            {"id": f"x{row}", "label": float(label), "prediction": float(guess), **columns}
            for row, (label, guess) in pairs
        ]

    models = {"tuned": 0.95, "untuned": 0.4}, {"lstm": 0.3, "towers": 0.95}
    for table, rights in zip((PREDICTIONS, PAIR_PREDICTIONS), models, strict=True):
        drawn = [run(right, arm=arm, seed=s) for arm, right in rights.items() for s in SEEDS]
        write_table(measures, table, list(chain(*drawn)))
    write_classes(measures, CLASSES)
    return measures


def test_scores_and_confusions_are_those_of_scikit_learn(three_classes: Measures) -> None:
    table = page.pair_scores(three_classes).set_index(["metric", "arm"])
    assert set(table.index.get_level_values("arm")) == {
        "encoder",
        "LSTM across the pair",
        "two towers",
    }
    runs = page.pair_runs(three_classes)
    lstm = runs[runs["arm"] == "lstm"]
    macro = [
        100 * f1_score(run["label"], run["prediction"], average="macro")
        for _, run in lstm.groupby("seed")
    ]
    row = table.loc[("macro_f1", "LSTM across the pair")]
    assert row["score"] == pytest.approx(np.mean(macro))
    assert row["score_low"] < row["score"] < row["score_high"]
    assert (row["examples"], row["seeds"]) == (60, 3)
    cells = page.confusions(three_classes, ["lstm"])
    expected = confusion_matrix(lstm["label"], lstm["prediction"])
    assert cells["examples"].to_numpy().reshape(3, 3).tolist() == expected.tolist()
    assert cells["label"].tolist()[:4] == ["none"] * 3 + ["some"]
    assert cells["predicted"].tolist()[:3] == CLASSES


def test_gains_are_over_each_other_model(three_classes: Measures) -> None:
    rows = page.pair_gains(three_classes).set_index(["metric", "over"])
    assert rows.loc[("accuracy", "LSTM across the pair"), "gain_low"] > 0
    towers = rows.loc[("macro_f1", "two towers")]
    assert towers["gain_low"] < 0 < towers["gain_high"]
    items = [item for section in page.PAGE.sections(three_classes) for item in section.items]
    assert "pair-baselines-confusion-towers" in {item.name for item in items}


def test_a_score_is_compared_by_its_own_metric(tmp_path) -> None:
    measures = Measures(tmp_path, {"one": "spearman"}, ["tuned"], {"one": [0]})
    noise = np.random.default_rng(0).normal(size=(3, 40))
    truth = np.linspace(0, 5, 40)
    models = {"tuned": 0.1, "lstm": 2.0, "towers": 4.0}
    for (arm, share), line in zip(models.items(), noise, strict=True):
        rows = pd.DataFrame({"id": range(40), "label": truth, "prediction": truth + share * line})
        rows["id"] = rows["id"].astype(str)
        table = PREDICTIONS if arm == "tuned" else PAIR_PREDICTIONS
        write_table(measures, table, rows.to_dict("records"), arm=arm)
    assert len(page.PAGE.sections(measures)) == 1, "confusions of a score"
    table = page.pair_scores(measures)
    assert set(table["metric"]) == {"spearman"}
    assert table["score"].is_monotonic_decreasing
