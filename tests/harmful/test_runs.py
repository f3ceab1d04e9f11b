"""The stage on tiny models, one of whose heads hurts, in a layer and at a place other than 0."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.grid.grid import Grid
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.stage.files import InputError
from stages.core.tasks.examples import drawn_rows, read_examples, write_examples
from stages.harmful import stage as harmful
from stages.harmful.tables import EXAMPLES, HALVES, HEADS, SAVING, SCORES, SPREAD
from tests import toy

HURTS = (1, 2)
HARMFUL = {
    "most": 1,
    "examples": 40,
    "scored": 60,
    "divisions": 2,
    "draws": 2,
    "random_examples": 24,
    "bins": 5,
    "shown": 3,
    "precision": "fp32",
    "batch": 16,
    "resamples": 50,
    "seed": 0,
}


def logits_without(folder: Path) -> np.ndarray:
    """Of every example with each head alone off: [layer and head, example, class]."""
    examples = read_examples(toy.examples_path("toy"))
    encoded = encode(load_tokenizer(folder), examples, 40)
    gated = Gated(load_tuned(folder))
    grid = Grid(gated, list(single_heads(gated.layers, gated.heads, "zero")))
    batch = encoded.batch(np.arange(len(examples)))
    return grid.run(batch)[1].reshape(gated.layers, gated.heads, len(examples), -1)


def sharpen(folder: Path) -> None:
    """Scale the classifier, so that what is right is sure."""
    model = load_tuned(folder)
    model.classifier.weight.data *= 20
    model.classifier.bias.data *= 0
    model.save_pretrained(folder)


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> Path:
    """Labels are what the tuned model says without the head that hurts."""
    monkeypatch.chdir(tmp_path)
    toy.write_parameters(harmful=HARMFUL)
    toy.write_examples_of("toy", 64)
    toy.write_models(tiny_bert, "tuned", "tuned_from_random")
    folder = Path("work/models/toy/tuned-0")
    sharpen(folder)
    logits = logits_without(folder)[HURTS]
    # The two classes are as frequent.
    model = load_tuned(folder)
    model.classifier.bias.data[0] += float(np.median(logits[:, 1] - logits[:, 0]))
    model.save_pretrained(folder)
    examples = read_examples(toy.examples_path("toy"))
    examples["label"] = logits_without(folder)[HURTS].argmax(axis=1).astype(float)
    write_examples(examples, toy.examples_path("toy"))
    return tmp_path


def table(declared, arm: str = "tuned") -> pd.DataFrame:
    found = pd.read_parquet(declared.path("toy"))
    return found[found["arm"] == arm]


def test_the_head_that_hurts_is_found_and_all_is_right_without_it(project):
    harmful.run_stage("toy")
    heads = table(HEADS)
    (chosen,) = heads[heads["chosen"] > 0].to_dict("records")
    assert (chosen["layer"], chosen["head"], chosen["chosen"]) == (*HURTS, 1.0)
    assert chosen["loss"] == heads["loss"].min() < 0
    assert chosen["examples"] == 40
    scores = table(SCORES).set_index("figure")
    accuracy = scores.loc["accuracy"]
    assert accuracy["full"] < 1
    assert accuracy["cut"] == 1
    assert accuracy["change_low"] > 0
    assert (accuracy["examples"], accuracy["chosen_on"], accuracy["heads_ablated"]) == (60, 40, 1)
    assert scores.loc["loss", "change_high"] < 0
    assert scores.loc["loss", "beyond"] < 0
    halves = table(HALVES)
    assert halves[halves["chosen"]].groupby(["division", "half"]).size().tolist() == [1] * 4
    mean = halves.groupby(["layer", "head"])["loss"].mean()
    np.testing.assert_allclose(mean.to_numpy(), heads["loss"].to_numpy(), rtol=1e-6)
    # The examples that gain most are those that the model got wrong.
    shown = table(EXAMPLES)
    assert len(shown) == 3
    assert (shown["full"] != shown["label"]).all()
    assert (shown["cut"] == shown["label"]).all()
    assert table(SPREAD)["heads"].tolist() == ["chosen", "random"]
    (saving,) = table(SAVING).to_dict("records")
    assert saving["of_attention"] == 1 / 8
    control = table(HEADS, "tuned_from_random")
    assert len(control) == 8
    assert (control["loss"].to_numpy() != heads["loss"].to_numpy()).all()


def write_ablate(some: np.ndarray) -> None:
    """What `ablate` writes of some examples: gates in another order than places, and a layer."""
    single = logits_without(Path("work/models/toy/tuned-0")).reshape(8, 64, 2)
    folder = Path("work/ablate/toy/0/fixed-zero")
    folder.mkdir(parents=True)
    layer, head = (place.ravel() for place in np.indices((2, 4)))
    gates = pd.DataFrame({"layer": layer, "head": head, "family": "head", "precision": "fp32"})
    gates = pd.concat([gates.iloc[::-1], gates[:1].assign(family="layer")], ignore_index=True)
    gates.to_parquet(folder / "gates.parquet")
    examples = read_examples(toy.examples_path("toy"))
    examples.iloc[some][["id", "label"]].to_parquet(folder / "examples.parquet", index=False)
    logits = single[::-1][:, some]
    np.save(folder / "logits.npy", np.concatenate([logits, 0 * logits[:1]]))


@pytest.fixture
def single_runs(monkeypatch) -> list[tuple[int, int]]:
    """How many gates and examples each run of single heads has."""
    ran = []
    run_gates = harmful.run_gates

    def count(grid, encoded, *others):
        ran.append((len(grid.gates), len(encoded.lengths)))
        return run_gates(grid, encoded, *others)

    monkeypatch.setattr("stages.harmful.single_heads.run_gates", count)
    return ran


def test_what_ablate_has_is_not_run_again_and_gives_the_same(project, single_runs):
    harmful.run_stage("toy")
    assert single_runs == [(8, 40), (8, 40)]
    without = {table: pd.read_parquet(table.path("toy")) for table in (SCORES, HEADS, HALVES)}
    scored = drawn_rows(64, 60, 0)
    write_ablate(np.intersect1d(scored, drawn_rows(64, 40, 0))[1:25][::-1])
    harmful.run_stage("toy")
    # `ablate` has no grid of the control.
    assert single_runs[2:] == [(8, 16), (8, 40)]
    for declared, before in without.items():
        plain = [column for column in before if column not in declared.resampled]
        after = pd.read_parquet(declared.path("toy"))
        pd.testing.assert_frame_equal(after[plain], before[plain], rtol=1e-3, atol=1e-5)
        for column in declared.resampled:
            drawn, known = (np.stack(list(rows[column])) for rows in (after, before))
            np.testing.assert_allclose(drawn, known, rtol=1e-3, atol=1e-4)


def test_all_that_ablate_has_chooses(project, single_runs):
    write_ablate(np.arange(64))
    harmful.run_stage("toy")
    assert single_runs == [(8, 40)]  # of the control
    assert set(table(SCORES)["chosen_on"]) == {60}
    assert set(table(SCORES, "tuned_from_random")["chosen_on"]) == {40}


def test_a_killed_run_takes_finished_batches_and_gives_the_same(project, monkeypatch):
    harmful.run_stage("toy")
    before = {table: table.path("toy").read_bytes() for table in (SCORES, HEADS, HALVES)}
    batches, run = [], Grid.run

    def some_of(limit: int) -> None:
        batches.clear()

        def counted(grid, batch, *others):
            if len(batches) == limit:
                raise KeyboardInterrupt
            batches.append(batch)
            return run(grid, batch, *others)

        monkeypatch.setattr(Grid, "run", counted)

    some_of(10_000)
    harmful.run_stage("toy")
    whole = len(batches)
    some_of(whole - 1)
    with pytest.raises(KeyboardInterrupt):
        harmful.run_stage("toy")
    assert Path("work/scratch/harmful/toy").is_dir()
    some_of(10_000)
    harmful.run_stage("toy")
    assert len(batches) < whole / 2
    assert not Path("work/scratch/harmful/toy").exists()
    for table, written in before.items():
        assert table.path("toy").read_bytes() == written


def test_a_regression_of_single_texts(tmp_path, monkeypatch, tiny_bert):
    """As STS-B's scores, and as SST-2's texts."""
    monkeypatch.chdir(tmp_path)
    task = {"kind": "regression", "metrics": ["pearson", "spearman"], "max_length": 40}
    task["data"] = toy.PARAMETERS["tasks"]["toy"]["data"]
    toy.write_parameters(harmful=HARMFUL | {"most": 2, "scored": None}, tasks={"toy": task})
    toy.write_examples_of("toy", 50, pairs=False)
    toy.write_models(tiny_bert, "tuned", "tuned_from_random")
    harmful.run_stage("toy")
    scores = table(SCORES)
    assert scores["figure"].tolist() == ["loss", "pearson", "calibration"]
    assert scores[["change", "change_low", "change_high", "random"]].notna().all(axis=None)
    assert (table(EXAMPLES)["text_b"].isna()).all()


def test_what_chooses_is_among_what_scores(project):
    toy.write_parameters(harmful=HARMFUL | {"examples": 61})
    with pytest.raises(InputError, match="`examples`, which choose, are among `scored`"):
        harmful.run_stage("toy")


def test_a_half_that_chooses_nothing_ablates_no_head(project):
    folder = Path("work/models/toy/tuned-0")
    encoded = encode(load_tokenizer(folder), read_examples(toy.examples_path("toy")), 40)
    gated = Gated(load_tuned(folder))
    parameters = harmful.Harmful(**HARMFUL)
    runtime = harmful.read_runtime()
    full, without = harmful.run_sets(
        gated, encoded, [(), (HURTS,)], parameters, runtime, Path("run"), folder
    )
    assert torch.equal(torch.from_numpy(without[0]), torch.from_numpy(full))
    assert np.abs(without[1] - full).max() > 1e-3
    np.testing.assert_allclose(
        harmful.with_all_heads(gated, encoded, parameters), full, rtol=1e-4, atol=1e-5
    )


def test_a_seed_without_control_is_measured_alone(project, tiny_bert):
    toy.write_parameters(harmful=HARMFUL, run={"seeds": [0, 1], "control_seeds": 1})
    toy.write_models(tiny_bert, "tuned", seed=1)
    harmful.run_stage("toy", 1)
    scores = pd.read_parquet(SCORES.path("toy"))
    assert {*zip(scores["arm"], scores["seed"], strict=True)} == {("tuned", 1)}
