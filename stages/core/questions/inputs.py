"""Questions as an encoder reads them: one sequence an option, of which the passage alone is cut.

`[CLS] passage [SEP] question option [SEP]` (Si et al. 2019), with the special tokens
of the tokenizer. The passage keeps its beginning. All options of a question have the same part of
it, so that what tells them apart is the option and nothing else. What an attack appends stands
behind the passage that is left, whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int
from transformers import PreTrainedTokenizerBase

from stages.core.encoder.batches import Encoded
from stages.core.questions.question import Question
from stages.core.stage.files import InputError

Ids = list[int]


@dataclass(frozen=True)
class Inputs:
    """Questions as token ids, an option a row, those of a question below each other.

    Attributes:
        encoded: rows of all options, unpadded.
        counts: options of each question.
        answers: place of the right option of each question.
        kept: tokens of each question's passage that its rows have.
        cut: tokens of it that they lack.
        appended: tokens that stand behind each question's passage.
    """

    encoded: Encoded
    counts: Int[np.ndarray, " question"]
    answers: Int[np.ndarray, " question"]
    kept: Int[np.ndarray, " question"]
    cut: Int[np.ndarray, " question"]
    appended: Int[np.ndarray, " question"]

    @property
    def starts(self) -> Int[np.ndarray, " question"]:
        """The row of each question's first option."""
        return np.cumsum(self.counts) - self.counts

    def rows_of(self, questions: Int[np.ndarray, " some"]) -> Int[np.ndarray, " option"]:
        """The rows of some questions, in their order."""
        starts = self.starts
        spans = [np.arange(starts[one], starts[one] + self.counts[one]) for one in questions]
        return np.concatenate(spans) if spans else np.array([], dtype=int)

    @property
    def lengths(self) -> Int[np.ndarray, " question"]:
        """Tokens of each question's longest row."""
        return np.maximum.reduceat(self.encoded.lengths, self.starts)


@dataclass(frozen=True)
class Frame:
    """The special tokens of a pair, and the segment of each: before, between and behind."""

    before: Ids
    between: Ids
    behind: Ids
    types: tuple[Ids, Ids, Ids]
    first_type: int
    second_type: int

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerBase) -> "Frame":
        """Read off what the tokenizer puts around a pair of one letter each."""
        encoding = tokenizer(["a"], ["a"], return_token_type_ids=True)
        ids, types = encoding["input_ids"][0], encoding["token_type_ids"][0]
        places = encoding.sequence_ids(0)
        first = [place for place, of in enumerate(places) if of == 0]
        second = [place for place, of in enumerate(places) if of == 1]
        spans = (
            slice(first[0]),
            slice(first[-1] + 1, second[0]),
            slice(second[-1] + 1, len(ids)),
        )
        return cls(
            *(ids[span] for span in spans),
            tuple(types[span] for span in spans),
            types[first[0]],
            types[second[0]],
        )

    @property
    def length(self) -> int:
        """How many special tokens there are."""
        return len(self.before) + len(self.between) + len(self.behind)


def encode_questions(
    tokenizer: PreTrainedTokenizerBase,
    questions: Sequence[Question],
    max_length: int,
    appended: Sequence[str] | None = None,
    most_passage: Int[np.ndarray, " question"] | None = None,
) -> Inputs:
    """Tokenise questions, an option a row of `max_length` tokens at most.

    Args:
        appended: what stands behind each passage; None for nothing.
        most_passage: tokens of each passage that are kept at most, where another arm of the same
            questions has room for no more (`Inputs.kept`): the attack is to be all that differs.
            None for as many as there is room for.

    Raises:
        InputError: question, option and what is appended do not fit into `max_length`.
    """
    frame = Frame.of(tokenizer)
    behind = [""] * len(questions) if appended is None else list(appended)
    firsts = _passages(tokenizer, questions, behind)
    counts = np.array([len(question.options) for question in questions], dtype=int)
    pairs = [
        question.pair(place)[1] for question in questions for place in range(len(question.options))
    ]
    seconds = iter(_plain(tokenizer, pairs))
    rows, kept, cut = [], [], []
    for number, (question, (passage, more)) in enumerate(zip(questions, firsts, strict=True)):
        options = [next(seconds) for _ in question.options]
        room = max_length - frame.length - len(more) - max(map(len, options))
        if room < 0:
            raise InputError(
                f"question {question.id!r}: its longest option takes {max_length - room} tokens "
                f"with the question and what an attack appends, but `max_length` is {max_length}; "
                "raise it, as nothing but the passage is cut"
            )
        if most_passage is not None:
            room = min(room, int(most_passage[number]))
        kept.append(min(len(passage), room))
        cut.append(len(passage) - kept[-1])
        rows += [(passage[:room] + more, option) for option in options]
    return Inputs(
        _encoded(tokenizer, frame, rows),
        counts,
        np.array([question.answer for question in questions], dtype=int),
        np.array(kept, dtype=int),
        np.array(cut, dtype=int),
        np.array([len(more) for _, more in firsts], dtype=int),
    )


def _passages(
    tokenizer: PreTrainedTokenizerBase, questions: Sequence[Question], behind: Sequence[str]
) -> list[tuple[Ids, Ids]]:
    """The ids of each passage, and those of what stands behind it.

    Both are tokenised as one text, as some tokenizers write a word that begins a text otherwise.
    Passages that several questions have are tokenised once.
    """
    texts = [(question.passage, more) for question, more in zip(questions, behind, strict=True)]
    different = list(dict.fromkeys(texts))
    encoding = tokenizer(
        [f"{passage} {more}" if more else passage for passage, more in different],
        add_special_tokens=False,
        return_offsets_mapping=True,
        verbose=False,  # they are cut below
    )
    found = {}
    for text, ids, offsets in zip(
        different, encoding["input_ids"], encoding["offset_mapping"], strict=True
    ):
        end = len(text[0])
        own = sum(start < end for start, _ in offsets)
        found[text] = (ids[:own], ids[own:])
    return [found[text] for text in texts]


def _plain(tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]) -> list[Ids]:
    """Ids without special tokens."""
    return tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]


def _encoded(
    tokenizer: PreTrainedTokenizerBase, frame: Frame, rows: Sequence[tuple[Ids, Ids]]
) -> Encoded:
    """Rows of both texts between the special tokens."""
    ids, types, segments = [], [], []
    for first, second in rows:
        ids.append([*frame.before, *first, *frame.between, *second, *frame.behind])
        before, between, after = frame.types
        own = [frame.first_type] * len(first), [frame.second_type] * len(second)
        types.append([*before, *own[0], *between, *own[1], *after])
        of_first = len(frame.before) + len(first) + len(frame.between)
        segments.append([0] * of_first + [1] * (len(second) + len(frame.behind)))
    known = {
        "input_ids": (ids, tokenizer.pad_token_id),
        "attention_mask": ([[1] * len(line) for line in ids], 0),
        "token_type_ids": (types, tokenizer.pad_token_type_id),
    }
    names = [name for name in tokenizer.model_input_names if name in known]
    return Encoded(
        {name: known[name][0] for name in names},
        {name: known[name][1] for name in names},
        segments,
    )
