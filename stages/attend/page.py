"""Where the heads look: statistics of all maps (Clark et al. 2019, sections 3.1 to 3.3)."""

from collections.abc import Callable

import pandas as pd

from stages.attend.tables import STATISTICS_OF_HEADS
from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.kinds import Grid, HeadGrid
from stages.core.tables import Value
from stages.core.verdicts.measures import Measures

SHARE = {"unit": "share", "format": ".1%", "bounds": (0, 1)}
STATISTICS = {
    "cls": Value("attention to [CLS]", **SHARE),
    "sep": Value("attention to [SEP]", **SHARE),
    "sep_to_sep": Value("attention from [SEP] to [SEP]", **SHARE),
    "punctuation": Value("attention to punctuation", **SHARE),
    "previous": Value("attention to the previous token", **SHARE),
    "next": Value("attention to the next token", **SHARE),
    "current": Value("attention to the token itself", **SHARE),
    "entropy": Value("entropy of attention", "nats", bounds=(0, None)),
    "cls_entropy": Value("entropy of the attention of [CLS]", "nats", bounds=(0, None)),
    "distance": Value("mean distance of the attended token", "tokens", bounds=(0, None)),
}
# The tokens that the mean is taken over, if not all.
QUERIES = {"sep_to_sep": "the [SEP] of an example", "cls_entropy": "the [CLS] of an example"}


def mean_over_tasks(statistic: str) -> Callable[[Measures], pd.DataFrame]:
    """A function that returns one row an arm and head: the mean of a statistic over the tasks."""

    def rows(measures: Measures) -> pd.DataFrame:
        table = measures.rows(STATISTICS_OF_HEADS.where(statistic=statistic))
        return table.groupby(["arm", "layer", "head"], sort=False)["mean"].mean().reset_index()

    return rows


def section(statistic: str, value: Value) -> Section:
    """The section of one statistic: every head of every arm."""
    of = QUERIES.get(statistic, "the tokens of an example")
    rows, title = mean_over_tasks(statistic), f"{value.title[0].upper()}{value.title[1:]}"
    return Section(
        title,
        f"Mean over {of}, then over examples and tasks.",
        (
            HeadGrid(f"attend-{statistic}", title, rows, "mean", of=value),
            Grid(f"attend-{statistic}", "Every head", rows, titles={"mean": value.heading}),
        ),
    )


PAGE = Page(
    title="Where heads look",
    summary="Attention to special tokens, neighbours and punctuation, and how broad it is.",
    group="Where heads look",
    order=2,
    studies=(),
    content=tuple(section(name, value) for name, value in STATISTICS.items()),
    head_columns=tuple(
        HeadColumn(value.title, mean_over_tasks(name), "mean", of=value)
        for name, value in STATISTICS.items()
        if value.unit == "share"
    ),
)
