"""Ablated heads: the matching ones and others, and their effects (query-title study, 2.4)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from stages.core.heads.gates import Gate, Head, bands
from stages.core.outcomes.effects import curve_points, curve_table, effect_table
from stages.core.outcomes.outcomes import Outcomes
from stages.core.outcomes.paired import resample
from stages.matching.selection import random_like
from stages.matching.tables import (
    ABLATED,
    LOWER_HALF,
    MATCHING,
    RANDOM,
    REST,
    REST_RANDOM,
    UPPER_HALF,
)

MODE = "zero"  # the source sets a head's attention to 0


def gates_on_all(layers: int, heads: int, matching: Sequence[Head]) -> list[Gate]:
    """Gates of the matching heads, each half, and the lower half except the matching heads."""
    halves = bands(layers)
    lower, upper = (
        [(layer, head) for layer in halves[half] for head in range(heads)]
        for half in ("lower", "upper")
    )
    families = {LOWER_HALF: lower, UPPER_HALF: upper}
    if matching:
        families |= {MATCHING: matching, REST: [head for head in lower if head not in matching]}
    return [Gate(MODE, tuple(sorted(some)), name) for name, some in families.items() if some]


def gates_with_draws(
    layers: int,
    heads: int,
    matching: Sequence[Head],
    draws: Sequence[int],
    rest_draws: Sequence[int],
    seed: int,
) -> list[Gate]:
    """Gates of random heads, of the lower half except random heads, and of the matching heads.

    Args:
        draws: numbers of the draws of random heads; `rest_draws` of those that are spared.
    """
    if not matching:
        return []
    fixed = [
        gate for gate in gates_on_all(layers, heads, matching) if gate.family in (MATCHING, REST)
    ]
    lower = [(layer, head) for layer in bands(layers)["lower"] for head in range(heads)]
    drawn = []
    for band, numbers in ((RANDOM, draws), (REST_RANDOM, rest_draws)):
        for draw in numbers:
            random = random_like(matching, heads, draw, seed)
            rest = tuple(head for head in lower if head not in random)
            ablated = random if band == RANDOM else rest
            if ablated:
                share = len(ablated) / (layers * heads)
                drawn.append(Gate(MODE, ablated, "random", band, share, draw))
    return fixed + drawn


def draws_of(draws: int, seeds: Sequence[int], seed: int) -> range:
    """The draws of one seed; the seeds share all draws out."""
    return range(list(seeds).index(seed), draws, len(seeds))


def effects_of_gates(
    outcomes: Outcomes, sample: str, resamples: int, seed: int, arm: str
) -> pd.DataFrame:
    """The rows of `ABLATED` of one model and sample.

    The effect of random heads is the mean over draws; its interval is over examples and draws.
    """
    random = (outcomes.gates["family"] == "random").to_numpy()
    tables = []
    if not random.all():
        fixed = outcomes.only(np.flatnonzero(~random))
        table = effect_table(fixed, resample(fixed, resamples, seed), (seed, *arm.encode()))
        tables.append(table.assign(draws=1, heads_ablated=fixed.gates["heads_off"]))
    if random.any():
        drawn = outcomes.only(np.flatnonzero(random))
        resampled = resample(drawn, resamples, seed)
        table = curve_table(drawn, resampled, curve_points(drawn, resampled, seed))
        table = table[table["share"] > 0]  # a share of 0 is the baseline
        counts = drawn.gates.groupby("band")["heads_off"].first()
        # The family of a random gate is its band.
        family = table["band"]
        tables.append(table.assign(family=family, heads_ablated=family.map(counts)))
    rows = pd.concat(tables, ignore_index=True)
    rows = rows.drop(columns="ablated", errors="ignore").rename(columns={"family": "ablated"})
    return rows[[name for name in ABLATED.columns if name in rows]].assign(sample=sample)
