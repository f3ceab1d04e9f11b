"""What readers are tested on: questions intact, under attacks and their controls, and in parts.

Si et al. 2019 attack test questions alone; the right option and the label stay. An attack takes
room in a row, so that more of the passage may be cut under it than without. Each attack stands
therefore beside its controls and the intact questions with no more of the passage than the fullest
of them has room for: what the attack adds is all that differs.

Questions without the passage, the question or both are what a reader knows from the rest; options
alone are a baseline. Without its question a row has no more of the passage than with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int
from transformers import PreTrainedTokenizerBase

from stages.core.encoder.batches import Encoded
from stages.core.questions.inputs import Frame as Frame  # others of this room take it from here
from stages.core.questions.inputs import Inputs, encode_questions
from stages.core.questions.question import Question
from stages.core.questions.unanswerable import REMOVALS, unanswerable
from stages.reading.attacks import CONTROLS, Attacked, attack, intact
from stages.reading.tables import INTACT, WHOLE


class Condition(NamedTuple):
    """A version of all questions.

    Attributes:
        name: `intact`, an attack or a control, or what is removed.
        at: the attack at whose cut of the passage it stands; `whole` where there is room for more.
    """

    name: str
    at: str = WHOLE


@dataclass(frozen=True)
class Versions:
    """All versions of the questions that a reader is tested on.

    Attributes:
        inputs: of each condition, questions in one order throughout.
        attacked: of each attack and control, what became of each question.
    """

    inputs: dict[Condition, Inputs]
    attacked: dict[str, list[Attacked]]

    def told_apart(self, name: str) -> Bool[np.ndarray, " question"]:
        """Questions in which no wrong option reads as the right one, under an attack or control.

        Ans2Opt-Shuffle makes such options where the right one cannot be shuffled: whoever takes
        them is not wrong.
        """
        return np.array([one.same_as_right == 0 for one in self.attacked[name]], dtype=bool)


def all_versions(
    tokenizer: PreTrainedTokenizerBase,
    questions: Sequence[Question],
    max_length: int,
    seed: int,
    least_degree: float,
) -> Versions:
    """Make all versions of the questions.

    Args:
        max_length: tokens of a row at most.
        seed: of shuffles and of drawn sentences.
        least_degree: edit distance that is asked for (`shuffles.shuffle`).

    Raises:
        InputError: an attacked question does not fit into `max_length`.
    """
    whole = encode_questions(tokenizer, questions, max_length)
    inputs = {Condition(INTACT): whole}
    for name in REMOVALS:
        rest = [unanswerable(name, question, seed).question for question in questions]
        inputs[Condition(name)] = encode_questions(
            tokenizer, rest, max_length, most_passage=whole.kept
        )
    attacked: dict[str, list[Attacked]] = {}
    for at, controls in CONTROLS.items():
        for name in (at, *controls):
            attacked[name] = [attack(name, one, seed, least_degree) for one in questions]
        versions = {name: attacked[name] for name in (at, *controls)}
        versions |= {INTACT: [intact(question) for question in questions]}
        inputs |= _at_one_cut(tokenizer, versions, at, max_length)
    return Versions(inputs, attacked)


def trained_on(
    tokenizer: PreTrainedTokenizerBase, questions: Sequence[Question], max_length: int
) -> dict[Condition, Inputs]:
    """What readers of unanswerable questions are tested on: intact questions."""
    return {Condition(INTACT): encode_questions(tokenizer, questions, max_length)}


def _at_one_cut(
    tokenizer: PreTrainedTokenizerBase,
    versions: dict[str, list[Attacked]],
    at: str,
    max_length: int,
) -> dict[Condition, Inputs]:
    """Versions of the same questions, with no more of the passage than all have room for."""

    def encoded(version: list[Attacked], most: Int[np.ndarray, " question"] | None) -> Inputs:
        texts, behind = zip(*((one.question, one.appended) for one in version), strict=True)
        return encode_questions(tokenizer, texts, max_length, behind, most)

    kept = np.min([encoded(version, None).kept for version in versions.values()], axis=0)
    return {Condition(name, at): encoded(version, kept) for name, version in versions.items()}


def only(inputs: Inputs, questions: Int[np.ndarray, " some"]) -> Inputs:
    """Some of the questions, in that order."""
    per_question = (inputs.counts, inputs.answers, inputs.kept, inputs.cut, inputs.appended)
    return Inputs(
        rows_of(inputs.encoded, inputs.rows_of(questions)),
        *(part[questions] for part in per_question),
    )


def rows_of(encoded: Encoded, rows: Int[np.ndarray, " some"]) -> Encoded:
    """Some of the rows, in that order."""
    inputs = {name: [lines[row] for row in rows] for name, lines in encoded.inputs.items()}
    return Encoded(inputs, encoded.padding, [encoded.segments[row] for row in rows])


def different_rows(
    inputs: Sequence[Inputs],
) -> tuple[Encoded, list[Int[np.ndarray, " option"]]]:
    """The rows of several versions, each once, as conditions share many of them.

    The right option stands in the same row under every attack on options, and an intact question is
    the same at every cut that leaves its passage whole.

    Returns:
        The rows, and of each version the places of its own among them.
    """
    places: dict[tuple, int] = {}
    first: list[tuple[int, int]] = []
    found = []
    for version, one in enumerate(inputs):
        own = []
        lines = zip(one.encoded.inputs["input_ids"], one.encoded.segments, strict=True)
        for row, (ids, segments) in enumerate(lines):
            # Without a passage or a question the same ids may be cut into texts otherwise.
            key = (tuple(ids), sum(segments))
            if key not in places:
                places[key] = len(places)
                first.append((version, row))
            own.append(places[key])
        found.append(np.array(own, dtype=int))
    names = inputs[0].encoded.inputs
    rows = {
        name: [inputs[version].encoded.inputs[name][row] for version, row in first]
        for name in names
    }
    segments = [inputs[version].encoded.segments[row] for version, row in first]
    return Encoded(rows, inputs[0].encoded.padding, segments), found
