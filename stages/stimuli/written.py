"""Sentences for attention, generated: every condition from one draw of words.

The conditions are those of Lin et al. 2019 (section 4, Table 2), named as there: A1 and A2 have a
phrase on the subject, A3 and A4 a clause, with a noun of the same number (A1, A3) or the other; R1
and R2 an object, R3 and R4 a clause, R5 to R8 both, with nouns of the gender of the reflexive or
the other. One draw of nouns and verbs makes a sentence of each, so that conditions differ in
structure alone.
"""

from collections.abc import Iterator

import numpy as np

from stages.core.stimuli.entries import WrittenStimuli
from stages.core.written.lexicon import pick
from stages.stimuli.lexicon import FEMALE, MALE, Words, read_words
from stages.stimuli.structure import FULL_STOP, PLURAL, SINGULAR, structure_of

# Name of a condition: whether its phrase or clause has a noun of the same number.
PHRASES = {"A1": True, "A2": False}
CLAUSES = {"A3": True, "A4": False}
# Name of a condition: the noun of the clause and the object, of the gender of the reflexive or not.
REFLEXIVES: dict[str, tuple[bool | None, bool | None]] = {
    "R1": (None, True),
    "R2": (None, False),
    "R3": (True, None),
    "R4": (False, None),
    "R5": (True, True),
    "R6": (False, True),
    "R7": (True, False),
    "R8": (False, False),
}
OTHER = {SINGULAR: PLURAL, PLURAL: SINGULAR, FEMALE: MALE, MALE: FEMALE}


class Draw:
    """Words for one sentence of each condition."""

    def __init__(self, generator: np.random.Generator, words: Words):
        self.generator = generator
        self.words = words
        self.first_verb, self.second_verb = self._some("transitive", 2)
        self.alone = self.pick("intransitive")
        self.of_object = bool(generator.integers(2))  # who the clause's noun acts on, or who on it

    def pick(self, kind: str) -> str:
        """One word of a list."""
        return pick(self.generator, self.words.of(kind))

    def _some(self, kind: str, count: int) -> list[str]:
        """Different words of a list."""
        return [str(word) for word in self.generator.permutation(self.words.of(kind))[:count]]

    def clause(self, noun: list[str]) -> list[str]:
        """A relative clause with a noun phrase: its subject, or its object."""
        pronoun, modal = self.pick("relatives"), self.pick("modals")
        if self.of_object:
            return [pronoun, *noun, modal, self.first_verb]
        return [pronoun, modal, self.first_verb, *noun]


def attention_rows(entry: WrittenStimuli) -> Iterator[dict]:
    """As many sentences of every condition as the entry asks for, condition by condition.

    Raises:
        InputError: the words are missing.
    """
    words = Words(read_words())
    generator = np.random.default_rng([entry.seed, 1])
    rows: dict[str, list[dict]] = {}
    seen: set[tuple[str, ...]] = set()
    while not rows or min(map(len, rows.values())) < entry.sentences:
        for drawn in (agreements(generator, words), reflexives(generator, words)):
            sentences = {
                name: (*said, FULL_STOP)[: None if entry.full_stop else -1]
                for name, said in drawn.items()
            }
            if seen & set(sentences.values()):
                continue
            seen.update(sentences.values())
            for name, said in sentences.items():
                own = rows.setdefault(name, [])
                if len(own) < entry.sentences:
                    identity = f"{name.replace(' ', '-')}-{len(own) + 1}"
                    place = {"id": identity, "condition": name, "words": list(said)}
                    own.append(place | structure_of(said, words.vocabulary))
    for own in rows.values():
        yield from own


def agreements(generator: np.random.Generator, words: Words) -> dict[str, list[str]]:
    """A sentence of each condition of agreement, with an auxiliary that agrees and with a modal."""
    draw = Draw(generator, words)
    forms = words.nouns("nouns")
    subject, other = (forms[place] for place in generator.permutation(len(forms))[:2])
    number = pick(generator, (SINGULAR, PLURAL))
    first, second = draw.pick("determiners"), draw.pick("determiners")
    preposition, modal = draw.pick("prepositions"), draw.pick("modals")
    said = {}
    for name, same in (PHRASES | CLAUSES).items():
        noun = [second, other.of(number if same else OTHER[number])]
        after = [preposition, *noun] if name in PHRASES else draw.clause(noun)
        for suffix, auxiliary in (("", words.table["agreeing"][number]), (" modal", modal)):
            said[name + suffix] = [first, subject.of(number), *after, auxiliary, draw.alone]
    return said


def reflexives(generator: np.random.Generator, words: Words) -> dict[str, list[str]]:
    """A sentence of each condition of reflexives; two nouns of each gender beside the subject."""
    draw = Draw(generator, words)
    gender = pick(generator, (FEMALE, MALE))
    own, others = (
        [form.singular for form in generator.permutation(words.nouns(kind))[:3]]
        for kind in (gender, OTHER[gender])
    )
    determiners = [draw.pick("determiners") for _ in range(3)]
    modal, itself = draw.pick("modals"), words.table["reflexives"][gender]
    said = {}
    for name, (in_clause, as_object) in REFLEXIVES.items():
        noun = [determiners[1], (own if in_clause else others)[1]]
        goal = [determiners[2], (own if as_object else others)[2]]
        sentence = [determiners[0], own[0]]
        sentence += [] if in_clause is None else draw.clause(noun)
        sentence += [modal, draw.second_verb]
        said[name] = [*sentence, *([] if as_object is None else [*goal, "by"]), itself]
    return said
