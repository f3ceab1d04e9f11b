"""What a sentence means, apart from how it is said: phrases, clauses, and the style to say them in.

All are immutable, so that a changed meaning is a `dataclasses.replace` of the old one.
"""

from dataclasses import dataclass, replace

from stages.core.written.inflection import Verb
from stages.core.written.lexicon import Noun


@dataclass(frozen=True)
class Phrase:
    """The meaning of a noun phrase.

    `gender` is that of the referent (Masc, Fem, Neut; "" where no pronoun can stand for it).
    """

    noun: Noun
    entity: int
    gender: str = ""
    determiner: str = "the"
    plural: bool = False
    adjectives: tuple[str, ...] = ()
    compound: str = ""
    surname: str = ""
    owner: "Phrase | None" = None
    within: "tuple[str, Phrase] | None" = None  # a preposition and its phrase
    relative: "Clause | None" = None
    conjunct: "Phrase | None" = None
    pronoun: str = ""  # personal or reflexive, for a phrase whose antecedent was named before

    @property
    def number(self) -> str:
        return "Plur" if self.plural or self.conjunct is not None else "Sing"

    def bare(self) -> "Phrase":
        """The phrase without its adjectives."""
        return replace(self, adjectives=())

    def as_pronoun(self, kind: str = "personal") -> "Phrase":
        """The pronoun that refers to this phrase."""
        return replace(self, pronoun=kind, relative=None, within=None)


@dataclass(frozen=True)
class Clause:
    """The meaning of a clause: a predicate, who takes part in it, and what frames it.

    The predicate is `verb` or, after a form of "be", `adjective`. As a relative clause it has its
    gap at `gap` (subject or object), where the phrase it modifies belongs.
    """

    subject: Phrase
    verb: Verb | None = None
    adjective: str = ""
    degree: str = ""  # comparative, inferior or equal, with a standard; or an adverb as "very"
    standard: Phrase | None = None
    object: Phrase | None = None
    recipient: Phrase | None = None
    places: tuple[tuple[str, Phrase], ...] = ()  # prepositions and their phrases
    manner: str = ""
    frequency: str = ""
    time: str = ""
    tense: str = "Past"
    modal: str = ""
    perfect: bool = False
    negated: bool = False
    complement: "Clause | None" = None
    infinitive: bool = False  # a complement of "want", not one of "say"
    adjunct: "tuple[str, Clause] | None" = None  # a subordinator and its clause
    conjunct: "Clause | None" = None
    gap: str = ""


@dataclass(frozen=True)
class Style:
    """How to say a clause; no choice here changes what it means."""

    passive: bool = False
    to_recipient: bool = False  # "gave the book to Anna" for "gave Anna the book"
    particle_last: bool = False  # "picked the book up" for "picked up the book"
    front_time: bool = False
    front_place: bool = False
    front_adjunct: bool = False
    early_manner: bool = False  # "quietly left" for "left quietly"
    of_genitive: bool = False  # "the brother of Anna" for "Anna's brother"
    bare_complement: bool = False  # "said he left" for "said that he left"
    swap_phrases: bool = False  # "Tom and Anna" for "Anna and Tom"
    swap_clauses: bool = False
    inverted: bool = False  # "behind the sofa stood the lamp"
