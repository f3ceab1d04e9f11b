"""Features of plain maps, and the rules made of them."""

import numpy as np
import pandas as pd
import pytest
import torch

from stages.patterns.features import FEATURES, feature_table, features
from stages.patterns.rules import RULES
from tests.patterns.maps import diagonal, squares, vertical


def test_features_of_oracle_maps():
    stripe, line = feature_table([vertical(12), diagonal(12)]).to_dict("records")
    assert stripe["strongest_column"] == pytest.approx(0.8 + 0.2 / 12)
    assert stripe["column_variance"] == pytest.approx(1)
    assert line["diagonal"] == pytest.approx(0.8 + 0.2 / 12)
    assert stripe["diagonal"] == pytest.approx(0.2 / 12 + 0.8 / 10)  # two below the main one


def test_features_of_squares_and_sinks():
    table = feature_table([squares(10, 10), squares(7, 6, 7), diagonal(20), vertical(20)])
    assert (table["squares"][:2] > 0.4).all()
    assert (table["squares"][2:] < 0.2).all()
    assert table["far_corners"][0] > 0.8 > 0.1 > table["far_corners"][2:].max()
    assert table["rows_with_a_sink"][3] == pytest.approx(15 / 18)  # not those next to it
    assert table["rows_alike"][3] == pytest.approx(1, abs=1e-3)
    assert table["ridge"].idxmax() == 2


def test_what_a_network_sees_of_a_sink_does_not_depend_on_its_place():
    maps = torch.from_numpy(np.stack([vertical(20, column) for column in (3, 10, 16)]))
    table = pd.DataFrame(features(maps).numpy(), columns=list(FEATURES))
    for name in ("strongest_column", "rows_with_a_stripe", "seen_in_stripes", "entropy", "dim"):
        assert table[name].to_numpy() == pytest.approx(table[name][0]), name


def test_what_a_network_sees_does_not_depend_on_how_sharp_attention_is():
    """Half the weight goes evenly to all tokens in the second map."""
    sharp, flat = vertical(20), 0.5 * vertical(20) + 0.5 / 20
    table = feature_table([sharp, flat])
    for name in RULES:
        assert table[name][0] == pytest.approx(table[name][1]), name


def test_features_of_a_constant_map_are_numbers():
    constant = np.full((12, 12), 1 / 12, dtype=np.float32)
    table = feature_table([constant])
    assert np.isfinite(table).all(axis=None)
    assert table["rows_alike"].tolist() == [0]  # constant rows correlate with none


def test_rules_of_oracle_maps():
    stripe, line, both, blocks = feature_table(
        [
            vertical(20),
            diagonal(20),
            0.5 * vertical(20) + 0.5 * diagonal(20),
            0.7 * squares(10, 10) + 0.3 * vertical(20),
        ]
    ).to_dict("records")
    assert (stripe["rows_with_a_stripe"], stripe["rows_near_diagonal"]) == (1, 0)
    assert (line["rows_with_a_stripe"], line["rows_near_diagonal"]) == (0, 1)
    assert (both["rows_with_a_stripe"], both["rows_near_diagonal"]) == (1, 1)
    assert stripe["seen_in_stripes"] == line["seen_near_diagonal"] == 1
    assert both["seen_near_diagonal"] == pytest.approx(0.5)
    assert (blocks["squares_found"], blocks["largest_square"]) == (2, 0.5)
    assert (blocks["filled"], blocks["filled_outside"]) == (1, 0)
    assert blocks["in_squares"] == pytest.approx(0.5)  # 90 and 100 of 380, as column 0 is a stripe
