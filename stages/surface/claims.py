"""What heads look at on the surface (Clark et al. 2019, 3.1 to 3.3; Vig 2019, part one)."""

import pandas as pd

from stages.core.verdicts.answers import Answer, by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import (
    Estimate,
    count_above,
    difference_of,
    largest,
    mean_on_same_examples,
)
from stages.core.verdicts.measures import Measures, NotMeasured, studied
from stages.surface.tables import HEADS, PATTERN


@measure
def heads_above(measures: Measures, settings: Settings, statistic: str, share: float) -> Answer:
    """How many heads have a mean above a share, after Holm's correction (`count_above`)."""
    rows = _statistic(measures, statistic)
    return by_corpus(rows, lambda heads: count_above(heads, "mean", share), "heads")


@measure
def layers_mean(measures: Measures, settings: Settings, statistic: str, layers: Band) -> Answer:
    """A statistic's mean over the heads of some layers."""

    def mean(heads: pd.DataFrame) -> Estimate:
        return _mean(heads[layers.holds(heads["layer"])])

    return by_corpus(_statistic(measures, statistic), mean, "texts")


@measure
def layers_contrast(measures: Measures, settings: Settings, statistic: str, layers: Band) -> Answer:
    """A statistic's mean over the heads of some layers minus that over those of all others."""

    def contrast(heads: pd.DataFrame) -> Estimate:
        inside = layers.holds(heads["layer"])
        return difference_of(_mean(heads[inside]), _mean(heads[~inside]))

    return by_corpus(_statistic(measures, statistic), contrast, "texts")


@measure
def strongest_head(measures: Measures, settings: Settings, pattern: str) -> Answer:
    """The strength of the head that follows a pattern most; its interval allows for the choice."""

    def strongest(heads: pd.DataFrame) -> Estimate:
        return largest([_estimate(row) for _, row in heads.iterrows()])

    return by_corpus(_statistic(measures, PATTERN + pattern), strongest, "texts")


@summary("surface")
def strongest_heads(measures: Measures) -> dict:
    """For each corpus and pattern the strongest head and its strength."""
    rows = studied(measures.frame(HEADS))
    rows = rows[rows["statistic"].str.startswith(PATTERN)]
    table: dict = {}
    for (corpus, statistic), heads in rows.groupby(["corpus", "statistic"], sort=False):
        best = heads.loc[heads["mean"].idxmax()]
        found = {"head": f"{best['layer']}-{best['head']}", "strength": float(best["mean"])}
        table.setdefault(corpus, {})[statistic.removeprefix(PATTERN)] = found
    return table


def _statistic(measures: Measures, statistic: str) -> pd.DataFrame:
    rows = studied(measures.frame(HEADS))
    rows = rows[rows["statistic"] == statistic]
    if rows.empty:
        raise NotMeasured(f"no corpus has what {statistic} needs (two texts together, perhaps)")
    return rows


def _estimate(row: pd.Series) -> Estimate:
    return Estimate(row["mean"], row["low"], row["high"], int(row["texts"]))


def _mean(heads: pd.DataFrame) -> Estimate:
    """The mean over heads, which are measured on the same texts."""
    if heads.empty:
        raise NotMeasured("the encoder has too few layers to tell these from the others")
    return mean_on_same_examples([_estimate(row) for _, row in heads.iterrows()])
