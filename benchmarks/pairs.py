"""Timing sides that take turns, so that a machine's bad minutes fall on all of them alike."""

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

import pandas as pd
from tqdm import tqdm


def take_turns(
    sides: dict[str, Callable[[], object]],
    rounds: int,
    beside: Mapping[str, Callable[[], object]] = MappingProxyType({}),
) -> pd.DataFrame:
    """Seconds of every side in every round: columns round, side, seconds.

    Each round runs every side once; the one that begins changes from round to round.

    Args:
        beside: what runs just before and just after a side, untimed.
    """
    names = list(sides)
    rows = []
    for number in tqdm(range(rounds), unit="round"):
        start = number % len(names)
        for name in [*names[start:], *names[:start]]:
            untimed = beside.get(name, lambda: None)
            untimed()
            begin = time.perf_counter()
            sides[name]()
            rows.append({"round": number, "side": name, "seconds": time.perf_counter() - begin})
            untimed()
    return pd.DataFrame(rows)


def ratios(times: pd.DataFrame, to: str) -> pd.DataFrame:
    """How many times as long as the side `to` the others take, from the ratios of each round.

    Returns:
        One row a side: side, seconds (median), ratio (median), lowest, highest.
    """
    table = times.pivot(index="round", columns="side", values="seconds")
    of_rounds = table.div(table[to], axis=0)
    return pd.DataFrame(
        {
            "side": name,
            "seconds": table[name].median(),
            "ratio": of_rounds[name].median(),
            "lowest": of_rounds[name].min(),
            "highest": of_rounds[name].max(),
        }
        for name in times["side"].unique()
    )
