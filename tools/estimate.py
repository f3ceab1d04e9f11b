"""About how long a configuration takes here, and how much disk: `python -m tools.estimate`.

A stage takes as many times longer than the default's as its texts, models and encoder are larger.
"""

import contextlib
import math
import subprocess
import tempfile
from pathlib import Path
from typing import Annotated, NamedTuple

import pandas as pd
import torch
import typer

from benchmarks.product_rates import probe
from stages.ablate.settings import Ablate
from stages.check.stage import complaints
from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.corpora.entries import RecordedCorpus, load_corpus_entry
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_encoder
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.questions.task import is_question_task, load_question_task
from stages.core.recordings.store import MapStore
from stages.core.runtime.runtime import read_runtime
from stages.core.stage.command import stage_command
from stages.core.stage.disk import GIGA, disk_of, room
from stages.core.stage.files import InputError, read_yaml
from stages.core.stage.settings import PARAMETER_FILE, section
from stages.core.stimuli.entries import load_stimuli_entry
from stages.core.tasks.task import load_task
from stages.core.written import written_examples, written_questions
from stages.corpus.stage import read as read_corpus
from stages.importance.cost import Geometry
from stages.prepare.sources import read_source as read_examples
from stages.pretrain.settings import in_bf16
from stages.questions.sources import read_source as read_questions
from stages.stimuli.stage import rows_of
from tools.pipeline import ROOT, definition

TABLE = Path("reports/benchmarks/rebuild-default.csv")
RATE = 158e9  # of `probe` where a table without the column `rate` was recorded
SAMPLE = 1000  # texts whose tokens stand for those of all
KINDS = {"corpora": "corpus", "stimuli": "set"}  # of what a `foreach` ranges over
TUNING = ("finetune", "pair_baselines", "readers")
OF_TRAINING = (*TUNING, "prepare", "questions")
READ = ("work/models", "work/encoders", "work/readers")  # by stages that run an encoder
LIMITS = ("examples", "scored", "find_examples", "texts")  # keys: so many texts are taken, at most
STEP = 100  # tokens; a step of tuning has what these cost beside its texts
BF16 = 2 / 3  # of the time of tuning in fp32, where the processor multiplies in bf16
# Corpora that take minutes to read, or need the tagger, with the tokens of a text.
SLOW = {"framenet": 16, "litbank": 512}
COPIES = 2  # in work/ and in DVC's cache
SHORT = 0.5  # minutes; stages that take less are summed


class Size(NamedTuple):
    """How many texts there are, and how many tokens one of them has on average."""

    rows: int
    tokens: float


class Configuration:
    """What the stages of a folder have to do, by the settings of a file."""

    def __init__(self, folder: Path, file: Path):
        self.file, self.settings = file, read_yaml(file)
        self.stages = read_yaml(folder / "dvc.yaml")["stages"]
        with contextlib.chdir(folder):
            checkpoint = locate(section(Checkpoint, "checkpoint", file))
            encoder, self.tokenizer = load_encoder(checkpoint), load_tokenizer(checkpoint)
            self.geometry = Geometry.of(encoder.config)
            self.bytes = sum(4 * weight.numel() for weight in encoder.parameters())
            every = {pair for name in self.stages for pair in self.items(name)}
            self.sizes = {pair: self.count(*pair) for pair in sorted(every)}

    def items(self, name: str) -> list[tuple[str, str]]:
        """The kind and name of every item that a stage ranges over; empty ones if it has none."""
        stage, names = self.stages[name], self.settings
        ((kind, path),) = stage.get("matrix", {"": stage.get("foreach", "")}).items()
        if not path:
            return [("", "")]
        for key in path[2:-1].split("."):
            names = names[key]
        return [(kind or KINDS[path[2:-1]], item) for item in names]

    def count(self, kind: str, name: str) -> list[Size]:
        """Texts to train on, and texts to measure on, counted by the readers of the stages."""
        if kind == "set":
            return [Size(len(rows), 1) for rows in rows_of(load_stimuli_entry(name, self.file))]
        if kind == "corpus":
            entry = load_corpus_entry(name, self.file)
            if isinstance(entry, RecordedCorpus):
                lengths = MapStore(entry.path).tokens["tokens"].map(len)
                return 2 * [Size(len(lengths), lengths.mean())]
            if entry.source in SLOW:
                return 2 * [Size(entry.texts or SAMPLE, SLOW[entry.source])]
            return 2 * [self.size(read_corpus(name, entry), entry.max_length)]
        if kind != "task":
            return 2 * [Size(1, 1)]
        choice = is_question_task(name, self.file)
        entry = (load_question_task if choice else load_task)(name, self.file)
        if entry.data.source == "written":
            splits = written_questions(entry.data) if choice else written_examples(name, entry.data)
        else:
            splits = (read_questions if choice else read_examples)(name, entry)
        if choice:  # a row an option
            splits = {
                split: pd.DataFrame(
                    [asked.pair(option) for asked in rows for option in range(len(asked.options))],
                    columns=["text_a", "text_b"],
                )
                for split, rows in splits.items()
            }
        return [self.size(splits[split], entry.max_length) for split in ("train", "validation")]

    def size(self, texts: pd.DataFrame, max_length: int) -> Size:
        """The size of texts or pairs, by the tokens of some of them."""
        few = texts.sample(min(len(texts), SAMPLE), random_state=0)
        return Size(len(texts), float(encode(self.tokenizer, few, max_length).lengths.mean()))

    def seeds(self, task: str) -> list[int]:
        """The seeds of a task's fine-tunings."""
        return self.settings["tasks"][task].get("seeds") or self.settings["run"]["seeds"]

    def models(self, name: str, task: str) -> int:
        """How many models of a task a stage makes or takes."""
        run, seeds = self.settings["run"], self.seeds(task)
        listed = self.stages["readers" if name == "reading" else name]["params"]
        # `attend` takes the first seed.
        count = len(seeds) * ("run.seeds" in listed and name != "attend")
        count += len(seeds[: run["control_seeds"]]) * ("run.control_seeds" in listed)
        if name == "readers":
            readers = self.settings["readers"]
            count += len(readers["unanswerable"]) * len(seeds[: readers["unanswerable_seeds"]])
        return count or 1

    def work(self, name: str, kind: str, item: str) -> float:
        """What a stage has to do, in a unit of its own; NaN if the default has nothing like it."""
        if name == "tagger" and self.settings[name]["train"]:  # the default trains none
            return math.nan
        if not kind:
            return 1.0
        if name == "corpus" and self.settings["corpora"][item]["source"] in SLOW:
            return math.nan
        train, measured = self.sizes[kind, item]
        settings, geometry = self.settings.get(name) or {}, self.geometry
        work = float(self.models(name, item)) if kind == "task" else 1.0
        if name in TUNING or any(
            path.startswith(READ) for path in definition(self.stages[name]).get("deps", ())
        ):
            work *= geometry.layers * geometry.hidden**2 * measured.tokens

        def taken(limit: int | None) -> int:
            return min(limit or measured.rows, measured.rows)

        if name in TUNING:
            tuning = self.settings["finetune"] | self.settings["tasks"][item].get("finetune", {})
            if in_bf16(tuning["precision"], torch.device("cpu")):
                work *= BF16
            tokens = train.tokens + STEP / tuning["batch"]
            return work / measured.tokens * tokens * train.rows * tuning["epochs"]
        if name in OF_TRAINING:
            return work * train.rows
        if name == "layer_probes":
            return work * settings["epochs"] * min(settings["train"] or train.rows, train.rows)
        if name == "ablate":
            ablate, seeds = Ablate(**settings), self.seeds(item)
            control = len(seeds[: self.settings["run"]["control_seeds"]])
            grids = [ablate.sizes_for(item, mode) for mode in ablate.modes] * len(seeds)
            grids += [ablate.control] * len(ablate.control.modes) * control
            return (
                work
                / self.models(name, item)
                * sum(
                    geometry.layers * (geometry.heads + 1) * taken(grid.examples)
                    + grid.draws
                    * len(grid.shares + 2 * grid.half_shares)
                    * taken(grid.share_examples)
                    for grid in grids
                )
            )
        limits = [taken(settings[key]) for key in LIMITS if key in settings and name != "attend"]
        heads = geometry.layers * geometry.heads if name == "harmful" else 1
        return work * heads * (sum(limits) or measured.rows)

    def works(self) -> pd.DataFrame:
        """`name`, and `work`, of every stage; the index is what DVC calls it."""
        rows = {
            f"{name}@{item}" if kind else name: (name, self.work(name, kind, item))
            for name in self.stages
            for kind, item in self.items(name)
        }
        return pd.DataFrame.from_dict(rows, orient="index", columns=["name", "work"])

    def gigabytes(self) -> float:
        """Disk for models, readers and recorded maps of tasks, in units of 1,000,000,000 bytes."""
        total, heads = 0.0, self.geometry.layers * self.geometry.heads
        for name, arms in (("finetune", 2), ("readers", 1)):  # untuned models lie beside tuned ones
            for _, task in self.items(name) if name in self.stages else ():
                total += COPIES * arms * self.models(name, task) * self.bytes
        for _, task in self.items("attend") if "attend" in self.stages else ():
            _, (rows, tokens) = self.sizes["task", task]
            rows = min(self.settings["attend"]["examples"] or rows, rows)
            total += COPIES * 3 * rows * heads * tokens**2 * 2
        return total / GIGA


def default_configuration() -> Configuration:
    """The default as it was committed: its settings may have been edited since."""
    command = ["git", "show", f"HEAD:{PARAMETER_FILE}"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / PARAMETER_FILE
        file.write_bytes(done.stdout if done.returncode == 0 else (ROOT / file.name).read_bytes())
        return Configuration(ROOT, file)


def minutes(works: pd.DataFrame, of_default: pd.DataFrame, table: pd.DataFrame) -> pd.Series:
    """Minutes of every stage on the machine of the table; NaN where the default lacks the stage.

    Start and end of a stage take as long as in the default.
    """
    known = of_default.join(table.set_index("stage")[["seconds", "compute"]], how="inner")
    known["rest"] = known["seconds"] - known["compute"]
    stages = known.groupby("name")
    unit = stages["compute"].sum() / stages["work"].sum()
    names = works["name"]
    return (works["work"] * names.map(unit) + names.map(stages["rest"].mean())) / 60


def main(
    folder: Annotated[
        Path | None, typer.Argument(help="of the configuration; by default this one")
    ] = None,
) -> None:
    """Say about how long `dvc repro` takes in FOLDER from nothing, and how much disk.

    Raises:
        InputError: there is no table of the default's times, or the settings cannot be kept to.
    """
    folder = (folder or Path()).resolve()
    if not (ROOT / TABLE).is_file():
        raise InputError(f"{ROOT / TABLE}: not there; `git checkout {TABLE}` brings it back")
    if faults := complaints(folder, here=False):
        raise InputError("\n".join(faults))
    table, file = pd.read_csv(ROOT / TABLE), folder / PARAMETER_FILE
    configuration = Configuration(folder, file)
    duration = minutes(configuration.works(), default_configuration().works(), table)
    runtime = read_runtime(file)
    torch.set_num_threads(runtime.threads)
    rate = table["rate"].iloc[0] if "rate" in table else RATE
    duration *= rate / probe()
    short = duration < SHORT
    for name, value in duration[duration >= SHORT].sort_values(ascending=False).items():
        typer.echo(f"{value:6.1f} min  {name}")
    typer.echo(f"{duration[short].sum():6.1f} min  {short.sum()} shorter stages")
    unknown = ", ".join(duration.index[duration.isna()])
    disk = configuration.gigabytes()
    typer.echo(
        f"about {math.ceil(duration.sum())} minutes and {disk:.1f} GB of disk"
        + (f"; not known: {unknown}" if unknown else "")
    )
    if disk * GIGA > room(folder):
        typer.secho(f"warning: {disk_of(folder)} has less room; free some", fg="yellow", err=True)
    if runtime.device != "cpu" and (runtime.device != "auto" or torch.cuda.is_available()):
        typer.echo("counted for the processor; a graphics card takes less")


if __name__ == "__main__":
    stage_command(main)
