"""Sentences for probes, generated (Lin et al. 2019, section 3).

A probe of the main auxiliary is trained on subjects without a clause, whose first auxiliary is the
main one, and asked about subjects with one; a probe of the subject's noun on subjects whose first
noun is the target, and asked about compounds and possessives. Content words of training and test
are kept apart, so that what a probe finds is no list of words.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stages.core.stimuli.entries import WrittenStimuli
from stages.core.stimuli.store import (
    COMPOUND,
    MAIN_AUXILIARY,
    NTH_TOKEN,
    POSITIONS,
    POSSESSIVE,
    RELATIVE,
    SUBJECT_NOUN,
    TEST,
    TRAIN,
)
from stages.core.written.lexicon import pick
from stages.stimuli.lexicon import FEMALE, MALE, Words, read_words
from stages.stimuli.structure import FULL_STOP, PLURAL, SINGULAR

# What may stand on a noun, as often as it stands here.
PHRASE, CLAUSE, NOTHING = "phrase", "clause", ""
ADJECTIVES = (0, 0, 1, 1, 2, 3)
NUMBERS = (SINGULAR, PLURAL)
# Of each probe and part: what may stand on the subject, and in front of its noun.
SUBJECTS = {
    (MAIN_AUXILIARY, TRAIN): ((NOTHING, PHRASE), NOTHING),
    (MAIN_AUXILIARY, TEST): ((NOTHING, PHRASE), NOTHING),
    (MAIN_AUXILIARY, RELATIVE): ((CLAUSE,), NOTHING),
    (SUBJECT_NOUN, TRAIN): ((NOTHING, PHRASE, CLAUSE), NOTHING),
    (SUBJECT_NOUN, TEST): ((NOTHING, PHRASE, CLAUSE), NOTHING),
    (SUBJECT_NOUN, COMPOUND): ((NOTHING, PHRASE, CLAUSE), COMPOUND),
    (SUBJECT_NOUN, POSSESSIVE): ((NOTHING, PHRASE, CLAUSE), POSSESSIVE),
}


@dataclass(frozen=True)
class Subject:
    """The words of a subject; the places of its noun and its first noun; their lemmas."""

    words: list[str]
    noun: int
    first: int
    items: list[str]


class Grammar:
    """Draws sentences of some words."""

    def __init__(self, generator: np.random.Generator, words: Words):
        self.generator = generator
        self.words = words
        self.forms = [form for kind in ("nouns", FEMALE, MALE) for form in words.nouns(kind)]

    def pick(self, kind: str) -> str:
        """One word of a list."""
        return pick(self.generator, self.words.of(kind))

    def adjectives(self) -> list[str]:
        """No adjective, or some, none twice."""
        count = pick(self.generator, ADJECTIVES)
        drawn = self.generator.permutation(self.words.of("adjectives"))[:count]
        return [str(word) for word in drawn]

    def phrase(self, on: str = NOTHING) -> list[str]:
        """A noun phrase."""
        noun = pick(self.generator, self.forms).of(pick(self.generator, NUMBERS))
        return [self.pick("determiners"), *self.adjectives(), noun, *self.modifier(on)]

    def modifier(self, kind: str) -> list[str]:
        """What stands on a noun."""
        if kind == PHRASE:
            return [self.pick("prepositions"), *self.phrase()]
        return self.clause() if kind == CLAUSE else []

    def clause(self) -> list[str]:
        """A relative clause: with no noun, with an object, with a subject."""
        pronoun, modal = self.pick("relatives"), self.pick("modals")
        shape = self.generator.integers(3)
        if not shape:
            return [pronoun, modal, self.pick("intransitive")]
        verb, noun = self.pick("transitive"), self.phrase()
        return [pronoun, modal, verb, *noun] if shape == 1 else [pronoun, *noun, modal, verb]

    def subject(self, on: str, in_front: str) -> Subject:
        """The subject, with a compound or a possessor in front of its noun where asked for."""
        form = pick(self.generator, self.forms)
        words, items, first = [self.pick("determiners"), *self.adjectives()], [form.singular], 0
        if in_front == COMPOUND:
            first = len(words)
            words.append(self.pick("compounds"))
            items.append(words[-1])
        elif in_front == POSSESSIVE:
            first = len(words)
            owner = pick(self.generator, [other for other in self.forms if other != form])
            words += [owner.singular, "'s", *self.adjectives()]
            items.append(owner.singular)
        words.append(form.of(pick(self.generator, NUMBERS)))
        noun = len(words) - 1
        return Subject([*words, *self.modifier(on)], noun, first or noun, items)

    def predicate(self) -> list[str]:
        """What follows the main auxiliary."""
        if not self.generator.integers(3):
            return [self.pick("intransitive")]
        return [
            self.pick("transitive"),
            *self.phrase(pick(self.generator, (NOTHING, PHRASE, CLAUSE))),
        ]

    def sentence(self, probe: str, part: str) -> dict:
        """A row of `PROBES` without its id."""
        on, in_front = SUBJECTS[probe, part]
        subject = self.subject(pick(self.generator, on), in_front)
        main = len(subject.words)
        words = [*subject.words, self.pick("modals"), *self.predicate()]
        target, first = subject.noun, subject.first
        if probe == MAIN_AUXILIARY:
            modals = self.words.table["modals"]
            target, first = main, next(i for i, one in enumerate(words) if one in modals)
        row = {"probe": probe, "part": part, "words": words, "items": subject.items}
        return row | {"target": target, "first": first, "position": 0}


def probe_rows(entry: WrittenStimuli) -> Iterator[dict]:
    """The sentences of every probe, none of them twice in a probe.

    The n-th token is asked of sentences of the main auxiliary that are long enough for every n.

    Raises:
        InputError: the words are missing.
    """
    table = read_words()
    for number, (probe, part) in enumerate(SUBJECTS):
        generator = np.random.default_rng([entry.seed, 2, number])
        grammar = Grammar(generator, Words(table, tested=part != TRAIN))
        size = entry.train if part == TRAIN else entry.test
        seen: set[tuple[str, ...]] = set()
        while len(seen) < size:
            row = grammar.sentence(probe, part)
            said = tuple(row["words"])
            if said in seen:
                continue
            seen.add(said)
            row["words"] = [*said, FULL_STOP] if entry.full_stop else list(said)
            row["id"] = f"{probe}-{part}-{len(seen)}"
            yield row
            if probe == MAIN_AUXILIARY and part in (TRAIN, TEST) and len(said) >= POSITIONS[-1]:
                asked = row | {"probe": NTH_TOKEN, "first": -1}
                for n in POSITIONS:
                    yield asked | {"target": n - 1, "position": n}
