"""Every head's mark at every position between two tokens of text without spaces.

A token ends a word where a head gives [SEP] more than the next token (query-title study, section
2.2). The last token of a text is no case, nor is a token behind which the text has a space: what
lies between two such edges is a run, and only runs of two tokens and more have positions.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from stages.core.recordings.recording import MapBatch, Recording, Texts
from stages.core.recordings.tokens import Special
from stages.core.stage.files import InputError

MOST_SPACES = 0.5  # share of all ends of words, above which a text is not one without spaces


@dataclass(frozen=True)
class Positions:
    """One row a position, those of a run one behind the other.

    Attributes:
        margins: the weight on [SEP] less that on the next token; of several [SEP] their sum.
        ends: whether the token ends a word.
        text: the text's place in the corpus.
        run: numbers of runs, from 0 upwards.
        hidden: words of the corpus, not cut away, in which no token begins.
    """

    margins: Float[np.ndarray, "position head"]
    ends: Bool[np.ndarray, " position"]
    text: Int[np.ndarray, " position"]
    run: Int[np.ndarray, " position"]
    hidden: int

    @property
    def marks(self) -> Bool[np.ndarray, "position head"]:
        """Where each head says that a word ends; a tie says that none does."""
        return self.margins > 0


@dataclass(frozen=True)
class Places:
    """The positions of one text: tokens by their place, and facts of each.

    `spaces` counts ends of words behind which the text has a space.
    """

    token: Int[np.ndarray, " position"]
    ends: Bool[np.ndarray, " position"]
    run: Int[np.ndarray, " position"]
    spaces: int
    hidden: int


def places_of(numbers: list[int], special: list[int], words: list[dict]) -> Places:
    """The positions of a text.

    Args:
        numbers: of each token the word that it begins in, -1 for none.
        special: of each token a `Special`.
        words: of the text, with `start` and `end`.
    """
    number = np.where(np.equal(special, Special.NONE), numbers, -1)
    before, after = number[:-1], number[1:]
    both = (before >= 0) & (after >= 0)
    start, end = (np.array([word[name] for word in words] or [0]) for name in ("start", "end"))
    # Of all words up to one: before how many of them the text has a space. Words in which no token
    # begins are no space.
    gaps = np.cumsum(start > np.append(start[:1], end[:-1]))
    spaced = both & (gaps[before] < gaps[after])
    case = both & ~spaced
    token = np.flatnonzero(case)
    run = np.cumsum(np.diff(token, prepend=token[:1]) > 1)
    seen = np.unique(number[number >= 0])
    hidden = int(np.ptp(seen)) + 1 - len(seen) if len(seen) else 0
    return Places(token, (before != after)[case], run, int(spaced.sum()), hidden)


def read_positions(recording: Recording, texts: Texts) -> Positions:
    """The positions of all texts, longest text first.

    Raises:
        InputError: the texts have no words, or write spaces between them.
    """
    margins, columns, runs = [], [], 0
    spaces = 0
    for batch in recording.batches():
        values = margins_of(batch, recording)
        for number, row in enumerate(batch.rows):
            tokens = recording.tokens.iloc[row]
            words = texts.corpus["words"][row]
            places = places_of(list(tokens["word"]), list(tokens["special"]), words)
            spaces += places.spaces
            margins.append(values[number][places.token])
            text = np.full(len(places.token), row)
            columns.append((places.ends, text, places.run + runs, places.hidden))
            runs += int(places.run.max(initial=-1)) + 1
    *columns, hidden = zip(*columns, strict=True)
    ends, text, run = map(np.concatenate, columns)
    _require_unsegmented(ends, spaces, texts)
    return Positions(np.concatenate(margins), ends, text, run, sum(hidden))


def margins_of(batch: MapBatch, recording: Recording) -> Float[np.ndarray, "text token head"]:
    """Each head's weight on [SEP] less that on the next token, of all tokens but the last."""
    separators = torch.zeros(len(batch.rows), batch.maps.shape[-1], device=batch.maps.device)
    for number, kinds in enumerate(recording.tokens["special"].iloc[batch.rows]):
        separators[number, : len(kinds)] = torch.from_numpy(np.equal(kinds, Special.SEP))
    given = (batch.maps @ separators[:, None, None, :, None])[..., :-1, 0]
    margins = given - batch.maps.diagonal(1, -2, -1)
    return margins.flatten(1, 2).mT.float().cpu().numpy()


def _require_unsegmented(ends: Bool[np.ndarray, " position"], spaces: int, texts: Texts) -> None:
    where = f"{texts.folder}: `boundaries.corpora` takes corpora with words and no spaces between"
    if not len(ends) or ends.all() or not ends.any():
        raise InputError(f"{where}; this one has no place where a word may end or go on")
    if spaces > MOST_SPACES * (spaces + ends.sum()):
        share = spaces / (spaces + ends.sum())
        raise InputError(f"{where}; a space stands behind {share:.0%} of the words of this one")
