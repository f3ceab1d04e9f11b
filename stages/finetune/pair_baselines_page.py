"""The encoder beside other models of pairs (query-title study, sections 1 and 2.4)."""

import numpy as np
import pandas as pd

from stages.core.pages.charts import dots, matrix
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.pages.said import ABOVE, BELOW, NOT_SHOWN, measured, side
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.tasks.tables import PREDICTIONS
from stages.core.tasks.task import REGRESSION_METRICS
from stages.core.verdicts.answers import some_rows
from stages.core.verdicts.measures import Measures
from stages.finetune.gains import columns, gain, score
from stages.finetune.said import said_of_confusions
from stages.finetune.tables import PAIR_CLASSES, PAIR_PREDICTIONS, PAIR_SETTINGS

ENCODER, FROM_RANDOM = "encoder", "encoder from random weights"
MODELS = {
    TUNED: ENCODER,
    TUNED_FROM_RANDOM: FROM_RANDOM,
    "lstm": "LSTM across the pair",
    "towers": "two towers",
}
RESAMPLES = 1000
MOST_SENTENCES = 3  # at the top of the page
READING = (
    "The encoder reads both texts of a pair together and was pretrained. The LSTM reads them apart "
    "and then with attention across them (Chen et al. 2017); only its word vectors are pretrained, "
    "they begin as the encoder's. The two towers are the pretrained encoder on each text by "
    "itself: no head sees across, and only their [CLS] vectors are compared. All are tuned on the "
    "same examples, in the same batches, for as many steps, with the same schedule; nothing was "
    "searched for. Beside them stands the encoder that began at random."
)
CONFUSIONS = "What each model takes for what. On the diagonal stand examples that are told right."


def sections(measures: Measures) -> list[Section]:
    runs = predictions(measures)
    table = scores(measures, runs)
    changes = gains(measures, runs)
    figures = (
        Figure(
            "pair-baselines-scores",
            "The encoder and other models of pairs",
            "Dots are metrics on the validation examples, mean over seeds; lines are 95% intervals "
            "over examples and, where there are several, seeds.",
            dots(
                table.assign(panel=table["task"] + ", " + table["metric"]),
                "panel",
                "metric, points",
                group="model",
                zero=False,
            ),
            finding=" ".join(sentence(row) for row in changes.to_dict("records")),
        ),
        Table(
            "pair-baselines-scores",
            "Scores",
            "Points (100 x metric), mean over seeds, with the 95% interval.",
            table,
        ),
        Table(
            "pair-baselines-gains",
            "What the encoder has over the others",
            "Points, paired by example and by seed, with the 95% interval.",
            changes,
        ),
        Table(
            "pair-baselines-settings",
            "How the others were tuned",
            "Settings that are not named are the encoder's. The weights are those that tuning "
            "moves, without embeddings of words that the task does not have.",
            settings_table(measures),
        ),
    )
    return [
        Section("T1: other models of pairs", READING, figures),
        *_confusions(measures, runs),
    ]


def in_short(measures: Measures) -> list[str]:
    """On the first task what the encoder has over each other model, by the metric that decides."""
    changes = gains(measures, predictions(measures))
    if changes.empty:
        return []
    first = changes[["task", "metric"]].eq(changes.iloc[0][["task", "metric"]]).all(axis=1)
    return [sentence(row) for row in changes[first].to_dict("records")][:MOST_SENTENCES]


def predictions(measures: Measures) -> pd.DataFrame:
    """Predictions of the encoder and of other models, on tasks that have those: task, model, ..."""
    others = some_rows(measures.frame(PAIR_PREDICTIONS))
    own = measures.frame(PREDICTIONS).rename(columns={"arm": "model"})
    own = own[own["model"].isin(MODELS) & own["task"].isin(others["task"])]
    runs = pd.concat([own, others], ignore_index=True)
    order = list(MODELS)
    return runs.sort_values("model", key=lambda names: names.map(order.index), kind="stable")


def scores(measures: Measures, runs: pd.DataFrame) -> pd.DataFrame:
    """One row a task, metric and model: value, low, high (points), examples, seeds."""
    rows = [
        {"task": task, "metric": metric, "model": MODELS[model]}
        | columns(score(metric, own, RESAMPLES, 0))
        | {"examples": own["id"].nunique(), "seeds": own["seed"].nunique()}
        for task in runs["task"].unique()
        for metric in metrics(measures, task)
        for model, own in runs[runs["task"] == task].groupby("model", sort=False)
    ]
    return pd.DataFrame(rows)


def gains(measures: Measures, runs: pd.DataFrame) -> pd.DataFrame:
    """One row a task, metric and other model: what the encoder has over it."""
    rows = []
    for task in runs["task"].unique():
        of_task = runs[runs["task"] == task]
        tuned = of_task[of_task["model"] == TUNED]
        for metric in metrics(measures, task) if len(tuned) else ():
            for model, own in of_task[of_task["model"] != TUNED].groupby("model", sort=False):
                found = gain(metric, tuned, own, RESAMPLES, 0)
                rows.append({"task": task, "metric": metric, "over": MODELS[model]})
                rows[-1] |= columns(found)
    names = ["task", "metric", "over", "value", "low", "high"]
    return pd.DataFrame(rows, columns=names)


def metrics(measures: Measures, task: str) -> list[str]:
    """What models are compared by: accuracy and macro F1 of classes, a score's own metric."""
    primary = measures.primary[task]
    return [primary] if primary in REGRESSION_METRICS else ["accuracy", "macro_f1"]


def sentence(row: dict) -> str:
    """What the interval of a gain says."""
    name = row["metric"].replace("macro_f1", "macro F1")
    size = measured(row["value"], row["low"], row["high"], ".1f", "points")
    said = {
        ABOVE: f"the encoder has more {name} than the {row['over']}",
        BELOW: f"the encoder has less {name} than the {row['over']}",
        NOT_SHOWN: f"neither the encoder nor the {row['over']} is shown to have more {name}",
    }[side(row["low"], row["high"])]
    return f"On {row['task']}, {said}: {size}."


def settings_table(measures: Measures) -> pd.DataFrame:
    """How each other model was tuned on each task."""
    table = measures.frame(PAIR_SETTINGS)
    table = table.assign(model=table["model"].map(MODELS))
    return table[["task", *table.columns.drop("task")]]


def confusion(runs: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """How many examples of each class get which prediction, over all seeds.

    Returns:
        label, predicted and examples: one row for every two classes, in the order of the classes.
    """
    counts = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(counts, (runs["label"].astype(int), runs["prediction"].astype(int)), 1)
    label, predicted = np.indices(counts.shape)
    return pd.DataFrame(
        {
            "label": [names[place] for place in label.ravel()],
            "predicted": [names[place] for place in predicted.ravel()],
            "examples": counts.ravel(),
        }
    )


def _confusions(measures: Measures, runs: pd.DataFrame) -> list[Section]:
    """Tables and figures of every model on tasks of classes."""
    classes = measures.frame(PAIR_CLASSES)
    found = []
    for task, names in classes.groupby("task", sort=False)["name"]:
        of_task = runs[(runs["task"] == task) & (runs["model"] != TUNED_FROM_RANDOM)]
        models = dict(iter(of_task.groupby("model", sort=False)))
        tables = {model: confusion(own, list(names)) for model, own in models.items()}
        figures = [
            Figure(
                f"pair-baselines-confusion-{task}-{model}",
                f"{task}: {MODELS[model]}",
                "Rows are labels, columns predictions; validation examples, all seeds together.",
                matrix(table, "predicted", "label", "examples"),
                finding=said_of_confusions(table),
            )
            for model, table in tables.items()
        ]
        whole = [table.assign(model=MODELS[model]) for model, table in tables.items()]
        listed = pd.concat(whole)[["model", "label", "predicted", "examples"]]
        caption = "Validation examples of each label and prediction, all seeds together."
        table = Table(f"pair-baselines-confusion-{task}", "Confusions", caption, listed)
        found.append(Section(f"Confusions on {task}", CONFUSIONS, (*figures, table)))
    return found


PAGE = Page(
    order=10,
    group="Models and tasks",
    title="Other models of pairs",
    summary="What the encoder has over an LSTM across the pair and over two towers.",
    studies=("T1",),
    sections=sections,
    in_short=in_short,
)
