"""Peak memory of the engine, each run in a process of its own."""

import resource
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.dump import measured
from benchmarks.encoders import classifier, texts
from benchmarks.grid import own_grid
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.machine.runtime import read_runtime, start

LONG = 512  # tokens
EXAMPLES = 8  # of that length: a batch of `control`, two of `ablate`


def statistics(encoder: str, examples: int, tokens: int = 64) -> None:
    """Statistics of every head on so many examples, no maps kept."""
    gated = Gated(classifier(encoder))
    measured(gated, texts(np.full(examples, tokens), gated.model.config.vocab_size))


def long_grid(encoder: str) -> None:
    """One head of each layer off, on inputs of 512 tokens."""
    gated = Gated(classifier(encoder))
    gates = list(single_heads(gated.layers, gated.heads, "zero"))[:: gated.heads]
    encoded = texts(np.full(EXAMPLES, LONG), gated.model.config.vocab_size)
    own_grid(gated, encoded, gates, read_runtime())


RUNS = {
    "the encoder alone": ("default", classifier),
    "statistics of 500 examples": ("default", partial(statistics, examples=500)),
    "statistics of 5,000 examples": ("default", partial(statistics, examples=5000)),
    "statistics of 32 inputs of 512 tokens": (
        "bert-large",
        partial(statistics, examples=32, tokens=LONG),
    ),
    "grid on 8 inputs of 512 tokens": ("bert-large", long_grid),
}


def measure() -> pd.DataFrame:
    """Peak memory of every entry of `RUNS`: run, encoder, megabytes."""
    rows = []
    for name, (encoder, _) in RUNS.items():
        words = [sys.executable, "-m", "benchmarks.memory", name]
        answer = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
        rows.append({"run": name, "encoder": encoder, "megabytes": int(answer.stdout)})
    return pd.DataFrame(rows)


def main(name: str) -> None:
    """Run one entry of `RUNS` and print what it took at the peak."""
    start(read_runtime(), seed=0)
    encoder, run = RUNS[name]
    run(encoder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(round(peak))


if __name__ == "__main__":
    main(sys.argv[1])
