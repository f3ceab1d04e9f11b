"""The stage on two tiny models, in a folder of its own."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.drift import stage as drift
from tests import toy

DRIFT = {
    "batch": 8,
    "padded_to": 40,
    "padded_examples": 5,
    "control_examples": 12,
    "resamples": 200,
    "seed": 0,
}

ARMS = ("untuned", "tuned", "random_weights", "tuned_from_random")


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> Path:
    """A folder with 30 examples and two models whose encoders differ."""
    monkeypatch.chdir(tmp_path)
    toy.write_parameters(drift=DRIFT)
    toy.write_examples_of("toy", 30)
    toy.write_models(tiny_bert, *ARMS)
    return tmp_path


def cosine(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Of the last two axes, flattened."""
    product = (first * second).sum((-2, -1))
    return product / np.linalg.norm(first, axis=(-2, -1)) / np.linalg.norm(second, axis=(-2, -1))


def test_drift_of_every_head_and_example(project):
    drift.run_stage("toy", 0)
    heads = pd.read_parquet("work/measures/drift/toy/cosines.parquet")
    before, after = toy.eager_attention("untuned"), toy.eager_attention("tuned")
    by_hand = np.mean([cosine(before[identity], after[identity]) for identity in before], axis=0)
    tuned = heads[heads["arm"] == "tuned"]
    cropped = tuned[tuned["variant"] == "cropped"]
    np.testing.assert_allclose(cropped["cosine"], by_hand.ravel(), rtol=1e-5)
    assert tuned.groupby("variant")["examples"].unique().map(list).to_dict() == {
        "cropped": [30],
        "padded": [5],
    }
    drawn = np.stack(heads["cosine_drawn"])
    assert drawn.shape == (len(heads), DRIFT["resamples"])
    np.testing.assert_allclose(drawn.mean(1), heads["cosine"], atol=0.02)


def of_seed(heads: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The cropped cosines of one tuned model."""
    wanted = (heads["variant"] == "cropped") & (heads["arm"] == "tuned") & (heads["seed"] == seed)
    return heads[wanted]


def test_the_control_is_an_arm_of_the_same_table(project):
    """The model tuned from random weights is compared with random weights, on fewer examples."""
    drift.run_stage("toy", 0)
    heads = pd.read_parquet("work/measures/drift/toy/cosines.parquet")
    control = heads[heads["arm"] == "tuned_from_random"]
    assert control["variant"].unique().tolist() == ["cropped"]
    assert control["examples"].unique().tolist() == [12]
    before, after = toy.eager_attention("random_weights"), toy.eager_attention("tuned_from_random")
    every = pd.DataFrame({name: cosine(before[name], after[name]).ravel() for name in before})
    assert np.abs(every.mean(axis=1) - control["cosine"].to_numpy()).max() < 0.02
    assert np.abs(every.mean(axis=1) - of_seed(heads, 0)["cosine"].to_numpy()).max() > 0.02


def test_every_seed_of_the_task_has_rows_of_its_own(project, tiny_bert):
    toy.write_models(tiny_bert, *ARMS, seed=3)
    drift.run_stage("toy")
    first = pd.read_parquet("work/measures/drift/toy/cosines.parquet")
    toy.write_parameters(drift=DRIFT, run={"seeds": [0, 3], "control_seeds": 1})
    drift.run_stage("toy")
    heads = pd.read_parquet("work/measures/drift/toy/cosines.parquet")
    assert heads["seed"].unique().tolist() == [0, 3]
    pd.testing.assert_frame_equal(heads[heads["seed"] == 0], first)
    before, after = (toy.eager_attention(arm, seed=3) for arm in ("untuned", "tuned"))
    by_hand = np.mean([cosine(before[identity], after[identity]) for identity in before], axis=0)
    cropped = of_seed(heads, 3)
    np.testing.assert_allclose(cropped["cosine"], by_hand.ravel(), rtol=1e-5)
    drawn = np.stack(heads["cosine_drawn"])
    np.testing.assert_allclose(drawn.mean(axis=1), heads["cosine"], atol=0.02)


def test_seeds_of_one_encoder_share_its_maps_and_others_do_not(project, tiny_bert):
    """The third seed began from other weights than the first two, which began from the same."""
    for seed in (3, 4):
        toy.write_models(tiny_bert, *ARMS, seed=seed)
    model = Path("work/models/toy/untuned-0/model.safetensors").read_bytes()
    Path("work/models/toy/untuned-4/model.safetensors").write_bytes(model)
    groups = drift.encoders_before("toy", "tuned", [0, 3, 4], torch.device("cpu"))
    assert [seeds for seeds, _ in groups] == [[0, 4], [3]]
    toy.write_parameters(drift=DRIFT, run={"seeds": [0, 3, 4], "control_seeds": 1})
    drift.run_stage("toy")
    heads = pd.read_parquet("work/measures/drift/toy/cosines.parquet")
    cropped = heads[(heads["variant"] == "cropped") & (heads["arm"] == "tuned")]
    assert cropped["seed"].unique().tolist() == [0, 3, 4]
    for seed in (0, 3, 4):
        before, after = (toy.eager_attention(arm, seed=seed) for arm in ("untuned", "tuned"))
        by_hand = np.mean([cosine(before[name], after[name]) for name in before], axis=0)
        own = cropped.loc[cropped["seed"] == seed, "cosine"]
        np.testing.assert_allclose(own, by_hand.ravel(), rtol=1e-5)


def test_drift_between_equal_models_is_none(project):
    model = Path("work/models/toy/untuned-0/model.safetensors").read_bytes()
    Path("work/models/toy/tuned-0/model.safetensors").write_bytes(model)
    drift.run_stage("toy", 0)
    heads = pd.read_parquet("work/measures/drift/toy/cosines.parquet")
    tuned = heads[heads["arm"] == "tuned"]
    assert (tuned[["cosine", "cosine_low", "cosine_high"]] == 1).all(axis=None)
    assert (heads.loc[heads["arm"] != "tuned", "cosine"] < 1).all()
