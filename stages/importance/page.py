"""How good gradients are as a score of heads (Michel et al. 2019, section 4.1)."""

from itertools import chain

import pandas as pd

from stages.core.pages.bounded import cut, said_of_cut
from stages.core.pages.charts import scatter
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.stage.tables import interval_names
from stages.core.verdicts.answers import some_rows
from stages.core.verdicts.estimates import rows_over_seeds
from stages.core.verdicts.measures import Measures
from stages.importance.said import said_of_agreement, said_of_cost, said_of_exact, said_of_first
from stages.importance.tables import AGREEMENT, COSTS, HEADS

CUT = said_of_cut("importance", most=None)


def sections(measures: Measures) -> list[Section]:
    cells = importances(measures)
    return [_against_the_grid(cells, measures), _every_head(cells)]


def in_short(measures: Measures) -> list[str]:
    """Whether the cheap score ranks heads as the exact one does, and what it costs."""
    agreement = said_of_agreement(measures.frame(AGREEMENT))
    return [*agreement[:2], said_of_cost(some_rows(measures.frame(COSTS)))]


def importances(measures: Measures) -> pd.DataFrame:
    """One row a task, layer and head, over fine-tunings."""
    cells, keys = measures.frame(HEADS), ["task", "layer", "head"]
    columns = [interval_names(name) for name in ("importance", "loss")]
    table = rows_over_seeds(cells, keys, columns)
    table = cut(table, *columns[0][1:], most=None)
    others = cells.columns.difference(["seed", *keys, *chain(*columns)], sort=False)
    means = cells.groupby(keys, sort=False)[list(others)].mean()
    return table.merge(means.reset_index(), on=keys, validate="one_to_one")


def heads(measures: Measures) -> pd.DataFrame:
    """Importance of each head by gradients for each task."""
    cells = importances(measures)
    table = cells.pivot(index=["layer", "head"], columns="task", values="importance")
    return table[cells["task"].unique()].add_prefix("gradient importance: ")


def _against_the_grid(cells: pd.DataFrame, measures: Measures) -> Section:
    agreement, costs = measures.frame(AGREEMENT), measures.frame(COSTS)
    places = ["task", "seed"]
    return Section(
        "How good is the cheap score?",
        "Importance is the mean over examples of the absolute gradient of the loss with "
        "respect to the gate of a head (Michel et al. 2019): one backward pass gives that of "
        "all heads, here in fp32. It is held against setting each head to zero, on the same "
        "examples. A score that ranks heads as the exact grid does has a rank correlation of "
        "1. An absolute gradient can say how far a head moves the loss, but not which way: the "
        "mean change of the loss and the metric tell heads that help from heads that hurt.",
        (
            Figure(
                "importance-exact",
                "Importance by gradients against the change of the loss without the head",
                "One dot a head, one panel a task: its importance, and the mean change of the loss "
                "with the head set to zero. Above the line the loss rises without the head.",
                scatter(
                    cells,
                    "importance",
                    "loss",
                    ("mean absolute gradient of the loss", "change of the loss"),
                    panel="task",
                    tooltip=["layer", "head", "importance", "loss"],
                ),
                finding=said_of_exact(cells),
            ),
            Table(
                "importance-agreement",
                "Rank correlation over heads",
                "Spearman, with the 95% interval over examples, between importance and three "
                "exact scores: the mean change of the loss, its mean absolute change, and what "
                "the primary metric loses. The norm 'layer' divides importance by the l2 norm of "
                "that of its layer's heads, as Michel et al. do before they prune; 'none' leaves "
                "it as it is.",
                agreement[[*places, *agreement.columns.drop(places)]],
            ),
            Table(
                "importance-cost",
                "What both scores cost",
                "Floating-point operations of matrix products, counted and not timed, as multiples "
                "of one forward pass of the same examples: of the exact grid at the fewest that "
                "are known to give it, of the gradients (one pass forward, one backward), and the "
                "second as a share of the first, with the 95% interval over examples, which differ "
                "in length. 'python -m benchmarks grid' measures seconds.",
                costs[["task", *costs.columns.drop("task")]],
            ),
        ),
    )


def _every_head(cells: pd.DataFrame) -> Section:
    most = cells.groupby("task")["importance"].transform("max")
    return Section(
        "Every head",
        "The same numbers by place.",
        (
            heads_figure(
                "importance-heads",
                "Importance by gradients",
                "Layer x head for each task; the darker, the larger the mean absolute gradient of "
                "the loss with respect to the head's gate. Shares of the task's most important "
                "head, as losses have units of their own.",
                cells.assign(share=cells["importance"] / most),
                "share",
                "share of the largest",
                tooltip=["task", "layer", "head", "share", "importance", "loss"],
                format=".2f",
                finding=said_of_first(cells),
            ),
            Table(
                "importance-heads",
                "Importance and exact change of the loss",
                "Means over examples with 95% intervals; cross-entropy in nats, squared error "
                f"for scores. {CUT}",
                cells,
            ),
        ),
    )


PAGE = Page(
    order=8,
    group="Heads turned off",
    title="Importance by gradients",
    summary="How well one backward pass ranks the heads, against turning each off.",
    studies=("B2",),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
