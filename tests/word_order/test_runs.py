"""The stage on tiny models of two seeds, in a folder of its own."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.stage.files import InputError
from stages.core.tasks.examples import read_examples
from stages.word_order import stage, tables
from stages.word_order.shuffles import another_order
from tests import toy

WORD_ORDER = {
    "tasks": ["toy"],
    "units": ["words", "pieces"],
    "heads": 0.2,  # two of eight
    "find_examples": 6,
    "draws": 6,
    "draw_examples": 16,
    "batch": 16,
    "shuffle_seed": 3,
    "resamples": 20,
    "seed": 0,
}
MEASURES = Path("work/measures/word_order")
NAMES = ("heads", "scores", "changes", "returns", "grades", "means", "texts")


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> None:
    monkeypatch.chdir(tmp_path)
    toy.write_parameters(word_order=WORD_ORDER, run={"seeds": [1, 0], "control_seeds": 1})
    toy.write_examples_of("toy", 16)
    validation = toy.examples_path("toy")
    validation.with_name("train.parquet").write_bytes(validation.read_bytes())
    for seed in (0, 1):
        toy.write_models(tiny_bert, "tuned", "random_weights", seed=seed)


def read(name: str) -> pd.DataFrame:
    return pd.read_parquet(MEASURES / f"toy/{name}.parquet")


def mean_class(seed: int, shuffled: bool) -> float:
    """The mean predicted class of texts, tokenised anew when their words were exchanged."""
    folder = Path(f"work/models/toy/tuned-{seed}")
    model, tokenizer = load_tuned(folder), load_tokenizer(folder)
    classes = []
    for example in read_examples(toy.examples_path("toy")).to_dict("records"):
        words = example["text_b"].split()
        if len(set(words)) < 2:
            continue
        if shuffled:
            numbers = [words.index(word) for word in words]
            words = [words[unit] for unit in another_order(numbers, example["id"], 3)]
        inputs = tokenizer(example["text_a"], " ".join(words), return_tensors="pt")
        with torch.inference_mode():
            classes.append(int(model(**inputs).logits.argmax()))
    return float(np.mean(classes))


def test_grades_are_those_of_the_model_on_the_shuffled_text(project):
    stage.run_stage("toy")
    means = read("means").set_index(["seed", "unit", "condition"])["mean_grade"]
    for seed in (0, 1):
        for shuffled, condition in ((False, tables.INTACT), (True, tables.SHUFFLED)):
            expected = mean_class(seed, shuffled)
            assert means[seed, "words", condition] == pytest.approx(expected)
    assert len(means) == 2 * 2 * len(tables.CONDITIONS)
    scores = read("scores")
    # Random weights were made with the first seed alone, and have the score alone.
    assert set(zip(scores["arm"], scores["seed"], strict=True)) == {
        *(("tuned", 1), ("tuned", 0), ("random_weights", 1))
    }
    drawn = np.stack(scores["score_drawn"])
    assert drawn.shape == (len(scores), WORD_ORDER["resamples"])
    limits = np.quantile(drawn, [0.025, 0.975], axis=1).T
    np.testing.assert_allclose(limits, scores[["score_low", "score_high"]], atol=1e-6)
    changes = read("changes")
    assert changes["seed"].unique().tolist() == [1, 0]
    assert set(changes["arm"]) == {"tuned"}
    of_runs = changes.set_index(["seed", "unit", "difference"])["change"]
    for seed in (0, 1):
        fall = means[seed, "words", tables.SHUFFLED] - means[seed, "words", tables.INTACT]
        assert of_runs[seed, "words", tables.FALL] == pytest.approx(fall)
    heads = read("heads")
    assert (heads.groupby(["seed", "arm", "unit"])["selected"].sum() == 2).all()
    draws = read("means").query("condition == @tables.SHUFFLED_RANDOM")["draws"]
    assert draws.tolist() == [3] * 4


def test_a_seed_alone_gives_the_same(project):
    stage.run_stage("toy", 0)
    alone = {name: read(name) for name in NAMES}
    assert alone["scores"]["seed"].unique().tolist() == [0]
    stage.run_stage("toy")
    assert not Path("work/scratch/word_order/toy").exists()
    for name, table in alone.items():
        together = read(name)
        rows = together[together["seed"] == 0].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, table)


def test_a_task_without_second_texts_is_refused(project):
    toy.write_examples_of("toy", 4, pairs=False)
    with pytest.raises(InputError, match="no second text"):
        stage.run_stage("toy", 0)
