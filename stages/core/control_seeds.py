"""How often what begins at random is made: a control of claims, and no claim's own encoder."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import PositiveInt

from stages.core.stage.settings import PARAMETER_FILE, section


def control_seeds(seeds: Sequence[int], file: str | Path = PARAMETER_FILE) -> list[int]:
    """Those of a task's seeds with which encoders begin at random: the first `run.control_seeds`.

    Raises:
        InputError: the key is missing or wrong.
    """
    return list(seeds[: section(PositiveInt | None, "run.control_seeds", file)])
