"""The stage on two tiny models, in a folder of its own."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.tasks.examples import draw_examples, read_examples
from stages.drift import stage as drift
from tests import toy

DRIFT = {
    "batch": 8,
    "padded_to": 40,
    "padded_examples": 5,
    "control": {"batch": 4, "examples": 12},
    "resamples": 200,
    "seed": 0,
}


def run_of(seeds: list[int], control_seeds: int = 1) -> dict:
    return {"seeds": seeds, "control_seeds": control_seeds}


def tuned_rows() -> pd.DataFrame:
    heads = pd.read_parquet("work/measures/drift/toy.parquet")
    return heads[heads["arm"] == "tuned"]


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> Path:
    """A folder with 30 examples and two models whose encoders differ."""
    monkeypatch.chdir(tmp_path)
    toy.write_parameters(drift=DRIFT, run=run_of([0]))
    toy.write_examples_of("toy", 30)
    toy.write_models(tiny_bert, "untuned", "tuned", "random_weights", "tuned_from_random")
    return tmp_path


def cosine(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Of the last two axes, flattened."""
    product = (first * second).sum((-2, -1))
    return product / np.linalg.norm(first, axis=(-2, -1)) / np.linalg.norm(second, axis=(-2, -1))


def test_drift_of_every_head_and_example(project):
    drift.run_stage("toy", 0)
    heads = tuned_rows()
    before, after = toy.eager_attention("untuned"), toy.eager_attention("tuned")
    by_hand = np.mean([cosine(before[identity], after[identity]) for identity in before], axis=0)
    cropped = heads[heads["variant"] == "cropped"]
    np.testing.assert_allclose(cropped["cosine"], by_hand.ravel(), rtol=1e-5)
    assert heads.groupby("variant")["count"].unique().map(list).to_dict() == {
        "cropped": [30],
        "padded": [5],
    }
    drawn = np.load("work/measures/drift/toy-resampled.npy")
    assert drawn.shape == (1, 8 + len(heads), DRIFT["resamples"])
    np.testing.assert_allclose(drawn[0, heads.index].mean(1), heads["cosine"], atol=0.02)


def test_the_control_is_compared_with_its_own_random_weights_on_examples_of_its_own(project):
    drift.run_stage("toy", 0)
    heads = pd.read_parquet("work/measures/drift/toy.parquet")
    control = heads[heads["arm"] == "tuned_from_random"]
    assert (set(control["variant"]), set(control["count"])) == ({"cropped"}, {12})
    drawn = draw_examples(read_examples(toy.examples_path("toy")), 12, DRIFT["seed"])
    before, after = (toy.eager_attention(arm) for arm in ("random_weights", "tuned_from_random"))
    by_hand = np.mean([cosine(before[name], after[name]) for name in drawn["id"]], axis=0)
    np.testing.assert_allclose(control["cosine"], by_hand.ravel(), rtol=1e-5)


def test_only_control_seeds_have_a_control(project, tiny_bert):
    toy.write_models(tiny_bert, "untuned", "tuned", seed=3)
    toy.write_parameters(drift=DRIFT, run=run_of([0, 3]))
    drift.run_stage("toy", 3)
    assert set(pd.read_parquet("work/measures/drift/toy.parquet")["arm"]) == {"tuned"}


def test_every_seed_of_the_task_has_rows_of_its_own(project, tiny_bert):
    toy.write_models(tiny_bert, "untuned", "tuned", seed=3)
    drift.run_stage("toy")
    first = pd.read_parquet("work/measures/drift/toy.parquet")
    toy.write_parameters(drift=DRIFT, run=run_of([0, 3]))
    drift.run_stage("toy")
    table = pd.read_parquet("work/measures/drift/toy.parquet")
    assert table["seed"].unique().tolist() == [0, 3]
    of_first = table[table["seed"] == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(of_first, first)
    heads = tuned_rows()
    before, after = (toy.eager_attention(arm, seed=3) for arm in ("untuned", "tuned"))
    by_hand = np.mean([cosine(before[identity], after[identity]) for identity in before], axis=0)
    cropped = heads[(heads["variant"] == "cropped") & (heads["seed"] == 3)]
    np.testing.assert_allclose(cropped["cosine"], by_hand.ravel(), rtol=1e-5)
    (drawn,) = np.load("work/measures/drift/toy-resampled.npy")
    np.testing.assert_allclose(drawn.mean(axis=1), table["cosine"], atol=0.02)


def test_seeds_of_one_encoder_share_its_maps_and_others_do_not(project, tiny_bert):
    """The third seed began from other weights than the first two, which began from the same."""
    for seed in (3, 4):
        toy.write_models(tiny_bert, "untuned", "tuned", seed=seed)
    model = Path("work/models/toy/untuned-0/model.safetensors").read_bytes()
    Path("work/models/toy/untuned-4/model.safetensors").write_bytes(model)
    groups = drift.before_tuning("toy", "tuned", [0, 3, 4], torch.device("cpu"))
    assert [seeds for seeds, _ in groups] == [[0, 4], [3]]
    toy.write_parameters(drift=DRIFT, run=run_of([0, 3, 4]))
    drift.run_stage("toy")
    heads = tuned_rows()
    cropped = heads[heads["variant"] == "cropped"]
    assert cropped["seed"].unique().tolist() == [0, 3, 4]
    for seed in (0, 3, 4):
        before, after = (toy.eager_attention(arm, seed=seed) for arm in ("untuned", "tuned"))
        by_hand = np.mean([cosine(before[name], after[name]) for name in before], axis=0)
        own = cropped.loc[cropped["seed"] == seed, "cosine"]
        np.testing.assert_allclose(own, by_hand.ravel(), rtol=1e-5)


def test_drift_between_equal_models_is_none(project):
    for before, after in (("untuned", "tuned"), ("random_weights", "tuned_from_random")):
        model = Path(f"work/models/toy/{before}-0/model.safetensors").read_bytes()
        Path(f"work/models/toy/{after}-0/model.safetensors").write_bytes(model)
    drift.run_stage("toy", 0)
    heads = pd.read_parquet("work/measures/drift/toy.parquet")
    assert (heads[["cosine", "low", "high"]] == 1).all(axis=None)
