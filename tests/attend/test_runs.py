"""The stages `attend` and `drift` on a tiny model, as commands in a folder of their own."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.attend import __main__ as attend
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tokenizer, load_tuned
from stages.core.maps.statistics import KindIds, surface_statistics
from stages.core.recordings.store import MapStore
from stages.core.tasks.examples import read_examples
from stages.drift import __main__ as drift
from tests import toy

REPOSITORY = Path(__file__).parents[2]
SECTIONS = {
    "attend": {
        "examples": 12,
        "seed": 0,
        "batch": 8,
        "shard_megabytes": 250,
        "punctuation": [".", ","],
    },
    "drift": {
        "batch": 8,
        "padded_to": 40,
        "padded_examples": 5,
        "last_layers": 2,
        "resamples": 200,
        "seed": 0,
    },
}


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> Path:
    """A folder with 30 examples and two models whose encoders differ."""
    monkeypatch.chdir(tmp_path)
    toy.write_parameters(**SECTIONS)
    toy.write_examples_of("toy", 30)
    toy.write_models(tiny_bert, "untuned", "tuned")
    return tmp_path


def eager_attention(arm: str) -> dict[str, np.ndarray]:
    """The maps of every example as transformers itself returns them, one example at a time."""
    folder = Path(f"work/models/toy-{arm}-0")
    model = load_tuned(folder)
    model.set_attn_implementation("eager")
    examples = read_examples("work/tasks/toy/validation.parquet")
    encoded = encode(load_tokenizer(folder), examples, 40)
    maps = {}
    with torch.inference_mode():
        for batch in encoded.batches(1):
            attentions = model(**batch.inputs, output_attentions=True).attentions
            maps[examples["id"][batch.rows[0]]] = torch.cat(attentions).numpy()
    return maps


def test_maps_are_those_of_transformers(project):
    attend.main("toy", 0, ["tuned"])
    store = MapStore("work/maps/toy-tuned")
    store.verify()
    expected = eager_attention("tuned")
    assert len(store) == 12
    assert set(store.ids) < set(expected)
    for identity in store.ids:
        np.testing.assert_allclose(store[identity], expected[identity], atol=1e-3)
        assert np.abs(store[identity].astype(float).sum(-1) - 1).max() < 2e-3
    lengths = store.tokens["tokens"].map(len)
    assert (lengths == store.index["length"]).all()


def test_statistics_are_means_over_all_examples(project):
    attend.main("toy", 0, ["untuned"])
    folder = Path("work/models/toy-untuned-0")
    tokenizer = load_tokenizer(folder)
    kind_ids = KindIds.of(tokenizer, [".", ","])
    examples = read_examples("work/tasks/toy/validation.parquet")
    maps = eager_attention("untuned")
    rows = []
    for batch in encode(tokenizer, examples, 40).batches(1):
        probabilities = torch.from_numpy(maps[examples["id"][batch.rows[0]]])
        kinds = kind_ids.find(batch.inputs)
        values = [surface_statistics(layer[None], kinds)[0].numpy() for layer in probabilities]
        rows.append(values)
    values = np.array(rows)  # [example, layer, head, statistic]
    frame = pd.read_parquet("work/measures/attend/toy-untuned.parquet")
    mean = np.nanmean(values, axis=0).ravel()
    count = np.isfinite(values).sum(axis=0).ravel()
    np.testing.assert_allclose(frame["mean"], mean, rtol=1e-4)
    np.testing.assert_array_equal(frame["count"], count)
    assert 0 < frame["count"].min() < frame["count"].max() == 30  # some have no punctuation
    assert (frame["standard_error"] > 0).all()


def test_attend_is_repeatable_to_the_byte(project):
    def contents():
        attend.main("toy", 0, ["untuned"])
        files = [*Path("work/maps").rglob("*.*"), *Path("work/measures").rglob("*.parquet")]
        return {file: file.read_bytes() for file in files if file.is_file()}

    assert contents() == contents()


def test_fewer_examples_than_wanted_are_all_kept(project):
    toy.write_parameters(attend=SECTIONS["attend"] | {"examples": 1000})
    attend.main("toy", 0, ["untuned"])
    assert len(MapStore("work/maps/toy-untuned")) == 30


def test_kill_leaves_nothing_and_the_next_run_completes(project):
    toy.write_parameters(attend=SECTIONS["attend"] | {"examples": 300, "batch": 1})
    toy.write_examples_of("toy", 300)
    process = subprocess.Popen(
        [sys.executable, "-m", "stages.attend", "--task=toy", "--seed=0", "--arm=untuned"],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        stderr=subprocess.DEVNULL,
    )
    partial = Path("work/maps/.toy-untuned.partial/maps-00000.f16")
    deadline = time.monotonic() + 120
    while not (partial.exists() and partial.stat().st_size > 0):
        assert process.poll() is None, "the stage ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert partial.exists()
    assert not Path("work/maps/toy-untuned").exists()
    assert not Path("work/measures/attend").exists()

    attend.main("toy", 0, ["untuned"])
    assert [file.name for file in Path("work/maps").iterdir()] == ["toy-untuned"]
    MapStore("work/maps/toy-untuned").verify()
    after_a_kill = Path("work/maps/toy-none/store.json").read_bytes()  # SHA-256 of every file
    shutil.rmtree("work/maps/toy-untuned")
    attend.main("toy", 0, ["untuned"])
    assert Path("work/maps/toy-none/store.json").read_bytes() == after_a_kill


def cosine(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Of the last two axes, flattened."""
    product = (first * second).sum((-2, -1))
    return product / np.linalg.norm(first, axis=(-2, -1)) / np.linalg.norm(second, axis=(-2, -1))


def test_drift_of_every_head_and_example(project):
    drift.main("toy", 0)
    heads, contrasts = (
        pd.read_parquet(f"work/measures/drift/{name}.parquet") for name in ("toy", "toy-contrast")
    )
    before, after = eager_attention("untuned"), eager_attention("tuned")
    by_hand = np.mean([cosine(before[identity], after[identity]) for identity in before], axis=0)
    cropped = heads[heads["variant"] == "cropped"]
    np.testing.assert_allclose(cropped["cosine"], by_hand.ravel(), rtol=1e-5)
    assert heads.groupby("variant")["count"].unique().map(list).to_dict() == {
        "cropped": [30],
        "padded": [5],
    }
    assert contrasts.groupby("variant")["id"].nunique().to_dict() == {"cropped": 30, "padded": 5}
    change = 1 - cropped.groupby("layer")["cosine"].mean()  # two layers: the last against the first
    contrast = contrasts.loc[contrasts["variant"] == "cropped", "contrast"]
    np.testing.assert_allclose(contrast.mean(), change[1] - change[0])


def test_drift_between_equal_models_is_none(project):
    model = Path("work/models/toy-untuned-0/model.safetensors").read_bytes()
    Path("work/models/toy-tuned-0/model.safetensors").write_bytes(model)
    drift.main("toy", 0)
    heads = pd.read_parquet("work/measures/drift/toy.parquet")
    assert (heads[["cosine", "low", "high"]] == 1).all(axis=None)
