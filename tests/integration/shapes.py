"""Six shapes of a user's data, each measured by the stages themselves on a tiny encoder.

The commands of the pipeline run one by one, without DVC's own work between them.
"""

import random
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import networkx
import pandas as pd
import torch
from dvc.repo import Repo
from ruamel.yaml import YAML

from stages.core.recording_writer import write_maps
from tests.checkpoints import POSITIONS, TEXT, write_shaped
from tests.integration.tiny import run, small
from tools.configurations import effective
from tools.pipeline import ROOT

TASK, TRAIN, VALIDATION = "tickets", 64, 32
WORDS = [word for word in TEXT.split() if word.isalpha()]
# Studies that need data of their own, which these users do not have.
ALWAYS_WITHOUT = ("pretrain", "questions", "readers", "reading")
OF_TEXTS = (
    *("syntax", "coreference", "frames", "pairs", "probes", "clusters", "neurons", "surface"),
    *("text_patterns", "outside_patterns", "text_examples", "boundaries"),
    *("stimuli", "confusion", "layer_probes"),
)
# The pattern classifier and what shows its classes: maps of all heads, which take long to draw.
OF_PATTERNS = ("classifier", "patterns", "examples", "text_patterns", "outside_patterns")
WITH_PATTERNS = ("single", "recorded", "one head")
# Of the same data whoever asks: made once.
SHARED = ("code", "check", "classifier")
Row = tuple[str | float, ...]


def words(generator: random.Random, count: int = 5) -> str:
    """A text of different words; no mark ends one, so that none of it stands in a second text."""
    return " ".join(generator.sample(WORDS, count))


def single(generator: random.Random, number: int) -> Row:
    """A text with a class."""
    return words(generator), ("neg", "pos")[number % 2]


def pair(generator: random.Random, number: int) -> Row:
    """Two texts, which are the same or not."""
    first = words(generator)
    return first, first if number % 2 else words(generator), ("other", "same")[number % 2]


def scored(generator: random.Random, number: int) -> Row:
    """A text with a score."""
    return words(generator), number % 7 / 2


# Of each kind of task: its rows, its columns, and what else its entry says.
KINDS: dict[str, tuple[Callable[[random.Random, int], Row], dict[str, str], dict[str, object]]] = {
    "single": (
        single,
        {"text_a": "text", "label": "label"},
        {"kind": "classification", "labels": ["neg", "pos"], "metrics": ["accuracy", "f1"]},
    ),
    "pairs": (
        pair,
        {"text_a": "text", "text_b": "second", "label": "label"},
        {"kind": "classification", "labels": ["other", "same"], "metrics": ["accuracy", "f1"]},
    ),
    "regression": (
        scored,
        {"text_a": "text", "label": "label"},
        {"kind": "regression", "metrics": ["spearman", "pearson"]},
    ),
}


def write_task(folder: Path, kind: str) -> dict[str, object]:
    """Write the files of a task, and return its entry."""
    row_of, columns, entry = KINDS[kind]
    generator, splits = random.Random(0), {}
    for split, count in (("train", TRAIN), ("validation", VALIDATION)):
        rows = [list(columns.values()), *(row_of(generator, number) for number in range(count))]
        splits[split] = f"{split}.tsv"
        lines = ("\t".join(map(str, row)) for row in rows)
        (folder / splits[split]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    data = {"source": "files", "splits": splits, "columns": columns}
    return {"data": data, "max_length": POSITIONS} | entry


def write_recorded(folder: Path, texts: int = 12, layers: int = 2, heads: int = 3) -> None:
    """Write attention that was recorded elsewhere, of texts of ten tokens."""
    generator = random.Random(1)
    pieces = [["[CLS]", *words(generator, 8).split(), "[SEP]"] for _ in range(texts)]
    names = [f"text-{number}" for number in range(texts)]
    tokens = pd.DataFrame({"id": names, "tokens": pieces, "segments": [[0] * 10] * texts})
    weights = torch.randn(layers, texts, heads, 10, 10, generator=torch.Generator().manual_seed(0))
    with write_maps(folder, tokens, layers, heads, 1) as writer:
        for layer, maps in enumerate(weights.softmax(-1)):
            writer.write(layer, range(texts), maps)


def settings_of(shape: str, folder: Path, checkpoint: Path, default: dict) -> dict:
    """What a user with such data has in `settings.yaml`."""
    settings = small(default)
    without, tasks = list(ALWAYS_WITHOUT), [TASK]
    settings["pair_baselines"] = settings["pair_baselines"] | {"tasks": []}
    if shape in KINDS:
        without += OF_TEXTS
    if shape not in WITH_PATTERNS:
        without += [name for name in OF_PATTERNS if name not in without]
    if shape in (*KINDS, "one head"):
        settings["tasks"] = {TASK: write_task(folder, shape if shape in KINDS else "single")}
    else:
        tasks = []
    if shape == "pairs":
        settings["pair_baselines"]["tasks"] = tasks
    if shape == "recorded":
        entry = {"source": "recorded", "path": "maps", "model": "theirs"}
        settings["corpora"] = {"mine": entry}
        write_recorded(folder / "maps")
        without += ("stimuli", "confusion", "layer_probes")
    if shape == "one head":
        checkpoint = write_shaped(folder / "model", 1, 1, 16, POSITIONS)
    settings["findings"] = settings["findings"] | {"configuration": shape}
    settings["checkpoint"] = {"source": "folder", "path": str(checkpoint)}
    return settings | {"run": {"tasks": tasks, "without": without}}


def configure(folder: Path, shape: str, checkpoint: Path, data: Path) -> None:
    """Write what `tools.configurations` would, in an empty folder."""
    yaml = YAML(typ="safe")
    default, pipeline = (yaml.load(ROOT / name) for name in ("params.yaml", "dvc.yaml"))
    settings = settings_of(shape, folder, checkpoint, default)
    parameters, kept = effective(settings, "settings.yaml", default, pipeline)
    for name, content in (("params", parameters), ("dvc", kept)):
        yaml.dump(content, folder / f"{name}.yaml")
    (folder / "stages").symlink_to(ROOT / "stages")
    (folder / "data").symlink_to(data)
    (folder / ".dvc").mkdir()
    (folder / ".dvc/config").write_text("[core]\n    no_scm = true\n")


def commands(folder: Path) -> dict[str, str]:
    """The command of every stage but the last two, findings and report, in an order that holds."""
    with Repo(folder) as repo:
        order = list(networkx.dfs_postorder_nodes(repo.index.graph))
    return {
        stage.name: f"DVC_STAGE={shlex.quote(stage.name)} {stage.cmd}"
        for stage in order
        if stage.name not in ("findings", "report")
    }


def measure(folder: Path, shape: str, shared: Path, environment: dict[str, str]) -> None:
    """Run every stage of a shape up to its findings.

    Args:
        shared: the work of the stages `SHARED`, which is made where it is not there yet.
    """
    todo = commands(folder)
    made = {"code": shared / "code", "classifier": shared / "classifier"}
    if shared.is_dir():
        shutil.copytree(shared, folder / "work")
    first = [
        command
        for name, command in todo.items()
        if name in SHARED and not (name in made and made[name].is_dir())
    ]
    run(folder, "bash", "-euo", "pipefail", "-c", "\n".join(first), **environment)
    shutil.copytree(folder / "work", shared, dirs_exist_ok=True)
    of_shape = [command for name, command in todo.items() if name not in SHARED]
    run(folder, "bash", "-euo", "pipefail", "-c", "\n".join(of_shape), **environment)
