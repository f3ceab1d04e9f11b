"""How often claims about attention hold of encoders that have learnt nothing.

Encoders of random weights stand in place of the encoder, each in turn against each of the others
as its control. What holds of them holds by chance, or by the shape of the network and of the text.
"""

import importlib
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import permutations, repeat
from pathlib import Path

import pandas as pd
from ruamel.yaml import YAML
from tqdm import tqdm

import stages
import stages.findings
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.runtime.runtime import read_runtime
from stages.core.stage.arms import RANDOM_WEIGHTS, UNTUNED
from stages.core.stage.command import stage_files
from stages.core.stage.files import InputError, read_yaml
from stages.core.stage.places import ENCODERS
from stages.core.stage.settings import PARAMETER_FILE, section
from stages.core.tables import Selection, Table
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.claims import ClaimsFile, Settings, answer, read_claims
from stages.core.verdicts.findings import judged
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.setting import Setting
from stages.encoder.stage import random_weights
from tools.pipeline import definition, stage_name


class OfOneEncoder(Measures):
    """The tables of one encoder of random weights, which stands in place of the encoder."""

    rows = lru_cache(maxsize=64)(Measures.rows)


class AgainstAnother(Measures):
    """The tables of one encoder, and those of another as its control."""

    def __init__(self, encoder: OfOneEncoder, control: OfOneEncoder, corpora: list[str]):
        super().__init__(encoder.folder, {}, [], [], corpora)
        self.encoder, self.control = encoder, control

    def rows(self, wanted: Table | Selection, drawn: bool = False) -> pd.DataFrame:
        rows = self.encoder.rows(wanted, drawn)
        if "arm" not in rows:
            raise NotMeasured("the table is not of encoders on corpora")
        control = self.control.rows(wanted, drawn).assign(arm=RANDOM_WEIGHTS)
        return pd.concat([rows, control], ignore_index=True)


def measure(encoders: int, configuration: Path, seed: int) -> pd.DataFrame:
    """Run every stage of corpora on encoders of random weights, and judge the claims.

    The configuration must have been built; nothing in it changes. What is measured on tasks has
    tuned encoders, and is no part of it.

    Args:
        encoders: how many.
        seed: of the first encoder's weights; the others follow.

    Returns:
        claim, pairs, holds (share of the ordered pairs), undecided, fails; in the last line the
        mean over claims.
    """
    if not (configuration / "work").is_dir():
        raise InputError(f"{configuration}: nothing was built there; run `dvc repro` in it first")
    corpora = list(section(dict, "corpora", configuration / PARAMETER_FILE))
    with tempfile.TemporaryDirectory(prefix="calibration-") as name:
        folders = [
            _stand_in(seed + number, Path(name) / str(number), configuration)
            for number in range(encoders)
        ]
        # Processes of one thread each, side by side, take less time than threads of one process.
        with ThreadPoolExecutor(read_runtime(configuration / PARAMETER_FILE).threads) as pool:
            done = pool.map(_measure_alone, folders, repeat(corpora))
            folders = list(tqdm(done, unit="encoder", total=encoders))
        settings = section(Settings, "findings", configuration / PARAMETER_FILE)
        return judged_pairs(folders, corpora, settings, read_claims())


def _stand_in(seed: int, folder: Path, configuration: Path) -> Path:
    """Make a configuration with one encoder of random weights in place of the encoder."""
    work = folder / "work"
    work.mkdir(parents=True)
    for path in configuration.resolve().iterdir():
        if path.name not in ("work", PARAMETER_FILE):
            (folder / path.name).symlink_to(path)
    for path in (configuration / "work").resolve().iterdir():
        if path.name not in ("measures", ENCODERS.name):
            (work / path.name).symlink_to(path)
    yaml = YAML()
    parameters = yaml.load(configuration / PARAMETER_FILE)
    parameters["runtime"]["threads"] = 1
    yaml.dump(parameters, folder / PARAMETER_FILE)
    built = configuration / ENCODERS / UNTUNED
    random_weights(built, seed).save_pretrained(folder / ENCODERS / UNTUNED)
    load_tokenizer(built).save_pretrained(folder / ENCODERS / UNTUNED)
    return folder


def _measure_alone(folder: Path, corpora: list[str]) -> Path:
    """Run the stages of corpora in `folder` in a process of its own; where its tables are."""
    environment = {**os.environ, "PYTHONPATH": str(Path(stages.__file__).parents[1])}
    command = [sys.executable, "-m", "benchmarks.calibration", *corpora]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    if done.returncode:
        raise SystemExit("a stage failed; build the configuration first")
    return folder / "work/measures"


def run_stages(corpora: list[str]) -> None:
    """Run every stage of corpora, in this folder and process: modules are loaded once."""
    for corpus in corpora:
        for name in stages_on(corpus):
            module = ".".join(stage_files()[name].with_suffix("").parts)
            importlib.import_module(module).run_stage(corpus)


def stages_on(corpus: str) -> list[str]:
    """The studies that this configuration runs on a corpus, in order."""
    parameters = read_yaml(PARAMETER_FILE)
    names = []
    for stage in read_yaml("dvc.yaml")["stages"].values():
        corpora = parameters
        for key in stage.get("matrix", {}).get("corpus", "").strip("${}").split("."):
            corpora = corpora.get(key, {})
        if corpus in corpora:
            names.append(stage_name(definition(stage)["cmd"]))
    return names


def judged_pairs(
    folders: list[Path], corpora: list[str], settings: Settings, content: ClaimsFile
) -> pd.DataFrame:
    """Judge the claims of every encoder against every other as its control."""
    stages.findings.load()
    every = [OfOneEncoder(folder, {}, [], [], corpora) for folder in folders]
    verdicts: dict[str, Counter] = {}
    for encoder, control in tqdm(list(permutations(every, 2)), unit="pair"):
        measures = AgainstAnother(encoder, control, corpora)
        for claim in content.claims:
            if claim.absent:
                continue
            try:
                found = answer(claim, content.papers[claim.paper], measures, settings)
            except NotMeasured:
                continue
            verdict = judged(claim, "", found, Setting(), Setting()).verdict
            verdicts.setdefault(claim.id, Counter())[verdict] += 1
    rows = [
        {"claim": name, "pairs": count.total()}
        | {verdict: count[verdict] / count.total() for verdict in ("holds", "fails")}
        | {"undecided": 1 - (count["holds"] + count["fails"]) / count.total()}
        for name, count in verdicts.items()
    ]
    table = pd.DataFrame(rows)
    mean = table[["holds", "fails", "undecided"]].mean().to_dict()
    return pd.concat(
        [table, pd.DataFrame([{"claim": "mean", "pairs": table["pairs"].sum(), **mean}])],
        ignore_index=True,
    )


if __name__ == "__main__":
    run_stages(sys.argv[1:])
