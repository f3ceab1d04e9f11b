"""The stage as it is run: every family, arm and seed, twice, side by side, killed, torchrun."""

import shutil
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from ruamel.yaml import YAML

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_encoder, load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.runtime.runtime import read_runtime
from stages.core.stage.files import InputError
from stages.core.tasks.examples import examples_frame, write_examples
from stages.finetune import run as one_run
from stages.finetune import stage as finetune
from stages.finetune.training import texts_of_pass

REPOSITORY = Path(__file__).parents[2]
ARMS = ("untuned", "tuned_from_random", "tuned", "random_weights")
NOUNS = ["dog", "cat", "house", "garden", "river", "book", "song"]
Outputs = dict[str, bytes]


def toy_examples(split: str, count: int, seed: int) -> pd.DataFrame:
    """Pairs of different lengths whose label is whether the first word is `good`."""
    generator = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        good = bool(generator.integers(2))
        words = generator.choice(NOUNS, generator.integers(1, 15)).tolist()
        rows.append(
            {
                "id": f"{split}-{number}",
                "text_a": " ".join(["good" if good else "bad", *words]),
                "text_b": str(generator.choice(NOUNS)),
                "label": float(good),
            }
        )
    return examples_frame(rows)


@pytest.fixture
def project(
    tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Make the current folder a project with a toy task; calls change its parameters."""
    (tmp_path / "stages").symlink_to(REPOSITORY / "stages")
    monkeypatch.chdir(tmp_path)
    write_examples(toy_examples("train", 106, 0), "work/tasks/toy/train.parquet")
    write_examples(toy_examples("validation", 30, 1), "work/tasks/toy/validation.parquet")
    parameters = {
        "run": {"arms": list(ARMS), "seeds": [0], "control_seeds": None},
        "runtime": {"device": "cpu", "threads": 1, "checkpoint_steps": 1000},
        "checkpoint": {"source": "folder", "path": str(tiny_bert)},
        "finetune": {"batch": 16, "learning_rate": 1e-3, "epochs": 2},
        "tasks": {
            "toy": {
                "data": {"source": "written", "train": 106, "validation": 30, "seed": 0},
                "kind": "classification",
                "labels": ["bad", "good"],
                "metrics": ["accuracy", "f1"],
                "max_length": 32,
            }
        },
    }

    def change(section: str = "finetune", **values: object) -> None:
        parameters[section] |= values
        YAML().dump(parameters, Path("params.yaml"))

    change()
    return change


def run(arm: str | None = "tuned", seed: int | None = 0) -> Outputs:
    """Run the stage for one run, or (None) for all; the files it wrote."""
    finetune.run_stage("toy", arm, seed)
    return outputs("*" if arm is None else arm, "*" if seed is None else seed)


def run_anew(arm: str | None = "tuned", seed: int | None = 0) -> Outputs:
    """As `run`, with nothing left of an earlier one."""
    for folder in ("scratch", "models", "measures"):
        shutil.rmtree(Path("work", folder), ignore_errors=True)
    return run(arm, seed)


def outputs(arm: str = "tuned", seed: int | str = 0) -> Outputs:
    files = sorted(Path("work/models/toy").glob(f"{arm}-{seed}/*"))
    files += sorted(Path("work/measures/finetune/toy").iterdir())
    return {str(file): file.read_bytes() for file in files}


def models(written: Outputs) -> Outputs:
    return {name: content for name, content in written.items() if "models" in name}


def logits() -> np.ndarray:
    table = pd.read_parquet("work/measures/finetune/toy/predictions.parquet")
    return table[["logit_0", "logit_1"]].to_numpy()


def run_and_kill(step: int) -> None:
    """Run the stage in a process of its own and kill it once the state of `step` is written.

    It is forked from one that has imported the stage, as `side_by_side` forks runs.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload([finetune.__name__])
    process = context.Process(target=finetune.run_stage, args=("toy", "tuned", 0))
    process.start()
    end = time.monotonic() + 120
    while not list(Path("work/scratch").glob(f"finetune/*/*/*/checkpoint-{step}/complete")):
        assert process.is_alive(), "it ended before it could be killed"
        assert time.monotonic() < end, f"no state of step {step} after two minutes"
        time.sleep(0.002)
    process.kill()
    process.join()


def left_in_scratch() -> list[Path]:
    return [path for path in Path("work/scratch").rglob("*") if path.is_file()]


def states() -> list[Path]:
    return sorted(Path("work/scratch").glob("finetune/*/*/*/checkpoint-*"))


def test_every_family_is_tuned(
    project: Callable[..., None], any_checkpoint: Path, tmp_path: Path
) -> None:
    project("checkpoint", path=str(any_checkpoint))
    written = run()
    names = {Path(name).name for name in written}
    assert {"config.json", "model.safetensors", "tokenizer.json"} < names
    assert "training_args.bin" not in names
    model = load_tuned(Path("work/models/toy/tuned-0"))
    tokenizer = load_tokenizer(Path("work/models/toy/tuned-0"))
    encoded = encode(tokenizer, toy_examples("validation", 30, 1), 32)
    for batch in encoded.batches(30):
        with torch.inference_mode():
            found = model(**batch.inputs).logits.numpy()
        np.testing.assert_allclose(found, logits()[batch.rows], atol=1e-5)
    before, after = load_encoder(any_checkpoint), model.base_model
    moved = [
        not torch.equal(value, after.state_dict()[name])
        for name, value in before.state_dict().items()
        if name in after.state_dict() and "layer" in name
    ]
    assert all(moved)


def test_arms_and_seeds(project: Callable[..., None]) -> None:
    project(learning_rate=1e-2, epochs=8)
    project("run", seeds=[0, 1])
    written = run(None, None)
    weights = [
        written[f"work/models/toy/{arm}-{n}/model.safetensors"] for arm in ARMS for n in (0, 1)
    ]
    assert len(set(weights)) == 8
    keys = [(arm, n) for arm in ARMS for n in (0, 1)]
    settings = pd.read_parquet("work/measures/finetune/toy/settings.parquet")
    assert settings[["data", "arm", "epochs", "batch", "learning_rate"]].to_dict("split")[
        "data"
    ] == [["toy", arm, 8, 16, 1e-2] for arm in ARMS if arm.startswith("tuned")]
    table = pd.read_parquet("work/measures/finetune/toy/predictions.parquet")
    assert table.groupby(["arm", "seed"], sort=False).size().to_dict() == dict.fromkeys(keys, 30)
    accuracy = (table["label"] == table["prediction"]).groupby([table["arm"], table["seed"]]).mean()
    assert accuracy["tuned", 1] > accuracy["untuned", 1] + 0.2
    assert not left_in_scratch()


def test_runs_side_by_side_write_the_bytes_of_a_run_alone(project: Callable[..., None]) -> None:
    project("run", seeds=[0, 1])
    alone = [run_anew("tuned", seed) for seed in (0, 1)]
    project("runtime", threads=3)
    together = models(run_anew(None, None))
    assert together.items() >= models(alone[0]).items()
    assert together.items() >= models(alone[1]).items()


def test_a_stage_that_ended_is_made_anew(
    project: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    before = models(run(None, None))
    assert not left_in_scratch()
    task = YAML(typ="safe").load(Path("params.yaml"))["tasks"]["toy"]
    project("tasks", toy=task | {"seeds": [0, 2]})
    shutil.rmtree("work/models")  # as DVC does before a stage runs
    capsys.readouterr()
    after = models(run(None, None))
    assert after.items() > before.items()
    printed = capsys.readouterr().out
    assert "kept" not in printed
    assert "toy tuned-0: " in printed and "toy tuned-2: " in printed
    project("run", control_seeds=1)
    shutil.rmtree("work/models")
    at_random = {"tuned_from_random-2", "random_weights-2"}
    fewer = {name for name in after if Path(name).parent.name not in at_random}
    assert models(run(None, None)) == {name: after[name] for name in fewer}


def test_a_stage_that_was_killed_keeps_the_runs_that_were_finished(
    project: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    def finish(*arms: str) -> None:
        for one in finetune.runs_of("toy", arms, [0], read_runtime()):
            one_run.make(one, lambda message: None)

    def kept() -> set[str]:
        capsys.readouterr()
        run(None, None)
        lines = capsys.readouterr().out.splitlines()
        return {line.split()[1].removesuffix(":") for line in lines if "kept" in line}

    expected = models(run(None, None))
    shutil.rmtree("work/models")
    finish("tuned", "untuned")
    assert len(states()) == 0 and left_in_scratch()
    # A stage of one seed leaves the runs of another alone.
    assert models(run("untuned", 0)).items() <= expected.items()
    assert kept() == {"tuned-0"}
    assert models(outputs("*", "*")) == expected
    assert not left_in_scratch()
    # A result of other settings, of other examples, and one that lost a byte.
    finish("tuned")
    project(learning_rate=2e-3)
    assert kept() == set()
    finish("tuned")
    write_examples(toy_examples("train", 107, 2), "work/tasks/toy/train.parquet")
    assert kept() == set()
    finish("tuned", "untuned")
    (file,) = Path("work/scratch").glob("finetune/toy/tuned-0/*/finished/model/model.safetensors")
    with file.open("r+b") as stream:
        stream.write(b"spoilt")
    assert kept() == {"untuned-0"}


def test_a_stage_that_fails_at_its_end_keeps_its_runs(
    project: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("stages.core.tables.atomic", interrupt)
        run()
    assert left_in_scratch()
    assert run() == run_anew()
    assert not left_in_scratch()


def test_a_seed_that_the_task_lacks_is_refused(project: Callable[..., None]) -> None:
    with pytest.raises(InputError, match=r"`run\.seeds` has no 7, only \[0\]"):
        run("tuned", 7)


def test_wrong_settings_are_refused_before_anything_runs(project: Callable[..., None]) -> None:
    project(batch=107)
    with pytest.raises(InputError, match="only 106 training examples"):
        run(None, None)
    assert not Path("work/scratch").exists()


def test_a_second_run_writes_the_same_bytes(project: Callable[..., None]) -> None:
    assert run() == run_anew()


def test_scores_are_tuned_for(project: Callable[..., None]) -> None:
    entry = YAML(typ="safe").load(Path("params.yaml"))["tasks"]["toy"]
    del entry["labels"]
    project("tasks", toy=entry | {"kind": "regression", "metrics": ["pearson"]})
    project(learning_rate=1e-2, epochs=8)
    run()
    table = pd.read_parquet("work/measures/finetune/toy/predictions.parquet")
    columns = ["data", "seed", "arm", "id", "label", "prediction", "logit_0"]
    assert list(table.columns) == columns
    assert np.corrcoef(table["label"], table["prediction"])[0, 1] > 0.5


def test_accumulated_passes_make_the_same_steps(
    project: Callable[..., None], tiny_bert_without_dropout: Path
) -> None:
    project("checkpoint", path=str(tiny_bert_without_dropout))
    run()
    whole = logits()
    project(accumulation=4)
    run()
    np.testing.assert_allclose(logits(), whole, atol=1e-4)
    # In parts of two examples or three, and an example that is longer by itself.
    for most in (30, 1):
        project(accumulation=2, pass_tokens=most)
        run()
        np.testing.assert_allclose(logits(), whole, atol=1e-4)
    project(accumulation=1, pass_tokens=4096, learning_rate=2e-3)
    run()
    assert np.abs(logits() - whole).max() > 1e-2  # so the tolerance above means something


@pytest.mark.parametrize(("length", "texts"), [(64, 64), (128, 32), (256, 8), (512, 2), (5000, 1)])
def test_long_texts_are_fewer_in_a_pass(length, texts):
    assert texts_of_pass(length, 4096) == texts


def test_bfloat16_moves_the_result_a_little(
    project: Callable[..., None], tiny_bert_without_dropout: Path
) -> None:
    project("checkpoint", path=str(tiny_bert_without_dropout))
    run()
    whole = logits()
    project(precision="bf16")
    run()
    assert 0 < np.abs(logits() - whole).max() < 0.2


def test_auto_is_kept_and_recorded_as_what_it_stands_for(
    project: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stages.finetune.training.fast_in_bf16", lambda device: False)
    project(precision="auto")
    run()
    settings = pd.read_parquet("work/measures/finetune/toy/settings.parquet")
    assert settings["precision"].tolist() == ["fp32"]
    (auto,) = finetune.runs_of("toy", ["tuned"], [0], read_runtime())
    project(precision="fp32")
    assert finetune.runs_of("toy", ["tuned"], [0], read_runtime()) == [auto]


@pytest.mark.parametrize("fast", [True, False])
def test_slow_bf16_is_said_to_be_slow(
    project: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
    fast: bool,
) -> None:
    monkeypatch.setattr(one_run, "fast_in_bf16", lambda device: fast)
    project(precision="bf16")
    for one in finetune.runs_of("toy", ["tuned"], [0], read_runtime()):
        one_run.require_possible(one, 100)
    assert ("a hundred times slower than fp32; auto takes" in capsys.readouterr().out) is not fast


def test_tf32_without_cuda(project: Callable[..., None]) -> None:
    project(precision="tf32")
    with pytest.raises(InputError, match="only CUDA has"):
        run()


@pytest.mark.parametrize("rate", [float("inf"), float("nan")])
def test_a_learning_rate_that_is_no_number(project: Callable[..., None], rate: float) -> None:
    project(learning_rate=rate)
    with pytest.raises(InputError, match=r"key `learning_rate`: .*finite number"):
        run()


def test_a_tuning_that_went_astray_is_not_scored(project: Callable[..., None]) -> None:
    project(learning_rate=1e30)
    with pytest.raises(InputError, match="30 of 30 validation examples are not finite"):
        run()
    assert not Path("work/measures").exists()


def test_killed_and_run_again_it_ends_with_the_same_bytes(project: Callable[..., None]) -> None:
    project(epochs=30)
    project("runtime", checkpoint_steps=20)
    expected = run()
    shutil.rmtree("work/scratch")
    shutil.rmtree("work/models")
    run_and_kill(step=80)
    assert not Path("work/models").exists()
    time.sleep(0.5)  # the process of the run ends with it
    left = states()
    time.sleep(1)
    assert states() == left
    assert states()
    assert run() == expected
    assert not states()


def test_states_of_other_settings_are_not_resumed(
    project: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run()
    project(epochs=3)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(finetune, "predict", interrupt)
        only = finetune.runs_of("toy", ["tuned"], [0], read_runtime())
        one_run.make(only[0], lambda said: None)
    assert states()
    project(epochs=2)
    assert run() == expected


def interrupt(*unused: object) -> None:
    raise KeyboardInterrupt


def test_two_processes_killed_and_run_again_make_the_steps_of_one(
    project: Callable[..., None], tiny_bert_without_dropout: Path
) -> None:
    project("checkpoint", path=str(tiny_bert_without_dropout))
    project(epochs=10, learning_rate=3e-4)
    project("runtime", checkpoint_steps=20)
    run()
    single = logits()
    project("runtime", processes=2)
    run_and_kill(step=20)
    time.sleep(0.5)  # what torchrun started ends with it
    left = states()
    time.sleep(1)
    assert states() == left
    run()
    assert not states()
    np.testing.assert_allclose(logits(), single, atol=5e-3)
