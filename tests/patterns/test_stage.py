import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.recordings.store import MapStore, write_maps
from stages.core.runtime.runtime import Runtime
from stages.patterns.__main__ import Reader, classify, head_counts, map_table, task_shares
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.network import PatternClassifier

CPU = torch.device("cpu")


class FirstRowClassifier(PatternClassifier):
    """Takes a map for the class whose number stands in its first cell, times ten."""

    def __init__(self):
        super().__init__([])

    def probabilities(self, maps):
        return torch.eye(len(CLASSES))[(maps[:, 0, 0] * 10).round().long()]


@pytest.fixture
def store(tmp_path):
    """Two examples of 3 and 4 tokens, one layer of two heads; the classes are 0, 1 and 2, 4."""
    tokens = pd.DataFrame(
        {"id": ["a", "b"], "tokens": [["x"] * 3, ["y"] * 4], "segments": [[0] * 3, [0] * 4]}
    )
    with write_maps(tmp_path / "maps", tokens, 1, 2, 250) as writer:
        for row, (length, classes) in enumerate([(3, (0, 1)), (4, (2, 4))]):
            maps = torch.zeros(1, 2, length, length)
            for head, number in enumerate(classes):
                maps[0, head, :, 0] = number / 10
                maps[0, head, :, 1] = 1 - number / 10
            writer.write(0, np.array([row]), maps)
    return MapStore(tmp_path / "maps")


def test_every_map_gets_its_class(store):
    one, runtime = Reader(FirstRowClassifier(), 1, CPU), Runtime(device="cpu", threads=2)
    ids, probabilities = classify(store, one, {"a", "b"}, runtime)
    table = map_table(ids, probabilities).set_index(["id", "layer", "head"])["pattern"]
    expected = {("a", 0, 0): 0, ("a", 0, 1): 1, ("b", 0, 0): 2, ("b", 0, 1): 4}
    assert table.to_dict() == {place: CLASSES[number] for place, number in expected.items()}
    assert classify(store, Reader(FirstRowClassifier(), 8, CPU), {"b"}, runtime)[0] == ["b"]


def test_counts_and_shares_by_hand():
    patterns = np.array([[[0, 1]], [[0, 0]], [[0, 4]]])
    counts = head_counts(patterns).set_index(["layer", "head", "pattern"])["maps"]
    assert counts[0, 0, "vertical"] == 3
    assert counts[0, 1, "diagonal"] == counts[0, 1, "heterogeneous"] == 1
    assert counts.sum() == patterns.size
    shares = task_shares(patterns, 200, 0).set_index("pattern")
    assert shares.loc["vertical", "share"] == pytest.approx(4 / 6)
    assert shares.loc["vertical", "low"] < 4 / 6 < shares.loc["vertical", "high"]
    assert shares["share"].sum() == pytest.approx(1)
    assert tuple(shares.loc["block", ["share", "low", "high"]]) == (0, 0, 0)
