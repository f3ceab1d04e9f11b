"""What `dvc.yaml` says of a stage."""

from pathlib import Path

from stages.check.configuration import definition as definition

ROOT = Path(__file__).resolve().parents[1]


def stage_module(command: str) -> str:
    """The module that a stage's command runs: `python -m MODULE ...`."""
    words = command.split()
    return words[words.index("-m") + 1]
