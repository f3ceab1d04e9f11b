"""Drawing meanings: a scene has one domain, and its people and things belong there."""

from dataclasses import replace

import numpy as np

from stages.core.written.inflection import Verb
from stages.core.written.lexicon import Lexicon, Noun, pick
from stages.core.written.meaning import Clause, Phrase
from stages.core.written.phrase import NUMBERS

MODALS = ("will", "must", "should", "can", "may", "could", "might", "would")
PLACE_PREPOSITIONS = ("near", "behind", "outside", "at")
GENDERS = ("Fem", "Masc")


class Scene:
    """Draws phrases and clauses of one domain; no noun occurs twice.

    `richness` is the chance of each modifier, so it sets the length of the sentences.
    """

    def __init__(self, generator: np.random.Generator, lexicon: Lexicon, richness: float = 0.25):
        self.generator = generator
        self.lexicon = lexicon
        self.richness = richness
        self.domain = pick(generator, lexicon.nouns)
        self.entities = 0
        self.used: set[str] = set()

    def chance(self, probability: float) -> bool:
        return bool(self.generator.random() < probability)

    def pick(self, options):
        return pick(self.generator, options)

    # Phrases

    def person(self, proper: float = 0.3, modified: bool = True) -> Phrase:
        """Someone: a name, a person whose gender the noun tells, or a role of the domain."""
        if self.chance(proper):
            noun = self._unused(self.lexicon.names)
            surname = ""
            if self.chance(0.2):
                surname = self.pick(self.lexicon.open(self.lexicon.tables["people"]["surnames"]))
            return self.referent(noun, determiner="", surname=surname, gender=noun.gender)
        if modified and self.chance(0.4 * self.richness):
            owner = self.person(proper=0.8, modified=False)
            kin = self._unused(self.lexicon.gendered("kin"))
            return self.referent(kin, owner=owner, gender=kin.gender)
        known = self.chance(0.25)
        nouns = self.lexicon.gendered("nouns") if known else self._nouns("person")
        noun = self._unused(nouns)
        phrase = self.referent(noun, gender=noun.gender)
        return self._modified(phrase) if modified else phrase

    def person_of(self, gender: str) -> Phrase:
        """Someone of a known gender, by name or by a noun that tells it; anyone for ""."""
        if not gender or gender == "Neut":
            return self.person()
        if self.chance(0.5):
            names = [name for name in self.lexicon.names if name.gender == gender]
            return self.referent(self._unused(names), determiner="", gender=gender)
        nouns = [noun for noun in self.lexicon.gendered("nouns") if noun.gender == gender]
        return self._modified(self.referent(self._unused(nouns), gender=gender))

    def thing(self, kind: str, modified: bool = True) -> Phrase:
        """Something of a class, with an article, a number or a possessor."""
        phrase = self.referent(self._unused(self._nouns(kind)), gender="Neut")
        draw = self.generator.random()
        if draw < 0.25:
            phrase = replace(phrase, determiner="a")
        elif draw < 0.32:
            phrase = replace(phrase, determiner="this")
        elif draw < 0.40:
            phrase = replace(phrase, determiner="these", plural=True)
        elif draw < 0.48:
            phrase = replace(phrase, determiner=self.pick(NUMBERS[:5]), plural=True)
        elif draw < 0.58:
            phrase = replace(phrase, plural=True)
        return self._modified(phrase) if modified else phrase

    def place(self) -> tuple[str, Phrase]:
        """Where something happens: a preposition and a place of the domain."""
        noun = self._unused(self._nouns("place"))
        phrase = self.referent(noun, gender="Neut")
        return self.pick(PLACE_PREPOSITIONS), self._modified(phrase)

    def city(self) -> Phrase:
        return self.referent(self._unused(self.lexicon.cities), determiner="")

    def thing_kinds(self, kinds=None) -> list[str]:
        """The classes of things that the domain has, of those named."""
        has = self.lexicon.nouns[self.domain]
        kinds = self.lexicon.tables["verbs"]["transitive"] if kinds is None else kinds
        return [kind for kind in kinds if len(has.get(kind, [])) > 1]

    def _nouns(self, kind: str) -> list[Noun]:
        return self.lexicon.nouns[self.domain][kind]

    def _unused(self, nouns: list[Noun]) -> Noun:
        noun = self.pick([n for n in nouns if n.singular not in self.used] or nouns)
        self.used |= {noun.singular, *self.lexicon.noun_synonyms.get(noun.singular, ())}
        return noun

    def referent(self, noun: Noun, **fields) -> Phrase:
        self.entities += 1
        return Phrase(noun, self.entities, **fields)

    def _modified(self, phrase: Phrase) -> Phrase:
        kind, modifiers = phrase.noun.kind, self.lexicon.tables["modifiers"]
        if self.chance(1.6 * self.richness):
            adjectives = (self.adjective(kind),)
            phrase = replace(phrase, adjectives=adjectives)
        simple = " " not in phrase.noun.singular and not phrase.noun.gender
        compounds = modifiers["compounds"].get(kind)
        if simple and compounds and self.chance(0.6 * self.richness):
            phrase = replace(phrase, compound=self.pick(compounds))
        if phrase.noun.person or phrase.plural:
            return phrase
        if phrase.determiner == "the" and kind != "place" and self.chance(0.9 * self.richness):
            phrase = replace(phrase, owner=self.person(proper=0.6, modified=False))
        return phrase

    def adjective(self, kind: str) -> str:
        words = self.lexicon.adjectives(kind)
        word = self.pick([word for word in words if word not in self.used] or words)
        self.used.add(word)
        return word

    # Clauses

    def verb(self, frame: str, kind: str = "") -> Verb:
        verbs = self.lexicon.verbs(frame, kind)
        verb = self.pick([v for v in verbs if v.name not in self.used] or verbs)
        self.used.add(verb.name)
        return verb

    def reversible(self) -> Clause:
        """Someone does something to someone, who could do it too."""
        return self._framed(Clause(self.person(), self.verb("reversible"), object=self.person()))

    def symmetric(self) -> Clause:
        return self._framed(Clause(self.person(), self.verb("symmetric"), object=self.person()))

    def transitive(self, subject: Phrase | None = None) -> Clause:
        """Someone does something to a thing or a place."""
        kind = self.pick(self.thing_kinds())
        return self._framed(
            Clause(
                subject or self.person(), self.verb("transitive", kind), object=self.thing(kind)
            ),
            place=0 if kind == "place" else 0.5,
        )

    def ditransitive(self) -> Clause:
        """Someone gives someone a thing."""
        kinds = self.thing_kinds(self.lexicon.tables["verbs"]["ditransitive_classes"])
        kind = self.pick(kinds)
        return self._framed(
            Clause(
                self.person(),
                self.verb("ditransitive"),
                object=self.thing(kind),
                recipient=self.person(),
            )
        )

    def intransitive(self, subject: Phrase | None = None) -> Clause:
        return self._framed(Clause(subject or self.person(), self.verb("intransitive")), place=0.8)

    def comparison(self, degree: str) -> Clause:
        """Two people compared by a property: `comparative` or `equal`."""
        adjective = self.pick(self.lexicon.open(self.lexicon.tables["modifiers"]["gradable"]))
        self.used.add(adjective)
        return Clause(self.person(), adjective=adjective, degree=degree, standard=self.person())

    def position(self, sort: str) -> Clause:
        """A thing that stands `directed` (behind) or `symmetric` (beside) to another."""
        kinds = self.thing_kinds(("furniture", "device", "plant"))
        prepositions = self.lexicon.tables["modifiers"]["positions"][sort]
        things = []
        for _ in range(2):
            thing = self.thing(self.pick(kinds))
            determiner = "the" if thing.determiner == "these" else thing.determiner
            things.append(replace(thing, determiner=determiner))
        return Clause(
            things[0], Verb.parse("stand/stood"), places=((self.pick(prepositions), things[1]),)
        )

    def travel(self) -> Clause:
        """Someone goes from a city to a city."""
        places = (("from", self.city()), ("to", self.city()))
        clause = Clause(self.person(), self.verb("motion"), places=places)
        return replace(clause, time=self.time() if self.chance(0.5) else "")

    def wish(self, subject: Phrase | None = None) -> Clause:
        """Someone wants to do something."""
        subject = subject or self.person()
        inner = self.pick((self.transitive, self.intransitive))(subject)
        inner = replace(inner, modal="", perfect=False, frequency="", time="")
        return Clause(subject, self.verb("infinitival"), complement=inner, infinitive=True, time="")

    def speech(self, inner: Clause) -> Clause:
        """Someone says or thinks that `inner`."""
        return Clause(self.person(), self.verb("clausal"), complement=inner)

    def own(self) -> Clause:
        """Someone does something to a thing of theirs: "the actress lost her hat"."""
        clause = self.transitive(self.person_of(self.pick(GENDERS)))
        kind = clause.object.noun.kind
        if kind in ("place", "event"):
            return clause
        owned = replace(clause.object, owner=clause.subject.as_pronoun())
        return replace(clause, object=owned)

    def reflexive(self) -> Clause:
        """Someone does something to themselves, with someone else near by."""
        subject = self.person_of(self.pick(GENDERS))
        clause = Clause(subject, self.verb("reflexive"), object=subject.as_pronoun("reflexive"))
        if self.chance(0.5):
            clause = replace(clause, places=(("in front of", self.person(modified=False)),))
        return replace(clause, time=self.time() if self.chance(self.richness) else "")

    def reported(self) -> Clause:
        """Someone says something of themselves: "Anna said that she had met the doctor"."""
        speaker = self.person_of(self.pick(GENDERS))
        inner = self.pick((self.transitive, self.intransitive))(speaker.as_pronoun())
        inner = replace(inner, time="", modal="", tense="Past", frequency="", perfect=True)
        return Clause(speaker, self.verb("clausal"), complement=inner)

    def reason(self) -> Clause:
        """Two people, and why or when: "Tom thanked the nun because she had helped him"."""
        one, other = (self.person_of(gender) for gender in self.generator.permutation(GENDERS))
        subject, object_ = self.generator.permutation(2)
        pronouns = (one.as_pronoun(), other.as_pronoun())
        inner = Clause(pronouns[subject], self.verb("reversible"), object=pronouns[object_])
        if self.chance(0.4):
            inner = replace(self.transitive(pronouns[subject]), modal="", frequency="", time="")
        inner = replace(inner, tense="Past", perfect=False)
        main = Clause(one, self.verb("reversible"), object=other)
        return replace(main, adjunct=(self.pick(("because", "before", "after", "when")), inner))

    def described(self) -> Clause:
        """Someone told apart by what they did: "the doctor who met Anna left"."""
        subject = self.person(proper=0)
        return self.pick((self.transitive, self.intransitive))(self.relative(subject))

    def relative(self, phrase: Phrase) -> Phrase:
        """The phrase with a relative clause on it."""
        if phrase.noun.proper or phrase.pronoun:
            return phrase
        if phrase.noun.person:
            gap = self.pick(("subject", "object"))
            other = self.person(modified=False)
            clause = Clause(
                other if gap == "object" else phrase,
                self.verb("reversible"),
                object=other if gap == "subject" else phrase,
                gap=gap,
            )
        elif phrase.noun.kind in self.lexicon.tables["verbs"]["transitive"]:
            verb = self.verb("transitive", phrase.noun.kind)
            clause = Clause(self.person(modified=False), verb, object=phrase, gap="object")
        else:
            return phrase
        return replace(phrase, relative=clause)

    def time(self) -> str:
        times = self.lexicon.tables["modifiers"]["times"]
        sort = self.pick(("nouns", "days", "months", "adverbs"))
        word = self.pick(times[sort])
        return {"days": f"on {word}", "months": f"in {word}"}.get(sort, word)

    def manner(self) -> str:
        adverbs = self.lexicon.tables["modifiers"]["adverbs"]["manner"]
        word = self.pick(self.lexicon.open(adverbs))
        self.used.add(word)
        return word

    def _framed(self, clause: Clause, place: float = 0.5) -> Clause:
        """Add tense, manner, time and place to a clause, as richness has it."""
        draw = self.generator.random()
        if draw < 0.12:
            clause = replace(clause, modal=self.pick(MODALS))
        elif draw < 0.24:
            clause = replace(clause, perfect=True, tense=self.pick(("Pres", "Past")))
        if self.chance(0.8 * self.richness):
            clause = replace(clause, manner=self.manner())
        if self.chance(place * self.richness):
            clause = replace(clause, places=(self.place(),))
        if clause.tense == "Past" and not clause.modal and self.chance(1.2 * self.richness):
            clause = replace(clause, time=self.time())
        elif clause.tense == "Pres" and self.chance(self.richness):
            frequency = self.lexicon.tables["modifiers"]["adverbs"]["frequency"]
            clause = replace(clause, frequency=self.pick(self.lexicon.open(frequency)))
        return clause
