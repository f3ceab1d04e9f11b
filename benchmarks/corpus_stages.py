"""Time and peak memory of every stage on one corpus, each in a process of its own."""

import os
import tempfile
from collections.abc import Collection
from pathlib import Path

import pandas as pd
from tqdm import tqdm

import stages
from benchmarks.alone import run
from stages.core.corpora.store import read_corpus
from stages.core.stage.files import InputError, read_yaml
from stages.core.stage.settings import PARAMETER_FILE
from tools.pipeline import definition, stage_module

REFUSED = 2  # the exit status of a stage that cannot take its input
MADE = ("corpora", "measures")  # what the stages write: made anew


def readers(corpus: str, configuration: Path) -> dict[str, bool]:
    """The stages that can read a corpus, in order, and whether they do in the configuration.

    Raises:
        InputError: the configuration does not have the corpus.
    """
    parameters = read_yaml(configuration / PARAMETER_FILE)
    if corpus not in parameters["corpora"]:
        raise InputError(
            f"{configuration / PARAMETER_FILE}: `corpora` has no {corpus}; it has "
            f"{', '.join(parameters['corpora'])}"
        )
    every = read_yaml(configuration / "dvc.yaml")["stages"]
    return {
        name: corpus in _ranges_over(stage, parameters)
        for name, stage in every.items()
        if "foreach" in stage or "corpus" in stage.get("matrix", {})
    }


def _ranges_over(stage: dict, parameters: dict) -> Collection[str]:
    """The corpora that a stage runs on: the list or the entries that its definition names."""
    named = stage["foreach"] if "foreach" in stage else stage["matrix"]["corpus"]
    for key in named.removeprefix("${").removesuffix("}").split("."):
        parameters = parameters[key]
    return parameters


def module_of(stage: str, configuration: Path) -> str:
    """The module that a stage runs."""
    return stage_module(definition(read_yaml(configuration / "dvc.yaml")["stages"][stage])["cmd"])


def measure(corpus: str, configuration: Path) -> pd.DataFrame:
    """Run all stages on a corpus of a built configuration, beside it: nothing in it changes.

    A stage that the configuration does not run on the corpus may refuse it (a treebank has no
    frames), and is left out. What breaks down ends the run.

    Returns:
        stage, seconds, megabytes (peak, resident), texts.
    """
    environment = {**os.environ, "PYTHONPATH": str(Path(stages.__file__).parents[1])}
    rows = []
    with tempfile.TemporaryDirectory(prefix="stages-") as name:
        folder = Path(name)
        _link(configuration.resolve(), folder)
        for stage, must in tqdm(readers(corpus, configuration).items(), unit="stage"):
            module = module_of(stage, configuration)
            found = run([module, "--corpus", corpus], folder, environment)
            if found.exit_status and (must or found.exit_status != REFUSED):
                raise SystemExit(f"{stage} failed on {corpus}; build {configuration} first")
            if not found.exit_status:
                rows.append({"stage": stage, **found._asdict()})
        texts = len(read_corpus(folder / f"work/corpora/{corpus}/corpus.parquet"))
    return pd.DataFrame(rows).drop(columns="exit_status").assign(texts=texts)


def _link(configuration: Path, folder: Path) -> None:
    if not (configuration / "work").is_dir():
        raise InputError(f"{configuration}: nothing was built there; run `dvc repro` in it first")
    (folder / "work").mkdir()
    entries = [path for path in configuration.iterdir() if path.name != "work"]
    entries += [path for path in (configuration / "work").iterdir() if path.name not in MADE]
    for path in entries:
        (folder / path.relative_to(configuration)).symlink_to(path)
