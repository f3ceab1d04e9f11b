"""The stage of the models of pairs as it is run: kept runs, killed ones, scores, refusals."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ruamel.yaml import YAML

from stages.core.scratch import last_state
from stages.core.stage.files import InputError
from stages.core.tasks.examples import examples_frame, write_examples
from stages.finetune import run as one_run
from stages.finetune.pair_baselines import stage
from stages.finetune.pair_baselines.stage import PairBaselines, PairRun, settings_of
from stages.finetune.run import make
from stages.finetune.training import Finetune

REPOSITORY = Path(__file__).parents[2]
NOUNS = ["dog", "cat", "house", "garden", "river", "book", "song"]
OUTPUTS = ("predictions.parquet", "settings.parquet", "classes.parquet")
PARAMETERS = {
    "run": {"arms": ["tuned"], "seeds": [0], "control_seeds": None},
    "runtime": {"device": "cpu", "threads": 2, "checkpoint_steps": 2},
    "finetune": {"batch": 8, "learning_rate": 1e-3, "epochs": 1},
    "pair_baselines": {
        "tasks": ["toy"],
        "lstm": {"size": 5, "learning_rate": 1e-2, "dropout": 0.2},
    },
    "tasks": {
        "toy": {
            "data": {"source": "written", "train": 44, "validation": 10, "seed": 0},
            "kind": "classification",
            "labels": ["bad", "good"],
            "metrics": ["accuracy"],
            "max_length": 32,
        }
    },
}


def toy_examples(split: str, count: int) -> pd.DataFrame:
    generator = np.random.default_rng(len(split))
    rows = [
        {
            "id": f"{split}-{number}",
            "text_a": " ".join(generator.choice(NOUNS, generator.integers(1, 9))),
            "text_b": str(generator.choice(NOUNS)),
            "label": float(number % 2),
        }
        for number in range(count)
    ]
    return examples_frame(rows)


@pytest.fixture
def project(
    tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Make the current folder a project with a toy task; calls change its parameters."""
    (tmp_path / "stages").symlink_to(REPOSITORY / "stages")
    monkeypatch.chdir(tmp_path)
    for split, count in (("train", 44), ("validation", 10)):
        write_examples(toy_examples(split, count), f"work/tasks/toy/{split}.parquet")
    parameters = PARAMETERS | {"checkpoint": {"source": "folder", "path": str(tiny_bert)}}

    def change(section: str = "finetune", **values: object) -> None:
        parameters[section] = parameters[section] | values
        YAML().dump(parameters, Path("params.yaml"))

    change()
    return change


def outputs() -> dict[str, bytes]:
    return {name: Path("work/measures/pair_baselines/toy", name).read_bytes() for name in OUTPUTS}


def in_this_process(monkeypatch: pytest.MonkeyPatch) -> list[PairRun]:
    """Let the stage make its runs one after the other; the list has those that it made."""
    made = []

    def one_by_one(function, runs, places, report):
        for run in runs:
            function(run, report)
            made.append(run)
            yield run

    monkeypatch.setattr(one_run, "side_by_side", one_by_one)
    return made


def test_every_model_and_seed_stands_in_the_tables(
    project: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tuned = in_this_process(monkeypatch)
    stage.run_stage("toy")
    assert [run.key for run in tuned] == ["towers-0", "lstm-0"]
    first, table = (
        outputs(),
        pd.read_parquet("work/measures/pair_baselines/toy/predictions.parquet"),
    )
    stage.run_stage("toy")
    assert outputs() == first and len(tuned) == 4, "an ended stage is not made anew"
    project("run", seeds=[0, 1])
    for run in stage.runs_of("toy", [0]):  # as if it had been killed behind these
        make(run, lambda message: None)
    stage.run_stage("toy")
    assert [run.key for run in tuned[4:]] == ["towers-1", "lstm-1"], "others were made again"
    assert not [path for path in Path("work/scratch").rglob("*") if path.is_file()]

    both = pd.read_parquet("work/measures/pair_baselines/toy/predictions.parquet")
    kept = both[both["seed"] == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, table)
    keys = [(kind, seed) for kind in ("lstm", "towers") for seed in (0, 1)]
    assert both.groupby(["arm", "seed"]).size().to_dict() == dict.fromkeys(keys, 10)
    values = both.pivot(index="id", columns=["arm", "seed"], values="logit_0")
    assert values.T.drop_duplicates().shape == (4, 10), "two runs predict the same"
    settings = pd.read_parquet("work/measures/pair_baselines/toy/settings.parquet")
    assert settings.set_index("arm")["learning_rate"].to_dict() == {"towers": 1e-3, "lstm": 1e-2}
    assert settings["weights"].nunique() == 2
    classes = pd.read_parquet("work/measures/pair_baselines/toy/classes.parquet")
    assert classes["name"].tolist() == ["bad", "good"]


@pytest.mark.parametrize("kind", ["lstm", "towers"])
def test_a_run_that_was_stopped_goes_on_to_the_same_bits(
    project: Callable[..., None], kind: str
) -> None:
    (run,) = (run for run in stage.runs_of("toy", [0]) if run.arm == kind)
    make(run, lambda said: None)
    results = run.scratch / "finished"
    whole = (results / "table.parquet").read_bytes()
    shutil.rmtree(run.scratch)
    steps = []

    def stop(said: str | int) -> None:
        steps.append(said)
        if steps.count(1) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(run, stop)
    assert last_state(run.scratch).name == "checkpoint-2"
    again = []
    make(run, again.append)
    assert again[0] == 2, "it does not go on from its state"
    assert (results / "table.parquet").read_bytes() == whole


def test_scores_are_learnt_too(
    project: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_this_process(monkeypatch)
    entry = PARAMETERS["tasks"]["toy"] | {"kind": "regression", "metrics": ["spearman"]}
    project("tasks", toy={key: value for key, value in entry.items() if key != "labels"})
    stage.run_stage("toy")
    table = pd.read_parquet("work/measures/pair_baselines/toy/predictions.parquet")
    assert table["prediction"].nunique() > 2
    assert "logit_1" not in table
    assert pd.read_parquet("work/measures/pair_baselines/toy/classes.parquet").empty


def test_a_task_of_single_texts_is_refused(
    project: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_this_process(monkeypatch)
    for split in ("train", "validation"):
        single = toy_examples(split, 44).assign(text_b=None)
        write_examples(single, f"work/tasks/toy/{split}.parquet")
    with pytest.raises(InputError, match="single texts"):
        stage.run_stage("toy")


def test_the_budget_is_the_encoders_but_for_what_the_lstm_has_of_its_own() -> None:
    own = PairBaselines.model_validate(PARAMETERS["pair_baselines"])
    common = Finetune(epochs=5, batch=16, learning_rate=3e-5, precision="bf16", compile=True)
    towers, lstm = (settings_of(kind, common, own.lstm) for kind in ("towers", "lstm"))
    assert towers == common.model_copy(update={"compile": False})
    changed = {"learning_rate": 1e-2, "dropout": 0.2, "precision": "fp32", "compile": False}
    assert lstm == common.model_copy(update=changed)
    without = common.model_copy(update={"dropout": 0.0})
    assert settings_of("lstm", without, own.lstm).dropout == 0.0
