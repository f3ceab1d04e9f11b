"""How often what begins at random is made: a control of claims, and no claim's own encoder."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import PositiveInt

from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE, section


def require_control_seed(
    task: str, seeds: Sequence[int], seed: int, file: str | Path = PARAMETER_FILE
) -> None:
    """Refuse a seed with which no encoder of the task begins at random.

    Args:
        seeds: all of the task's.

    Raises:
        InputError: there is none of this seed.
    """
    made = control_seeds(seeds, file)
    if seed not in made:
        raise InputError(
            f"{file}: --seed {seed}: encoders of {task} that begin at random are made with seed "
            f"{', '.join(map(str, made))} alone, as `run.control_seeds` is {len(made)}; ask for "
            "one of these, or raise `run.control_seeds` (null: all)"
        )


def control_seeds(seeds: Sequence[int], file: str | Path = PARAMETER_FILE) -> list[int]:
    """Those of a task's seeds with which encoders begin at random: the first `run.control_seeds`.

    Raises:
        InputError: the key is missing or wrong.
    """
    return list(seeds[: section(PositiveInt | None, "run.control_seeds", file)])
