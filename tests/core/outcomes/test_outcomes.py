import numpy as np
import pandas as pd
import pytest

from stages.core.heads.gates import Gate
from stages.core.outcomes.outcomes import gate_table, read_outcomes, write_outcomes
from stages.core.stage.files import InputError

GATES = [
    Gate("zero", ((2, 3),), "head"),
    Gate("mean", ((1, 0), (1, 1)), "layer"),
    Gate("uniform", ((0, 0), (1, 1)), "random", "all", 0.5, 4),
]


@pytest.fixture
def folder(tmp_path):
    examples = pd.DataFrame({"id": ["a", "b"], "label": [0.0, 1.0], "text_a": ["x", "y"]})
    logits = np.array([[[0, 1], [0, 1]], [[1, 0], [1, 0]], [[1, 0], [0, 1]]], dtype=np.float32)
    write_outcomes(tmp_path / "kept", GATES, examples, logits[2], logits)
    return tmp_path / "kept"


def test_gate_table_of_each_family():
    table = gate_table(GATES)
    assert table["layer"].tolist() == [2, 1, -1]
    assert table["head"].tolist() == [3, -1, -1]
    assert table["heads_off"].tolist() == [1, 2, 2]
    assert table["gate"].tolist()[2] == "uniform-random-all-0.5-4"


def test_outcomes_are_read_back(folder):
    kept = pd.read_parquet(folder / "gates.parquet")
    assert [list(heads) for heads in kept["heads"][1:]] == [["1.0", "1.1"], ["0.0", "1.1"]]
    outcomes = read_outcomes(folder, "accuracy", "classification")
    pd.testing.assert_frame_equal(outcomes.gates, gate_table(GATES))
    assert outcomes.labels.tolist() == outcomes.baseline.tolist() == [0, 1]
    assert outcomes.gated.tolist() == [[1, 1], [0, 0], [0, 1]]
    assert outcomes.before == 1


def test_outcomes_cut_short_are_refused(folder):
    whole = (folder / "logits.npy").read_bytes()
    (folder / "logits.npy").write_bytes(whole[:-4])
    with pytest.raises(InputError, match="kept.*dvc repro"):
        read_outcomes(folder, "accuracy", "classification")
    np.save(folder / "logits.npy", np.zeros((2, 2, 2)))
    with pytest.raises(InputError, match="3 gates and 2 examples"):
        read_outcomes(folder, "accuracy", "classification")


def test_other_files_cut_short_are_refused(folder):
    whole = np.load(folder / "baseline.npy")
    np.save(folder / "baseline.npy", whole[:1])
    with pytest.raises(InputError, match="baseline: 1"):
        read_outcomes(folder, "accuracy", "classification")
    (folder / "baseline.npy").write_bytes(b"")
    with pytest.raises(InputError, match="dvc repro"):
        read_outcomes(folder, "accuracy", "classification")
    np.save(folder / "baseline.npy", whole)
    gate_table(GATES).to_parquet(folder / "gates.parquet")  # without its heads
    with pytest.raises(InputError, match="heads.*dvc repro"):
        read_outcomes(folder, "accuracy", "classification")
