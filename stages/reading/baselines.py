"""Expected accuracies without reading: a guess, and the longest option (Si et al. 2019).

If several options are the longest, one of them is drawn at random.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from jaxtyping import Float

from stages.core.questions.question import Question

Unit = Literal["words", "characters"]


def random_guess(questions: Sequence[Question]) -> Float[np.ndarray, " question"]:
    """One by the number of options: [question]."""
    return np.array([1 / len(question.options) for question in questions])


def longest_option(
    questions: Sequence[Question], unit: Unit = "words"
) -> Float[np.ndarray, " question"]:
    """The chance that the longest option is the right one: [question].

    Args:
        unit: of the length: words between spaces, or characters.
    """
    return np.array(
        [
            share_of_largest(
                [option_length(option, unit) for option in question.options], question.answer
            )
            for question in questions
        ]
    )


def option_length(text: str, unit: Unit) -> int:
    """The number of words or characters of a text, without spaces around it."""
    return len(text.split()) if unit == "words" else len(text.strip())


def share_of_largest(values: Sequence[float], answer: int) -> float:
    """One by the number of largest values, if the answer has one of them; else 0."""
    largest = max(values)
    return 1 / list(values).count(largest) if values[answer] == largest else 0.0
