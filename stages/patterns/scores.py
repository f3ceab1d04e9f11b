"""What confusion counts of labelled maps say: F1, recall of each class, and their intervals.

Maps of one head look alike, so heads are resampled and not maps, which would seem to say more than
they do; where models were trained from several random starts, starts are resampled too.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from statsmodels.stats.proportion import proportion_confint

from stages.core.intervals.intervals import LEVEL, Interval, percentile_interval
from stages.core.verdicts.answers import some_rows
from stages.patterns.labelled_maps import CLASSES

# A class's recall is known where its interval reaches no farther than this to either side.
KNOWN_WITHIN = 0.10

Counts = Int[np.ndarray, "start head label predicted"]


def confusions(table: pd.DataFrame, model: str) -> Counts:
    """For each random start and head the number of its maps of each label and prediction.

    Args:
        table: as `FOLDS`, or as `OUTSIDE` of one rule, which is of one encoder. Rows without a
            label do not count.

    Raises:
        NotMeasured: no row has a label.
    """
    table = some_rows(table[table["label"] != ""])
    places = [name for name in ("checkpoint", "layer", "head") if name in table]
    heads = table.groupby(places, sort=False).ngroup().to_numpy()
    starts = table["start"].to_numpy()
    counts = np.zeros((starts.max() + 1, heads.max() + 1, len(CLASSES), len(CLASSES)), dtype=int)
    label, predicted = (table[column].map(CLASSES.index) for column in ("label", model))
    np.add.at(counts, (starts, heads, label, predicted), 1)
    return counts


def f1(
    counts: Float[np.ndarray, "... label predicted"] | Int[np.ndarray, "... label predicted"],
    average: str,
) -> Float[np.ndarray, "..."] | float:
    """F1, all classes that occur counting alike (`macro`) or by their labels (`weighted`)."""
    both = np.diagonal(counts, axis1=-2, axis2=-1)
    support = counts.sum(-1)
    total = support + counts.sum(-2)
    scores = 2 * both / np.maximum(total, 1)
    weights = support if average == "weighted" else total > 0
    return (scores * weights).sum(-1) / weights.sum(-1)


def redrawn(
    counts: Counts, resamples: int, seed: int
) -> Int[np.ndarray, "resample drawn label predicted"]:
    """Counts of heads and random starts drawn again, with replacement.

    Of n starts n - 1 are drawn, as resamples of all n would vary too little by a factor of
    (n - 1) / n, half of the variance where there are two (Rao and Wu 1988). One start alone says
    nothing of others: it is kept. Models that are drawn with the same seed are drawn alike.
    """
    starts, heads = counts.shape[:2]
    # Other draws than a bootstrap over examples takes from the same seed.
    generator = np.random.default_rng([seed, 1])
    times = generator.multinomial(heads, np.full(heads, 1 / heads), size=resamples)
    picked = generator.integers(starts, size=(resamples, max(1, starts - 1)))
    sums = np.tensordot(times, counts, axes=(1, 1))
    return np.take_along_axis(sums, picked[:, :, None, None], axis=1)


def interval_of(
    statistic: Callable[..., np.ndarray],
    models: list[Counts],
    resamples: int,
    seed: int,
) -> Interval:
    """A statistic of one or more models' counts [start, label, predicted], mean over starts."""
    value = float(np.mean(statistic(*(counts.sum(1) for counts in models))))
    again = [redrawn(counts, resamples, seed) for counts in models]
    drawn = statistic(*again).mean(-1)
    return Interval(value, *map(float, percentile_interval(drawn)))


def recalls(counts: Counts) -> pd.DataFrame:
    """Recall of each class that has labels: how many of its maps the model gives that class.

    The interval is Wilson's, with as many maps as tell as much as these do: maps of one head that
    are alike count less, by the ratio of the variance between heads to the binomial one.

    Returns:
        One row a class: pattern, maps, recall, low, high, and `known`, whether the half-width of
        the interval is at most `KNOWN_WITHIN`.
    """
    by_head = counts.mean(0)
    rows = []
    for code, name in enumerate(CLASSES):
        hits, maps = by_head[:, code, code], by_head[:, code].sum(-1)
        if not maps.sum():
            continue
        recall, heads = hits.sum() / maps.sum(), (maps > 0).sum()
        between = ((hits - recall * maps) ** 2).sum() * heads / max(1, heads - 1) / maps.sum() ** 2
        binomial = recall * (1 - recall) / maps.sum()
        effect = max(1.0, between / binomial) if binomial else 1.0
        low, high = proportion_confint(
            hits.sum() / effect, maps.sum() / effect, 1 - LEVEL, method="wilson"
        )
        known = (high - low) / 2 <= KNOWN_WITHIN
        rows.append((name, round(maps.sum()), recall, float(low), float(high), bool(known)))
    return pd.DataFrame(rows, columns=["pattern", "maps", "recall", "low", "high", "known"])
