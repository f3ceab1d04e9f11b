"""The stage `ablate` on tiny models of two seeds and of the control."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.ablate import stage as ablate
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.gate_batches import GateBatch, off_matrix
from stages.core.heads.gates import Gate
from stages.core.heads.seam import Gated
from stages.core.outcomes.tables import GATES
from stages.core.tasks.examples import read_examples
from tests import toy

ABLATE = {
    "modes": ["zero"],
    "sizes": {
        "zero": {
            "examples": None,
            "shares": [0.5],
            "half_shares": [0.5],
            "draws": 2,
            "share_examples": 10,
        },
    },
    "for_tasks": [],
    "precision": "fp32",
    "batch": 8,
    "reference": 4,
    "control": {
        "modes": ["zero"],
        "batch": 8,
        "examples": None,
        "shares": [0.5],
        "half_shares": [],
        "draws": 2,
        "share_examples": 10,
    },
    "resamples": 20,
    "splits": 10,
    "seed": 0,
}
KEPT = "toy {}: kept, as nothing changed that it depends on\n".format


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> Path:
    """A folder with 24 examples and a model of each of two seeds in the place of the tuned."""
    monkeypatch.chdir(tmp_path)
    write_parameters([0, 4])
    toy.write_examples_of("toy", 24, pairs=False)
    validation = toy.examples_path("toy")
    validation.with_name("train.parquet").write_bytes(validation.read_bytes())
    for seed in (0, 4):
        toy.write_models(tiny_bert, "tuned", seed=seed)
    toy.write_models(tiny_bert, "random_weights", "tuned_from_random")
    return tmp_path


def write_parameters(seeds: list[int], **changes) -> None:
    run = {"seeds": seeds, "control_seeds": 1}
    toy.write_parameters(ablate=ABLATE | changes, run=run)


def outcomes() -> dict[str, bytes]:
    files = [path for path in Path("work/ablate/toy").rglob("*") if path.is_file()]
    return {str(path.relative_to("work/ablate/toy")): path.read_bytes() for path in files}


def logits_without(seed: int, head: tuple[int, int]) -> np.ndarray:
    """Of the tuned model of a seed, by one full pass an example."""
    folder = Path(f"work/models/toy/tuned-{seed}")
    model, examples = Gated(load_tuned(folder)), read_examples(toy.examples_path("toy"))
    gate = GateBatch("zero", off_matrix([Gate("zero", (head,), "head")], model.layers, model.heads))
    logits = np.empty((len(examples), 2), dtype=np.float32)
    with torch.inference_mode():
        for batch in encode(load_tokenizer(folder), examples, 40).batches(1):
            logits[batch.rows[0]] = model(batch.inputs, gate=gate)[0]
    return logits


def test_every_seed_has_the_outcomes_of_its_own_model(project):
    ablate.run_stage("toy")
    for seed in (0, 4):
        folder = Path(f"work/ablate/toy/{seed}/fixed-zero")
        gates = pd.read_parquet(folder / "gates.parquet")
        (row,) = gates.query("family == 'head' and layer == 1 and head == 2").index
        kept = np.load(folder / "logits.npy")[row]
        np.testing.assert_allclose(kept, logits_without(seed, (1, 2)), atol=1e-5)


def test_a_seed_that_is_added_leaves_the_others_as_they_are(project, capsys):
    write_parameters([0])
    ablate.run_stage("toy")
    before = outcomes()
    write_parameters([0, 4])
    capsys.readouterr()
    ablate.run_stage("toy")
    assert capsys.readouterr().out == KEPT("tuned 0") + KEPT("tuned_from_random 0")
    after = outcomes()
    assert after.items() > before.items()
    assert {name.split("/")[0] for name in after} == {"0", "4"}
    write_parameters([0, 4], reference=3)
    capsys.readouterr()
    ablate.run_stage("toy")
    assert capsys.readouterr().out == KEPT("tuned_from_random 0")
    write_parameters([0, 4], reference=3, control=ABLATE["control"] | {"examples": 20})
    ablate.run_stage("toy")
    assert capsys.readouterr().out == KEPT("tuned 0") + KEPT("tuned 4")
    write_parameters([0, 4], reference=3, precision="bf16")
    ablate.run_stage("toy")
    assert "kept" not in capsys.readouterr().out


def test_other_resamples_run_no_gate_anew(project, capsys):
    ablate.run_stage("toy")
    write_parameters([0, 4], resamples=30, splits=5)
    capsys.readouterr()
    ablate.run_stage("toy")
    kept = [KEPT(name) for name in ("tuned 0", "tuned 4", "tuned_from_random 0")]
    assert capsys.readouterr().out == "".join(kept)
    assert len(pd.read_parquet(GATES.path("toy"))["effect_drawn"][0]) == 30


def test_a_model_that_changed_is_looked_at_anew(project, capsys, tiny_bert):
    ablate.run_stage("toy")
    before = outcomes()
    toy.write_models(tiny_bert, "untuned", "tuned", seed=4)
    capsys.readouterr()
    ablate.run_stage("toy")
    assert capsys.readouterr().out == KEPT("tuned 0") + KEPT("tuned_from_random 0")
    changed = {name for name, content in outcomes().items() if before[name] != content}
    names = ("baseline", "logits")
    parts = ("fixed-zero", "shares-zero")
    assert changed == {f"4/{part}/{name}.npy" for part in parts for name in names}


def test_effects_of_every_seed_and_arm_stand_in_one_table(project):
    ablate.run_stage("toy", 4)
    written = Path("work/measures/ablate/toy").glob("*.parquet")
    alone = {path.name: pd.read_parquet(path) for path in written}
    ablate.run_stage("toy")
    assert len(alone) == 5
    for name, of_one in alone.items():
        table = pd.read_parquet(f"work/measures/ablate/toy/{name}")
        assert table["seed"].unique().tolist() == [0, 4]
        arms = table[["arm", "seed"]].drop_duplicates()
        control = [] if "gaps" in name else [["tuned_from_random", 0]]  # it has no half shares
        assert arms.to_numpy().tolist() == [["tuned", 0], ["tuned", 4], *control]
        second = table[table["seed"] == 4].reset_index(drop=True)
        pd.testing.assert_frame_equal(second, of_one)


def test_no_control_is_made_of_a_seed_that_has_none(project):
    ablate.run_stage("toy", 4)
    assert set(pd.read_parquet(GATES.path("toy"))["arm"]) == {"tuned"}


def test_only_the_outcomes_of_the_tuned_encoder_are_outputs(project):
    ablate.run_stage("toy")
    assert {name.split("/")[0] for name in outcomes()} == {"0", "4"}
    (gates,) = Path("work/scratch/ablate/toy/tuned_from_random-0").rglob("fixed-zero/gates.parquet")
    assert len(pd.read_parquet(gates)) == 8 + 2
