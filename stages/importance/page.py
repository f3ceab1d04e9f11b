"""How good gradients are as a score of heads (Michel et al. 2019, section 4.1)."""

import pandas as pd

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.joined import joined
from stages.core.pages.kinds import Dots, Grid, HeadGrid, Scatter
from stages.core.tables import Value
from stages.core.verdicts.measures import Measures
from stages.importance.tables import AGREEMENT, COSTS, HEADS

LARGEST = Value("share of the largest", unit="share", bounds=(0, 1))


def importances(measures: Measures) -> pd.DataFrame:
    """One row a task and head over fine-tunings, with its rank and its share of the largest."""
    heads = joined(measures, HEADS, "importance", "loss", "absolute_loss")
    of_tasks = heads.groupby("data")["importance"]
    ranks = of_tasks.rank(ascending=False, method="min").astype(int)
    return heads.assign(rank=ranks, share=heads["importance"] / of_tasks.transform("max"))


PAGE = Page(
    title="Importance by gradients",
    summary="How well one backward pass ranks the heads, compared with ablating each.",
    group="Heads turned off",
    order=8,
    studies=("B2",),
    content=(
        Section(
            "How good is the cheap score?",
            "Importance is the mean over examples of the absolute gradient of the loss with "
            "respect to the gate of a head (Michel et al. 2019). One backward pass gives it for "
            "all heads, here in fp32. It is compared with ablating each head (mode zero) on the "
            "same examples. A score with the order of the exact grid has a rank correlation of "
            "1. An absolute gradient can say how far a head moves the loss, but not which way.",
            (
                Dots(
                    "importance-agreement",
                    "Rank correlation of importance with three exact scores",
                    AGREEMENT,
                    "spearman",
                    "The exact scores are the mean change of the loss, its mean absolute change, "
                    "and the loss of the task's first metric. The norm 'layer' divides importance "
                    "by the l2 norm of that of its layer's heads, as Michel et al. do before they "
                    "prune.",
                    label=("exact",),
                    mark="norm",
                ),
                Scatter(
                    "importance-exact",
                    "Importance by gradients and the change of the loss without the head",
                    importances,
                    "loss",
                    "Above the line the loss rises without the head.",
                    of=HEADS.values["loss"],
                    x="importance",
                    x_title=HEADS.values["importance"].heading,
                ),
                Grid("importance-agreement", "Rank correlation over heads", AGREEMENT),
                Grid(
                    "importance-cost",
                    "Cost of both scores",
                    COSTS,
                    caption="Floating-point operations of matrix products, counted and not timed, "
                    "as multiples of one forward pass of the same examples. The grid's are the "
                    "fewest that are known. 'python -m benchmarks grid' measures seconds.",
                ),
            ),
        ),
        Section(
            "Every head",
            "The same numbers by place. Losses have units of their own, so the figure shows shares "
            "of the task's most important head.",
            (
                HeadGrid(
                    "importance-heads", "Importance by gradients", importances, "share", of=LARGEST
                ),
                Grid(
                    "importance-heads",
                    "Importance and exact change of the loss",
                    importances,
                    caption="Means over examples with 95% intervals; cross-entropy in nats, "
                    "squared error for scores.",
                ),
            ),
        ),
    ),
    head_columns=(
        HeadColumn(
            "gradient importance",
            importances,
            "importance",
            join="each",
            show={"rank": "rank"},
            text="Mean absolute gradient of the loss with respect to the head's gate, with its 95% "
            "interval, and its rank among all heads.",
            of=HEADS.values["importance"],
        ),
    ),
)
