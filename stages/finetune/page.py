"""The tasks, and what fine-tuning gains (Kovaleva et al. 2019, Table 1)."""

import pandas as pd

from stages.core.pages.declared import Page, Section
from stages.core.pages.kinds import Dots, Grid
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM, UNTUNED
from stages.core.tables import Value
from stages.core.tasks.tables import BASELINES, PREDICTIONS
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.finetune.gains import gain_rows, predictions, score_rows
from stages.finetune.tables import TUNING_SETTINGS

SIMPLE = {
    "majority": "majority class",
    "bag_of_words": "bag of words",
    "word_overlap": "word overlap",
}
BEST = "best simple baseline"


def runs(measures: Measures) -> pd.DataFrame:
    """Predictions of simple baselines, if there are any, and of every arm."""
    arms = predictions(measures, PREDICTIONS)
    try:
        return pd.concat(
            [predictions(measures, BASELINES).replace({"arm": SIMPLE}), arms], ignore_index=True
        )
    except NotMeasured:
        return arms


def scores(measures: Measures) -> pd.DataFrame:
    """One row a task and model: its primary metric."""
    return score_rows(runs(measures), _primary(measures))


def gains(measures: Measures) -> pd.DataFrame:
    """One row a task and model that is no control of attention: the gain of the tuned encoder.

    The simple baseline with the highest score on the task stands for all.
    """
    table = scores(measures).dropna(subset="score")
    simple = table[table["arm"].isin(SIMPLE.values())]
    best = simple.loc[simple.groupby("data")["score"].idxmax()].set_index("data")["arm"]
    every = runs(measures)
    of_best = every[every["arm"] == every["data"].map(best)].assign(arm=BEST)
    arms = every[every["arm"].isin([UNTUNED, TUNED_FROM_RANDOM, TUNED])]
    return gain_rows(pd.concat([arms, of_best], ignore_index=True), _primary(measures))


def _primary(measures: Measures) -> dict[str, list[str]]:
    return {task: [metric] for task, metric in measures.primary.items()}


PAGE = Page(
    title="Tasks and fine-tuning",
    summary="What the encoder gains from fine-tuning and from pretraining.",
    group="Models and tasks",
    order=1,
    studies=("K1", "T1"),
    content=(
        Section(
            "What tuning gains",
            "Three arms, as in Table 1 of Kovaleva et al.: the pretrained encoder under a fresh "
            "head, the same architecture tuned from random weights, and the pretrained encoder "
            "tuned. Beside them stand random weights without tuning, and models without an "
            "encoder: the majority class (the mean of scores), a bag of words of either text and, "
            "for pairs, word overlap. It counts words, and words that both texts have.",
            (
                Dots(
                    "finetune-gains",
                    "Gain of the tuned encoder over other models",
                    gains,
                    "gain",
                    "Paired by example and by seed, over examples and over seeds.",
                    of=Value("gain in the primary metric", "points", "+.1f"),
                    label=("over", "data"),
                    words="over {}".format,
                ),
                Dots(
                    "finetune-scores",
                    "Primary metric of every task and model",
                    scores,
                    "score",
                    "The metric on the validation examples, mean over seeds.",
                    of=Value("primary metric", "points", ".1f"),
                    label=("data", "arm"),
                    mark="",
                    bound=None,
                ),
                Grid(
                    "finetune-scores",
                    "Scores",
                    scores,
                    "Points (100 x metric), mean over seeds; an interval ends where its metric "
                    "does.",
                ),
                Grid("finetune-gains", "Gains of the tuned encoder", gains, "Points."),
                Grid(
                    "finetune-settings",
                    "How the encoder was tuned",
                    TUNING_SETTINGS,
                    "Settings that tasks may change; params.yaml has the others.",
                ),
            ),
        ),
    ),
)
