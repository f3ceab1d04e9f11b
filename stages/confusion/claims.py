"""How much distractors confuse attention (Lin et al. 2019, section 4).

Claims are in nats, of which a bit has 0.69, as the ledger knows no bits; tables and page have bits.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.confusion.tables import CONDITIONS, CONFUSION, EVERY_LAYER, LEAST, MEAN
from stages.core.stage.tables import drawn_name
from stages.core.verdicts.answers import Answer, by_corpus
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.core.verdicts.measures import Measures, NotMeasured, studied

NATS = float(np.log(2))  # of a bit
COUNTED = "lexical items"


@measure
def confusion_difference(
    measures: Measures,
    settings: Settings,
    more: list[str],
    less: list[str],
    every: bool = False,
    beyond_chance: bool = False,
) -> Answer:
    """The confusion in some conditions less that in others, of the mean over heads and layers.

    Args:
        more, less: names of conditions; each counts alike.
        every: the smallest difference between one of `more` and one of `less`, not that of means.
        beyond_chance: of each condition what its confusion has beyond equal attention to all
            candidates.
    """

    def difference(rows: pd.DataFrame) -> Estimate:
        rows = _over_layers(rows)
        one, other = (_of(rows, names, beyond_chance) for names in (more, less))
        if every:
            return _combined(one, other, np.min, np.max)
        return _combined(one, other, np.mean, np.mean)

    return _answer(measures, difference)


@measure
def confusion_beyond_chance(
    measures: Measures, settings: Settings, conditions: list[str], least: bool = False
) -> Answer:
    """The confusion in some conditions less that of equal attention to all candidates.

    Args:
        least: of the least confused head, held out; otherwise of the mean over heads.
    """

    def beyond(rows: pd.DataFrame) -> Estimate:
        own = _of(_over_layers(rows, LEAST if least else MEAN), conditions, True)
        return _estimate(own, np.mean)

    return _answer(measures, beyond)


@measure
def confusion_slope(measures: Measures, settings: Settings, phenomenon: str) -> Answer:
    """How confusion changes from the lowest to the highest layer, by a straight line through all.

    Mean over the conditions of a phenomenon, each of which counts alike.
    """

    def slope(rows: pd.DataFrame) -> Estimate:
        values, drawn, items = _by_layer(rows, phenomenon)
        places = np.linspace(-0.5, 0.5, len(values))
        weights = places / (places**2).sum()
        return Estimate.of_drawn(weights @ values, weights @ drawn, items).scaled(NATS)

    return _answer(measures, slope)


@measure
def confusion_rise(measures: Measures, settings: Settings, phenomenon: str, layers: Band) -> Answer:
    """Confusion in some layers less that in the layer below the lowest of them."""

    def rise(rows: pd.DataFrame) -> Estimate:
        values, drawn, items = _by_layer(rows, phenomenon)
        inside = np.flatnonzero(layers.holds(pd.Series(range(len(values)))))
        if not len(inside) or not inside[0]:
            raise NotMeasured("the encoder has too few layers to tell these from the one below")
        below = inside[0] - 1
        difference = drawn[inside].mean(0) - drawn[below]
        value = values[inside].mean() - values[below]
        return Estimate.of_drawn(value, difference, items).scaled(NATS)

    return _answer(measures, rise)


@summary("confusion")
def confusion_summary(measures: Measures) -> dict:
    """For each set and condition the bits of confusion, and those of the least confused head."""
    rows = studied(measures.frame(CONDITIONS))
    table: dict = {}
    for row in rows[rows["layer"] == EVERY_LAYER].to_dict("records"):
        found = table.setdefault(row["set"], {}).setdefault(row["condition"], {})
        found[row["heads"]] = row["confusion"]
    return table


def _answer(measures: Measures, estimate: Callable[[pd.DataFrame], Estimate]) -> Answer:
    """The estimate of every set of stimuli; the first decides."""
    rows = measures.drawn(CONDITIONS)
    return by_corpus(rows.assign(corpus=rows["set"]), estimate, COUNTED)


def _over_layers(rows: pd.DataFrame, heads: str = MEAN) -> pd.DataFrame:
    return rows[(rows["heads"] == heads) & (rows["layer"] == EVERY_LAYER)]


def _of(rows: pd.DataFrame, names: list[str], beyond_chance: bool) -> list[Estimate]:
    """The estimates of some conditions, in nats.

    Raises:
        NotMeasured: the set lacks one of them.
    """
    found = []
    for name in names:
        own = rows[rows["condition"] == name].to_dict("records")
        if not own:
            raise NotMeasured(f"the stimuli have no condition {name}")
        (row,) = own
        estimate = Estimate.of_row(row, CONFUSION, int(row["items"]))
        chance = row["chance"] if beyond_chance else 0.0
        shifted = Estimate.of_drawn(estimate.value - chance, estimate.drawn - chance, estimate.n)
        found.append(shifted.scaled(NATS))
    return found


def _estimate(
    some: list[Estimate], combine: Callable[..., Float[np.ndarray, "..."] | float]
) -> Estimate:
    """Estimates of the same items as one, resample by resample."""
    value = combine([one.value for one in some])
    drawn = combine([one.drawn for one in some], axis=0)
    return Estimate.of_drawn(float(value), drawn, min(one.n for one in some))


def _combined(
    more: list[Estimate],
    less: list[Estimate],
    of_more: Callable[..., Float[np.ndarray, "..."] | float],
    of_less: Callable[..., Float[np.ndarray, "..."] | float],
) -> Estimate:
    return difference_of(_estimate(more, of_more), _estimate(less, of_less))


def _by_layer(
    rows: pd.DataFrame, phenomenon: str
) -> tuple[Float[np.ndarray, " layer"], Float[np.ndarray, "layer resample"], int]:
    """Bits of each layer, mean over conditions; the same on resamples; how many items there are.

    Raises:
        NotMeasured: the set lacks the phenomenon.
    """
    rows = rows[(rows["heads"] == MEAN) & (rows["layer"] != EVERY_LAYER)]
    rows = rows[rows["phenomenon"] == phenomenon]
    if rows.empty:
        raise NotMeasured(f"the stimuli have no condition of {phenomenon}")
    layers = [own for _, own in rows.groupby("layer")]
    values = np.array([own["confusion"].mean() for own in layers])
    drawn = np.stack([np.mean(own[drawn_name("confusion")].tolist(), axis=0) for own in layers])
    return values, drawn, int(rows["items"].min())
