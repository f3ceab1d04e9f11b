"""How the cost of the grid grows with heads, examples and tokens."""

import time

import altair as alt
import numpy as np
import pandas as pd
from tqdm import tqdm

from benchmarks.encoders import classifier, texts
from benchmarks.grid import own_grid
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.runtime.runtime import Runtime

TOKENS, EXAMPLES = 48, 32
STEPS = {
    "heads": [12, 6, 3, 2, 1],  # the whole grid divided by these
    "examples": [8, 16, 32, 64],
    "tokens": [16, 32, 64, 128, 256],
}


def measure(encoder: str, rounds: int, runtime: Runtime) -> pd.DataFrame:
    """Seconds of the grid where one of heads, examples and tokens changes: what, size, seconds.

    The median of `rounds` runs; the sizes take turns.
    """
    gated = Gated(classifier(encoder))
    gates = list(single_heads(gated.layers, gated.heads, "zero"))
    # Dealt out by layers, so that a part of the heads costs its part of the whole.
    dealt = sorted(gates, key=lambda gate: (gate.heads[0][1], gate.heads[0][0]))
    usual = {"heads": len(gates), "examples": EXAMPLES, "tokens": TOKENS}
    steps = STEPS | {"heads": [len(gates) // part for part in STEPS["heads"]]}
    points = [(what, size) for what, sizes in steps.items() for size in sizes]
    rows = []
    for _ in tqdm(range(rounds), unit="round"):
        for what, size in points:
            now = usual | {what: size}
            encoded = texts(np.full(now["examples"], now["tokens"]), gated.model.config.vocab_size)
            begin = time.perf_counter()
            own_grid(gated, encoded, dealt[: now["heads"]], runtime)
            rows.append({"what": what, "size": size, "seconds": time.perf_counter() - begin})
    return pd.DataFrame(rows).groupby(["what", "size"], sort=False).median().reset_index()


def exponents(points: pd.DataFrame) -> pd.Series:
    """The slope of log seconds over log size, for each of heads, examples and tokens."""
    return pd.Series(
        {
            what: np.polyfit(np.log(group["size"]), np.log(group["seconds"]), 1)[0]
            for what, group in points.groupby("what", sort=False)
        }
    )


def plot(points: pd.DataFrame) -> alt.FacetChart:
    """Seconds against size, both as logarithms, with the fitted exponent in each panel's title."""
    fitted = exponents(points)
    named = points.assign(
        panel=[f"{what} (exponent {fitted[what]:.2f})" for what in points["what"]]
    )
    base = alt.Chart().encode(
        x=alt.X("size:Q", scale=alt.Scale(type="log", base=2), title=None),
        y=alt.Y("seconds:Q", scale=alt.Scale(type="log"), title="seconds of the grid"),
    )
    return (
        alt.layer(base.mark_line(), base.mark_circle(size=50, opacity=1))
        .properties(width=220, height=180)
        .facet(alt.Facet("panel:N", title=None, sort=None), data=named)
        .resolve_scale(x="independent")
    )
