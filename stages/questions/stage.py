"""Prepare the questions of a task of kind `choice`: written here, from the Hub, or from files."""

import pandas as pd
import typer
from transformers import PreTrainedTokenizerBase

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.known_tokens import known_tokens, require_known
from stages.core.questions.inputs import encode_questions
from stages.core.questions.places import questions_file
from stages.core.questions.question import Question, validate, write_questions
from stages.core.questions.tables import QUESTION_SIZES
from stages.core.questions.task import load_question_task
from stages.core.stage.files import atomic
from stages.core.stage.settings import section
from stages.core.written import written_questions
from stages.questions.sources import read_source

# Of the validation questions: so many may be among the training questions without a word.
IN_BOTH = 0.05


def run_stage(task: str) -> None:
    """Write work/questions/TASK/train.parquet and validation.parquet."""
    entry = load_question_task(task)
    if entry.data.source == "written":
        splits = written_questions(entry.data)
    else:
        splits = read_source(task, entry)
    for split, questions in splits.items():
        validate(questions, f"{task} {split}")
    tokenizer = load_tokenizer(locate(section(Checkpoint, "checkpoint")))
    table = sizes(task, splits, tokenizer, entry.max_length)
    typer.echo(table.to_string(index=False))
    warn_of_both(task, table)
    with atomic(questions_file(task, "train").parent) as folder:
        folder.mkdir()
        for split, questions in splits.items():
            write_questions(questions, folder / questions_file(task, split).name)
    QUESTION_SIZES.write(table, data=task)


def sizes(
    task: str,
    splits: dict[str, list[Question]],
    tokenizer: PreTrainedTokenizerBase,
    max_length: int,
) -> pd.DataFrame:
    """The table `QUESTION_SIZES`; warns of unknown tokens.

    Raises:
        InputError: too many tokens are unknown to the tokenizer, or a question does not fit into
            `max_length` with one of its options.
    """
    pairs = {
        split: [(question.passage, question.question) for question in questions]
        for split, questions in splits.items()
    }
    rows = []
    for split, questions in splits.items():
        passages = list(dict.fromkeys(question.passage for question in questions))
        asked = [one.pair(place)[1] for one in questions for place in range(len(one.options))]
        known = known_tokens(tokenizer, [*passages, *asked])
        require_known(f"{task} {split}", known)
        counts = [len(question.options) for question in questions]
        cut = int((encode_questions(tokenizer, questions, max_length).cut > 0).sum())
        others = {pair for other, own in pairs.items() if other != split for pair in own}
        in_both = sum(pair in others for pair in pairs[split])
        numbers = (len(questions), len(passages), min(counts), max(counts), *known, cut, in_both)
        rows.append([split, *numbers])
    return pd.DataFrame(rows, columns=["split", *QUESTION_SIZES.values])


def warn_of_both(task: str, table: pd.DataFrame) -> None:
    """Warn where many validation questions are training questions, too."""
    last = table[table["split"] == "validation"].iloc[0]
    if last["in_both"] > IN_BOTH * last["examples"]:
        typer.secho(
            f"warning: {task}: {last['in_both']} of {last['examples']} validation questions are "
            "training questions, too; scores on them say little: name other data for "
            f"`tasks.{task}.data.splits`",
            fg="yellow",
            err=True,
        )
