"""One run: a reader, tuned on questions or on what is left of them, kept with its outcomes."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from transformers import PreTrainedModel

from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.finished import files_in, finishing, run_folder
from stages.core.questions.inputs import encode_questions
from stages.core.questions.places import questions_file
from stages.core.questions.question import Question, read_questions
from stages.core.questions.scoring import option_scores, outcomes
from stages.core.questions.shuffles import Degrees, Shuffled, degrees
from stages.core.questions.task import QuestionTask
from stages.core.questions.unanswerable import NAMES, SHUFFLES, unanswerable
from stages.core.runtime.runtime import start
from stages.core.scratch import code_of, fingerprint, open_scratch
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.places import SCRATCH
from stages.core.stage.settings import PARAMETER_FILE, checked, section
from stages.core.tasks.task import Task
from stages.finetune.readers.settings import Readers
from stages.finetune.readers.training import order_of, padding_of, steps_of, train
from stages.finetune.run import CODE as FINETUNE_CODE
from stages.finetune.run import FACTS_FILE, MODEL, SPLITS, Run, peak_memory, require_finite
from stages.finetune.side_by_side import Report
from stages.finetune.task_model import load_task_model
from stages.finetune.training import Finetune, texts_of_pass

RUNS = SCRATCH / "readers"
QUESTIONS = ("batches", "inputs", "loss", "places", "question", "rows")
# A change of these files makes kept runs and states void.
CODE = [
    *FINETUNE_CODE,
    *code_of(*(f"questions/{name}.py" for name in QUESTIONS)),
    *code_of(*(f"questions/{name}.py" for name in ("scoring", "shuffles", "task", "unanswerable"))),
    *(Path(__file__).with_name(f"{name}.py") for name in ("run", "settings", "training")),
]
OUTCOMES_FILE = "outcomes.parquet"


@dataclass(frozen=True)
class ReaderRun(Run):
    """One reader to tune, from the encoder in the folder `checkpoint`.

    Attributes:
        arm: `tuned`, `tuned_from_random`, or a training of `unanswerable.NAMES`, which begins at
            the checkpoint as `tuned` does.
        sources: fingerprint of the questions and the encoder.
        readers: how texts are shuffled.
    """

    arm: str
    definition: QuestionTask
    readers: Readers

    @property
    def is_tuned(self) -> bool:
        return True

    @property
    def scratch(self) -> Path:
        """Where states and results lie: of this run, and of none whose result would be another."""
        shuffling = [self.readers.least_degree, self.readers.shuffle_seed]
        identity = [
            self.task,
            self.key,
            self.sources,
            self.definition.max_length,
            self.settings.model_dump(),
            shuffling if self.arm in SHUFFLES else None,
            self.runtime.threads,
        ]
        return run_folder(RUNS / self.task / self.key, identity, CODE, self.runtime)


def sources_of(task: str, checkpoint: Path) -> str:
    """Fingerprint of everything but settings and code that the readers of a task depend on."""
    questions = [questions_file(task, split) for split in SPLITS]
    return fingerprint(version("accelerate"), [*questions, *files_in(checkpoint)])


def reader_settings(name: str, task: QuestionTask) -> Finetune:
    """The section `finetune` with the keys that the task's own entry replaces.

    Raises:
        InputError: a key or a value is wrong.
    """
    common = section(Finetune, "finetune").model_dump()
    return checked(Finetune, common | task.finetune, f"{PARAMETER_FILE}: `tasks.{name}.finetune`")


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
    """The training questions as a reader of an arm sees them, and what became of shuffled texts.

    A passage is shuffled as a whole, before it is cut: a long one may keep words that the intact
    one loses. That is a choice.
    """
    if arm not in NAMES:
        return list(questions), []
    changed = [
        unanswerable(arm, question, readers.shuffle_seed, readers.least_degree)
        for question in questions
    ]
    return [one.question for one in changed], [text for one in changed for text in one.shuffled]


def make(run: ReaderRun, report: Report) -> None:
    """Tune one reader; keep it with what it makes of the validation questions.

    Killed and called again, it goes on from its last saved state, to the same bits.
    """
    tokenizer = load_tokenizer(run.checkpoint)
    train_questions, validation = (
        read_questions(questions_file(run.task, split)) for split in SPLITS
    )
    max_length = run.definition.max_length
    intact = encode_questions(tokenizer, train_questions, max_length)
    seen, shuffled = trained_on(run.arm, train_questions, run.readers)
    # Without its question a row has room for more: what a training takes is to be all that differs.
    inputs = (
        encode_questions(tokenizer, seen, max_length, most_passage=intact.kept)
        if run.arm in NAMES
        else intact
    )
    order = order_of(intact, run.settings, run.seed)
    model = load_reader(run.checkpoint, max_length, run.arm, run.seed)

    device = start(run.runtime, run.seed)
    open_scratch(run.scratch)
    began = time.monotonic()
    train(
        model,
        inputs,
        order,
        run.settings,
        run.runtime,
        device,
        run.scratch,
        lambda said: report(said if isinstance(said, int) else f"{run}: {said}"),
    )
    padding = padding_of(inputs, order, run.settings)
    seconds = f"{time.monotonic() - began:.0f} s of tuning, {padding:.1%} of it padding"
    report(f"{run}: {seconds}, {peak_memory(device)}")
    held_out = encode_questions(tokenizer, validation, max_length)
    model = model.to(device).eval()
    scores = option_scores(model, held_out, run.settings.pass_tokens, device, texts_of_pass)
    found = outcomes(validation, held_out, scores)
    require_finite(run, found[["loss"]].add_prefix("logit_"))
    keep(run, model, found, len(seen), padding, degrees(shuffled))


def keep(
    run: ReaderRun,
    model: PreTrainedModel,
    found: pd.DataFrame,
    questions: int,
    padding: float,
    shuffled: Degrees,
) -> None:
    """Write the reader with its tokenizer, its outcomes, and what is said of the run as a whole.

    Args:
        questions: how many it was trained on.
    """
    facts = {
        "accuracy": float(found["right"].mean()),
        "examples": len(found),
        "trained_on": questions,
        "steps": steps_of(questions, run.settings),
        "padding": padding,
        "shuffled": shuffled.texts,
        "left": shuffled.left,
        "one_word": shuffled.one_word,
        "mean_degree": shuffled.mean,
        "smallest_degree": shuffled.least,
    }
    with finishing(run.scratch) as folder:
        model.save_pretrained(folder / MODEL)
        # A fresh one, as use leaves traces in a tokenizer.
        load_tokenizer(run.checkpoint).save_pretrained(folder / MODEL)
        found.to_parquet(folder / OUTCOMES_FILE, index=False)
        (folder / FACTS_FILE).write_text(json.dumps(facts), encoding="utf-8")
