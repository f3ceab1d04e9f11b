"""Drawing what passages tell: persons, their deeds, and sentences that the split may use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from stages.core.written.clause import realise
from stages.core.written.comparison import may_write
from stages.core.written.inflection import Verb
from stages.core.written.meaning import Clause, Phrase
from stages.core.written.paraphrase import draw_style
from stages.core.written.phrase import noun_phrase
from stages.core.written.scene import Scene
from stages.core.written.tree import Node, annotate, sentence

SYNONYM_SHARE = 0.3  # of the options that have one
ADJECTIVE_SHARE = 0.4  # of the things
SAME_VERB_SHARE = 0.3  # of the passages of deeds: all did the same, to different things
STYLES = 20  # drawn for a sentence until its template is one of the split
MANNER_SHARE = 0.15  # of these: with an adverb from here on
MOST_OTHERS = 2  # sentences about others in a passage


class Unfit(Exception):
    """What was drawn makes no passage: too few words, or no template of the split."""


@dataclass(frozen=True)
class Deed:
    """Someone's deed: what was done to which thing."""

    person: Phrase
    verb: Verb
    thing: Phrase

    def said(self, form: str) -> str:
        """The deed without its doer; `form` is `lemma` or `past`."""
        verb = " ".join(filter(None, (getattr(self.verb, form), self.verb.particle)))
        return f"{verb} {text_of(self.thing)}"

    @property
    def slots(self) -> dict[str, str]:
        particle = f" {self.verb.particle}" if self.verb.particle else ""
        return {
            "who": text_of(self.person),
            "past": self.said("past"),
            "base": self.said("lemma"),
            "participle": self.verb.participle + particle,
            "thing": text_of(self.thing),
            "verb": self.verb.lemma + particle,
            "verb_past": self.verb.past + particle,
        }


class Teller(Scene):
    """Draws what a passage tells; all persons and things of one passage are different."""

    def persons(self, count: int) -> list[Phrase]:
        drawn = [self.person(modified=False) for _ in range(count)]
        return different(drawn, self.lexicon.noun_synonyms)

    def deeds(self, count: int) -> list[Deed]:
        """As many persons, each with a deed; they all did the same thing where it is so drawn."""
        kinds = self.thing_kinds()
        verb = None
        if self.chance(SAME_VERB_SHARE):
            kinds = [self.pick(kinds)]
            verb = self.verb("transitive", kinds[0])
        deeds = []
        for person in self.persons(count):
            kind = self.pick(kinds)
            deeds.append(Deed(person, verb or self.verb("transitive", kind), self.known(kind)))
        different([deed.thing for deed in deeds], self.lexicon.noun_synonyms)
        return deeds

    def known(self, kind: str) -> Phrase:
        """A thing that can be named again: "the rusty ladder"."""
        phrase = replace(self.thing(kind, modified=False), determiner="the", plural=False)
        if self.chance(ADJECTIVE_SHARE):
            phrase = replace(phrase, adjectives=(self.adjective(kind),))
        return phrase

    def say(self, clause: Clause) -> str:
        """A sentence of a template that the split may use, with an adverb of manner at times."""
        for _ in range(STYLES):
            if clause.verb and self.chance(MANNER_SHARE):
                clause = replace(clause, manner=self.manner())
            root = sentence(realise(clause, draw_style(self.generator)))
            if may_write(self.lexicon, [root]):
                return text(root, capital=True)
        raise Unfit

    def others(self, also_intransitive: bool = True) -> list[str]:
        """Sentences about persons who are no option: they travelled, slept or laughed."""
        count = int(self.generator.integers(MOST_OTHERS + 1))
        kinds = (self.travel, self.intransitive) if also_intransitive else (self.travel,)
        return [self.say(self.pick(kinds)()) for _ in range(count)]

    def in_other_words(self, phrase: Phrase) -> Phrase:
        """The phrase, its noun by a synonym at times."""
        names = self.lexicon.noun_synonyms.get(phrase.noun.singular, ())
        nouns = self.lexicon.nouns[self.domain].get(phrase.noun.kind, ())
        synonyms = [noun for noun in nouns if noun.singular in names]
        if not synonyms or phrase.noun.gender or not self.chance(SYNONYM_SHARE):
            return phrase
        return replace(phrase, noun=self.pick(synonyms))

    def options(self, phrases: Sequence[Phrase]) -> list[str]:
        return [text_of(self.in_other_words(phrase)) for phrase in phrases]

    def mixed(self, sentences: Sequence[str]) -> list[str]:
        """Sentences in an order that is drawn."""
        return [sentences[place] for place in self.generator.permutation(len(sentences))]

    def drawn(self, count: int) -> int:
        """Which of so many is asked for."""
        return int(self.generator.integers(count))


def text_of(phrase: Phrase) -> str:
    """A noun phrase in small letters, names in their own."""
    return text(noun_phrase(phrase, "nsubj"), capital=False)


def text(root: Node, capital: bool) -> str:
    """The text of a tree."""
    return annotate([root], capitals=(capital, capital))["text_a"]


def capital_letter(text: str) -> str:
    """The text with a capital letter at its beginning."""
    return text[0].upper() + text[1:]


def different(phrases: list[Phrase], synonyms: Mapping[str, Sequence[str]]) -> list[Phrase]:
    """The phrases, if no two have one noun, or two that mean the same.

    Raises:
        Unfit: two have.
    """
    for one, other in combinations([phrase.noun.singular for phrase in phrases], 2):
        if one == other or other in synonyms.get(one, ()):
            raise Unfit
    return phrases
