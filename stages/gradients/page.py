"""Whether attention to special tokens is a no-op (Clark et al. 2019, section 3.2, Figure 3)."""

from collections.abc import Callable
from contextlib import suppress

import pandas as pd

from stages.core.maps.gradient_tables import GRADIENT_VALUES, MASKED
from stages.core.pages.declared import Page, Section
from stages.core.pages.kinds import Curves, Grid
from stages.core.tables import Value, estimate_columns, interval_of
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.gradients.ratio import WORDS, ratio_to_words
from stages.gradients.tables import TASKS

KIND_TITLES = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": "punctuation", WORDS: "words"}


def losses(measures: Measures) -> pd.DataFrame:
    """The rows of the loss of masked words, if it was measured, and of the losses of tasks.

    Raises:
        NotMeasured: there are neither.
    """
    tables = []
    for table, loss in ((MASKED, ", masked words"), (TASKS, "")):
        with suppress(NotMeasured):
            rows = measures.rows(table, drawn=True).drop(columns="seed", errors="ignore")
            tables.append(rows.assign(data=rows["data"] + loss))
    if not tables:
        raise NotMeasured("no gradients were measured")
    rows = pd.concat(tables, ignore_index=True)
    return rows.assign(to=rows["kind"].map(KIND_TITLES))


def in_largest(column: str) -> Callable[[Measures], pd.DataFrame]:
    """A function that returns a column as shares of the largest value of its loss and arm.

    Losses have units of their own, so that only shares can stand on one scale.
    """

    def rows(measures: Measures) -> pd.DataFrame:
        rows = losses(measures)
        largest = rows.groupby(["data", "arm"])[column].transform("max")
        shares = {name: rows[name] / largest for name in (column, *interval_of(column))}
        return rows.assign(**shares)

    return rows


def beside_words(column: str) -> Callable[[Measures], pd.DataFrame]:
    """A function that returns, for each loss, arm and layer, the ratio of [SEP] to words."""

    def rows(measures: Measures) -> pd.DataFrame:
        ratios = []
        for keys, of_layer in losses(measures).groupby(["data", "arm", "layer"], sort=False):
            with suppress(NotMeasured):
                ratio = ratio_to_words(of_layer, "sep", column)
                ends = estimate_columns("ratio", ratio.value, ratio.low, ratio.high)
                ratios.append(dict(zip(("data", "arm", "layer"), keys, strict=True)) | ends)
        return pd.DataFrame(ratios)

    return rows


def figures(column: str, title: str) -> tuple[Curves, Curves]:
    """The ratio of [SEP] to words, and all kinds of tokens as shares of the largest value."""
    name = column.replace("_", "-")
    return (
        Curves(
            f"gradients-ratio-{name}",
            f"{title}: [SEP] over words",
            beside_words(column),
            "ratio",
            of=Value("gradient for [SEP] over that for words", bounds=(0, None)),
        ),
        Curves(
            f"gradients-{name}",
            f"{title}, by kind of token",
            in_largest(column),
            column,
            "Values are shares of the largest value of a panel; intervals are over texts.",
            Value("share of the largest", "share", ".0%", (0, 1)),
            line="to",
            panel=("data", "arm"),
        ),
    )


PAGE = Page(
    title="Is attention to [SEP] a no-op?",
    summary="Gradients of the loss with respect to attention, by what is attended to.",
    group="Where heads look",
    order=21,
    studies=("C3",),
    content=(
        Section(
            "C3: gradient of one weight",
            "The mean absolute gradient of the loss with respect to a weight of attention says "
            "what a small change of attention to a token does. Near 0, attending there more or "
            "less does nothing. Losses are those of tasks and, if the checkpoint has an MLM head, "
            "that of masked words.",
            (
                *figures("per_weight", "Gradient of one weight"),
                Grid(
                    "gradients",
                    "Layer by layer",
                    losses,
                    columns=("data", "arm", "layer", "to", "per_weight", "summed", "attention"),
                    titles={name: value.heading for name, value in GRADIENT_VALUES.items()},
                ),
            ),
        ),
        Section(
            "All weights to a kind of token together",
            "The gradients are summed over all weights of a text. A text has many more words than "
            "special tokens.",
            figures("summed", "Gradient of all weights"),
        ),
    ),
)
