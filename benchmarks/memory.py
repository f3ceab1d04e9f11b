"""Peak memory of the engine, each run in a process of its own."""

import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.alone import run
from benchmarks.dump import measured
from benchmarks.encoders import classifier, texts
from benchmarks.grid import own_grid
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.runtime.runtime import read_runtime, start

LONG = 512  # tokens
EXAMPLES = 16  # of that length: two batches of the stage `control`


def statistics(encoder: str, examples: int, tokens: int = 64) -> None:
    """Statistics of every head on so many examples, no maps kept."""
    gated = Gated(classifier(encoder))
    measured(gated, texts(np.full(examples, tokens), gated.model.config.vocab_size))


def long_grid(encoder: str) -> None:
    """One head of each layer off, on inputs of 512 tokens."""
    gated = Gated(classifier(encoder))
    gates = list(single_heads(gated.layers, gated.heads, "zero"))[:: gated.heads]
    encoded = texts(np.full(EXAMPLES, LONG), gated.model.config.vocab_size)
    own_grid(gated, encoded, gates, read_runtime(), EXAMPLES // 2)


RUNS = {
    "the encoder alone": ("default", classifier),
    "statistics of 500 examples": ("default", partial(statistics, examples=500)),
    "statistics of 5,000 examples": ("default", partial(statistics, examples=5000)),
    "statistics of 32 inputs of 512 tokens": (
        "bert-large",
        partial(statistics, examples=32, tokens=LONG),
    ),
    "grid on 16 inputs of 512 tokens": ("bert-large", long_grid),
}


def measure() -> pd.DataFrame:
    """Peak memory of every entry of `RUNS`: run, encoder, megabytes."""
    rows = []
    for name, (encoder, _) in RUNS.items():
        found = run(["benchmarks.memory", name], Path.cwd())
        if found.exit_status:
            raise SystemExit(f"{name}: failed")
        rows.append({"run": name, "encoder": encoder, "megabytes": round(found.megabytes)})
    return pd.DataFrame(rows)


def main(name: str) -> None:
    """Run one entry of `RUNS`."""
    start(read_runtime(), seed=0)
    encoder, entry = RUNS[name]
    entry(encoder)


if __name__ == "__main__":
    main(sys.argv[1])
