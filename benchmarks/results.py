"""The tables that runs leave in `reports/benchmarks`, and the page that shows all of them."""

import platform
import shlex
import sys
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import torch

from stages.core.stage.files import atomic

FOLDER = Path("reports/benchmarks")
PAGE = "README.md"
INTRODUCTION = """\
Ratios are medians over rounds in which the sides take turns, with the lowest and highest round.
Every comparison checks that both sides computed the same; `difference` is the largest of any value.

The floor of a grid is the fewest operations that are known to give its logits, at the rate at which
the machine made the matrix products of a layer just before and after the grid ran. By terms, only
what changes of a sum over heads counts. On a card the rate is that of a large product."""
CAPTIONS = {
    "grid": "Every head off, one at a time, on MRPC-like pairs: how many times as long others take",
    "statistics": "Statistics of every head without maps, against `output_attentions` and numpy",
    "maps": "Maps of every head on disk, against `output_attentions` and `np.savez_compressed`",
    "calibration": "Encoders of random weights in place of the encoder: how often claims hold",
    "coverage": "How often 95% intervals cover the truth (`power`: how often they leave out 0)",
    "rebuild": "A whole `dvc repro` on a fresh clone: where the seconds of every stage go",
    "tuning": "Seeds of a task tuned side by side, against Trainer one seed after the other",
    "layer-probes": "Probes of every layer: how many times as long one after another takes",
    "card": "Every head off on 1,000 examples of 128 tokens, on a graphics card",
}


def machine() -> str:
    """The processor, its threads in use, the card if there is one, and the versions."""
    words = [processor(), f"{torch.get_num_threads()} threads"]
    if torch.cuda.is_available():
        words.append(torch.cuda.get_device_name())
    packages = ("torch", "transformers")
    return ", ".join([*words, *(f"{name} {version(name)}" for name in packages)])


def processor() -> str:
    """The processor's name, as the system has it."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    named = dict(line.split(":", 1) for line in lines if ":" in line)
    names = {key.strip(): value.strip() for key, value in named.items()}
    flags = [flag for flag in ("amx_bf16", "avx512_bf16") if flag in names.get("flags", "").split()]
    return " ".join([names.get("model name", platform.machine()), *flags])


def keep(
    name: str, table: pd.DataFrame, folder: Path = FOLDER, words: list[str] | None = None
) -> None:
    """Write `NAME.csv` with the command and the machine that made it, and draw the page again.

    Args:
        name: a key of `CAPTIONS`, with a dash and an encoder's name behind it where there is one.
        words: of the command, after `python -m benchmarks`; None: as it was called.
    """
    folder.mkdir(parents=True, exist_ok=True)
    given = sys.argv[1:] if words is None else words
    command = shlex.join(["python", "-m", "benchmarks", *given])
    with atomic(folder / f"{name}.csv") as partial:
        table.assign(command=command, machine=machine()).to_csv(partial, index=False)
    with atomic(folder / PAGE) as partial:
        partial.write_text(page(folder), encoding="utf-8")


def page(folder: Path) -> str:
    """All tables of a folder in Markdown, in the order of `CAPTIONS`."""
    parts = [f"# Benchmarks\n\n{INTRODUCTION}"]
    for kind, caption in CAPTIONS.items():
        for file in sorted([*folder.glob(f"{kind}.csv"), *folder.glob(f"{kind}-*.csv")]):
            table = pd.read_csv(file)
            command, where = table.pop("command")[0], table.pop("machine")[0]
            shown = table.to_markdown(index=False, floatfmt=".4g", missingval="")
            parts.append(f"## {caption}\n\n`{command}`\\\n{where}\n\n{shown}\n")
    return "\n\n".join(parts).rstrip() + "\n"
