"""The stage on tiny readers, in a folder of its own, against the models asked one row at a time."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

import stages.reading.claims  # noqa: F401 - registers the measures
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.questions.question import read_questions
from stages.core.questions.unanswerable import REMOVALS
from stages.core.runtime.runtime import read_runtime
from stages.core.stage.files import InputError
from stages.core.tasks.examples import drawn_rows
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.reading import scoring, stage, tables
from stages.reading.accuracies import unlearnt_sets
from stages.reading.attacks import CONTROLS, TO_PASSAGE, attack
from stages.reading.conditions import Version, intact_alone
from stages.reading.page import PAGE
from tests.claims import found
from tests.reading.made import READING, write_project

MEASURES = Path("work/measures/reading/toy")
READERS = ["tuned-0", "tuned-1", "tuned_from_random-0", "P-Shuffle-0"]


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> None:
    monkeypatch.chdir(tmp_path)
    write_project(tiny_bert, 12, READERS)


def read(name: str = "scores") -> pd.DataFrame:
    return pd.read_parquet(MEASURES / f"{name}.parquet")


def assume_baselines(value: float) -> None:
    """Put this value in place of every baseline's."""
    read("baselines").assign(accuracy=value).to_parquet(MEASURES / "baselines.parquet")


def right(model, tokenizer, question, behind: str = "") -> float:
    """Whether the model gives the right option the highest score, one row at a time."""
    scores = []
    for place in range(len(question.options)):
        first, second = question.pair(place)
        first = " ".join(filter(None, (first, behind)))
        with torch.inference_mode():
            inputs = tokenizer(first, second, return_tensors="pt")
            scores.append(float(model(**inputs).logits[0, 0]))
    return float(np.argmax(scores) == question.answer)


def test_answers_are_those_of_the_models(project):
    stage.run_stage("toy")
    answers = read("outcomes").set_index(["arm", "seed", "condition", "at", "id"])["right"]
    for name in READERS:
        reader, _, seed = name.rpartition("-")
        folder = Path("work/readers/toy") / name
        model, tokenizer = load_tuned(folder), load_tokenizer(folder)
        for question in read_questions("work/questions/toy/validation.parquet"):
            expected = right(model, tokenizer, question)
            assert answers[reader, int(seed), "intact", "whole", question.id] == expected
            if reader == "P-Shuffle":
                continue
            one = attack(TO_PASSAGE, question, READING["shuffle_seed"])
            expected = right(model, tokenizer, question, one.appended)
            assert answers[reader, int(seed), TO_PASSAGE, TO_PASSAGE, question.id] == expected
            one = attack("AddAns2Opt", question, READING["shuffle_seed"]).question
            place = (reader, int(seed), "AddAns2Opt", "AddAns2Opt-Shuffle", question.id)
            assert answers[place] == right(model, tokenizer, one)
    scores = read()
    of_reader = scores.groupby(["arm", "seed"], sort=False).size()
    # Intact, without parts, each attack with its controls and the intact questions, and each
    # control and its attack again on questions told apart.
    every = 1 + len(REMOVALS) + sum(2 + 3 * len(own) for own in CONTROLS.values())
    assert of_reader.to_dict() == {
        ("tuned", 0): every,
        ("tuned", 1): every,
        ("tuned_from_random", 0): every,
        ("P-Shuffle", 0): 1,
    }
    assert {len(drawn) for drawn in scores["accuracy_drawn"]} == {READING["resamples"]}
    assert (scores["examples"].iloc[0], scores["passages"].iloc[0]) == (12, 9)
    shuffled = read("shuffled").set_index("condition")
    assert shuffled.loc[TO_PASSAGE, "texts"] == 12
    assert shuffled.loc["Ans2Opt-Shuffle", "left"] == shuffled.loc["Ans2Opt-Shuffle", "texts"]
    assert shuffled.loc["Ans2Opt-Shuffle", "same_as_right"] == 12


def test_heads_off_are_those_of_the_model_without_their_weights(project):
    stage.run_stage("toy", 1)
    row = read("heads").query("attack == @TO_PASSAGE and layer == 1 and head == 2").iloc[0]
    folder = Path("work/readers/toy/tuned-1")
    model, tokenizer = load_tuned(folder), load_tokenizer(folder)
    questions = read_questions("work/questions/toy/validation.parquet")

    def probabilities(behind: bool) -> np.ndarray:
        found = []
        for question in questions:
            more = attack(TO_PASSAGE, question, 3).appended if behind else ""
            rows = [question.pair(place) for place in range(len(question.options))]
            with torch.inference_mode():
                scores = [
                    model(**tokenizer(f"{one} {more}".strip(), other, return_tensors="pt")).logits
                    for one, other in rows
                ]
            found.append(torch.cat(scores).softmax(0)[question.answer, 0].item())
        return np.array(found)

    before = {behind: probabilities(behind).mean() for behind in (False, True)}
    size = model.config.hidden_size // model.config.num_attention_heads
    mixing = model.bert.encoder.layer[1].attention.output.dense
    mixing.weight.data[:, 2 * size : 3 * size] = 0
    after = {behind: probabilities(behind).mean() for behind in (False, True)}
    assert row[tables.ATTACKED] == pytest.approx(after[True] - before[True], abs=1e-5)
    assert row[tables.UNTOUCHED] == pytest.approx(after[False] - before[False], abs=1e-5)
    effect = (after[True] - after[False]) - (before[True] - before[False])
    assert row[tables.EFFECT] == pytest.approx(effect, abs=1e-5)
    heads = read("heads")
    assert len(heads) == 2 * 2 * 4  # attacks, layers, heads
    choices = read("choices")
    assert len(choices) == 2 * 2 * 2  # attacks, outcomes, changes
    assert (choices["cases"] == 12).all()


def test_the_attention_of_cls_is_the_models(project):
    stage.run_stage("toy", 0)
    shares = read("cls").query("arm == 'tuned'").set_index(["condition", "part"])
    assert shares.groupby("condition")["share"].sum().to_numpy() == pytest.approx([1, 1])
    assert shares.loc[(TO_PASSAGE, "end"), "tokens"] > 0
    assert shares.loc[("intact", "end"), "tokens"] > 0
    heads = read("cls_heads").query("arm == 'tuned' and condition == 'intact'")
    folder = Path("work/readers/toy/tuned-0")
    model, tokenizer = load_tuned(folder), load_tokenizer(folder)
    model.set_attn_implementation("eager")
    questions = read_questions("work/questions/toy/validation.parquet")
    special = []
    for number in drawn_rows(12, READING["cls_examples"], [0, 2]):
        question, own = questions[number], []
        for place in range(len(question.options)):
            inputs = tokenizer(*question.pair(place), return_tensors="pt")
            with torch.inference_mode():
                maps = torch.cat(model(**inputs, output_attentions=True).attentions)
            mask = torch.isin(inputs["input_ids"][0], torch.tensor(tokenizer.all_special_ids))
            own.append(maps[:, :, 0][..., mask].sum(-1).numpy())
        special.append(np.mean(own, axis=0))
    expected = np.mean(special, axis=0)
    shown = heads[heads["part"] == "special"].pivot(index="layer", columns="head", values="share")
    np.testing.assert_allclose(shown.to_numpy(), expected, atol=1e-5)


def test_a_seed_alone_gives_the_same(project):
    stage.run_stage("toy", 0)
    alone = read()
    stage.run_stage("toy")
    assert not Path("work/scratch/reading/toy").exists()
    together = read()
    assert together["arm"].unique().tolist() == ["tuned", "tuned_from_random", "P-Shuffle"]
    together = together[together["seed"] == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(together, alone)


def test_what_is_missing_or_does_not_fit_is_said(project, tiny_bert):
    with pytest.raises(InputError, match="no reader that was tuned .* with seed 7"):
        stage.run_stage("toy", 7)
    write_project(tiny_bert, 12, READERS, max_length=20)
    with pytest.raises(InputError, match="`max_length` is 20"):
        stage.run_stage("toy", 0)


def test_the_table_says_which_readers_there_are(project):
    expected = [("tuned", 0), ("tuned", 1), ("tuned_from_random", 0), ("P-Shuffle", 0)]
    folder = Path("work/readers/toy")
    shutil.copytree(folder / "tuned-1", folder / "tuned-5")  # of an earlier setting
    assert stage.readers_of("toy", None) == expected
    assert stage.readers_of("toy", 1) == [("tuned", 1)]
    shutil.rmtree(folder / "P-Shuffle-0")
    with pytest.raises(InputError, match="P-Shuffle-0: no such folder, but .*toy/runs.parquet"):
        stage.readers_of("toy", None)
    Path("work/measures/readers/toy/runs.parquet").unlink()
    with pytest.raises(InputError, match="toy/runs.parquet: no reader that was tuned"):
        stage.readers_of("toy", None)


def test_without_attacks_on_heads_the_tables_are_empty(project, tiny_bert):
    write_project(tiny_bert, 12, READERS, head_attacks=[])
    stage.run_stage("toy", 1)
    assert len(read("heads")) == len(read("choices")) == 0
    assert len(read("cls")) == 2 * len(tables.PARTS)


def test_a_killed_run_goes_on_with_the_piece_that_is_missing(project, tmp_path, monkeypatch):
    folder = Path("work/readers/toy/tuned-0")
    questions = read_questions("work/questions/toy/validation.parquet")
    inputs = intact_alone(load_tokenizer(folder), questions, 60)[Version("intact")].encoded
    gated = Gated(load_tuned(folder))
    monkeypatch.setattr(scoring, "PASSES_IN_PIECE", 2)

    def scores_of(tokens: int) -> np.ndarray:
        run = tmp_path / f"run-{tokens}"
        return scoring.score_rows(gated, inputs, tokens, read_runtime(), run, folder)

    # Parts of one row each are as those of many, but for rounding.
    scores = scores_of(100)
    np.testing.assert_allclose(scores, scores_of(1), atol=1e-5)
    files = sorted((tmp_path / "run-100").glob("*/*.npz"))
    assert len(files) > 2
    files[1].unlink()
    done = []
    piece = scoring._score_piece
    monkeypatch.setattr(scoring, "_score_piece", lambda *job: done.append(1) or piece(*job))
    np.testing.assert_array_equal(scores_of(100), scores)
    assert len(done) == 1


def test_questions_are_drawn_and_passages_are_the_groups(project, tiny_bert):
    write_project(tiny_bert, 12, READERS, examples=8, head_attacks=[TO_PASSAGE], head_examples=6)
    stage.run_stage("toy", 1)
    every = read_questions("work/questions/toy/validation.parquet")
    drawn = [every[row] for row in drawn_rows(12, 8, 0)]
    answers = read("outcomes").query("condition == 'intact' and at == 'whole'")
    assert answers["id"].tolist() == [question.id for question in drawn]
    assert (read()["passages"].iloc[0]) == len({question.passage for question in drawn})
    of_heads = {drawn[row].passage for row in drawn_rows(8, 6, [0, 1])}
    choices = read("choices")
    assert (choices["cases"].iloc[0], choices["groups"].iloc[0]) == (6, len(of_heads))


def test_page_and_claims_read_what_the_stage_wrote(project):
    stage.run_stage("toy")
    measures = Measures(Path("work/measures"), {}, [], {})
    written = read("baselines")
    assume_baselines(-1.0)  # whatever these readers of random weights score, they have learnt
    assert unlearnt_sets(measures) == []
    assert len(PAGE.sections(measures)) == 5
    written.to_parquet(MEASURES / "baselines.parquet")
    answer = found(measures, "reader_over_baseline", model=tables.GUESS)
    scores = read().query("arm == 'tuned' and condition == 'intact' and at == 'whole'")
    guess = written.set_index("model").loc[tables.GUESS, "accuracy"]
    assert answer.pooled.value == pytest.approx(100 * (scores["accuracy"].mean() - guess), abs=1e-4)
    assert answer.control is not None and answer.seeds == 2
    assume_baselines(-1.0)
    assert found(measures, "cost_of_attack", attack=TO_PASSAGE).seeds == 2
    # Nobody speaks of what is no better than a baseline.
    assume_baselines(1.0)
    assert unlearnt_sets(measures) == ["toy"]
    titles = [section.title for section in PAGE.sections(measures)]
    assert len(titles) == 3 and not [title for title in titles if "heads" in title]
    with pytest.raises(NotMeasured, match="better than the longest option"):
        found(measures, "cost_of_attack", attack=TO_PASSAGE)
