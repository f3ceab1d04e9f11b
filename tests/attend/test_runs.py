"""The stage on tiny models, in a folder of its own: as a function, and as a command."""

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

from stages.attend import stage as attend
from stages.core.encoder.batches import encode
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.maps.statistics import KindIds, surface_statistics
from stages.core.recordings.store import MapStore
from stages.core.tasks.examples import read_examples
from tests import toy

REPOSITORY = Path(__file__).parents[2]
ATTEND = {
    "examples": 12,
    "seed": 0,
    "batch": 8,
    "shard_megabytes": 250,
    "punctuation": [".", ","],
}


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> Path:
    """A folder with 30 examples and two models whose encoders differ."""
    monkeypatch.chdir(tmp_path)
    toy.write_parameters(attend=ATTEND)
    toy.write_examples_of("toy", 30)
    toy.write_models(tiny_bert, "untuned", "tuned")
    return tmp_path


def test_maps_are_those_of_transformers(project):
    attend.run_stage("toy", 0, ["tuned"])
    store = MapStore("work/maps/toy/tuned")
    store.verify()
    expected = toy.eager_attention("tuned")
    assert len(store) == 12
    assert set(store.ids) < set(expected)
    for identity in store.ids:
        np.testing.assert_allclose(store[identity], expected[identity], atol=1e-3)
        assert np.abs(store[identity].astype(float).sum(-1) - 1).max() < 2e-3
    lengths = store.tokens["tokens"].map(len)
    assert (lengths == store.index["length"]).all()


def test_statistics_are_means_over_all_examples(project):
    attend.run_stage("toy", 0, ["untuned"])
    folder = Path("work/models/toy/untuned-0")
    tokenizer = load_tokenizer(folder)
    kind_ids = KindIds.of(tokenizer, [".", ","])
    examples = read_examples("work/tasks/toy/validation.parquet")
    maps = toy.eager_attention("untuned")
    rows = []
    for batch in encode(tokenizer, examples, 40).batches(1):
        probabilities = torch.from_numpy(maps[examples["id"][batch.rows[0]]])
        kinds = kind_ids.find(batch.inputs)
        values = [surface_statistics(layer[None], kinds)[0].numpy() for layer in probabilities]
        rows.append(values)
    values = np.array(rows)  # [example, layer, head, statistic]
    frame = pd.read_parquet("work/measures/attend/toy/statistics.parquet")
    mean = np.nanmean(values, axis=0).ravel()
    count = np.isfinite(values).sum(axis=0).ravel()
    np.testing.assert_allclose(frame["mean"], mean, rtol=1e-4)
    np.testing.assert_array_equal(frame["examples"], count)
    assert 0 < frame["examples"].min() < frame["examples"].max() == 30  # some have no punctuation
    assert (frame["standard_error"] > 0).all()


def test_attend_is_repeatable_to_the_byte(project):
    def contents():
        attend.run_stage("toy", 0, ["untuned"])
        files = [*Path("work/maps").rglob("*.*"), *Path("work/measures").rglob("*.parquet")]
        return {file: file.read_bytes() for file in files if file.is_file()}

    assert contents() == contents()


def test_fewer_examples_than_wanted_are_all_kept(project):
    toy.write_parameters(attend=ATTEND | {"examples": 1000})
    attend.run_stage("toy", 0, ["untuned"])
    assert len(MapStore("work/maps/toy/untuned")) == 30


def test_kill_leaves_nothing_and_the_next_run_completes(project):
    toy.write_parameters(attend=ATTEND | {"examples": 300, "batch": 1})
    toy.write_examples_of("toy", 300)
    process = subprocess.Popen(
        [sys.executable, "-m", "stages", "attend", "--task=toy", "--seed=0", "--arm=untuned"],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        stderr=subprocess.DEVNULL,
    )
    partial = Path("work/maps/toy/.untuned.partial/maps-00000.f16")
    deadline = time.monotonic() + 120
    while not (partial.exists() and partial.stat().st_size > 0):
        assert process.poll() is None, "the stage ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert partial.exists()
    assert not Path("work/maps/toy/untuned").exists()
    assert not Path("work/measures/attend").exists()

    attend.run_stage("toy", 0, ["untuned"])
    assert [file.name for file in Path("work/maps/toy").iterdir()] == ["untuned"]
    MapStore("work/maps/toy/untuned").verify()
    after_a_kill = Path("work/maps/toy/untuned/store.json").read_bytes()  # SHA-256 of every file
    shutil.rmtree("work/maps/toy/untuned")
    attend.run_stage("toy", 0, ["untuned"])
    assert Path("work/maps/toy/untuned/store.json").read_bytes() == after_a_kill
