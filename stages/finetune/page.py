"""The tasks, and what fine-tuning gains (Kovaleva et al. 2019, Table 1)."""

from contextlib import suppress

import numpy as np
import pandas as pd

from stages.core.pages.declared import Page, Section
from stages.core.pages.kinds import Dots, Grid
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM, UNTUNED
from stages.core.tables import Value
from stages.core.tasks.tables import BASELINES, PREDICTIONS
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.finetune.gains import Scores, gain_rows, predictions, score_rows, scores_of
from stages.finetune.tables import TUNING_SETTINGS

SIMPLE = {
    "majority": "majority class",
    "bag_of_words": "bag of words",
    "word_overlap": "word overlap",
}
COMPARED = (TUNED, UNTUNED, TUNED_FROM_RANDOM)
BEST = "best simple baseline"


def scores(measures: Measures) -> Scores:
    """The primary metric of simple baselines, if there are any, and of every arm."""
    runs = [predictions(measures, PREDICTIONS)]
    with suppress(NotMeasured):
        runs.insert(0, predictions(measures, BASELINES).replace({"arm": SIMPLE}))
    metrics = {task: [metric] for task, metric in measures.primary.items()}
    return scores_of(pd.concat(runs, ignore_index=True), metrics)


def models(measures: Measures) -> pd.DataFrame:
    """One row a task and model: its score."""
    return score_rows(scores(measures))


def gains(measures: Measures) -> pd.DataFrame:
    """One row a task and other model: the gain of the tuned encoder.

    The simple baseline with the highest score on the task stands for all. Random weights without
    tuning are a control of attention, not of scores.
    """
    others = {}
    for key, of_arms in scores(measures).items():
        others[key] = {arm: of_arms[arm] for arm in COMPARED if arm in of_arms}
        simple = [of_arms[arm] for arm in SIMPLE.values() if arm in of_arms]
        # The score of a constant prediction may be no number.
        simple = [of_seeds for of_seeds in simple if not np.isnan(of_seeds[0].value)]
        if simple:
            others[key][BEST] = max(simple, key=lambda of_seeds: of_seeds[0].value)
    return gain_rows(others)


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
                    models,
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
                    models,
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
