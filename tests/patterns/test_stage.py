import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.recording_writer import write_maps
from stages.core.recordings.store import MapStore
from stages.core.runtime.runtime import Runtime
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.network import PatternClassifier
from stages.patterns.readings import Reader, Readings
from stages.patterns.special import SpecialRule
from stages.patterns.stage import (
    beyond_by_head,
    classify,
    head_shares,
    map_table,
    pattern_shares,
)

CPU = torch.device("cpu")
RULE = SpecialRule(punctuation=[], neighbours=0, beyond=0.5, to_special=0.1)


class FirstRowClassifier(PatternClassifier):
    """Takes a map for the class whose number stands in its first cell, times ten."""

    def __init__(self):
        pass

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
    one, runtime = Reader(FirstRowClassifier(), RULE, 1, CPU), Runtime(device="cpu", threads=2)
    ids, readings = classify(store, one, {"a", "b"}, runtime)
    table = map_table(ids, readings, 1, RULE).set_index(["id", "layer", "head"])["pattern"]
    expected = {("a", 0, 0): 0, ("a", 0, 1): 1, ("b", 0, 0): 2, ("b", 0, 1): 4}
    assert table.to_dict() == {place: CLASSES[number] for place, number in expected.items()}
    many = Reader(FirstRowClassifier(), RULE, 8, CPU)
    assert classify(store, many, {"b"}, runtime)[0] == ["b"]


def test_a_stripe_on_a_word_is_heterogeneous_under_the_rule_of_the_source(tmp_path):
    """One layer, two heads: everything goes to [CLS], or everything to a word."""
    tokens = pd.DataFrame({"id": ["a"], "tokens": [["[CLS]", "x", "y", "[SEP]"]]})
    with write_maps(tmp_path / "maps", tokens.assign(segments=[[0] * 4]), 1, 2, 250) as writer:
        maps = torch.zeros(1, 2, 4, 4)
        maps[0, 0, :, 0] = maps[0, 1, :, 1] = 1
        writer.write(0, np.array([0]), maps)

    class Vertical(FirstRowClassifier):
        def probabilities(self, maps):
            return torch.eye(len(CLASSES))[torch.zeros(len(maps), dtype=torch.long)]

    reader = Reader(Vertical(), RULE, 8, CPU)
    runtime = Runtime(device="cpu", threads=2)
    ids, readings = classify(MapStore(tmp_path / "maps"), reader, {"a"}, runtime)
    patterns = readings.patterns(RULE)
    assert [CLASSES[code] for code in patterns["any"][0]] == ["vertical"] * 2
    assert [CLASSES[code] for code in patterns["special"][0]] == ["vertical", "heterogeneous"]
    # Three of four tokens look at the word from elsewhere; none of [CLS] counts.
    np.testing.assert_allclose(readings.beyond[0], [0, 0.75], atol=1e-3)
    table = map_table(ids, readings, 1, RULE)
    assert table["pattern_special"].tolist() == ["vertical", "heterogeneous"]
    by_head = beyond_by_head(np.array([[0.0, 0.5]] * 3 + [[0.0, 1.0]] * 3), np.arange(6), 1, 100, 0)
    assert by_head["beyond"].tolist() == [0, 0.75]
    assert by_head["head"].tolist() == [0, 1]


def test_counts_and_shares_by_hand():
    patterns = np.array([[0, 1, 3], [0, 0, 3], [0, 4, 3]])
    table = head_shares(patterns, 3).set_index(["layer", "head", "pattern"])
    counts = table["maps"]
    np.testing.assert_allclose(table["share"], counts / 3)
    assert counts[0, 0, "vertical"] == 3
    assert counts[1, 0, "diagonal"] == counts[1, 0, "heterogeneous"] == 1
    assert counts[2, 0, "block"] == 3
    assert counts.sum() == patterns.size
    patterns = np.tile(patterns, (3, 1))
    table = pattern_shares(patterns, np.arange(9), 200, 0)
    shares = table.set_index("pattern")
    assert shares.loc["vertical", "share"] == pytest.approx(4 / 9)
    assert shares.loc["vertical", "share_low"] < 4 / 9 < shares.loc["vertical", "share_high"]
    assert shares["share"].sum() == pytest.approx(1)
    drawn = np.stack(table["share_drawn"])
    assert drawn.shape == (5, 200)
    np.testing.assert_allclose(drawn.sum(0), 1)


def test_a_row_of_maps_says_which_head_it_is_and_what_it_gives_away():
    """Two layers of three heads; shares are kept to four places."""
    probabilities = np.full((1, 6, len(CLASSES)), 0.2)
    shares = np.array([[0.12344, 0.2, 0.3, 0.4, 0.5, 0.6]])
    table = map_table(["a"], Readings(probabilities, shares, 1 - shares), 2, RULE)
    assert list(zip(table["layer"], table["head"], strict=True)) == [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 1),
        (1, 2),
    ]
    assert table["to_special"].tolist() == [0.1234, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert table["beyond"].tolist() == [0.8766, 0.8, 0.7, 0.6, 0.5, 0.4]
