"""What `dvc.yaml` says of a stage."""

from pathlib import Path

from stages.check.configuration import definition as definition

ROOT = Path(__file__).resolve().parents[1]


def stage_name(command: str) -> str:
    """The stage that a command runs: `python -m stages NAME ...`."""
    words = command.split()
    return words[words.index("stages") + 1]
