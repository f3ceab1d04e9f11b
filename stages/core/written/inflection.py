"""English inflection: regular by rule, irregular as the lexicon gives it."""

from dataclasses import dataclass
from functools import cache

VOWELS = "aeiou"
# Verbs of two syllables with the stress on the second: "beginning".
STRESSED_LAST = {"admit", "begin", "concur", "forget", "outwit", "prefer", "regret", "unplug"}
BE = {
    ("Pres", "Sing"): "is",
    ("Pres", "Plur"): "are",
    ("Past", "Sing"): "was",
    ("Past", "Plur"): "were",
}


@dataclass(frozen=True)
class Verb:
    """A verb with its principal parts; `particle` is that of "pick up" or "chat with"."""

    lemma: str
    past: str
    participle: str
    particle: str = ""

    @classmethod
    @cache
    def parse(cls, entry: str) -> "Verb":
        """Read "write/wrote/written down"; missing parts are regular."""
        forms, _, particle = entry.partition(" ")
        lemma, *irregular = forms.split("/")
        past = irregular[0] if irregular else regular_past(lemma)
        return cls(lemma, past, irregular[1] if irregular[1:] else past, particle)

    @property
    def name(self) -> str:
        return f"{self.lemma} {self.particle}".strip()

    @property
    def third(self) -> str:
        return {"have": "has", "be": "is"}.get(self.lemma, with_s(self.lemma))

    @property
    def gerund(self) -> str:
        stem = self.lemma
        if stem.endswith("ie"):
            return stem[:-2] + "ying"
        if stem.endswith("e") and not stem.endswith(("ee", "ye", "oe")):
            return stem[:-1] + "ing"
        return (self.past[:-2] if self.past == stem + stem[-1] + "ed" else doubled(stem)) + "ing"


def with_s(word: str) -> str:
    """The regular plural of a noun, the third person of a verb."""
    if word.endswith(("s", "x", "z", "ch", "sh")) or word in {"go", "do", "echo", "hero", "tomato"}:
        return word + "es"
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def regular_past(lemma: str) -> str:
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2] not in VOWELS:
        return lemma[:-1] + "ied"
    return doubled(lemma) + "ed"


def doubled(word: str) -> str:
    """Double the last consonant after one stressed short vowel, as in "plan, planned".

    Words of one syllable are, and those of `STRESSED_LAST`.
    """
    stressed = sum(letter in VOWELS for letter in word) == 1 or word in STRESSED_LAST
    closed = (
        len(word) > 2
        and word[-1] not in VOWELS + "wxyh"
        and word[-2] in VOWELS
        and word[-3] not in VOWELS
    )
    return word + word[-1] if stressed and closed else word


def plural(noun: str) -> str:
    """Read "child/children"; the plural of a compound is that of its last word."""
    singular, _, irregular = noun.partition("/")
    *rest, last = singular.split(" ")
    return irregular or " ".join([*rest, with_s(last)])


def comparative(adjective: str) -> str | None:
    """The form in -er, or None where English says "more"."""
    syllables = sum(
        a in VOWELS + "y" and b not in VOWELS + "y"
        for a, b in zip(adjective, adjective[1:] + " ", strict=True)
    )
    if adjective.endswith("e"):
        syllables -= syllables > 1
        return adjective + "r" if syllables == 1 else None
    if adjective.endswith("y") and syllables == 2:
        return adjective[:-1] + "ier"
    return doubled(adjective) + "er" if syllables == 1 else None
