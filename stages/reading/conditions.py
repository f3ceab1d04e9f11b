"""Versions of the test questions: intact, under attacks and their controls, and in parts.

Si et al. 2019 attack test questions alone; the right option and the label stay. An attack takes
room in a row, which may cut more of the passage. Therefore an attack is compared with its controls
and with intact questions at one cut: that of the version with the least room. Only the added text
differs.

Without passage, question or both, a reader knows the rest; options alone are a baseline. A row
without its question has no more of the passage than with it.
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


class Version(NamedTuple):
    """A version of all questions.

    Attributes:
        name: `intact`, an attack or a control, or what is removed.
        at: the attack that limits how much of the passage a row has; `whole`, if none does.
    """

    name: str
    at: str = WHOLE


@dataclass(frozen=True)
class Versions:
    """All versions of the questions that a reader is tested on.

    Attributes:
        inputs: the rows of each condition, with the questions in the same order.
        attacked: the questions under each attack and control.
    """

    inputs: dict[Version, Inputs]
    attacked: dict[str, list[Attacked]]

    def told_apart(self, name: str) -> Bool[np.ndarray, " question"]:
        """Whether no wrong option of a question reads as the right one, under an attack or control.

        Ans2Opt-Shuffle makes them if the right option has too few words to shuffle. A reader that
        takes such an option is not wrong.
        """
        return np.array([each.same_as_right == 0 for each in self.attacked[name]], dtype=bool)


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
        least_degree: least edit distance of a shuffled text (`shuffles.shuffle`).

    Raises:
        InputError: an attacked question does not fit into `max_length`.
    """
    whole = encode_questions(tokenizer, questions, max_length)
    inputs = {Version(INTACT): whole}
    for name in REMOVALS:
        rest = [unanswerable(name, question, seed).question for question in questions]
        inputs[Version(name)] = encode_questions(
            tokenizer, rest, max_length, most_passage=whole.kept
        )
    attacked: dict[str, list[Attacked]] = {}
    for at, controls in CONTROLS.items():
        for name in (at, *controls):
            attacked[name] = [attack(name, each, seed, least_degree) for each in questions]
        versions = {name: attacked[name] for name in (at, *controls)}
        versions |= {INTACT: [intact(question) for question in questions]}
        inputs |= _at_one_cut(tokenizer, versions, at, max_length)
    return Versions(inputs, attacked)


def intact_alone(
    tokenizer: PreTrainedTokenizerBase, questions: Sequence[Question], max_length: int
) -> dict[Version, Inputs]:
    """The test of readers of unanswerable questions: intact questions."""
    return {Version(INTACT): encode_questions(tokenizer, questions, max_length)}


def _at_one_cut(
    tokenizer: PreTrainedTokenizerBase,
    versions: dict[str, list[Attacked]],
    at: str,
    max_length: int,
) -> dict[Version, Inputs]:
    """Versions of the same questions, with as much of the passage as fits into all of them."""

    def encoded(version: list[Attacked], most: Int[np.ndarray, " question"] | None) -> Inputs:
        texts, behind = zip(*((each.question, each.appended) for each in version), strict=True)
        return encode_questions(tokenizer, texts, max_length, behind, most)

    fitting = np.min([encoded(version, None).kept for version in versions.values()], axis=0)
    return {Version(name, at): encoded(version, fitting) for name, version in versions.items()}


def some_questions(inputs: Inputs, questions: Int[np.ndarray, " some"]) -> Inputs:
    """Some of the questions, in that order."""
    per_question = (inputs.counts, inputs.answers, inputs.kept, inputs.cut, inputs.appended)
    return Inputs(
        encoded_rows(inputs.encoded, inputs.rows_of(questions)),
        *(values[questions] for values in per_question),
    )


def encoded_rows(encoded: Encoded, rows: Int[np.ndarray, " some"]) -> Encoded:
    """Some of the rows, in that order."""
    inputs = {name: [lines[row] for row in rows] for name, lines in encoded.inputs.items()}
    return Encoded(inputs, encoded.padding, [encoded.segments[row] for row in rows])


def different_rows(
    inputs: Sequence[Inputs],
) -> tuple[Encoded, list[Int[np.ndarray, " option"]]]:
    """The rows of several versions, each once, as versions share many of them.

    The right option has the same row under every attack on options. An intact question is the same
    at every cut that leaves its passage whole.

    Returns:
        The rows, and the numbers of each version's rows among them.
    """
    numbers: dict[tuple, int] = {}
    first: list[tuple[int, int]] = []
    of_versions = []
    for version, of_version in enumerate(inputs):
        rows_of_version = []
        encoded = of_version.encoded
        lines = zip(encoded.inputs["input_ids"], encoded.segments, strict=True)
        for row, (ids, segments) in enumerate(lines):
            # Without a passage or a question the same ids may divide into texts otherwise.
            key = (tuple(ids), sum(segments))
            if key not in numbers:
                numbers[key] = len(numbers)
                first.append((version, row))
            rows_of_version.append(numbers[key])
        of_versions.append(np.array(rows_of_version, dtype=int))
    names = inputs[0].encoded.inputs
    rows = {
        name: [inputs[version].encoded.inputs[name][row] for version, row in first]
        for name in names
    }
    segments = [inputs[version].encoded.segments[row] for version, row in first]
    return Encoded(rows, inputs[0].encoded.padding, segments), of_versions
