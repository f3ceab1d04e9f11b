"""What a configuration will take, computed from its settings and the sizes of its tasks."""

from pathlib import Path

import pandas as pd
import pytest

from stages.core.outcomes.modes import fixed_gates
from stages.core.stage.files import InputError
from stages.importance.cost import Geometry, least_for_grid
from tools.dependencies import ROOT
from tools.estimate import SHARE_OF_RATE, SHARES_OF_RATE, gigabytes, minutes

GEOMETRY = Geometry(layers=6, heads=12, hidden=384, feed_forward=1536)
RATE = 1e11


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The default's settings, and sizes of its tasks: 20 tokens an example, 3 special ones more."""
    for name in ("params.yaml", "dvc.yaml"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    for task in ("relevance", "sentiment", "similarity"):
        rows = [["train", 1920, 20 * 1920, 0, 0], ["validation", 800, 20 * 800, 0, 0]]
        table = pd.DataFrame(rows, columns=["split", "examples", "tokens", "unknown", "in_both"])
        file = tmp_path / f"work/measures/prepare/{task}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        table.to_parquet(file)
    return tmp_path


def test_minutes_by_hand(folder):
    table = minutes(folder, GEOMETRY, RATE).set_index("part")["minutes"]
    # Relevance has three seeds and one control, the others two of one seed: eight trainings.
    forward = 6 * (2 * 23 * 12 * 384**2 + 4 * 23**2 * 384)
    tuning = 8 * 3 * 1920 * 3 * forward / (RATE * SHARES_OF_RATE["fine-tuning"]) / 60
    assert table["fine-tuning"] == pytest.approx(tuning)
    one = least_for_grid(GEOMETRY, fixed_gates(6, 12, "zero"), [23])
    uniform = least_for_grid(GEOMETRY, fixed_gates(6, 12, "uniform"), [23])
    mean = least_for_grid(GEOMETRY, fixed_gates(6, 12, "mean"), [23])
    # Three seeds of relevance on 400 examples, of the others one on 128.
    heads = (3 * 400 + 2 * 128) * one + 5 * 256 * uniform + 5 * 64 * mean
    assert table["heads and layers off"] == pytest.approx(heads / (RATE * SHARE_OF_RATE) / 60)
    assert 50 < table["stages"] / (8 / 60) < 70


def test_disk_by_hand(folder):
    """Four models of relevance's controls and tuned ones twice three; maps of three arms."""
    models = (2 * 3 + 2) + 2 * (2 + 2)
    maps = 3 * 3 * 800 * 72 * 23**2 * 2
    expected = 2 * (models * 1000 * 4 + maps) / 1e9
    assert gigabytes(folder, GEOMETRY, 1000) == pytest.approx(expected)


def test_before_the_examples_are_there(folder):
    (folder / "work/measures/prepare/relevance.parquet").unlink()
    with pytest.raises(InputError, match="`dvc repro prepare` counts"):
        minutes(folder, GEOMETRY, RATE)
