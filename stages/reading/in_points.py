"""What the page shows and speaks of: estimates of claims, over seeds and in points."""

import pandas as pd

from stages.core.stage.arms import TUNED
from stages.core.verdicts.estimates import Estimate, over_seeds
from stages.core.verdicts.measures import Measures
from stages.reading.over_sets import VALUE, OfRun, of_runs
from stages.reading.tables import BASELINES

POINTS = 100


def estimates_over_sets(
    rows: pd.DataFrame, estimates: dict[str, OfRun]
) -> dict[str, dict[str, Estimate]]:
    """Of every set of questions each estimate that it has, over seeds and in points.

    Args:
        rows: of one reader, with resamples.
    """
    found: dict[str, dict[str, Estimate]] = {}
    for (questions, name), runs in of_runs(rows, estimates).items():
        found.setdefault(questions, {})[name] = over_seeds(runs).scaled(POINTS)
    return found


def of_tuned(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the reader that was tuned from the checkpoint on questions as they are."""
    return rows[rows["reader"] == TUNED]


def rows_in_points(
    rows: pd.DataFrame, keys: list[str], names: tuple[str, str, str] = VALUE
) -> pd.DataFrame:
    """One row for each value of `keys`: these, value, low and high, in points."""
    found = []
    for place, runs in rows.groupby(keys, sort=False):
        runs_of = [Estimate.of_row(row, names, 0) for row in runs.to_dict("records")]
        one = over_seeds(runs_of).scaled(POINTS)
        limits = {"value": one.value, "low": one.low, "high": one.high}
        found.append(dict(zip(keys, place, strict=True)) | limits)
    return pd.DataFrame(found)


def rules(measures: Measures) -> pd.DataFrame:
    """One row a baseline of a set: questions, baseline, value in points."""
    rows = measures.frame(BASELINES).rename(columns={"model": "baseline"})
    return rows.assign(value=POINTS * rows["value"])[["questions", "baseline", "value"]]
