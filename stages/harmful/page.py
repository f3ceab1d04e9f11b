"""Heads that hurt, and how they differ from others (query-title study, conclusion; B1)."""

import pandas as pd

from stages.core.outcomes.deciding import DECIDING_METRICS
from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.joined import joined
from stages.core.pages.kinds import Dots, Grid, HeadGrid
from stages.core.stage.arms import TUNED
from stages.core.tables import Value
from stages.core.verdicts.measures import Measures
from stages.harmful.compared import (
    CHOSEN,
    all_heads,
    apart,
    chosen_heads,
    losses_in_percent,
    on_seeds,
    on_tasks,
)
from stages.harmful.tables import CALIBRATION, EXAMPLES, HEADS, SAVING, SCORES, SPREAD

IN_PERCENT = Value("change of the loss", unit="percent", format="+.1f", interval=True)
IN_POINTS = Value("change of the metric", unit="points", format="+.1f", interval=True)
OF_LARGEST = Value("share of the largest change", unit="share", format="+.2f")
HURTS = (
    "A head hurts if the loss is lower without it. Each half of the examples ranks the few heads "
    "without which, each alone, its loss is lowest. It takes the first of them that lower it most "
    "together. These are ablated (mode zero), and the other half is scored. Both halves choose for "
    "each other, in several divisions. Random heads of the same number stand beside them, and the "
    "same procedure on an encoder that was tuned from random weights."
)


def metrics_in_points(measures: Measures) -> pd.DataFrame:
    """One row a task and arm: accuracy, or the correlation of scores, over fine-tunings."""
    return joined(measures, SCORES.where(figure=DECIDING_METRICS), "change", scale=100)


def first_examples(measures: Measures) -> pd.DataFrame:
    """The examples whose loss falls most in the first fine-tuning of each task."""
    rows = measures.rows(EXAMPLES.where(arm=TUNED))
    return rows[rows["seed"] == rows.groupby("data")["seed"].transform("first")]


PAGE = Page(
    title="Heads that hurt",
    summary="Which heads the encoders are better without, and how these differ from others.",
    group="Heads turned off",
    order=10,
    studies=("B1",),
    content=(
        Section(
            "B1: what is gained without the heads that hurt?",
            HURTS,
            (
                Dots(
                    "harmful-loss",
                    "Change of the loss without heads that hurt, and without random heads",
                    losses_in_percent,
                    "change",
                    "Percent of the loss with all heads. Below 0 the encoder is better without.",
                    of=IN_PERCENT,
                    label=("data", "arm"),
                    mark="heads",
                    rival="random",
                    rival_title="random heads",
                    gain="beyond",
                ),
                Dots(
                    "harmful-metric",
                    "Change of the metric without heads that hurt",
                    metrics_in_points,
                    "change",
                    "Accuracy, or the correlation of scores.",
                    of=IN_POINTS,
                ),
                Grid(
                    "harmful-scores",
                    "Loss, metrics and calibration of every fine-tuning",
                    SCORES,
                    caption="The loss is cross-entropy in nats, or a squared error; metrics are "
                    f"shares. '{CALIBRATION}' is the expected calibration error of classes, in "
                    "bins of equal width by the probability of the predicted class. Scores have no "
                    "probability: their error is the distance between mean prediction and mean "
                    "label, in bins by prediction. Changes on the half that chose flatter. Random "
                    "heads are ablated on fewer examples (setting harmful.random_examples).",
                ),
                Grid(
                    "harmful-saving",
                    "Multiplications that fewer heads would save: computed, not measured",
                    SAVING,
                    caption="At the lengths of these examples. transformers 5 loads no layers with "
                    "fewer heads. 'python -m tools.cut' writes a checkpoint whose columns for the "
                    "heads are zero: it predicts the same and is no faster.",
                ),
            ),
        ),
        Section(
            "By single examples, or everywhere?",
            "Each example's loss with all heads, less that without the heads which the half "
            "without it chose. A few examples could make the whole fall.",
            (
                Dots(
                    "harmful-falls",
                    "Share of the examples whose loss falls",
                    SPREAD,
                    "falls",
                    label=("heads",),
                    bound=0.5,
                ),
                Grid(
                    "harmful-spread",
                    "How the fall of the loss is spread over examples",
                    SPREAD,
                    caption="The trimmed mean leaves out a twentieth of the examples at either "
                    "end. It is above 0 if the rest gains as well.",
                ),
                Grid(
                    "harmful-examples",
                    "The examples that gain most, in the first fine-tuning",
                    first_examples,
                    titles={column: value.heading for column, value in EXAMPLES.values.items()},
                ),
            ),
        ),
        Section(
            "Do the same heads hurt again?",
            "The heads that one fine-tuning chose are scored on another that did not choose them, "
            "each alone.",
            (
                Dots(
                    "harmful-tasks",
                    "Change of the loss of a task without heads that another task chose",
                    on_tasks,
                    "change",
                    of=IN_PERCENT,
                    label=("data", "heads"),
                ),
                Grid(
                    "harmful-seeds",
                    "On other seeds",
                    on_seeds,
                    caption="Fine-tunings of the same task, two by two, on halves that share no "
                    "example: the change of the loss, in percent, without each head that the other "
                    "chose; the share of heads that both chose, beyond chance; the rank "
                    "correlation of all heads' effects. Intervals are jackknives over seeds, which "
                    "takes three at least.",
                ),
                Grid(
                    "harmful-tasks",
                    "On other tasks",
                    on_tasks,
                    caption="Change of the loss in percent; 'spearman' is the rank correlation of "
                    "both tasks' changes over all heads.",
                ),
            ),
        ),
        Section(
            "How they differ from others",
            f"Heads that at least {CHOSEN:.0%} of the halves chose, and all other heads.",
            (
                HeadGrid(
                    "harmful-heads",
                    "Change of the loss without each head",
                    all_heads,
                    "share",
                    "Below 0 the head hurts. A dot marks heads that at least half of the halves "
                    "chose.",
                    of=OF_LARGEST,
                    marked="hurts",
                ),
                Grid(
                    "harmful-apart",
                    "Heads that hurt and the other heads",
                    apart,
                    caption="Means over heads. Confidence is the largest weight of a row of "
                    "attention; entropy (nats) is that of the row. A class, as a pattern, has the "
                    "share of the heads that belong to it.",
                ),
                Grid("harmful-chosen", "Every head that a half chose", chosen_heads),
            ),
        ),
    ),
    head_columns=(
        HeadColumn(
            "change of the loss without it",
            all_heads,
            "loss",
            join="each",
            show={"chosen": "share of halves that chose it"},
            text="Below 0 the head hurts. With its 95% interval, and the share of the halves of "
            "the examples that chose it as one of the harmful heads.",
            of=HEADS.values["loss"],
        ),
    ),
)
