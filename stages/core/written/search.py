"""What queries ask and titles offer, and the grade that one has for the other.

A topic is a thing with a constraint (a leather sofa; a sofa for students; a museum in Oslo), a
need is what one wants to do with it. Who is on the way goes from a city to a city by some mode.
Both may be general: without a need, without a mode.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from stages.core.written.lexicon import Lexicon, Noun, pick

GRADES = UNRELATED, WEAK, PARTIAL, CLOSE, SATISFYING = range(5)  # as labels
SAME, GENERAL, OTHER = "same", "general", "other"
# Of routes: one end is another; both are the query's, the wrong way round.
ONE_END, REVERSED = "one end", "reversed"
IN_CITIES = ("place", "event")  # classes of things that a city narrows


@dataclass(frozen=True)
class Topic:
    """A thing and what narrows it; `sort` is adjective, audience, or city."""

    noun: Noun
    sort: str
    constraint: str


@dataclass(frozen=True)
class Request:
    """What a query asks or a title offers; `need` is empty where it is general."""

    topic: Topic
    need: str

    @property
    def kind(self) -> str:
        """Of its templates."""
        return "need" if self.need else "general"

    @property
    def terms(self) -> set[str]:
        return {self.topic.noun.singular, self.topic.constraint, self.need} - {""}


@dataclass(frozen=True)
class Route:
    source: str
    goal: str
    mode: str  # empty where any will do

    @property
    def kind(self) -> str:
        return "route" if self.mode else "travel"

    @property
    def terms(self) -> set[str]:
        return {self.source, self.goal, self.mode} - {""}


Meaning = Request | Route
# The grades of a title on a thing: is its thing the query's, is its constraint, what is its need.
THING_GRADES = {
    (True, True, SAME): SATISFYING,
    (True, True, GENERAL): CLOSE,
    (True, True, OTHER): PARTIAL,
    (True, False, SAME): PARTIAL,
    (True, False, GENERAL): WEAK,
    (True, False, OTHER): WEAK,
    (False, True, SAME): WEAK,
}
# Of a route: what are its ends, what is its mode. A title that is not in a table is unrelated.
ROUTE_GRADES = {
    (SAME, SAME): SATISFYING,
    (SAME, GENERAL): CLOSE,
    (SAME, OTHER): PARTIAL,
    (ONE_END, SAME): PARTIAL,
    (ONE_END, GENERAL): WEAK,
    (ONE_END, OTHER): WEAK,
    (REVERSED, SAME): WEAK,
}


def grade_of(asked: Meaning, offered: Meaning) -> int:
    """The grade of a title that offers `offered` for a query that asks `asked`."""
    if isinstance(asked, Request) and isinstance(offered, Request):
        one, other = asked.topic, offered.topic
        agreement = (
            one.noun.singular == other.noun.singular,
            one.constraint == other.constraint,
            _relation(asked.need, offered.need),
        )
        return THING_GRADES.get(agreement, UNRELATED)
    if isinstance(asked, Route) and isinstance(offered, Route):
        ends, others = (asked.source, asked.goal), (offered.source, offered.goal)
        equal = sum(a == b for a, b in zip(ends, others, strict=True))
        way = REVERSED if ends == others[::-1] else (OTHER, ONE_END, SAME)[equal]
        return ROUTE_GRADES.get((way, _relation(asked.mode, offered.mode)), UNRELATED)
    return UNRELATED


def _relation(asked: str, offered: str) -> str:
    """Of two needs or modes: the same, one general, or another."""
    if asked == offered:
        return SAME
    return OTHER if asked and offered else GENERAL


@cache
def verbs_of_needs(lexicon: Lexicon) -> dict[str, list[str]]:
    """The verbs for each need that has any."""
    table = lexicon.tables["titles"]["needs"]
    found = {name: lexicon.open(need["verbs"]) for name, need in table.items()}
    return {name: verbs for name, verbs in found.items() if verbs}


@cache
def needs_of_kinds(lexicon: Lexicon) -> dict[str, list[str]]:
    """The needs that fit each class of things."""
    found: dict[str, list[str]] = {}
    for name in verbs_of_needs(lexicon):
        for kind in lexicon.tables["titles"]["needs"][name]["kinds"]:
            found.setdefault(kind, []).append(name)
    return found


@cache
def things_of_kinds(lexicon: Lexicon) -> dict[str, list[Noun]]:
    """The nouns of each class, in all domains, of which one may need something."""
    domains = lexicon.nouns.values()
    return {
        kind: [noun for classes in domains for noun in classes.get(kind, [])]
        for kind in needs_of_kinds(lexicon)
    }


class Search:
    """Draws what queries ask, and what titles of each grade offer for it."""

    def __init__(self, generator: np.random.Generator, lexicon: Lexicon):
        self.generator = generator
        self.lexicon = lexicon
        self.verbs, self.needs = verbs_of_needs(lexicon), needs_of_kinds(lexicon)
        self.things = things_of_kinds(lexicon)
        self.modes = lexicon.open(lexicon.tables["titles"]["modes"])
        self.cities = [city.singular for city in lexicon.cities]

    def pick(self, options: Iterable[Any]) -> Any:
        return pick(self.generator, options)

    def other(self, options: Iterable[Any], *taken: Any) -> Any:
        return self.pick([option for option in options if option not in taken])

    def chance(self, probability: float) -> bool:
        return bool(self.generator.random() < probability)

    def request(self, *kinds: str) -> Request:
        """A need on a topic; each class of things (of those named) as often as another."""
        kind = self.pick(kinds or self.things)
        sort = "city" if kind in IN_CITIES else self.pick(("adjective", "audience"))
        topic = Topic(self.pick(self.things[kind]), sort, self.pick(self._constraints(kind, sort)))
        return Request(topic, self.pick(self.needs[kind]))

    def _constraints(self, kind: str, sort: str) -> list[str]:
        if sort == "adjective":
            return self.lexicon.adjectives(kind)
        return self.cities if sort == "city" else self._audiences()

    def _audiences(self) -> list[str]:
        return self.lexicon.open(self.lexicon.tables["titles"]["audiences"])

    def route(self) -> Route:
        source, goal = self.generator.choice(self.cities, 2, replace=False).tolist()
        return Route(source, goal, self.pick(self.modes))

    def offers(self, asked: Meaning) -> list[Meaning]:
        """What titles may offer for a query: each way of departing from it once, in any order."""
        found = self._routes(asked) if isinstance(asked, Route) else self._requests(asked)
        return [found[place] for place in self.generator.permutation(len(found))]

    def _requests(self, asked: Request) -> list[Meaning]:
        topic = asked.topic
        kind, sort = topic.noun.kind, topic.sort
        same = [topic.constraint, *self.lexicon.synonyms.get(topic.constraint, [])]
        narrowed = replace(topic, constraint=self.other(self._constraints(kind, sort), *same))
        named = {topic.noun.singular, *self.lexicon.noun_synonyms.get(topic.noun.singular, ())}
        fitting = [noun for noun in self.things[kind] if noun.singular not in named]
        elsewhere = [replace(t, noun=self.pick(fitting)) for t in (topic, narrowed)]
        other = self.other(self.needs[kind], asked.need)
        ways = [asked.need, other, ""] if asked.need else ["", other]
        return [Request(t, need) for t in (topic, narrowed, *elsewhere) for need in ways]

    def _routes(self, asked: Route) -> list[Meaning]:
        third, fourth = self.generator.permutation(self.cities)[:2].tolist()
        while {third, fourth} & asked.terms:
            third, fourth = self.generator.permutation(self.cities)[:2].tolist()
        source, goal = asked.source, asked.goal
        ends = [(source, goal), (goal, source), (source, third), (third, goal), (third, fourth)]
        other = self.other(self.modes, asked.mode)
        ways = [asked.mode, other, ""] if asked.mode else ["", other]
        found: list[Meaning] = [Route(*pair, mode) for pair in ends for mode in ways]
        return [*found, self._in_city(self.pick((source, goal)))]

    def _in_city(self, city: str) -> Request:
        """Something in a city, which is no way to get there."""
        request = self.request(*IN_CITIES)
        need = request.need if self.chance(0.5) else ""
        return Request(replace(request.topic, constraint=city), need)
