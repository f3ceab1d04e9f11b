"""What a configuration of GLUE tasks costs on a graphics card: computed from sizes, not measured.

Counted are matrix products, of the fine-tunings and of the grids of heads that are off: the two
parts that grow with the sizes of GLUE. The rest (maps and statistics, corpora, bootstraps) is not.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from stages.ablate.stage import Ablate
from stages.control.stage import Control
from stages.core.control_seeds import control_seeds
from stages.core.heads.gates import Gate
from stages.core.outcomes.modes import fixed_gates, random_gates
from stages.core.stage.files import InputError
from stages.core.stage.settings import checked, section
from stages.core.tasks.task import load_task, seeds_of
from stages.finetune.training import Finetune
from stages.importance.cost import Geometry, least_for_grid


class Split(NamedTuple):
    """How many examples a split has, and how many tokens one has on average."""

    examples: int
    tokens: int


class Sizes(NamedTuple):
    """The splits of a task."""

    train: Split
    validation: Split


# Tokens of BERT's uncased vocabulary, [CLS] and [SEP] counted, cut to 128: counted for MRPC, STS-B,
# SST-2 and RTE, estimated for QQP, QNLI and MNLI.
GLUE = {
    "mrpc": Sizes(Split(3_668, 53), Split(408, 53)),
    "stsb": Sizes(Split(5_749, 28), Split(1_500, 31)),
    "sst2": Sizes(Split(67_349, 13), Split(872, 25)),
    "qqp": Sizes(Split(363_846, 30), Split(40_430, 30)),
    "rte": Sizes(Split(2_490, 67), Split(277, 65)),
    "qnli": Sizes(Split(104_743, 51), Split(5_463, 52)),
    "mnli": Sizes(Split(392_702, 39), Split(9_815, 39)),
}
# Devlin et al. 2019, Table 1.
BERT_BASE = Geometry(layers=12, heads=12, hidden=768, feed_forward=3072)
# A backward pass makes two products for each one of the forward pass.
PASSES_OF_A_STEP = 3
# Dense operations a second, from NVIDIA's data sheets, by card and precision.
PEAKS = {
    "A100": {"bf16": 312e12, "tf32": 156e12, "fp32": 19.5e12},
    "H100": {"bf16": 989e12, "tf32": 494.5e12, "fp32": 67e12},
}
UTILISATION = 0.3  # assumed: the share of its peak that a card reaches
# Assumed: a step of fine-tuning starts some 2,000 kernels, 10 microseconds each, however small.
SECONDS_OF_A_STEP = 0.02
HOUR = 3600
COLUMNS = ["part", "precision", "operations", "steps"]
TUNING, HEADS, SHARES = "fine-tuning", "heads and layers off", "shares of heads off"
CONTROL = "both, tuned from random weights"


def cost(folder: Path) -> pd.DataFrame:
    """Operations of each part, and hours on one card of each kind, of a configuration of GLUE.

    Raises:
        InputError: a task's sizes are not known, or a setting is wrong.
    """
    file = folder / "params.yaml"
    tasks = section(list[str], "run.tasks", file)
    if unknown := sorted(set(tasks) - set(GLUE)):
        raise InputError(
            f"{file}: `run.tasks` has {unknown[0]!r}, whose sizes are not known; "
            f"benchmarks/cost.py has {', '.join(GLUE)}: add it there"
        )
    rows = [row for task in tasks for row in parts(task, file, BERT_BASE, GLUE[task])]
    table = pd.DataFrame(rows, columns=COLUMNS)
    for card, peaks in PEAKS.items():
        rates = table["precision"].map(peaks | {"auto": peaks["bf16"]})
        seconds = table["operations"] / (UTILISATION * rates)
        table[card] = seconds.clip(lower=SECONDS_OF_A_STEP * table["steps"]) / HOUR
    return table.groupby(COLUMNS[:2], sort=False).sum().reset_index()


def parts(
    task: str, file: Path, geometry: Geometry, sizes: Sizes
) -> Iterator[tuple[str, str, float, float]]:
    """The values of `COLUMNS` for each part of one task, with all of its seeds."""
    every = seeds_of(task, file=file)
    seeds, seeds_at_random = len(every), len(control_seeds(every, file))
    tuning = section(dict, "finetune", file) | load_task(task, file).finetune
    finetune = checked(Finetune, tuning, f"{file}: {task}")
    train, validation = sizes
    examples = (seeds + seeds_at_random) * finetune.epochs * train.examples
    operations = float(examples) * PASSES_OF_A_STEP * geometry.forward(train.tokens)
    yield TUNING, finetune.precision, operations, examples / finetune.batch
    size = (geometry.layers, geometry.heads)

    def grid(gates: list[Gate], examples: int | None, precision: str) -> float:
        count = min(examples or validation.examples, validation.examples)
        by_terms = precision == "fp32"  # as the grid does it
        one = least_for_grid(geometry, gates, [validation.tokens], by_terms)
        return float(count * one)

    ablate = section(Ablate, "ablate", file)
    for mode in ablate.modes:
        own = ablate.sizes_for(task, mode)
        fixed = grid(fixed_gates(*size, mode), own.examples, ablate.precision)
        yield HEADS, ablate.precision, seeds * fixed, 0
        drawn = random_gates(*size, mode, own.shares, own.half_shares, own.draws, ablate.seed)
        shares = grid(list(drawn), own.share_examples, ablate.precision)
        yield SHARES, ablate.precision, seeds * shares, 0
    control = section(Control, "control", file)
    gates = [gate for mode in control.modes for gate in fixed_gates(*size, mode)]
    of_all, of_halves = control.shares, control.half_shares
    drawn = random_gates(*size, "zero", of_all, of_halves, control.draws, control.seed)
    both = grid(gates, control.examples, control.precision)
    both += grid(list(drawn), control.share_examples, control.precision)
    yield CONTROL, control.precision, seeds_at_random * both, 0


def sentence(table: pd.DataFrame) -> str:
    """What the table says in a sentence."""
    hours = " or ".join(f"{table[card].sum():.1f} hours on one {card}" for card in PEAKS)
    tuning = table[table["part"] == TUNING]
    own = " and ".join(f"{tuning[card].sum():.1f}" for card in PEAKS)
    return (
        f"Computed, not measured: {hours}, of them {own} for fine-tuning and the others for the "
        f"grids of heads that are off; assumed are {UTILISATION:.0%} of the card's peak rate and "
        f"{1000 * SECONDS_OF_A_STEP:.0f} ms a step of fine-tuning at least. Not counted: maps, "
        "corpora, the tagger and all statistics."
    )
