"""How much distractors confuse attention (Lin et al. 2019, section 4).

Claims are in nats, as `data/claims.yaml` has no bits. Tables and page have bits.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.confusion.tables import CONDITIONS, EVERY_LAYER, LEAST, MEAN
from stages.core.tables import drawn_of
from stages.core.verdicts.answers import Answer
from stages.core.verdicts.claims import Settings, measure, summary
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.core.verdicts.of_data import of_data, studied_rows

NATS = float(np.log(2))  # of a bit
OVER_LAYERS = CONDITIONS.where(layer=EVERY_LAYER)
OF_LAYERS = CONDITIONS.where(heads=MEAN).without(layer=[EVERY_LAYER])
answer = partial(of_data, counted="lexical items")


@measure
def confusion_difference(
    measures: Measures,
    settings: Settings,
    more: list[str],
    less: list[str],
    every: bool = False,
    beyond_chance: bool = False,
) -> Answer:
    """The confusion in some conditions minus that in others, of the mean over heads and layers.

    Args:
        more, less: names of conditions; each counts alike.
        every: the smallest difference between one of `more` and one of `less`, not that of means.
        beyond_chance: subtract the confusion of equal attention from that of each condition.
    """
    of_more, of_less = (np.min, np.max) if every else (np.mean, np.mean)

    def difference(rows: pd.DataFrame) -> Estimate:
        return difference_of(
            _combined(rows, more, of_more, beyond_chance),
            _combined(rows, less, of_less, beyond_chance),
        )

    return answer(measures, OVER_LAYERS.where(heads=MEAN), difference)


@measure
def confusion_beyond_chance(
    measures: Measures, settings: Settings, conditions: list[str], least: bool = False
) -> Answer:
    """The confusion in some conditions minus that of equal attention to all candidates.

    Args:
        least: of the least confused head, held out; otherwise of the mean over heads.
    """
    rows = OVER_LAYERS.where(heads=LEAST if least else MEAN)
    return answer(measures, rows, lambda of_arm: _combined(of_arm, conditions, np.mean, True))


@measure
def confusion_slope(measures: Measures, settings: Settings, phenomenon: str) -> Answer:
    """How confusion changes from the lowest to the highest layer, by a straight line through all.

    Mean over the conditions of a phenomenon, each of which counts alike.
    """

    def slope(rows: pd.DataFrame) -> Estimate:
        values, drawn, items = _by_layer(rows)
        depths = np.linspace(-0.5, 0.5, len(values))
        weights = depths / (depths**2).sum()
        return Estimate.of_drawn(weights @ values, weights @ drawn, items).scaled(NATS)

    return answer(measures, OF_LAYERS.where(phenomenon=phenomenon), slope)


@measure
def confusion_rise(measures: Measures, settings: Settings, phenomenon: str, layers: Band) -> Answer:
    """Confusion in some layers minus that in the layer below the lowest of them."""

    def rise(rows: pd.DataFrame) -> Estimate:
        values, drawn, items = _by_layer(rows)
        inside = np.flatnonzero(layers.holds(pd.Series(range(len(values)))))
        if not len(inside) or not inside[0]:
            raise NotMeasured("the encoder has too few layers to tell these from the one below")
        below = inside[0] - 1
        difference = drawn[inside].mean(0) - drawn[below]
        value = values[inside].mean() - values[below]
        return Estimate.of_drawn(value, difference, items).scaled(NATS)

    return answer(measures, OF_LAYERS.where(phenomenon=phenomenon), rise)


@summary("confusion")
def confusion_summary(measures: Measures) -> dict:
    """For each set and condition the bits of confusion, and those of the least confused head."""
    table: dict = {}
    for row in studied_rows(measures.rows(OVER_LAYERS)).to_dict("records"):
        of_set = table.setdefault(row["data"], {})
        of_set.setdefault(row["condition"], {})[row["heads"]] = row["confusion"]
    return table


def _combined(
    rows: pd.DataFrame,
    names: list[str],
    combine: Callable[..., Float[np.ndarray, "..."] | float],
    beyond_chance: bool,
) -> Estimate:
    """The confusion in some conditions as one estimate in nats, resample by resample.

    Raises:
        NotMeasured: the set lacks one of them.
    """
    if missing := [name for name in names if name not in set(rows["condition"])]:
        raise NotMeasured(f"the stimuli have no condition {', '.join(missing)}")
    rows = rows.set_index("condition").loc[names]
    chance = rows["chance"].to_numpy() if beyond_chance else np.zeros(len(rows))
    values = rows["confusion"].to_numpy() - chance
    drawn = np.stack(rows[drawn_of("confusion")].tolist()) - chance[:, None]
    items = int(rows["items"].min())
    return Estimate.of_drawn(float(combine(values)), combine(drawn, axis=0), items).scaled(NATS)


def _by_layer(
    rows: pd.DataFrame,
) -> tuple[Float[np.ndarray, " layer"], Float[np.ndarray, "layer resample"], int]:
    """Bits of each layer, mean over conditions; their resamples; the number of lexical items."""
    layers = rows.groupby("layer")
    drawn = [np.mean(lines.tolist(), axis=0) for _, lines in layers[drawn_of("confusion")]]
    return layers["confusion"].mean().to_numpy(), np.stack(drawn), int(rows["items"].min())
