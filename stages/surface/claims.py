"""What heads look at on the surface (Clark et al. 2019, 3.1 to 3.3; Vig 2019, part one)."""

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.tables import drawn_of
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import (
    Estimate,
    count_above,
    mean_on_same_examples,
)
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.core.verdicts.of_data import of_data, studied_rows, value_of_row
from stages.surface.tables import HEADS, PATTERN, SEP_HEADS, STRONGEST


@measure
def heads_above(measures: Measures, settings: Settings, statistic: str, share: float) -> Answer:
    """How many heads have a mean above a share, after Holm's correction (`count_above`)."""

    def count(heads: pd.DataFrame) -> Estimate:
        return count_above(heads, "amount", share)

    rows = HEADS.where(statistic=statistic)
    return of_data(measures, rows, count, counted="heads", bounds="range")


@measure
def median_head(measures: Measures, settings: Settings, statistic: str) -> Answer:
    """A statistic of the median head: half of the heads have less; heads are drawn as well."""

    def median(heads: pd.DataFrame) -> Estimate:
        drawn = np.median(_drawn_heads(heads), axis=0)
        return Estimate.of_drawn(heads["amount"].median(), drawn, int(heads["texts"].max()))

    return of_data(measures, HEADS.where(statistic=statistic), median, counted="texts")


@measure
def layers_mean(measures: Measures, settings: Settings, statistic: str, layers: Band) -> Answer:
    """A statistic's mean over the heads of some layers."""

    def mean(heads: pd.DataFrame) -> Estimate:
        return _mean_of_heads(heads[layers.holds(heads["layer"])])

    return of_data(measures, HEADS.where(statistic=statistic), mean, counted="texts")


@measure
def layers_contrast(measures: Measures, settings: Settings, statistic: str, layers: Band) -> Answer:
    """A statistic's mean over the heads of some layers minus that over those of all others.

    Its interval draws the heads of each layer as well as the texts.
    """

    def contrast(heads: pd.DataFrame) -> Estimate:
        inside = layers.holds(heads["layer"]).to_numpy()
        if inside.all() or not inside.any():
            raise NotMeasured("the encoder has too few layers to tell these from the others")
        values, drawn = heads["amount"].to_numpy(), _drawn_heads(heads)
        return Estimate.of_drawn(
            values[inside].mean() - values[~inside].mean(),
            drawn[inside].mean(axis=0) - drawn[~inside].mean(axis=0),
            int(heads["texts"].max()),
        )

    return of_data(measures, HEADS.where(statistic=statistic), contrast, counted="texts")


@measure
def sep_to_sep(measures: Measures, settings: Settings, layers: Band) -> Answer:
    """What [SEP] gives to [SEP], in those heads of some layers that attend to [SEP].

    The texts that show which heads these are do not score them. The control are random weights at
    the same places.
    """

    def mean(rows: pd.DataFrame) -> Estimate:
        inside = rows[layers.holds(rows["layer"])]
        if not inside["cases"].sum():
            raise NotMeasured("no head of these layers gives enough of its attention to [SEP]")
        sums, cases = (
            np.sum(np.stack(inside[drawn_of(name)].tolist()), axis=0)
            for name in ("sep_to_sep_sum", "cases")
        )
        value = inside["sep_to_sep_sum"].sum() / inside["cases"].sum()
        with np.errstate(invalid="ignore"):
            return Estimate.of_drawn(value, sums / cases, int(inside["texts"].iloc[0]))

    return of_data(measures, SEP_HEADS, mean, counted="texts")


@measure
def strongest_head(
    measures: Measures, settings: Settings, pattern: str = "", statistic: str = ""
) -> Answer:
    """What the head with most of a pattern's strength has of it, or of a statistic.

    Chosen on one half of the texts, scored on the other.
    """
    rows = STRONGEST.where(statistic=statistic or f"{PATTERN}{pattern}")
    return of_data(measures, rows, value_of_row("score", "texts"), counted="texts")


@summary("surface")
def strongest_heads(measures: Measures) -> dict:
    """For each corpus and pattern the strongest head, and its strength on held-out texts."""
    rows = studied_rows(measures.rows(STRONGEST))
    table: dict = {}
    for row in rows[rows["statistic"].str.startswith(PATTERN)].to_dict("records"):
        head = {"head": f"{row['layer']}-{row['head']}", "strength": float(row["score"])}
        table.setdefault(row["data"], {})[row["statistic"].removeprefix(PATTERN)] = head
    return table


def _drawn_heads(heads: pd.DataFrame) -> Float[np.ndarray, "head resample"]:
    """The resamples of texts, in each of which the heads of every layer are drawn anew.

    Layers of random weights differ too, because their heads differ by chance. A claim about a layer
    must show more.
    """
    drawn = np.stack(heads[drawn_of("amount")].tolist())
    generator = np.random.default_rng(drawn.shape)
    redrawn = np.empty_like(drawn)
    columns = np.arange(drawn.shape[1])
    for _, of_layer in heads.reset_index(drop=True).groupby("layer"):
        places = of_layer.index.to_numpy()
        picks = generator.integers(len(places), size=(len(places), drawn.shape[1]))
        redrawn[places] = drawn[places[picks], columns]
    return redrawn


def _mean_of_heads(heads: pd.DataFrame) -> Estimate:
    """The mean over heads, by the resamples of texts that they share."""
    if heads.empty:
        raise NotMeasured("the encoder has too few layers to tell these from the others")
    return mean_on_same_examples(
        [Estimate.of_value(row, "amount", int(row["texts"])) for row in heads.to_dict("records")]
    )
