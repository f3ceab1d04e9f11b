"""Claims and page of the models of pairs, on predictions whose scores are known."""

from itertools import chain

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix, f1_score

from stages.core.pages.page import Figure
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.claims import SUMMARIES
from stages.core.verdicts.measures import Measures
from stages.finetune import pair_baselines_page as page
from tests.claims import found, write, write_run

SEEDS = [0, 1, 2]
CLASSES = ["none", "some", "much"]


def write_settings(measures: Measures, task: str, names: list[str]) -> None:
    rows = [
        {"model": model, "epochs": 3, "learning_rate": 1e-3, "weights": 100}
        for model in ("towers", "lstm")
    ]
    write(measures, f"pair_baselines/{task}-settings", rows)
    classes = pd.DataFrame({"class": range(len(names)), "name": np.array(names, dtype=object)})
    classes.to_parquet(measures.folder / f"pair_baselines/{task}-classes.parquet")


def test_gain_over_a_model_of_pairs(measures: Measures) -> None:
    """Of twenty: the encoder has 2 and 4 wrong, that from random weights 6, the LSTM 8 and 8."""
    for seed, wrong in ((0, 2), (1, 4)):
        write_run(measures, "finetune/one", wrong, arm="tuned", seed=seed)
        write_run(measures, "pair_baselines/one", 8, model="lstm", seed=seed)
        write_run(measures, "pair_baselines/one", 1, model="towers", seed=seed)
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
        write_run(measures, "pair_baselines/one", wrong, model="lstm", seed=seed)
    assert SUMMARIES["pair_baselines"](measures) == {"one": {"lstm": {"accuracy": 0.8}}}


def test_another_task_stands_beside_and_decides_nothing(measures: Measures) -> None:
    for task, wrong in (("one", 5), ("two", 9)):
        write_run(measures, f"finetune/{task}", 1, arm="tuned", seed=0)
        write_run(measures, f"pair_baselines/{task}", wrong, model="lstm", seed=0)
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

    arms = {"tuned": 0.95, "untuned": 0.4}
    own = [run(right, arm=arm, seed=s) for arm, right in arms.items() for s in SEEDS]
    write(measures, "finetune/one", list(chain(*own)))
    others = {"lstm": 0.3, "towers": 0.95}
    beside = [run(right, model=name, seed=s) for name, right in others.items() for s in SEEDS]
    write(measures, "pair_baselines/one", list(chain(*beside)))
    write_settings(measures, "one", CLASSES)
    return measures


def test_scores_and_confusions_are_those_of_scikit_learn(three_classes: Measures) -> None:
    runs = page.predictions(three_classes)
    table = page.scores(three_classes, runs).set_index(["metric", "model"])
    assert set(table.index.get_level_values("model")) == {
        "encoder",
        "LSTM across the pair",
        "two towers",
    }
    lstm = runs[runs["model"] == "lstm"]
    macro = [
        100 * f1_score(run["label"], run["prediction"], average="macro")
        for _, run in lstm.groupby("seed")
    ]
    row = table.loc[("macro_f1", "LSTM across the pair")]
    assert row["value"] == pytest.approx(np.mean(macro))
    assert row["low"] < row["value"] < row["high"]
    assert (row["examples"], row["seeds"]) == (60, 3)
    cells = page.confusion(lstm, CLASSES)
    expected = confusion_matrix(lstm["label"], lstm["prediction"])
    assert cells["examples"].to_numpy().reshape(3, 3).tolist() == expected.tolist()
    assert cells["label"].tolist()[:4] == ["none"] * 3 + ["some"]
    assert cells["predicted"].tolist()[:3] == CLASSES


def test_sentences_say_what_the_intervals_do(three_classes: Measures) -> None:
    sections = page.sections(three_classes)
    text = sections[0].items[0].finding
    # At the top the first metric alone.
    in_short = page.in_short(three_classes)
    assert len(in_short) == 2
    assert text.startswith(" ".join(in_short))
    assert "the encoder has more accuracy than the LSTM across the pair" in text
    assert "neither the encoder nor the two towers is shown to have more macro F1" in text
    row = {"task": "t", "metric": "accuracy", "over": "x", "value": -3.0, "low": -5.0, "high": -1.0}
    assert page.sentence(row) == (
        "On t, the encoder has less accuracy than the x: -3.0 points [-5.0, -1.0]."
    )
    names = [(type(item), item.name) for section in sections for item in section.items]
    assert len(set(names)) == len(names)
    assert (Figure, "pair-baselines-confusion-one-towers") in names


def test_a_score_is_compared_by_its_own_metric(tmp_path) -> None:
    measures = Measures(tmp_path, {"one": "spearman"}, ["tuned"], {"one": [0]})
    noise = np.random.default_rng(0).normal(size=(3, 40))
    truth = np.linspace(0, 5, 40)
    models = {"tuned": 0.1, "lstm": 2.0, "towers": 4.0}
    for (name, share), line in zip(models.items(), noise, strict=True):
        rows = pd.DataFrame({"id": range(40), "label": truth, "prediction": truth + share * line})
        rows["id"] = rows["id"].astype(str)
        rows = rows.assign(seed=0, **{"arm" if name == "tuned" else "model": name})
        if name == "tuned":
            write(measures, "finetune/one", rows.to_dict("records"))
        else:
            write(measures, f"{name}", rows.to_dict("records"))
    others = [pd.read_parquet(tmp_path / f"{name}.parquet") for name in ("lstm", "towers")]
    write(measures, "pair_baselines/one", pd.concat(others).to_dict("records"))
    write_settings(measures, "one", [])
    sections = page.sections(measures)
    assert len(sections) == 1, "confusions of a score"
    table = page.scores(measures, page.predictions(measures))
    assert set(table["metric"]) == {"spearman"}
    assert table["value"].is_monotonic_decreasing
