"""What `dvc.yaml` says of a stage."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def definition(stage: dict) -> dict:
    """What is run of a stage, also where it stands for each entry of a dictionary."""
    return stage.get("do", stage)


def stage_module(command: str) -> str:
    """The module that a stage's command runs: `python -m MODULE ...`."""
    words = command.split()
    return words[words.index("-m") + 1]
