"""What can be had without reading: a guess, and the longest option (Si et al. 2019).

Both are expected accuracies, a number for each question: where several options are the longest, the
right one among them is taken with the chance that one of them drawn at random has.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from jaxtyping import Float

from stages.core.questions.question import Question

Unit = Literal["words", "characters"]


def random_guess(questions: Sequence[Question]) -> Float[np.ndarray, " question"]:
    """One by the number of options, for each question."""
    return np.array([1 / len(question.options) for question in questions])


def longest_option(
    questions: Sequence[Question], unit: Unit = "words"
) -> Float[np.ndarray, " question"]:
    """The chance that the right option is taken by whoever takes the longest.

    Args:
        unit: what length is counted in: words between spaces, or characters.
    """
    return np.array(
        [
            share_of_largest([length(option, unit) for option in question.options], question.answer)
            for question in questions
        ]
    )


def length(text: str, unit: Unit) -> int:
    """Words or characters of a text; spaces around it are none of them."""
    return len(text.split()) if unit == "words" else len(text.strip())


def share_of_largest(values: Sequence[float], answer: int) -> float:
    """One by how many values are as large as the largest, if that of the answer is; 0 if not."""
    largest = max(values)
    return 1 / list(values).count(largest) if values[answer] == largest else 0.0
