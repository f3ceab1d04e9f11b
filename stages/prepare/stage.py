"""Prepare the examples of a task: generated text of this project, from the Hub, or files."""

import pandas as pd
import typer

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.known_tokens import known_tokens, require_known
from stages.core.stage.files import InputError, atomic
from stages.core.stage.places import examples_file
from stages.core.stage.settings import section
from stages.core.tasks.examples import read_examples, validate, write_examples
from stages.core.tasks.tables import BASELINES, TASK_SIZES
from stages.core.tasks.task import Task, load_task
from stages.core.tasks.texts import shown
from stages.core.written import written_examples
from stages.prepare.baselines import baseline_predictions
from stages.prepare.sources import read_source

TEXTS = ["text_a", "text_b"]
# Of the validation examples: so many may be among the training examples without a word.
IN_BOTH = 0.05


def run_stage(task: str) -> None:
    """Write the examples of TASK to work/tasks/TASK, and the predictions of baselines on them."""
    entry = load_task(task)
    if entry.data.source == "written":
        frames = written_examples(task, entry.data)
    else:
        frames = read_source(task, entry)
    labels = entry.outputs if entry.kind == "classification" else None
    for split, examples in frames.items():
        validate(examples, f"{task} {split}", labels, entry.label_names)
    source = getattr(entry.data, "splits", None)
    require_difference(source.train if source else task, frames["train"]["label"], entry)
    table = sizes(task, frames)
    with atomic(examples_file(task, "train").parent) as folder:
        folder.mkdir()
        for split, examples in frames.items():
            write_examples(examples, folder / examples_file(task, split).name)
    TASK_SIZES.write(table, data=task)
    train, validation = (
        read_examples(examples_file(task, split)) for split in ("train", "validation")
    )
    BASELINES.write(baseline_predictions(train, validation, entry), data=task)


def require_difference(where: str, labels: pd.Series, task: Task) -> None:
    """Warn of classes without a training example.

    Args:
        where: the file or split of the training examples, for the message.

    Raises:
        InputError: all training examples have one label, from which nothing can be learnt.
    """
    if labels.nunique() < 2:
        label = shown(task.label_names[int(labels[0])] if task.label_names else labels[0])
        raise InputError(
            f"{where}: all {len(labels)} training examples have the label {label}; a model learns "
            "from two or more: name other data, another column or more rows"
        )
    numbers = set(labels)
    lacking = [name for number, name in enumerate(task.label_names) if number not in numbers]
    if lacking:
        typer.secho(
            f"warning: {where}: no training example has the label {', '.join(lacking)}; remove it "
            "from `labels`, or name other data",
            fg="yellow",
            err=True,
        )


def sizes(task: str, frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The table `TASK_SIZES`; warns of unknown tokens, and of examples in both splits.

    Raises:
        InputError: too many tokens are unknown to the checkpoint's tokenizer.
    """
    tokenizer = load_tokenizer(locate(section(Checkpoint, "checkpoint")))
    texts = {
        split: list(examples[TEXTS].fillna("").itertuples(index=False, name=None))
        for split, examples in frames.items()
    }
    rows = []
    for split, own in texts.items():
        known = known_tokens(tokenizer, [text for pair in own for text in pair if text])
        require_known(f"{task} {split}", known)
        others = {pair for other, pairs in texts.items() if other != split for pair in pairs}
        in_both = sum(pair in others for pair in own)
        rows.append([split, len(own), *known, in_both])
    table = pd.DataFrame(rows, columns=["split", *TASK_SIZES.values])
    last = table[table["split"] == "validation"].iloc[0]
    if last["in_both"] > IN_BOTH * last["examples"]:
        typer.secho(
            f"warning: {task}: {last['in_both']} of {last['examples']} validation examples are "
            "training examples, too; scores on them say little: name other data for "
            f"`tasks.{task}.data.splits`",
            fg="yellow",
            err=True,
        )
    return table
