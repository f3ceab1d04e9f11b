"""What a sentence of the attention stimuli says of itself: its factors, read from its words.

All are of one shape (Lin et al. 2019, section 4): a subject, perhaps with a phrase or clause on it,
an auxiliary and a verb, perhaps with an object and a reflexive at the end. So a list of words gives
the source, the candidates and how they agree, and no file has to be believed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from stages.core.stimuli.store import (
    AGREEING,
    AGREEMENT,
    CLAUSE_AND_OBJECT,
    FAR_OBJECT,
    MODAL,
    OBJECT,
    PREPOSITIONAL,
    REFLEXIVE,
    RELATIVE,
)

FULL_STOP = "."
SINGULAR, PLURAL = "singular", "plural"


@dataclass(frozen=True)
class Noun:
    """A form of a noun: `number` is empty where the form does not tell, as is `gender`."""

    lemma: str
    number: str = ""
    gender: str = ""


@dataclass(frozen=True)
class Vocabulary:
    """Words by what they do in a sentence.

    Attributes:
        nouns: every form of a noun.
        agreeing: forms of an auxiliary that show number, with that number.
        reflexives: each with its gender.
    """

    nouns: Mapping[str, Noun]
    determiners: frozenset[str]
    prepositions: frozenset[str]
    relatives: frozenset[str]
    modals: frozenset[str]
    agreeing: Mapping[str, str]
    reflexives: Mapping[str, str] = field(default_factory=dict)

    @property
    def auxiliaries(self) -> frozenset[str]:
        return self.modals | frozenset(self.agreeing)


def noun_phrases(words: Sequence[str], vocabulary: Vocabulary) -> list[list[int]]:
    """Determiner and noun of every noun phrase of two words, in the order of the text."""
    return [
        [place, place + 1]
        for place, (one, following) in enumerate(pairwise(words))
        if one in vocabulary.determiners and following in vocabulary.nouns
    ]


def structure_of(words: Sequence[str], vocabulary: Vocabulary) -> dict:
    """The columns of `ATTENTION` that words alone tell: all but `id`, `condition` and `words`.

    A noun whose form does not tell its number ("fish") has that of its own agreeing auxiliary, if
    there is one; otherwise it counts as matching, and `tells_number` says that nothing does.

    Raises:
        ValueError: the words are no sentence of these shapes.
    """
    spoken = [one for one in words if one != FULL_STOP]
    phrases = noun_phrases(spoken, vocabulary)
    auxiliaries = [place for place, one in enumerate(spoken) if one in vocabulary.auxiliaries]
    if not phrases or phrases[0][0] != 0 or not auxiliaries:
        raise ValueError(f"no subject and auxiliary in {' '.join(words)!r}")
    main = auxiliaries[-1]
    reflexive = spoken[-1] in vocabulary.reflexives
    right, wrong = phrases[0], phrases[1:]
    subject, *others = (vocabulary.nouns[spoken[place]] for _, place in phrases)
    form = spoken[main]
    if reflexive:
        agreement = vocabulary.reflexives[spoken[-1]]
        matching = sum(other.gender == agreement for other in others)
    else:
        number = subject.number or vocabulary.agreeing.get(form, "")
        matching = sum("" in (number, other.number) or other.number == number for other in others)
    shows = AGREEING if form in vocabulary.agreeing else MODAL
    return {
        "phenomenon": REFLEXIVE if reflexive else AGREEMENT,
        "source": len(spoken) - 1 if reflexive else main,
        "right": right,
        "wrong": wrong,
        "distractors": len(wrong),
        "matching": matching,
        "modifier": _modifier(spoken, wrong, main, vocabulary),
        "auxiliary": shows,
        "items": list(dict.fromkeys(noun.lemma for noun in (subject, *others))),
    }


def tells_number(words: Sequence[str], vocabulary: Vocabulary) -> bool:
    """Whether the number of every candidate of an agreement can be read from the words."""
    row = structure_of(words, vocabulary)
    subject, *others = (
        vocabulary.nouns[words[place]].number for _, place in (row["right"], *row["wrong"])
    )
    return all(others) and bool(subject or row["auxiliary"] == AGREEING)


def _modifier(
    spoken: Sequence[str], wrong: Sequence[Sequence[int]], main: int, vocabulary: Vocabulary
) -> str:
    """Where the distractors stand, as one of `MODIFIERS`."""
    before = any(phrase[0] < main for phrase in wrong)
    behind = any(phrase[0] > main for phrase in wrong)
    clause = any(one in vocabulary.relatives for one in spoken[:main])
    if before and behind:
        return CLAUSE_AND_OBJECT
    if before:
        return RELATIVE if clause else PREPOSITIONAL
    if behind:
        return FAR_OBJECT if clause else OBJECT
    return "none"
