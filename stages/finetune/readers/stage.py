"""Tune readers of multiple-choice questions (Si et al. 2019, M1 and M3).

A reader reads `[CLS] passage [SEP] question option [SEP]` for every option and gives it a score
from [CLS]; the softmax over a question's options is its answer. `tuned` is trained on the questions
as they are, `tuned_from_random` from weights drawn at random; the unanswerable trainings on the
same questions, in the same order and the same steps, of which passage, question or both are
shuffled or removed. All are scored on the validation questions as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
import torch
from pydantic import AfterValidator, Field, NonNegativeInt, PositiveFloat, PositiveInt
from transformers import PreTrainedModel

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.control_seeds import control_seeds
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.questions.inputs import encode_questions
from stages.core.questions.places import questions_file, reader_folder
from stages.core.questions.question import Question, read_questions
from stages.core.questions.scoring import option_scores, outcomes
from stages.core.questions.shuffles import Shuffled, degrees
from stages.core.questions.tables import READER_OUTCOMES, READER_RUNS
from stages.core.questions.task import load_question_task, reader_seeds
from stages.core.questions.unanswerable import NAMES, unanswerable
from stages.core.runtime.runtime import find_device, read_runtime
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.settings import Parameters, section
from stages.core.tasks.task import Task
from stages.finetune.processes import alone
from stages.finetune.readers.training import QuestionData
from stages.finetune.run import SPLITS, Results, Run, made, sources_of, task_settings
from stages.finetune.task_model import load_task_model
from stages.finetune.training import texts_of_pass


def _different(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError("a training stands there twice; give each once")
    return names


class Readers(Parameters, section="readers"):
    """Which readers are tuned beside `tuned` and `tuned_from_random`, which always are.

    Attributes:
        tasks: of kind `choice`.
        unanswerable: trainings on questions that nobody can answer.
        unanswerable_seeds: number of a task's seeds with which these are made; None for all.
        least_degree: edit distance over words of a shuffled text, as a share of its words, at
            least.
        shuffle_seed: of the shuffles; they are drawn of the question's id as well.
    """

    tasks: list[str]
    unanswerable: Annotated[list[Literal[NAMES]], AfterValidator(_different)]
    unanswerable_seeds: PositiveInt | None
    least_degree: Annotated[PositiveFloat, Field(le=1)]
    shuffle_seed: NonNegativeInt


@dataclass(frozen=True)
class ReaderRun(Run):
    """One reader; its arm is `tuned`, `tuned_from_random` or a training of `unanswerable.NAMES`.

    Attributes:
        readers: how texts are shuffled.
    """

    stage = "readers"

    readers: Readers

    @property
    def folder(self) -> Path:
        return reader_folder(self.task, self.arm, self.seed)

    def prepare(self) -> tuple[PreTrainedModel, QuestionData, Results]:
        tokenizer, max_length = load_tokenizer(self.checkpoint), self.definition.max_length
        train, validation = (read_questions(questions_file(self.task, split)) for split in SPLITS)
        inputs = intact = encode_questions(tokenizer, train, max_length)
        seen, texts = trained_on(self.arm, train, self.readers)
        if self.arm in NAMES:
            # Without its question a row has room for more: only the training is to differ.
            inputs = encode_questions(tokenizer, seen, max_length, most_passage=intact.kept)
        data = QuestionData(inputs, intact.lengths, self.settings, self.seed)

        def results(
            model: PreTrainedModel, device: torch.device
        ) -> tuple[pd.DataFrame, dict[str, Any]]:
            held_out = encode_questions(tokenizer, validation, max_length)
            tokens = self.settings.pass_tokens
            scores = option_scores(model, held_out, tokens, device, texts_of_pass)
            table, shuffled = outcomes(validation, held_out, scores), degrees(texts)
            return table, {
                "accuracy": float(table["right"].mean()),
                "examples": len(table),
                "trained_on": len(seen),
                "steps": self.settings.steps(len(seen)),
                "padding": data.padding(),
                "shuffled": shuffled.texts,
                "left": shuffled.left,
                "one_word": shuffled.one_word,
                "mean_degree": shuffled.mean,
                "smallest_degree": shuffled.least,
            }

        return load_reader(self.checkpoint, max_length, self.arm, self.seed), data, results


def load_reader(folder: Path, max_length: int, arm: str, seed: int) -> PreTrainedModel:
    """A reader before tuning: an encoder with one output for a sequence, its score from [CLS].

    Every arm of a seed has the same fresh head; all but `tuned_from_random` the encoder of
    `folder`.

    Raises:
        InputError: as `load_task_model`.
    """
    # To a model, options with scores are texts with scores; it asks nothing else of its task.
    scored = Task.model_construct(kind="regression", labels=None, max_length=max_length)
    begun = TUNED_FROM_RANDOM if arm == TUNED_FROM_RANDOM else TUNED
    return load_task_model(folder, scored, begun, seed)


def trained_on(
    arm: str, questions: Sequence[Question], readers: Readers
) -> tuple[list[Question], list[Shuffled]]:
    """The training questions as a reader of an arm sees them, and the shuffled texts in them.

    A passage is shuffled as a whole, before it is cut: a long one may keep words that the intact
    one loses. That is a choice.
    """
    if arm not in NAMES:
        return list(questions), []
    changed = [
        unanswerable(arm, question, readers.shuffle_seed, readers.least_degree)
        for question in questions
    ]
    return [item.question for item in changed], [text for item in changed for text in item.shuffled]


def run_stage(task: str, seed: int | None = None) -> None:
    """Tune readers of TASK; write them, and what they make of the validation questions.

    Killed and run again, it goes on: finished runs are kept, the others begin at their last saved
    states, and end with the same bits.
    """
    examples = len(read_questions(questions_file(task, "train")))
    with made(runs_of(task, seed), examples, whole=seed is None) as results:
        keys = [{"arm": run.arm, "seed": run.seed} for run, *_ in results]
        tables = [table.assign(**key) for key, (_, table, _) in zip(keys, results, strict=True)]
        READER_OUTCOMES.write(tables, data=task)
        facts = [key | facts for key, (*_, facts) in zip(keys, results, strict=True)]
        READER_RUNS.write(pd.DataFrame(facts), data=task)


def runs_of(task: str, only: int | None = None) -> list[ReaderRun]:
    """The runs of a task, arm by arm; each has a process for itself.

    Args:
        only: the seed that is asked for; None for all. Arms that are not made with it have no run.
    """
    definition, runtime = load_question_task(task), read_runtime()
    readers = section(Readers, "readers")
    settings = task_settings(task, definition, find_device(runtime.device))
    checkpoint = locate(section(Checkpoint, "checkpoint"))
    files = [questions_file(task, split) for split in SPLITS]
    shuffling = [readers.least_degree, readers.shuffle_seed]
    sources = sources_of(__name__, files, checkpoint, shuffling)
    asked, every = reader_seeds(task, only), reader_seeds(task)
    seeds = {TUNED: every, TUNED_FROM_RANDOM: control_seeds(every)}
    # In this order: readers of no passage are done soonest.
    unanswerable = [name for name in NAMES if name in readers.unanswerable]
    seeds |= dict.fromkeys(unanswerable, every[: readers.unanswerable_seeds])
    common = (definition, settings, checkpoint, sources, alone(runtime), readers)
    return [
        ReaderRun(task, arm, seed, *common)
        for arm, made_with in seeds.items()
        for seed in made_with
        if seed in asked
    ]
