"""The encoder beside other models of pairs (query-title study, sections 1 and 2.4)."""

from functools import partial

import numpy as np
import pandas as pd

from stages.core.pages.declared import Page, Section
from stages.core.pages.kinds import Dots, Grid, Matrix
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.tables import Value, count
from stages.core.tasks.tables import PREDICTIONS
from stages.core.tasks.task import REGRESSION_METRICS
from stages.core.verdicts.measures import Measures
from stages.finetune.gains import gain_rows, predictions, score_rows, scores_of
from stages.finetune.tables import PAIR_CLASSES, PAIR_PREDICTIONS, PAIR_SETTINGS

MODELS = {
    TUNED: "encoder",
    TUNED_FROM_RANDOM: "encoder from random weights",
    "lstm": "LSTM across the pair",
    "towers": "two towers",
}
CONFUSED = [TUNED, "lstm", "towers"]  # models whose confusions are drawn


def pair_runs(measures: Measures) -> pd.DataFrame:
    """Predictions of the encoder and of other models, on tasks that have those; models in words."""
    others = predictions(measures, PAIR_PREDICTIONS)
    tasks = list(others["data"].unique())
    encoder = PREDICTIONS.where(data=tasks, arm=[TUNED, TUNED_FROM_RANDOM])
    runs = pd.concat([predictions(measures, encoder), others], ignore_index=True)
    order = list(MODELS)
    return runs.sort_values("arm", key=lambda arms: arms.map(order.index), kind="stable")


def pair_scores(measures: Measures) -> pd.DataFrame:
    """One row a task, metric and model: its score."""
    rows = score_rows(scores_of(pair_runs(measures), _metrics(measures)))
    return rows.assign(arm=rows["arm"].map(MODELS))


def pair_gains(measures: Measures) -> pd.DataFrame:
    """One row a task, metric and other model: the gain of the encoder."""
    rows = gain_rows(scores_of(pair_runs(measures), _metrics(measures)))
    return rows.assign(over=rows["over"].map(MODELS))


def _metrics(measures: Measures) -> dict[str, list[str]]:
    """Accuracy and macro F1 of classes; the metric of a score."""
    return {
        task: [metric] if metric in REGRESSION_METRICS else ["accuracy", "macro_f1"]
        for task, metric in measures.primary.items()
    }


def confusions(measures: Measures, arms: list[str]) -> pd.DataFrame:
    """One row a task, model, label and prediction: the number of examples, over all seeds."""
    runs = pair_runs(measures)
    tables = []
    for data, names in measures.rows(PAIR_CLASSES).groupby("data", sort=False)["name"]:
        label, predicted = np.indices((len(names), len(names))).reshape(2, -1)
        for arm in arms:
            run = runs[(runs["data"] == data) & (runs["arm"] == arm)]
            counts = np.zeros((len(names), len(names)), dtype=int)
            np.add.at(counts, (run["label"].astype(int), run["prediction"].astype(int)), 1)
            in_words = dict(
                zip(("label", "predicted"), names.to_numpy()[[label, predicted]], strict=True)
            )
            keys = {"data": data, "model": MODELS[arm]}
            tables.append(pd.DataFrame({**keys, **in_words, "examples": counts.ravel()}))
    return pd.concat(tables, ignore_index=True)


PAGE = Page(
    title="Other models of pairs",
    summary="What the encoder has over an LSTM across the pair and over two towers.",
    group="Models and tasks",
    order=10,
    studies=("T1",),
    content=(
        Section(
            "T1: other models of pairs",
            "The encoder is pretrained and reads both texts of a pair together. The LSTM reads "
            "them apart and then with attention across them (Chen et al. 2017); its word vectors "
            "begin as the encoder's, and nothing else of it is pretrained. The two towers are the "
            "pretrained encoder on each text by itself: no head sees across, and only their [CLS] "
            "vectors are compared. All are tuned on the same examples, in the same batches, for "
            "the same number of steps, with the same schedule; no setting was searched for. The "
            "control is the encoder that was tuned from random weights.",
            (
                Dots(
                    "pair-baselines-gains",
                    "Gain of the encoder over other models",
                    pair_gains,
                    "gain",
                    "Paired by example and by seed, over examples and over seeds.",
                    of=Value("gain", "points", "+.1f"),
                    label=("over", "metric", "data"),
                    words="over {}".format,
                ),
                Dots(
                    "pair-baselines-scores",
                    "The encoder and other models of pairs",
                    pair_scores,
                    "score",
                    "The metric on the validation examples, mean over seeds.",
                    of=Value("metric", "points", ".1f"),
                    label=("data", "metric", "arm"),
                    mark="",
                    bound=None,
                ),
                Grid("pair-baselines-scores", "Scores", pair_scores, "Points (100 x metric)."),
                Grid("pair-baselines-gains", "Gains of the encoder", pair_gains, "Points."),
                Grid(
                    "pair-baselines-settings",
                    "How the others were tuned",
                    PAIR_SETTINGS,
                    "The encoder's settings hold for all others. The weights are those that tuning "
                    "moves, without embeddings of words that no text of the task has.",
                ),
            ),
        ),
        Section(
            "Confusions",
            "Validation examples of each label and prediction, all seeds together.",
            (
                *(
                    Matrix(
                        f"pair-baselines-confusion-{arm}",
                        f"Labels and predictions: {MODELS[arm]}",
                        partial(confusions, arms=[arm]),
                        "examples",
                        of=count("examples"),
                        x="predicted",
                        y="label",
                        panel="data",
                    )
                    for arm in CONFUSED
                ),
                Grid("pair-baselines-confusion", "Confusions", partial(confusions, arms=CONFUSED)),
            ),
        ),
    ),
)
