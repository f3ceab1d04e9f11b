"""The tasks, and what fine-tuning gains (Kovaleva et al. 2019, Table 1)."""

import pandas as pd

from stages.core.pages.charts import dots
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.tasks.tables import BASELINES, PREDICTIONS
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.finetune.gains import score
from stages.finetune.said import said_of_gains, said_of_scores

MODELS = {
    "majority": "majority class",
    "bag_of_words": "bag of words",
    "word_overlap": "word overlap",
}
RESAMPLES = 1000


def sections(measures: Measures) -> list[Section]:
    table = scores(measures)
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
                    "Points (100 x metric), mean over seeds, with the 95% interval.",
                    table,
                ),
            ),
        )
    ]


def in_short(measures: Measures) -> list[str]:
    return said_of_gains(scores(measures))


def averaged(seeds: pd.Series) -> str:
    """Whether the rows are means over several seeds, as far as the report has several."""
    several = seeds > 1
    if several.all():
        return "Each is the mean over several seeds."
    if several.any():
        return "Where a model has several seeds, it is their mean."
    return "Each is of one seed."


def scores(measures: Measures) -> pd.DataFrame:
    """One row a task and model: metric, value, low, high (points), examples, seeds."""
    runs = measures.frame(PREDICTIONS)
    runs = runs.assign(model=runs["arm"])
    try:
        baselines = measures.frame(BASELINES)
        baselines = baselines.assign(model=baselines["model"].replace(MODELS), seed=-1)
        runs = pd.concat([baselines, runs], ignore_index=True)
    except NotMeasured:
        pass
    rows = []
    for (task, model), run in runs.groupby(["task", "model"], sort=False):
        metric = measures.primary[task]
        found = score(metric, run, RESAMPLES, 0)
        rows.append(
            {
                "task": task,
                "model": model,
                "metric": metric,
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "examples": found.n,
                "seeds": run["seed"].nunique(),
            }
        )
    order = {task: place for place, task in enumerate(measures.tasks)}
    return pd.DataFrame(rows).sort_values("task", key=lambda names: names.map(order), kind="stable")


PAGE = Page(
    order=1,
    group="Models and tasks",
    title="Tasks and fine-tuning",
    summary="What the encoder gains from fine-tuning and from pretraining.",
    studies=("K1", "T1"),
    sections=sections,
    in_short=in_short,
)
