"""The stage of readers as it is run: arms, kept and killed runs, what they learn, refusals."""

import shutil
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.check.declared import sections
from stages.core.encoder.checkpoint import load_encoder, load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.finished import is_finished, result
from stages.core.questions.inputs import encode_questions
from stages.core.questions.places import questions_file, reader_folder
from stages.core.questions.question import write_questions
from stages.core.questions.scoring import option_scores, outcomes
from stages.core.questions.tables import READER_OUTCOMES, READER_RUNS
from stages.core.questions.unanswerable import NAMES
from stages.core.scratch import last_state
from stages.core.stage.files import InputError
from stages.finetune import run as one_run
from stages.finetune.readers import stage
from stages.finetune.readers.stage import ReaderRun
from stages.finetune.readers.training import QuestionData
from stages.finetune.run import TABLE_FILE, make
from tests.finetune.toy_questions import Project, drawn_questions, every_question

REPOSITORY = Path(__file__).parents[2]
MakeProject = Callable[..., Project]


@pytest.fixture
def make_project(tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> MakeProject:
    """Make the current folder a project with a toy task, on the tiny BERT or another one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stages").symlink_to(REPOSITORY / "stages")  # for processes that import them once
    return lambda checkpoint=tiny_bert, count=44: Project(checkpoint, count)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[ReaderRun]:
    """Let the stage make its runs one after the other in this process; here are those it made."""
    runs = []

    def one_by_one(function, jobs, places, report):
        for job in jobs:
            function(job, report)
            runs.append(job)
            yield job

    monkeypatch.setattr(one_run, "side_by_side", one_by_one)
    return runs


def outputs() -> dict[str, bytes]:
    files = [*Path("work/readers").rglob("*"), *Path("work/measures/readers").rglob("*")]
    return {str(file): file.read_bytes() for file in files if file.is_file()}


def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    declared = (READER_OUTCOMES, READER_RUNS)
    return tuple(pd.read_parquet(table.path("toy")) for table in declared)


def test_a_reader_learns_a_cue_of_the_passage_and_nothing_without_it(
    make_project: MakeProject, made: list[ReaderRun]
) -> None:
    project = make_project(count=240)
    project.change("finetune", learning_rate=5e-3, epochs=10, batch=16, dropout=0.0)
    project.change("readers", unanswerable=["P-Remove"])
    stage.run_stage("toy")
    assert [run.key for run in made] == ["tuned-0", "tuned_from_random-0", "P-Remove-0"]
    found, runs = tables()
    accuracies = runs.set_index("arm")["accuracy"]
    assert accuracies["tuned"] > 0.9
    chance = 12 / 30
    assert accuracies["P-Remove"] == pytest.approx(chance, abs=0.1)
    pd.testing.assert_series_equal(
        found.groupby("arm")["right"].mean(), accuracies.sort_index(), check_names=False
    )
    assert (runs["steps"] == 150).all() and (runs["trained_on"] == 240).all()
    assert (runs["examples"] == 30).all() and (runs["seed"] == 0).all()


def test_every_family_is_tuned_for_a_step_and_loaded_again(
    make_project: MakeProject, made: list[ReaderRun], any_checkpoint: Path
) -> None:
    project = make_project(any_checkpoint)
    project.change("finetune", batch=44, pass_tokens=700, warmup=0.0)
    stage.run_stage("toy", 0)
    found, runs = tables()
    assert (runs["steps"] == 1).all()
    assert runs[["arm", "seed"]].values.tolist() == [["tuned", 0], ["tuned_from_random", 0]]
    assert found.groupby(["arm", "seed"]).size().tolist() == [30, 30]
    before = load_encoder(any_checkpoint).state_dict()
    questions = every_question()
    for arm in ("tuned", "tuned_from_random"):
        folder = reader_folder("toy", arm, 0)
        model = load_tuned(folder)
        assert model.config.num_labels == 1
        inputs = encode_questions(load_tokenizer(folder), questions, 40)
        again = outcomes(questions, inputs, option_scores(model, inputs, 300, torch.device("cpu")))
        own = found[found["arm"] == arm].reset_index(drop=True)
        assert own["id"].tolist() == again["id"].tolist()
        assert own["answer"].tolist() == [question.answer for question in questions]
        np.testing.assert_allclose(own["loss"], again["loss"], atol=1e-5)
        moved = [
            (value - before[name]).abs().max().item()
            for name, value in model.base_model.state_dict().items()
            if name in before and "layer" in name
        ]
        assert all(moved)
        assert (max(moved) < 0.01) == (arm == "tuned")


def test_all_arms_get_the_same_questions_in_the_same_steps(
    make_project: MakeProject, made: list[ReaderRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[list[int]] = []
    whole = QuestionData.chunks

    def noted(self, questions):
        steps.append([int(question) for question in questions])
        return whole(self, questions)

    monkeypatch.setattr(QuestionData, "chunks", noted)
    project = make_project()
    project.change("readers", unanswerable=list(NAMES))
    project.change("finetune", epochs=2)
    stage.run_stage("toy")
    assert len(made) == 8 and len(steps) == 8 * 2 * 5
    assert all(steps[10 * number : 10 * number + 10] == steps[:10] for number in range(8))
    assert steps[:5] != steps[5:10]
    _, runs = tables()
    assert runs["arm"].tolist() == ["tuned", "tuned_from_random", *NAMES]
    by_arm = runs.set_index("arm")
    assert (by_arm["shuffled"] == [0, 0, 44, 44, 88, 0, 0, 0]).all()
    assert by_arm.loc["Q-Shuffle", "left"] == 44  # "what ?" has two orders
    for arm in ("P-Shuffle", "PQ-Shuffle"):
        shuffled = by_arm.loc[arm]
        assert 0.65 <= shuffled["smallest_degree"] < shuffled["mean_degree"] < 1
        assert shuffled["one_word"] == 0
    assert by_arm.loc[["tuned", "Q-Shuffle", "Q-Remove"], "mean_degree"].isna().all()
    assert by_arm.loc["P-Remove", "padding"] == by_arm.loc["PQ-Remove", "padding"] == 0
    assert by_arm.loc["tuned", "padding"] > 0
    folders = {path.name for path in Path("work/readers/toy").iterdir()}
    assert folders == {f"{arm}-0" for arm in ("tuned", "tuned_from_random", *NAMES)}
    assert READER_OUTCOMES.complaint(tables()[0]) == READER_RUNS.complaint(runs) == ""


def test_no_training_reads_more_of_a_passage_than_the_intact_one(
    make_project: MakeProject, made: list[ReaderRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row without its question has room for more of a passage that is cut."""
    trained = []
    monkeypatch.setattr(one_run, "tune", lambda model, data, *others: trained.append(data.inputs))
    project = make_project()
    project.change("tasks", toy=project.parameters["tasks"]["toy"] | {"max_length": 14})
    project.change("readers", unanswerable=list(NAMES))
    stage.run_stage("toy")
    kept = {run.arm: inputs.kept for run, inputs in zip(made, trained, strict=True)}
    assert (trained[0].cut > 0).any() and kept["tuned"].any()
    for arm in ("tuned_from_random", "P-Shuffle", "Q-Shuffle", "PQ-Shuffle", "Q-Remove"):
        np.testing.assert_array_equal(kept[arm], kept["tuned"])
    assert not kept["P-Remove"].any() and not kept["PQ-Remove"].any()


def test_seeds_and_trainings_that_are_made(
    make_project: MakeProject, made: list[ReaderRun], capsys: pytest.CaptureFixture[str]
) -> None:
    project = make_project(count=17)
    stage.run_stage("toy")
    first = outputs()
    project.change("run", seeds=[0, 1])
    project.change("readers", unanswerable=["Q-Remove", "Q-Shuffle"])
    for run in stage.runs_of("toy", 0)[:2]:  # as if it had been killed behind these
        make(run, lambda message: None)
    capsys.readouterr()
    stage.run_stage("toy")
    assert [run.key for run in made[2:]] == ["tuned-1", "Q-Shuffle-0", "Q-Remove-0"]
    assert "toy tuned-0: kept" in capsys.readouterr().out
    models = {name: value for name, value in first.items() if "measures" not in name}
    assert outputs().items() > models.items()
    assert not [path for path in Path("work/scratch").rglob("*") if path.is_file()]

    project.change("readers", unanswerable_seeds=None)
    stage.run_stage("toy", 1)
    assert [run.key for run in made[5:]] == ["tuned-1", "Q-Shuffle-1", "Q-Remove-1"]
    keys = {tuple(key) for key in tables()[1][["arm", "seed"]].values.tolist()}
    assert keys == {("tuned", 1), ("Q-Shuffle", 1), ("Q-Remove", 1)}
    project.change("readers", unanswerable=[])
    assert [run.key for run in stage.runs_of("toy")] == [
        "tuned-0",
        "tuned-1",
        "tuned_from_random-0",
    ]


def test_results_of_other_shuffles_or_questions_are_not_kept(make_project: MakeProject) -> None:
    project = make_project(count=17)
    folders = {stage.runs_of("toy")[0].scratch}
    project.change("readers", shuffle_seed=1)
    folders.add(stage.runs_of("toy")[0].scratch)
    write_questions(drawn_questions("train", 16), questions_file("toy", "train"))
    folders.add(stage.runs_of("toy")[0].scratch)
    assert len(folders) == 3


def test_killed_and_run_again_it_ends_with_the_same_bytes(make_project: MakeProject) -> None:
    """With dropout, in the middle of an epoch, and then side by side with another run."""
    project = make_project()
    project.change("finetune", epochs=8)
    project.change("runtime", checkpoint_steps=7, threads=2)
    runs = stage.runs_of("toy")
    for run in runs:
        make(run, lambda said: None)
    stage.run_stage("toy")
    expected = outputs()
    shutil.rmtree("work/scratch")
    shutil.rmtree("work/readers")

    context = get_context("forkserver")
    context.set_forkserver_preload([stage.__name__])
    process = context.Process(target=make, args=(runs[0], print))
    process.start()
    end = time.monotonic() + 120
    while not (runs[0].scratch / "checkpoint-21" / "complete").exists():
        assert process.is_alive(), "it ended before it could be killed"
        assert time.monotonic() < end, "no state after two minutes"
        time.sleep(0.002)
    process.kill()
    process.join()
    assert not is_finished(runs[0].scratch)
    state = runs[0].scratch / "checkpoint-21"
    stage.run_stage("toy")
    assert not state.exists()
    assert outputs() == expected


def test_a_run_that_was_stopped_goes_on_from_its_state(make_project: MakeProject) -> None:
    make_project().change("runtime", checkpoint_steps=2)
    run, _ = stage.runs_of("toy")
    said = []

    def stop(one: str | int) -> None:
        said.append(one)
        if said.count(1) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(run, stop)
    assert last_state(run.scratch).name == "checkpoint-2"
    again = []
    make(run, again.append)
    assert again[0] == 2


def test_accumulated_batches_make_the_same_steps(make_project: MakeProject) -> None:
    project = make_project()
    losses = []
    for settings in ({}, {"accumulation": 4}, {"pass_tokens": 60}, {"learning_rate": 2e-3}):
        common = {"dropout": 0.0, "accumulation": 1, "pass_tokens": 4096}
        project.change("finetune", **common | settings)
        run, _ = stage.runs_of("toy")
        make(run, lambda said: None)
        losses.append(pd.read_parquet(result(run.scratch, TABLE_FILE))["loss"].to_numpy())
    np.testing.assert_allclose(losses[1], losses[0], atol=1e-4)
    np.testing.assert_allclose(losses[2], losses[0], atol=1e-4)
    assert np.abs(losses[3] - losses[0]).max() > 1e-2  # so the tolerance above means something


@pytest.mark.parametrize(
    "section, values, words",
    [
        ("readers", {"unanswerable": ["P-Swap"]}, "`readers`, key `unanswerable.0`: Input should"),
        ("readers", {"unanswerable": ["P-Remove"] * 2}, "a training stands there twice"),
        ("readers", {"least_degree": 1.2}, "key `least_degree`: Input should be less than or"),
        ("readers", {"least_degree": 0}, "key `least_degree`: Input should be greater than 0"),
        ("readers", {"unanswerable_seeds": 0}, "key `unanswerable_seeds`: Input should be greater"),
        ("readers", {"shuffled": 1}, "key `shuffled`: unknown key; remove it or mend"),
        ("finetune", {"batch": 45}, "only 44 training examples; make it 44 or less"),
        ("finetune", {"precision": "tf32"}, "which only CUDA has"),
        ("finetune", {"batch": 8, "accumulation": 3}, "make it a multiple of 3"),
    ],
)
def test_settings_that_cannot_be_kept_to(
    make_project: MakeProject, section: str, values: dict[str, object], words: str
) -> None:
    project = make_project()
    project.change(section, **values)
    with pytest.raises(InputError) as refused:
        stage.run_stage("toy")
    assert words in str(refused.value) and "params.yaml: `" in str(refused.value)
    assert not Path("work/scratch").exists()


def test_other_refusals(make_project: MakeProject, made: list[ReaderRun]) -> None:
    project = make_project()
    toy = project.parameters["tasks"]["toy"]
    with pytest.raises(InputError, match=r"`run\.seeds` has no 7, only \[0\]"):
        stage.run_stage("toy", 7)
    project.change("tasks", toy=toy | {"finetune": {"rate": 1}})
    with pytest.raises(InputError, match=r"`tasks\.toy\.finetune`, key `rate`: unknown key"):
        stage.run_stage("toy")
    project.change("tasks", toy=toy | {"max_length": 65})
    with pytest.raises(InputError, match="`max_length` of the task is 65.*positions for 64"):
        stage.run_stage("toy")
    project.change("tasks", toy=toy | {"finetune": {"learning_rate": 1e30}})
    with pytest.raises(InputError, match="30 of 30 validation examples are not finite"):
        stage.run_stage("toy")
    project.change("tasks", toy=toy | {"kind": "classification"})
    with pytest.raises(InputError, match="name such a one under `readers.tasks`"):
        stage.run_stage("toy")
    project.change("tasks", toy=toy)
    questions_file("toy", "train").unlink()
    with pytest.raises(InputError, match="run `python -m stages questions` first"):
        stage.run_stage("toy")


def test_the_section_is_known_before_it_is_used() -> None:
    assert set(sections()["readers"].model_fields) == {
        "tasks",
        "unanswerable",
        "unanswerable_seeds",
        "least_degree",
        "shuffle_seed",
    }
