"""Whether the same heads hurt again: the part of the page on other seeds and other tasks."""

import numpy as np
import pandas as pd

from stages.core.pages.page import Section, Table
from stages.core.stage.arms import TUNED
from stages.core.verdicts.measures import Measures
from stages.harmful.again import (
    OfRun,
    between_seeds,
    between_tasks,
    jackknife,
    loss_without,
    overlap,
    rank_correlation,
    runs_of,
)
from stages.harmful.tables import HALVES


def repeated(measures: Measures) -> Section:
    """Of other fine-tunings and tasks, what one chose is scored on another."""
    rows = measures.drawn(HALVES)
    rows = rows[rows["arm"] == TUNED]
    runs = {str(task): runs_of(own) for task, own in rows.groupby("task", sort=False)}
    items = [
        Table(
            "harmful-tasks",
            "On other tasks",
            "Each row says how the loss of one task changes without heads that another chose: "
            "'change' is in percent, the mean over these heads, each off alone, with its 95% "
            "interval over examples and, of several fine-tunings, over seeds. 'spearman' is the "
            "rank correlation of both tasks' changes over all heads.",
            pd.DataFrame(
                {
                    "task": scores,
                    "heads of": chooses,
                    "change": found.value,
                    "low": found.low,
                    "high": found.high,
                    "spearman": _correlation(runs[scores], runs[chooses]),
                }
                for (scores, chooses), found in between_tasks(runs).items()
            ),
        )
    ]
    seeds = _seeds({task: own for task, own in runs.items() if len(own) > 1})
    if len(seeds):
        items.insert(
            0,
            Table(
                "harmful-seeds",
                "On other seeds",
                "The table compares fine-tunings of the same task, two by two, on halves that "
                "share no example. 'loss without its heads' is the change of the loss, in percent, "
                "without each head that the other chose; 'overlap beyond chance' is the share of "
                "heads that both chose, beyond what chance gives; 'rank correlation' is that of "
                "all heads' effects. Intervals are jackknives over seeds, which "
                "takes three at least.",
                seeds,
            ),
        )
    return Section(
        "Do the same heads hurt again?",
        "What one fine-tuning chose is scored on another that did not choose.",
        tuple(items),
    )


def _seeds(runs: dict[str, dict[int, OfRun]]) -> pd.DataFrame:
    comparisons = {
        "loss without its heads": loss_without,
        "overlap beyond chance": overlap,
        "rank correlation": rank_correlation,
    }
    rows = []
    for task, own in runs.items():
        for name, compare in comparisons.items():
            found = jackknife(between_seeds(list(own.values()), compare))
            limits = {"value": found.value, "low": found.low, "high": found.high}
            rows.append({"task": task, "seeds": len(own), "figure": name, **limits})
    return pd.DataFrame(rows)


def _correlation(one: dict[int, OfRun], other: dict[int, OfRun]) -> float:
    means = [
        np.mean([run.losses.mean(axis=(0, 1)) for run in runs.values()], axis=0)
        for runs in (one, other)
    ]
    return float(pd.Series(means[0]).corr(pd.Series(means[1]), method="spearman"))
