"""Several fine-tunings as one by their resamples, against the rule of the claims."""

import numpy as np
import pandas as pd

from stages.core.pages.joined_seeds import drawn_rows_over_seeds
from stages.core.verdicts.estimates import Estimate, over_seeds

NAMES = ("value", "low", "high")


def rows() -> pd.DataFrame:
    generator = np.random.default_rng(0)
    made = []
    for task, seed in (("one", 0), ("two", 0), ("one", 1), ("one", 2)):
        value = 0.1 * seed
        drawn = value + generator.normal(scale=0.05, size=200)
        made.append({"task": task, "seed": seed, "value": value, "low": value - 0.4})
        made[-1] |= {"high": value + 0.4, "value_drawn": drawn}
    return pd.DataFrame(made)


def test_seeds_are_joined_as_claims_join_them():
    found = drawn_rows_over_seeds(rows(), ["task"], [NAMES]).set_index("task")
    assert list(found.index) == ["one", "two"] and list(found.columns) == list(NAMES)
    own = rows()[rows()["task"] == "one"].to_dict("records")
    claim = over_seeds([Estimate.of_row(run, NAMES, 5) for run in own])
    assert tuple(found.loc["one"]) == (claim.value, claim.low, claim.high)
    # The mean of several seeds' resamples varies less than the ends in the table say.
    assert found.loc["one", "high"] - found.loc["one", "value"] < 0.39


def test_one_run_keeps_its_interval_and_none_leaves_no_row():
    found = drawn_rows_over_seeds(rows().iloc[[1]], ["task"], [NAMES])
    assert found.to_dict("records") == [{"task": "two", "value": 0.0, "low": -0.4, "high": 0.4}]
    assert drawn_rows_over_seeds(rows().iloc[:0], ["task"], [NAMES]).empty
