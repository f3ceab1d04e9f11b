"""Heads that hurt, and what sets them apart (query-title study, conclusion; B1)."""

import numpy as np
import pandas as pd

from stages.core.pages.charts import dots
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.stage.arms import TUNED
from stages.core.stage.tables import interval_names
from stages.core.verdicts.estimates import rows_over_seeds
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
from stages.harmful.apart import PLACE, apart
from stages.harmful.tables import (
    CALIBRATION,
    EXAMPLES,
    HALVES,
    HEADS,
    LOSS,
    SAVING,
    SCORES,
    SPREAD,
)

POINTS = PERCENT = 100


def sections(measures: Measures) -> list[Section]:
    scores, heads = measures.frame(SCORES), measures.frame(HEADS)
    return [
        _scores(scores, measures.frame(SAVING)),
        _spread(measures.frame(SPREAD), measures.frame(EXAMPLES)),
        _again(measures),
        apart(_over_seeds(heads), measures),
    ]


def heads(measures: Measures) -> pd.DataFrame:
    """Change of each task's loss without each head, and how often it was among the harmful."""
    cells = _over_seeds(measures.frame(HEADS))
    table = cells.pivot(index=PLACE, columns="task", values="loss")
    return table[cells["task"].unique()].add_prefix("loss without: ")


def _over_seeds(rows: pd.DataFrame) -> pd.DataFrame:
    """The tuned encoders' heads, one row a task, layer and head, over fine-tunings."""
    rows = rows[rows["arm"] == TUNED]
    keys = ["task", *PLACE]
    names = [interval_names(name) for name in ("loss", "confidence", "entropy")]
    table = rows_over_seeds(rows, keys, names)
    chosen = rows.groupby(keys, sort=False)["chosen"].mean().reset_index()
    return table.merge(chosen, on=keys, validate="one_to_one")


def _scores(rows: pd.DataFrame, saving: pd.DataFrame) -> Section:
    rows = rows[["task", *rows.columns.drop("task")]]
    of_loss = rows[rows["figure"] == LOSS]
    drawn = []
    for name in ("change", "random"):
        columns = dict(zip(interval_names(name), interval_names(value="value"), strict=True))
        # Every run's loss has its own scale.
        values = of_loss[[*columns]].mul(PERCENT / of_loss["full"], axis=0).rename(columns=columns)
        run = of_loss["task"] + ", " + of_loss["arm"] + " " + of_loss["seed"].astype(str)
        what = "heads that hurt" if name == "change" else "random heads"
        drawn.append(values.assign(run=run, off=what))
    return Section(
        "B1: what is gained without the heads that hurt?",
        "A head hurts where the loss is lower without it. Each half of the examples names the few "
        "heads without which, each alone, its loss is lowest; these are set to zero together, and "
        "the other half is scored. Both halves choose for each other, in several divisions, so "
        "that no example scores what it chose. Beside them stand as many random heads, and the "
        "same procedure on an encoder that was tuned from random weights.",
        (
            Figure(
                "harmful-loss",
                "Change of the loss without heads that hurt, and without random ones",
                "Percent of the loss with all heads on; below 0 the encoder is better without. "
                "Lines are 95% bootstrap intervals over the examples of one fine-tuning.",
                dots(pd.concat(drawn), "run", "change of the loss, percent", group="off"),
            ),
            Table(
                "harmful-scores",
                "Loss, metrics and calibration with all heads on, and without those that hurt",
                "`loss` is cross-entropy in nats, or a squared error; metrics are shares. "
                f"`{CALIBRATION}` is the expected calibration error of classes (bins of equal "
                "width by the probability of the class that is named); scores have no probability, "
                "so of these it is the distance between the mean prediction and the mean label, in "
                "bins by prediction and in the label's unit. `change` is on the halves that did "
                "not choose, `change_where_chosen` on those that did, where it flatters; `random` "
                "without as many random heads, `beyond` is change less random.",
                rows,
            ),
            Table(
                "harmful-saving",
                "What removing as many heads would save: computed, not measured",
                "Shares of the multiplications of attention (projections and products of maps) and "
                "of the whole encoder at these examples' lengths. transformers 5 loads no layers "
                "with fewer heads; `python -m tools.cut` writes a checkpoint whose columns for the "
                "heads are zero, which predicts the same and is no faster.",
                saving[["task", *saving.columns.drop("task")]],
            ),
        ),
    )


def _spread(rows: pd.DataFrame, examples: pd.DataFrame) -> Section:
    first = examples[(examples["arm"] == TUNED)].groupby("task", sort=False)["seed"].first()
    examples = examples[
        (examples["arm"] == TUNED) & (examples["seed"] == examples["task"].map(first))
    ]
    return Section(
        "By single examples, or everywhere?",
        "Each example's loss with all heads on, less that without the heads which the half without "
        "it chose. A few examples could make the whole fall.",
        (
            Table(
                "harmful-spread",
                "How the fall of the loss is spread over examples",
                "`falls`: share of the examples whose loss falls; `top_share`: of all that falls, "
                "the share in that twentieth of the examples where it falls most; `trimmed`: the "
                "mean fall when a twentieth of the examples is left out at either end, above 0 "
                "where the rest gains as well. Beside the chosen heads stand random ones.",
                rows[["task", *rows.columns.drop("task")]],
            ),
            Table(
                "harmful-examples",
                "The examples that gain most",
                "Of the first fine-tuning: what the model says with all heads on (`full`) and "
                "without those that hurt (`cut`), classes by their number; the fall of the loss, "
                "and its share of all that falls.",
                examples[["task", *examples.columns.drop("task")]],
            ),
        ),
    )


def _again(measures: Measures) -> Section:
    rows = measures.drawn(HALVES)
    rows = rows[rows["arm"] == TUNED]
    runs = {str(task): runs_of(own) for task, own in rows.groupby("task", sort=False)}
    items = [
        Table(
            "harmful-tasks",
            "On other tasks",
            "The change of a task's loss, in percent, without each head that the other task chose, "
            "alone, with its 95% interval over examples and, of several fine-tunings, over seeds; "
            "and the rank correlation over all heads of both tasks' changes.",
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
                "Of one fine-tuning against another of the same task, on halves that share no "
                "example: the change of the loss, in percent, without each head that the other "
                "chose; the share of heads that both chose, beyond what chance gives; the rank "
                "correlation of all heads' effects. Intervals are jackknives over seeds, which "
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


PAGE = Page(
    order=10,
    title="Heads that hurt",
    summary="Which heads the encoders are better without, and what sets these apart.",
    studies=("B1",),
    sections=sections,
    heads=heads,
)
