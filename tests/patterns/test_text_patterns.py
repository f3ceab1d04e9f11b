"""Classes of the maps of a corpus."""

import numpy as np
import torch

from stages.patterns.labelled_maps import CLASSES
from stages.patterns.network import PatternClassifier
from stages.patterns.readings import Reader
from stages.patterns.special import SpecialRule
from stages.patterns.stage import pattern_shares
from stages.patterns.text_patterns.stage import read_texts
from tests.oracle import HEADS, LAYERS, SEP, OracleRecording, oracle_corpus, oracle_texts


class Stripes(PatternClassifier):
    """In place of the trained classifier: vertical where one column has everything."""

    def __init__(self):
        pass

    def probabilities(self, maps: torch.Tensor) -> torch.Tensor:
        vertical = (maps.mean(1).amax(-1) > 0.99).float()
        found = torch.zeros(len(maps), len(CLASSES))
        found[:, CLASSES.index("vertical")] = vertical
        found[:, CLASSES.index("heterogeneous")] = 1 - vertical
        return found


def test_maps_are_classified_head_by_head_and_shares_add_up(tmp_path):
    corpus = oracle_corpus(6)
    recording = OracleRecording(corpus)
    rows = np.array([1, 2, 5])
    rule = SpecialRule(punctuation=[], neighbours=1, beyond=0.5, to_special=0.1)
    readings = read_texts(recording, rows, Reader(Stripes(), rule, 5, torch.device("cpu")))
    assert readings.probabilities.shape == (3, LAYERS * HEADS, len(CLASSES))
    patterns = readings.patterns(rule)["any"]
    vertical = patterns == CLASSES.index("vertical")
    to_sep = SEP[0] * HEADS + SEP[1]
    assert np.flatnonzero(vertical.all(0)).tolist() == [to_sep]
    # All of its attention goes to [SEP], so its stripe is a special one.
    assert (readings.patterns(rule)["special"][:, to_sep] == CLASSES.index("vertical")).all()
    assert readings.beyond[:, to_sep].max() < 1e-6
    table = pattern_shares(patterns, oracle_texts(corpus, tmp_path).groups[rows], 50, 0)
    assert table["share"].sum() == 1
    assert table.set_index("pattern")["share"]["vertical"] == vertical.mean()
    assert np.stack(table["share_drawn"]).shape == (len(CLASSES), 50)
