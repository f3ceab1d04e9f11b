"""Intervals that are cut where the measure ends."""

import pandas as pd

from stages.core.pages.bounded import cut, said_of_cut


def test_ends_beyond_what_can_be_are_cut_and_others_stay():
    rows = pd.DataFrame({"value": [0.9, 0.5], "low": [-0.2, 0.4], "high": [1.1, 0.6]})
    assert cut(rows, "low", "high")[["low", "high"]].to_numpy().tolist() == [[0, 1], [0.4, 0.6]]
    assert cut(rows, "low", "high", most=None)["high"].tolist() == [1.1, 0.6]
    assert rows["high"].tolist() == [1.1, 0.6]
    assert said_of_cut("a share") == (
        "Intervals that would reach below 0 or above 1, where a share cannot be, are cut there."
    )
    assert "reach below 0, where it" in said_of_cut("it", most=None)
