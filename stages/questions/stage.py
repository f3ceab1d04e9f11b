"""Prepare the questions of a task of kind `choice`: written here, from the Hub, or from files."""

from collections.abc import Sequence

import numpy as np
import typer
from transformers import PreTrainedTokenizerBase

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.known_tokens import known_tokens, require_known
from stages.core.questions.inputs import encode_questions
from stages.core.questions.places import questions_file
from stages.core.questions.question import Question, validate, write_questions
from stages.core.questions.task import QuestionTask, load_question_task
from stages.core.questions.written import written_questions
from stages.core.stage.files import atomic
from stages.core.stage.settings import PARAMETER_FILE, section
from stages.questions.sources import SPLITS, read_source

# Of the validation questions: so many may be among the training questions without a word.
IN_BOTH = 0.05


def run_stage(task: str) -> None:
    """Write work/questions/TASK/train.parquet and validation.parquet."""
    entry = load_question_task(task)
    splits = written(entry) if entry.data.source == "written" else read_source(task, entry)
    tokenizer = load_tokenizer(locate(section(Checkpoint, "checkpoint")))
    for split, questions in splits.items():
        validate(questions, f"{task} {split}")
        typer.echo(counted(f"{task} {split}", questions, tokenizer, entry.max_length))
    warn_of_both(task, splits)
    with atomic(questions_file(task, "train").parent) as folder:
        folder.mkdir()
        for split, questions in splits.items():
            write_questions(questions, folder / questions_file(task, split).name)


def written(task: QuestionTask) -> dict[str, list[Question]]:
    """The questions that are written here."""
    data = task.data
    return {split: written_questions(split, getattr(data, split), data.seed) for split in SPLITS}


def counted(
    where: str, questions: Sequence[Question], tokenizer: PreTrainedTokenizerBase, max_length: int
) -> str:
    """How many questions, passages, options and tokens a split has, in words.

    Warns of unknown tokens.

    Raises:
        InputError: too many tokens are unknown to the tokenizer, or a question does not fit into
            `max_length` with one of its options.
    """
    passages = list({question.passage: None for question in questions})
    texts = [text for question in questions for text in (question.question, *question.options)]
    known = known_tokens(tokenizer, [*passages, *texts])
    require_known(where, known)
    cut = encode_questions(tokenizer, questions, max_length).cut > 0
    counts = np.array([len(question.options) for question in questions])
    least, most = counts.min(), counts.max()
    options = f"{least}" if least == most else f"{least} to {most}"
    return (
        f"{where}: {len(questions)} questions on {len(passages)} passages, {options} options each, "
        f"{known.tokens} tokens ({known.unknown} unknown); {cut.mean():.0%} of the questions have "
        f"a passage that is cut to fit `max_length` {max_length}"
    )


def warn_of_both(task: str, splits: dict[str, list[Question]]) -> None:
    """Warn of validation questions that are training questions, passage and question alike."""
    train, validation = (
        [(question.passage, question.question) for question in splits[split]] for split in SPLITS
    )
    known = set(train)
    in_both = sum(pair in known for pair in validation)
    if in_both > IN_BOTH * len(validation):
        typer.secho(
            f"warning: {task}: {in_both} of {len(validation)} validation questions are training "
            "questions, too; scores on them say little: name other data for "
            f"`tasks.{task}.data.splits` in {PARAMETER_FILE}",
            fg="yellow",
            err=True,
        )
