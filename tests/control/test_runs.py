"""The stage `control` on tiny models: what it says is what full forward passes say."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.control import stage as control
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.gate_batches import GateBatch, off_matrix
from stages.core.heads.gates import Gate
from stages.core.heads.seam import Gated
from stages.core.stage.files import InputError
from stages.core.tasks.examples import draw_examples, read_examples
from tests import toy

CONTROL = {
    "modes": ["zero"],
    "precision": "fp32",
    "batch": 8,
    "examples": None,
    "shares": [0.25, 0.5],
    "half_shares": [0.25, 0.5],
    "draws": 2,
    "share_examples": 12,
    "splits": 20,
    "resamples": 50,
    "seed": 0,
}


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> Path:
    """A folder with 24 examples, an untrained model and another one in the place of the tuned."""
    monkeypatch.chdir(tmp_path)
    toy.write_parameters(control=CONTROL)
    toy.write_examples_of("toy", 24, pairs=False)
    toy.write_models(tiny_bert, "random_weights", "tuned_from_random")
    return tmp_path


def accuracy_without(heads: list[tuple[int, int]], count: int = 24) -> float:
    """Of the tuned model without some heads, by one full pass an example."""
    folder = Path("work/models/toy/tuned_from_random-0")
    model = Gated(load_tuned(folder))
    examples = draw_examples(read_examples(toy.examples_path("toy")), count, 0)
    off = off_matrix([Gate("zero", tuple(heads), "random")], model.layers, model.heads)
    right = 0
    with torch.inference_mode():
        for batch in encode(load_tokenizer(folder), examples, 40).batches(1):
            logits = model(batch.inputs, gate=GateBatch("zero", off))
            right += int(logits.argmax()) == examples["label"].iloc[batch.rows[0]]
    return right / len(examples)


def test_effects_of_every_head(project):
    control.run_stage("toy", 0)
    gates = pd.read_parquet("work/measures/control/toy.parquet").set_index("family")
    heads, layers = gates.loc["head"], gates.loc["layer"]
    assert heads[["layer", "head"]].drop_duplicates().shape == (8, 2)
    for row in heads.iloc[[0, 5]].itertuples():
        assert row.value == pytest.approx(accuracy_without([(row.layer, row.head)]))
    assert layers["layer"].tolist() == [0, 1]
    off = [(1, head) for head in range(4)]
    assert layers["value"].iloc[1] == pytest.approx(accuracy_without(off))


def test_shares_of_heads_in_the_mode_zero(project):
    control.run_stage("toy", 0)
    curves = pd.read_parquet("work/measures/control/toy-curves.parquet")
    assert set(curves["mode"]) == {"zero"}
    assert set(curves["examples"]) == {12}
    places = set(zip(curves["band"], curves["share"], strict=True))
    assert places == {
        *(("all", share) for share in (0.0, 0.25, 0.5)),
        *((band, share) for band in ("lower", "upper") for share in (0.0, 0.5, 1.0)),
    }
    upper = curves[(curves["band"] == "upper") & (curves["share"] == 1)].iloc[0]
    off = accuracy_without([(1, head) for head in range(4)], 12)
    assert upper["effect"] == pytest.approx(off - accuracy_without([], 12))
    gaps = pd.read_parquet("work/measures/control/toy-gaps.parquet")
    assert gaps["share"].tolist() == [0.5, 1.0]
    for name, rows in (("curves", len(curves)), ("gaps", 2), ("means", 2), ("heldout", 4)):
        drawn = np.load(f"work/measures/control/toy-{name}-resampled.npy")
        assert drawn.shape == (2, rows, 50)


def test_a_seed_that_is_added_leaves_the_others_as_they_are(project, tiny_bert, capsys):
    control.run_stage("toy")
    names = ("toy", "toy-means", "toy-heldout")
    before = {name: pd.read_parquet(f"work/measures/control/{name}.parquet") for name in names}
    toy.write_models(tiny_bert, "random_weights", "tuned_from_random", seed=2)
    seeds = {"seeds": [0, 2], "control_seeds": 2}
    toy.write_parameters(control=CONTROL, run=seeds)
    capsys.readouterr()
    control.run_stage("toy")
    assert capsys.readouterr().out.splitlines() == [
        "toy 0: kept, as nothing changed that it depends on"
    ]
    for name in names:
        table = pd.read_parquet(f"work/measures/control/{name}.parquet")
        assert table["seed"].unique().tolist() == [0, 2]
        pd.testing.assert_frame_equal(table[table["seed"] == 0], before[name])
        control.run_stage("toy", 2)
        alone = pd.read_parquet(f"work/measures/control/{name}.parquet")
        second = table[table["seed"] == 2].reset_index(drop=True)
        pd.testing.assert_frame_equal(second, alone)
        control.run_stage("toy")
    toy.write_parameters(control=CONTROL | {"examples": 20}, run=seeds)
    capsys.readouterr()
    control.run_stage("toy")
    assert "kept" not in capsys.readouterr().out
    # Of the first seed alone.
    toy.write_parameters(control=CONTROL, run=seeds | {"control_seeds": 1})
    control.run_stage("toy")
    for name in names:
        table = pd.read_parquet(f"work/measures/control/{name}.parquet")
        pd.testing.assert_frame_equal(table, before[name])


def test_a_seed_of_which_no_control_is_made_is_refused(project):
    toy.write_parameters(control=CONTROL, run={"seeds": [0, 1], "control_seeds": 1})
    with pytest.raises(InputError, match=r"--seed 1.*with seed 0 alone.*`run\.control_seeds`"):
        control.run_stage("toy", 1)
    toy.write_parameters(control=CONTROL, run={"seeds": [0, 1], "control_seeds": None})
    with pytest.raises(FileNotFoundError):  # it is made, but not in this folder
        control.run_stage("toy", 1)
