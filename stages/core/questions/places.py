"""Places of questions and readers under the folder `work`; dvc.yaml names the same."""

from pathlib import Path

from stages.core.stage.places import WORK


def questions_file(task: str, split: str) -> Path:
    """The questions of a split (`train` or `validation`)."""
    return WORK / "questions" / task / f"{split}.parquet"


def reader_folder(task: str, arm: str, seed: int) -> Path:
    """A reader of a task with its tokenizer.

    Args:
        arm: `tuned`, `tuned_from_random`, or an unanswerable training (`unanswerable.NAMES`).
    """
    return WORK / "readers" / task / f"{arm}-{seed}"
