"""Passages with multiple-choice questions, written from the lexicon with gold answers.

A passage tells as many like things as a question has options, three or four, and one of them is
asked for: who did what, when or where; who did something to whom, where everyone is named twice, as
doer and as the one it was done to; who came at which place of an order and what that one did; who
is above whom. Sentences about others may stand between.

What is asked for is drawn last, and each option alike: of half of the questions every distractor is
told of as the right option is. So neither the longest option, nor what an option is, nor how many
of its words the passage has can tell the right one. A share of the options says a noun by a synonym
that the passage does not have, right ones no more often than others.

The distractors of the other half are strangers, of which the passage does not tell: they come from
another passage of the kind, with the same question. As in most such data, whoever looks for the
option's words in the passage is right more often than a guess, without reading; the longest option
and the options alone tell nothing here either.

Validation has turns of phrase, sentence templates and words of its own (`stages.core.written`).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from stages.core.questions.phrasings import BY_PLACE, ORDERS, PLACES, QUESTIONS
from stages.core.questions.question import Question
from stages.core.questions.teller import Deed, Teller, Unfit, capital_letter, text_of
from stages.core.stage.files import InputError
from stages.core.written.inflection import comparative
from stages.core.written.lexicon import SPLITS, Lexicon, pick
from stages.core.written.meaning import Clause

OPTIONS = (3, 4)
DRAWS = 1000  # of a passage until it fits
STRANGERS = 0.5  # share of the questions whose distractors the passage does not tell of
OTHERS = 50  # passages from which these may come


@dataclass(frozen=True)
class Written:
    """A question with the kind of its passage, what it asks for, and its turn of phrase.

    Attributes:
        strangers: whether its distractors are.
    """

    question: Question
    kind: str
    asked: str
    template: str
    strangers: bool


@dataclass(frozen=True)
class Told:
    """What a passage tells, and what is asked about it.

    Attributes:
        sentences: in the order of the passage.
        asked: a key of `QUESTIONS`.
        slots: what fills its turn of phrase.
        options: texts, that of the answer at `answer`.
    """

    sentences: list[str]
    asked: str
    slots: dict[str, str]
    options: list[str]
    answer: int


# Kinds of passages


def deeds(teller: Teller, count: int) -> Told:
    """Who did what, and when or where; asked is any of these."""
    told = teller.deeds(count)
    extra = teller.pick(("time", "place", ""))
    clauses = [Clause(deed.person, deed.verb, object=deed.thing) for deed in told]
    extras: list[str] = []
    if extra == "time":
        extras = [teller.time() for _ in told]
        clauses = [replace(one, time=words) for one, words in zip(clauses, extras, strict=True)]
    elif extra == "place":
        places = [teller.place() for _ in told]
        extras = [f"{case} {text_of(phrase)}" for case, phrase in places]
        clauses = [replace(one, places=(own,)) for one, own in zip(clauses, places, strict=True)]
    same_verb = len({deed.verb for deed in told}) == 1
    asked = teller.pick((extra, extra, "doer", "object" if same_verb else "deed"))
    asked = asked or "doer"
    options = {
        "doer": lambda: teller.options([deed.person for deed in told]),
        "object": lambda: teller.options([deed.thing for deed in told]),
        "deed": lambda: [deed.said("past") for deed in told],
    }.get(asked, lambda: extras)()
    sentences = teller.mixed([*map(teller.say, clauses), *teller.others()])
    answer = teller.drawn(count)
    return Told(sentences, asked, told[answer].slots, options, answer)


def roles(teller: Teller, count: int) -> Told:
    """A circle of persons, each of whom did the same thing to the next one.

    Whoever asks names one of them, who is no option; the others are.
    """
    persons = teller.persons(count + 1)
    verb = teller.verb("reversible")
    following = [*persons[1:], persons[0]]
    clauses = [
        Clause(one, verb, object=other) for one, other in zip(persons, following, strict=True)
    ]
    sentences = teller.mixed([*map(teller.say, clauses), *teller.others()])
    named = teller.drawn(count + 1)
    asked = teller.pick(("agent", "patient"))
    wanted = persons[named - 1] if asked == "agent" else following[named]
    rest = [person for person in persons if person is not persons[named]]
    slots = Deed(wanted, verb, persons[named]).slots | {"other": text_of(persons[named])}
    return Told(sentences, asked, slots, teller.options(rest), rest.index(wanted))


def order(teller: Teller, count: int) -> Told:
    """Who came in which order, and what the first, the second, ... of them did."""
    told = teller.deeds(count)
    split = teller.lexicon.split
    *all_, last = (text_of(deed.person) for deed in told)
    first = teller.pick(ORDERS[split]).format(all=", ".join(all_), last=last)
    rest = [
        teller.pick(BY_PLACE[split]).format(place=place, past=deed.said("past"))
        for place, deed in zip(PLACES, told, strict=False)
    ]
    # Another one who arrives would have a place in the order.
    others = teller.others(also_intransitive=False)
    sentences = [capital_letter(first), *teller.mixed(rest), *others]
    answer = teller.drawn(count)
    options = teller.options([deed.person for deed in told])
    return Told(sentences, "doer", told[answer].slots, options, answer)


def ranks(teller: Teller, count: int) -> Told:
    """Persons by a property, each above the next; asked is one by rank."""
    persons = teller.persons(count)
    adjectives = teller.lexicon.open(teller.lexicon.tables["modifiers"]["gradable"])
    adjective = teller.pick(adjectives)
    clauses = [
        Clause(one, adjective=adjective, degree="comparative", standard=other)
        for one, other in pairwise(persons)
    ]
    sentences = teller.mixed([*map(teller.say, clauses), *teller.others()])
    answer = teller.drawn(count)
    asked = {0: "highest", count - 1: "lowest"}.get(answer, "middle")
    slots = {"adjective": adjective, "superlative": superlative(adjective), "place": PLACES[answer]}
    return Told(sentences, asked, slots, teller.options(persons), answer)


KINDS: dict[str, Callable[[Teller, int], Told]] = {
    "deeds": deeds,
    "roles": roles,
    "order": order,
    "ranks": ranks,
}
SHARES = {"deeds": 0.6, "roles": 0.2, "order": 0.1, "ranks": 0.1}  # of the passages


def written_questions(split: str, size: int, seed: int) -> list[Question]:
    """The questions of a split, `train` or `validation`; the same arguments give the same ones."""
    return [written.question for written in draw_questions(split, size, seed)]


def draw_questions(split: str, size: int, seed: int) -> list[Written]:
    """The questions of a split with what they were made by; no passage occurs twice."""
    generator = np.random.default_rng([seed, SPLITS.index(split)])
    lexicon = Lexicon(split)
    found: dict[str, Written] = {}
    while len(found) < size:
        kind = str(generator.choice(list(SHARES), p=list(SHARES.values())))
        count = pick(generator, OPTIONS)
        told = own = _told(kind, count, generator, lexicon)
        if generator.random() < STRANGERS:
            told = with_strangers(own, kind, generator, lexicon)
        template = pick(generator, QUESTIONS[told.asked][split])
        places = generator.permutation(count)
        question = Question(
            f"{split}-{len(found):05d}",
            " ".join(told.sentences),
            capital_letter(template.format(**told.slots)),
            tuple(told.options[place] for place in places),
            places.tolist().index(told.answer),
        )
        found.setdefault(
            question.passage, Written(question, kind, told.asked, template, told is not own)
        )
    return list(found.values())


def with_strangers(told: Told, kind: str, generator: np.random.Generator, lexicon: Lexicon) -> Told:
    """The same with distractors that the passage does not tell of; as it is where none are found.

    Times and places are few: most passages have them all.
    """
    count, right = len(told.options), told.options[told.answer]
    known = f"{' '.join(told.sentences)} {right}"
    for _ in range(OTHERS):
        other = _told(kind, count, generator, lexicon)
        distractors = [option for option in other.options if option != other.options[told.answer]]
        if other.asked == told.asked and not any(
            _is_told(option, known, lexicon) for option in distractors
        ):
            distractors.insert(told.answer, right)
            return replace(told, options=distractors)
    return told


def _is_told(option: str, known: str, lexicon: Lexicon) -> bool:
    """Whether a text has the option's noun, a name in it, or a noun that means the same."""
    words = option.split()
    own = {words[-1], *(word for word in words if word[0].isupper())}
    nouns = {" ".join(words[start:]) for start in range(len(words))}
    own |= {other for noun in nouns for other in lexicon.noun_synonyms.get(noun, ())}
    return any(re.search(rf"\b{re.escape(word)}\b", known, re.IGNORECASE) for word in own)


def _told(kind: str, count: int, generator: np.random.Generator, lexicon: Lexicon) -> Told:
    """A passage of a kind, drawn until the split has words and templates for it.

    Raises:
        InputError: it never has.
    """
    for _ in range(DRAWS):
        try:
            told = KINDS[kind](Teller(generator, lexicon, richness=0.0), count)
        except Unfit:
            continue
        if len(set(told.options)) == count:
            return told
    raise InputError(
        f"{lexicon.folder}: too few words or templates in the split {lexicon.split} for passages "
        f"of the kind {kind} with {count} options; append nouns, names or verbs"
    )


def superlative(adjective: str) -> str:
    """The form in -est, or with "most" where English says so."""
    one_word = comparative(adjective)
    return f"{one_word[:-2]}est" if one_word else f"most {adjective}"
