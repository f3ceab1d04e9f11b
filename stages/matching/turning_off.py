"""What the task loses without the heads that match (query-title study, 2.4), and without others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.heads.gates import Gate, Head, bands
from stages.core.outcomes.effects import curve_points, curve_table, effect_table
from stages.core.outcomes.outcomes import Outcomes
from stages.core.outcomes.paired import resample
from stages.matching.choosing import random_like
from stages.matching.tables import (
    EFFECT_COLUMNS,
    KEPT,
    KEPT_RANDOM,
    LOWER_OFF,
    MATCHING,
    RANDOM,
    UPPER_OFF,
)

MODE = "zero"  # as the source sets a head's attention to 0
# A family of gates drawn at random is a band of `stages.core.outcomes.effects`, of family `random`.
DRAWN = (RANDOM, KEPT_RANDOM)


def gates_on_all(layers: int, heads: int, matching: Sequence[Head]) -> list[Gate]:
    """The matching heads off, each half of the layers, and the lower half but for them."""
    halves = bands(layers)
    lower, upper = (
        [(layer, head) for layer in halves[half] for head in range(heads)]
        for half in ("lower", "upper")
    )
    families = {LOWER_OFF: lower, UPPER_OFF: upper}
    if matching:
        families |= {MATCHING: matching, KEPT: [own for own in lower if own not in matching]}
    return [Gate(MODE, tuple(sorted(off)), name) for name, off in families.items() if off]


def gates_with_draws(
    layers: int,
    heads: int,
    matching: Sequence[Head],
    draws: Sequence[int],
    kept_draws: Sequence[int],
    seed: int,
) -> list[Gate]:
    """Random heads off, and the lower half but for random ones; beside them the matching heads.

    Args:
        draws: numbers of the draws of random heads; `kept_draws` of those that stay on.
    """
    if not matching:
        return []
    fixed = [
        gate for gate in gates_on_all(layers, heads, matching) if gate.family in (MATCHING, KEPT)
    ]
    lower = [(layer, head) for layer in bands(layers)["lower"] for head in range(heads)]
    drawn = []
    for family, numbers in ((RANDOM, draws), (KEPT_RANDOM, kept_draws)):
        for draw in numbers:
            random = random_like(matching, heads, draw, seed)
            off = random if family == RANDOM else tuple(own for own in lower if own not in random)
            if off:
                share = len(off) / (layers * heads)
                drawn.append(Gate(MODE, off, "random", family, share, draw))
    return fixed + drawn


def draws_of(draws: int, seeds: Sequence[int], seed: int) -> range:
    """The draws of one of several seeds, among which they are shared out."""
    return range(list(seeds).index(seed), draws, len(seeds))


@dataclass(frozen=True)
class DrawnTable:
    """A table, and its effects on resamples: in the metric's unit, and relative to the baseline."""

    rows: pd.DataFrame
    drawn: Float[np.ndarray, "2 row resample"]


def off_table(outcomes: Outcomes, sample: str, resamples: int, seed: int, arm: str) -> DrawnTable:
    """One row a family of gates: what the metric is without these heads less what it is with all.

    Of random heads it is the mean over the draws, whose interval is over examples and draws.
    """
    random = (outcomes.gates["family"] == "random").to_numpy()
    tables = []
    if not random.all():
        own = outcomes.only(np.flatnonzero(~random))
        table = effect_table(own, resample(own, resamples, seed), (seed, *arm.encode()))
        tables.append(table.assign(draws=1, heads_off=own.gates["heads_off"]))
    if random.any():
        own = outcomes.only(np.flatnonzero(random))
        again = resample(own, resamples, seed)
        table = curve_table(own, again, curve_points(own, again, seed))
        table = table[table["share"] > 0]  # the others are the baseline itself
        count = own.gates.groupby("band")["heads_off"].first()
        tables.append(table.assign(family=table["band"], heads_off=table["band"].map(count)))
    table = pd.concat(tables, ignore_index=True)
    drawn = [np.stack(list(table[column])) for column in ("effect_drawn", "relative_drawn")]
    table = table.rename(columns={"effect_low": "low", "effect_high": "high"})
    rows = table[["family", "heads_off", "draws", *EFFECT_COLUMNS]]
    return DrawnTable(rows.assign(sample=sample), np.stack(drawn))
