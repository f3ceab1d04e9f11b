"""Places of the files that stages pass on, under the folder `work`; dvc.yaml names the same."""

from pathlib import Path

from stages.core.stage.arms import Arm

WORK = Path("work")
MEASURES = WORK / "measures"
CORPORA = WORK / "corpora"
ENCODERS = WORK / "encoders"
CLASSIFIER = WORK / "classifier"
TAGGER = WORK / "tagger"
CODE = WORK / "code"  # of each stage, the sums of the files that it runs, as `md5sum` prints them
CODE_FILES = CODE / "files.json"  # the files and folders that each stage runs, by its name
# No stage's out: DVC deletes outs before a stage runs, and an interrupted run goes on from here.
SCRATCH = WORK / "scratch"


def examples_file(task: str, split: str) -> Path:
    """The examples of a split (`train` or `validation`)."""
    return WORK / "tasks" / task / f"{split}.parquet"


def model_folder(task: str, arm: Arm, seed: int) -> Path:
    """A model of a task with its tokenizer."""
    return WORK / "models" / task / f"{arm}-{seed}"


def maps_folder(task: str, arm: Arm) -> Path:
    """The recorded attention of a model of a task."""
    return WORK / "maps" / task / arm


def outcomes_folder(task: str, seed: int) -> Path:
    """The predictions of the tuned model of a task under every gate."""
    return WORK / "ablate" / task / str(seed)


def patterns_file(task: str, arm: Arm) -> Path:
    """The pattern of every classified map of an arm."""
    return WORK / "patterns" / task / f"{arm}.parquet"
