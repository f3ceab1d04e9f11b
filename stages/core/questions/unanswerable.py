"""Questions that nobody can answer, to train on (Si et al. 2019, "un-answerable data training").

P-Shuffle, Q-Shuffle, PQ-Shuffle put the words of the passage, of the question, or of either by
itself, in an order that nobody can read. P-Remove, Q-Remove, PQ-Remove leave the passage, the
question, or both, empty; after PQ-Remove there are the options alone. Options, answers, ids and the
number of questions stay as they are. The same passage is shuffled alike in P-Shuffle and in
PQ-Shuffle, and a question in Q-Shuffle and in PQ-Shuffle.
"""

from dataclasses import dataclass, replace

from stages.core.questions.question import Question
from stages.core.questions.shuffles import LEAST_DEGREE, Shuffled, shuffle

PARTS = {"P": ("passage",), "Q": ("question",), "PQ": ("passage", "question")}
SHUFFLES = tuple(f"{parts}-Shuffle" for parts in PARTS)
REMOVALS = tuple(f"{parts}-Remove" for parts in PARTS)
NAMES = SHUFFLES + REMOVALS


@dataclass(frozen=True)
class Unanswerable:
    """A question without what it takes to answer it.

    Attributes:
        question: with its own options and answer.
        shuffled: what became of each part that was to be shuffled; one that cannot be shuffled as
            far as asked for is left as it was.
    """

    question: Question
    shuffled: tuple[Shuffled, ...] = ()


def unanswerable(
    name: str, question: Question, seed: int, least_degree: float = LEAST_DEGREE
) -> Unanswerable:
    """Take from a question what an arm of `NAMES` takes; nothing else changes.

    Args:
        least_degree: see `shuffles.shuffle`.
    """
    if name not in NAMES:
        raise KeyError(name)
    parts, way = name.split("-")
    if way == "Remove":
        return Unanswerable(replace(question, **dict.fromkeys(PARTS[parts], "")))
    shuffled = {
        part: shuffle(getattr(question, part), question.id, seed, part, least_degree)
        for part in PARTS[parts]
    }
    texts = {part: outcome.text for part, outcome in shuffled.items()}
    return Unanswerable(replace(question, **texts), tuple(shuffled.values()))
