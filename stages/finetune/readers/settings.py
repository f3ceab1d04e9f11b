"""The section `readers` of `params.yaml`."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, NonNegativeInt, PositiveFloat, PositiveInt

from stages.core.questions.unanswerable import NAMES
from stages.core.stage.settings import Parameters


def _different(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError("a training stands there twice; give each once")
    return names


class Readers(Parameters, section="readers"):
    """Which readers are tuned beside `tuned` and `tuned_from_random`, which always are.

    Attributes:
        tasks: of kind `choice`.
        unanswerable: trainings on questions that nobody can answer.
        unanswerable_seeds: the first so many of a task's seeds, with which these are made; None for
            all.
        least_degree: edit distance over words of a shuffled text, as a share of its words, at
            least.
        shuffle_seed: of the shuffles; they are drawn of the question's id as well.
    """

    tasks: list[str]
    unanswerable: Annotated[list[Literal[NAMES]], AfterValidator(_different)]
    unanswerable_seeds: PositiveInt | None
    least_degree: Annotated[PositiveFloat, Field(le=1)]
    shuffle_seed: NonNegativeInt
