"""What the page of random shares says, on curves whose sentences are known."""

import numpy as np
import pandas as pd
import pytest

from stages.ablate.shares_page import in_short, said_of_all, said_of_halves
from stages.core.outcomes.tables import CURVES, GAPS
from stages.core.stage.places import MEASURES
from tests.ablate.rows import effect
from tests.claims import write_drawn


def points(rows: list[tuple]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["task", "band", "share", "value", "low", "high"])


def test_the_smallest_share_whose_loss_is_shown_is_named_for_each_task():
    rows = points(
        [
            ("a", "all layers", 0.0, 0.0, 0.0, 0.0),
            ("a", "all layers", 10.0, -5.0, -12.0, 2.0),
            ("a", "all layers", 30.0, -40.0, -60.0, -20.0),
            ("a", "all layers", 20.0, -20.0, -31.0, -9.0),
            ("a", "lower half", 5.0, -9.0, -10.0, -8.0),  # another band
            ("b", "all layers", 30.0, 9.0, 1.0, 12.0),  # a gain
            ("c", "all layers", 20.0, -9.0, -9.0, -9.0),  # an interval without width
        ]
    )
    assert said_of_all(rows) == (
        "The smallest random share of all heads whose loss is shown: on a 20% of the heads "
        "(-20 percent [-31, -9]); no loss is shown up to 20% of all heads on c; "
        "no loss is shown up to 30% of all heads on b."
    )
    assert said_of_all(rows[rows["task"] == "b"]) == (
        "No loss is shown up to 30% of all heads on b."
    )
    assert said_of_all(rows.iloc[:0]) == ""


def test_the_half_that_costs_more_is_the_one_below_by_the_whole_interval():
    rows = points(
        [
            ("a", "", 50.0, 1.0, 0.5, 2.0),  # a smaller share
            ("a", "", 100.0, -12.0, -20.0, -4.0),
            ("b", "", 100.0, 7.0, 2.0, 12.0),
            ("c", "", 100.0, -3.0, -9.0, 3.0),
        ]
    )
    assert said_of_halves(rows) == (
        "With 100% of a half's heads off, the lower half costs more than the upper on a (12 "
        "percent [4, 20]); the upper half costs more than the lower on b (7 percent [2, 12]); "
        "which half costs more is not shown on c (3 percent [-3, 9])."
    )
    assert said_of_halves(rows.iloc[:0]) == ""


@pytest.mark.parametrize("of_control", [0, 1])
def test_a_configuration_without_shares_of_halves_speaks_of_all_heads_alone(measures, of_control):
    """Its table of gaps is there, and has no rows, or those of the control alone."""
    place = {"mode": "zero", "share": 0.5, "draws": 10}
    rows = [effect(-0.08, ("effect", "relative"), **place)]
    write_drawn(measures, CURVES, [row | {"band": "all"} for row in rows], task="one")
    control = [row | {"arm": "tuned_from_random"} for row in rows]
    write_drawn(measures, GAPS, control, task="one")
    gaps = measures.folder / GAPS.path(task="one").relative_to(MEASURES)
    pd.read_parquet(gaps).iloc[:of_control].to_parquet(gaps, index=False)
    drawn = measures.folder / GAPS.resampled_path(task="one").relative_to(MEASURES)
    np.save(drawn, np.load(drawn)[:, :of_control])
    said = in_short(measures)
    assert len(said) == 1 and said[0].startswith("The smallest random share of all heads")
