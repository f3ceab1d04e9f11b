"""Frames that the page derives: heads that hurt again, and heads that hurt beside the others."""

import numpy as np
import pandas as pd

from stages.core.pages.gather import head_column
from stages.core.pages.joined import PLACE, joined
from stages.core.stage.arms import TUNED
from stages.core.tables import estimate_columns
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.estimates import difference_of, over_seeds
from stages.core.verdicts.measures import Measures
from stages.harmful.again import (
    OfRun,
    between_seeds,
    between_tasks,
    in_percent,
    jackknife,
    loss_without,
    overlap,
    rank_correlation,
    runs_of,
)
from stages.harmful.tables import HALVES, HEADS, LOSS, SCORES

CHOSEN = 0.5  # of the halves that must have chosen a head for it to count as one that hurts
# Columns of other pages that may set heads that hurt apart.
OTHERS = (
    ("patterns", "pattern"),
    ("drift", "cosine before/after tuning"),
    ("surface", "surface role"),
)


def losses_in_percent(measures: Measures) -> pd.DataFrame:
    """One row a task and arm, over fine-tunings: changes of the loss, as claims take them.

    `change` is without the heads that hurt, `random` without random heads, `beyond` the difference.
    """
    rows = measures.rows(SCORES.where(figure=LOSS), drawn=True)
    joint = []
    for (task, arm), runs in rows.groupby(["data", "arm"], sort=False):
        changes = [
            (in_percent(run, "change"), in_percent(run, "random"))
            for run in runs.to_dict("records")
        ]
        columns = {"data": task, "arm": arm, "heads": "heads that hurt"}
        for name, estimates in (
            ("change", [change for change, _ in changes]),
            ("random", [random for _, random in changes]),
            ("beyond", [difference_of(*pair) for pair in changes]),
        ):
            mean = over_seeds(estimates)
            columns |= estimate_columns(name, mean.value, mean.low, mean.high)
        joint.append(columns)
    return pd.DataFrame(joint)


def of_tuned(measures: Measures) -> dict[str, dict[int, OfRun]]:
    """The fine-tunings of each task."""
    rows = measures.rows(HALVES.where(arm=TUNED), drawn=True)
    return {str(task): runs_of(of_task) for task, of_task in rows.groupby("data", sort=False)}


def on_tasks(measures: Measures) -> pd.DataFrame:
    """One row an ordered pair of tasks: the loss of one without the heads that the other chose."""
    runs = of_tuned(measures)
    return pd.DataFrame(
        {
            "data": scored,
            "heads": f"heads of {choosing}",
            "arm": TUNED,
            **estimate_columns("change", loss.value, loss.low, loss.high),
            "spearman": _correlation(runs[scored], runs[choosing]),
        }
        for (scored, choosing), loss in between_tasks(runs).items()
    )


def on_seeds(measures: Measures) -> pd.DataFrame:
    """One row a task and comparison of its fine-tunings, two by two."""
    comparisons = {
        "loss without its heads": loss_without,
        "overlap beyond chance": overlap,
        "rank correlation": rank_correlation,
    }
    rows = []
    for task, runs in of_tuned(measures).items():
        for name, compare in comparisons.items() if len(runs) > 1 else ():
            mean = jackknife(between_seeds(list(runs.values()), compare))
            row = {"data": task, "seeds": len(runs), "figure": name}
            rows.append(row | {"mean": mean.value, "low": mean.low, "high": mean.high})
    return pd.DataFrame(rows)


def _correlation(scored: dict[int, OfRun], choosing: dict[int, OfRun]) -> float:
    means = [
        np.mean([run.losses.mean(axis=(0, 1)) for run in runs.values()], axis=0)
        for runs in (scored, choosing)
    ]
    return float(pd.Series(means[0]).corr(pd.Series(means[1]), method="spearman"))


def all_heads(measures: Measures) -> pd.DataFrame:
    """One row a task, arm and head, over fine-tunings.

    `share` is the change of the loss over the largest one of the task's tuned encoder; `hurts`: at
    least half of the halves chose the head.
    """
    heads = joined(measures, HEADS, "loss", "confidence", "entropy", "chosen")
    tuned = heads[heads["arm"] == TUNED]
    largest = tuned["loss"].abs().groupby(tuned["data"]).max()
    return heads.assign(
        share=heads["loss"] / heads["data"].map(largest), hurts=heads["chosen"] >= CHOSEN
    )


def with_other_columns(measures: Measures) -> pd.DataFrame:
    """The rows of `all_heads` of tuned encoders, with columns of other pages."""
    heads = all_heads(measures)
    heads = heads[heads["arm"] == TUNED]
    for page, column in OTHERS:
        try:
            values = head_column(page, column, measures).rename(column).reset_index()
        except NotMeasured:
            continue
        heads = heads.merge(values, on=PLACE, how="left")
    return heads


def chosen_heads(measures: Measures) -> pd.DataFrame:
    """The heads that some half chose, task by task, the lowest loss first."""
    heads = with_other_columns(measures).drop(columns=["hurts", "share", "examples"])
    heads = heads[heads["chosen"] > 0].sort_values("loss", kind="stable")
    return heads.sort_values("data", key=lambda data: data.map(measures.tasks.index), kind="stable")


def apart(measures: Measures) -> pd.DataFrame:
    """One row a task and figure, or class: the mean over heads that hurt, and over the others."""
    heads = with_other_columns(measures)
    names = [name for _, name in OTHERS if name in heads]
    rows = []
    for task, of_task in heads.groupby("data", sort=False):
        for name in ("confidence", "entropy", *names):
            values, prefix = pd.DataFrame({name: of_task[name]}), ""
            if not pd.api.types.is_numeric_dtype(of_task[name]):
                values, prefix = pd.get_dummies(of_task[name]).astype(float), f"{name}: "
            for column in values:
                means = values[column].groupby(of_task["hurts"]).mean()
                rows.append(
                    {
                        "data": task,
                        "figure": f"{prefix}{column}",
                        "heads that hurt": int(of_task["hurts"].sum()),
                        "of these": means.get(True, np.nan),
                        "of the others": means.get(False, np.nan),
                    }
                )
    return pd.DataFrame(rows)
