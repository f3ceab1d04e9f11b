"""Tune readers of multiple-choice questions (Si et al. 2019, M1 and M3).

A reader reads `[CLS] passage [SEP] question option [SEP]` for every option and gives it a score
from [CLS]; the softmax over a question's options is its answer. `tuned` is trained on the questions
as they are, `tuned_from_random` from weights drawn at random; the unanswerable trainings on the
same questions, in the same order and the same steps, of which passage, question or both are
shuffled or removed. All are scored on the validation questions as they are.
"""

import json
from collections.abc import Sequence

import pandas as pd

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.control_seeds import control_seeds
from stages.core.finished import forget_others, is_finished, publish, result
from stages.core.questions.places import questions_file, reader_folder
from stages.core.questions.question import read_questions
from stages.core.questions.tables import READER_OUTCOMES, READER_RUNS
from stages.core.questions.task import load_question_task, reader_seeds
from stages.core.questions.unanswerable import NAMES
from stages.core.runtime.runtime import find_device, read_runtime
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.settings import section
from stages.finetune.processes import alone, places
from stages.finetune.readers.run import (
    OUTCOMES_FILE,
    RUNS,
    ReaderRun,
    make,
    reader_settings,
    sources_of,
)
from stages.finetune.readers.settings import Readers
from stages.finetune.run import FACTS_FILE, MODEL, require_possible
from stages.finetune.side_by_side import side_by_side
from stages.finetune.stage import Bar


def run_stage(task: str, seed: int | None = None) -> None:
    """Tune readers of TASK; write them, and what they make of the validation questions.

    Runs that are finished are kept. Killed and run again, the others go on from their last saved
    states, to the same bits.
    """
    questions = len(read_questions(questions_file(task, "train")))
    runs = runs_of(task, seed)
    if seed is None:
        forget_others(RUNS / task, [run.key for run in runs])
    missing = [run for run in runs if not is_finished(run.scratch)]
    for run in runs:
        if run not in missing:
            print(f"{run}: kept, as nothing changed that it depends on")
    for run in missing:
        require_possible(run, questions)
    if missing:
        with Bar(missing, questions) as bar:
            for _ in side_by_side(make, missing, places(read_runtime()), bar):
                pass
    write(task, runs)


def runs_of(task: str, only: int | None = None) -> list[ReaderRun]:
    """The runs of a task, arm by arm; each has a process for itself.

    Args:
        only: the seed that is asked for; None for all. Arms that are not made with it have no run.
    """
    definition = load_question_task(task)
    readers = section(Readers, "readers")
    settings = reader_settings(task, definition).on(find_device(read_runtime().device))
    checkpoint = locate(section(Checkpoint, "checkpoint"))
    sources = sources_of(task, checkpoint)
    asked, every = reader_seeds(task, only), reader_seeds(task)
    seeds = {TUNED: every, TUNED_FROM_RANDOM: control_seeds(every)}
    # In this order: readers of no passage are done soonest.
    unanswerable = [name for name in NAMES if name in readers.unanswerable]
    seeds |= dict.fromkeys(unanswerable, every[: readers.unanswerable_seeds])
    return [
        ReaderRun(
            task,
            arm,
            seed,
            definition,
            settings,
            checkpoint,
            sources,
            alone(read_runtime()),
            readers,
        )
        for arm, own in seeds.items()
        for seed in own
        if seed in asked
    ]


def write(task: str, runs: Sequence[ReaderRun]) -> None:
    """Put the results of the runs to their places among the outs."""
    outcomes, facts = [], []
    for run in runs:
        publish(result(run.scratch, MODEL), reader_folder(task, run.arm, run.seed))
        key = {"arm": run.arm, "seed": run.seed}
        outcomes.append(pd.read_parquet(result(run.scratch, OUTCOMES_FILE)).assign(**key))
        file = result(run.scratch, FACTS_FILE)
        facts.append(key | json.loads(file.read_text(encoding="utf-8")))
    READER_OUTCOMES.write(outcomes, compression="zstd", questions=task)
    READER_RUNS.write(pd.DataFrame(facts), questions=task)
