"""The seeds of the arms that begin at random, which are controls of claims."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import PositiveInt

from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM, Arm
from stages.core.stage.settings import PARAMETER_FILE, section
from stages.core.tasks.task import seeds_of


def control_seeds(seeds: Sequence[int], file: str | Path = PARAMETER_FILE) -> list[int]:
    """Those of a task's seeds with which encoders begin at random: the first `run.control_seeds`.

    Raises:
        InputError: the key is missing or wrong.
    """
    return list(seeds[: section(PositiveInt | None, "run.control_seeds", file)])


def tuned_arms(task: str, seed: int | None = None) -> list[tuple[Arm, int]]:
    """The arms that are tuned on a task, each with a seed: `tuned`, then `tuned_from_random`.

    Args:
        seed: the only one that is asked for; None for all of the task's.

    Raises:
        InputError: a key is wrong, or the task has no such seed.
    """
    seeds = seeds_of(task, seed)
    from_random = [number for number in control_seeds(seeds_of(task)) if number in seeds]
    return [
        *((TUNED, number) for number in seeds),
        *((TUNED_FROM_RANDOM, number) for number in from_random),
    ]
