"""The tasks, and what fine-tuning gains (Kovaleva et al. 2019, Table 1)."""

import pandas as pd

from stages.core.pages.bounded import cut
from stages.core.pages.charts import dots
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.stage.arms import TUNED
from stages.core.tasks.tables import BASELINES, PREDICTIONS
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.finetune.gains import POINTS, columns, gain, score
from stages.finetune.said import NO_ENCODER, OTHERS, best_baselines, said_of_gains, said_of_scores

MODELS = {
    "majority": "majority class",
    "bag_of_words": "bag of words",
    "word_overlap": "word overlap",
}
RESAMPLES = 1000
SIGNED = ("matthews", "pearson", "spearman")  # metrics that can be below 0


def sections(measures: Measures) -> list[Section]:
    found = scores(measures)
    changes, table = gains(measures, found), within_bounds(found)
    figure = Figure(
        "finetune-scores",
        "Primary metric of every task and arm",
        "Dots are the primary metric on the validation examples, lines its 95% interval, over "
        "examples and over seeds where there are several. " + averaged(table["seeds"]),
        dots(table, "task", "primary metric, points", group="model", zero=False),
        finding=said_of_scores(table),
    )
    return [
        Section(
            "What tuning gains",
            "Three arms, as in Table 1 of Kovaleva et al.: the pretrained encoder under a fresh "
            "head, the same architecture tuned from random weights, and the pretrained encoder "
            "tuned. Beside them stand random weights that are not tuned, the control of attention "
            "and patterns, and models without an encoder: the majority class (the mean of scores), "
            "a bag of words of either text and, where examples are pairs, word overlap, which "
            "knows how many words the two share and how long they are.",
            (
                figure,
                Table(
                    "finetune-scores",
                    "Scores",
                    "Points (100 x metric), mean over seeds, with the 95% interval. Intervals that "
                    "would reach beyond what a metric can be are cut there.",
                    table,
                ),
                Table(
                    "finetune-gains",
                    "What the tuned encoder has over the others",
                    "Points, paired by example and by seed, with the 95% interval over examples "
                    "and over seeds where there are several.",
                    changes,
                ),
            ),
        )
    ]


def in_short(measures: Measures) -> list[str]:
    return said_of_gains(gains(measures, scores(measures)))


def averaged(seeds: pd.Series) -> str:
    """Whether the rows are means over several seeds, as far as the report has several."""
    several = seeds > 1
    if several.all():
        return "Each is the mean over several seeds."
    if several.any():
        return "Where a model has several seeds, it is their mean."
    return "Each is of one seed."


def predictions(measures: Measures) -> pd.DataFrame:
    """Predictions of every arm and, where there are some, of models without an encoder."""
    runs = measures.frame(PREDICTIONS)
    runs = runs.assign(model=runs["arm"])
    try:
        baselines = measures.rows(BASELINES).rename(columns={"data": "task"})
        baselines = baselines.assign(model=baselines["model"].replace(MODELS), seed=-1)
    except NotMeasured:
        return runs
    return pd.concat([baselines, runs], ignore_index=True)


def scores(measures: Measures) -> pd.DataFrame:
    """One row a task and model: metric, value, low, high (points), examples, seeds."""
    rows = []
    for (task, model), run in predictions(measures).groupby(["task", "model"], sort=False):
        metric = measures.primary[task]
        found = score(metric, run, RESAMPLES, 0)
        rows.append(
            {
                "task": task,
                "model": model,
                "metric": metric,
                **columns(found),
                "examples": found.n,
                "seeds": run["seed"].nunique(),
            }
        )
    order = {task: place for place, task in enumerate(measures.tasks)}
    return pd.DataFrame(rows).sort_values("task", key=lambda names: names.map(order), kind="stable")


def gains(measures: Measures, table: pd.DataFrame) -> pd.DataFrame:
    """One row a task and other model, one of `OTHERS`: what the tuned encoder has over it.

    Args:
        table: as of `scores`.

    Returns:
        task, over, metric, value, low, high (points); of the models without an encoder only the
        best of a task, by its score.
    """
    runs = predictions(measures)
    best = best_baselines(table)
    rows = []
    for task in measures.tasks:
        of_task = runs[runs["task"] == task]
        tuned = of_task[of_task["model"] == TUNED]
        metric = measures.primary[task]
        for over in OTHERS:
            name = best.get(task) if over == NO_ENCODER else over
            other = of_task[of_task["model"] == name]
            if tuned.empty or other.empty:
                continue
            found = gain(metric, tuned, other, RESAMPLES, 0)
            rows.append({"task": task, "over": over, "metric": metric} | columns(found))
    return pd.DataFrame(rows, columns=["task", "over", "metric", "value", "low", "high"])


def within_bounds(table: pd.DataFrame) -> pd.DataFrame:
    """Scores whose intervals end where their metric does."""
    least = table["metric"].isin(SIGNED).map({True: -POINTS, False: 0})
    return cut(table, "low", "high", least, POINTS)


PAGE = Page(
    order=1,
    group="Models and tasks",
    title="Tasks and fine-tuning",
    summary="What the encoder gains from fine-tuning and from pretraining.",
    studies=("K1", "T1"),
    sections=sections,
    in_short=in_short,
)
