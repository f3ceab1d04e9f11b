"""The task `relevance`: a query and a title, graded 1 to 5 as in the query-title study.

A topic is a thing with a constraint (a leather sofa; a sofa for students; a museum in Oslo), a
need is what one wants to do with it. The grade (the label is the grade less 1):

5  the title serves the need on the topic, be it in other words
4  the title is on the topic, but one of the two is general ("leather sofas")
3  one thing is wrong: another need, another constraint, other transport on the route
2  terms match, the matter does not: the words of a grade 4 or 5 title shuffled, a route the wrong
   way round, the need on another thing, the thing with another need and constraint
1  nothing in common
"""

from dataclasses import dataclass, replace

import numpy as np

from stages.core.written.inflection import Verb
from stages.core.written.lexicon import Lexicon, Noun, pick
from stages.core.written.meaning import Phrase
from stages.core.written.phrase import noun_phrase
from stages.core.written.template import fill
from stages.core.written.tree import Node, annotate, shuffle

GRADES = UNRELATED, TERMS, PARTIAL, TOPIC, FULL = range(5)  # as labels


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


@dataclass(frozen=True)
class Route:
    source: str
    goal: str
    mode: str  # empty where any will do


class Search:
    """Draws queries with titles of each grade."""

    def __init__(self, generator: np.random.Generator, lexicon: Lexicon):
        self.generator = generator
        self.lexicon = lexicon
        self.table = lexicon.tables["titles"]

    def pick(self, options):
        return pick(self.generator, options)

    def other(self, options, *taken):
        return self.pick([option for option in options if option not in taken])

    def chance(self, probability: float) -> bool:
        return bool(self.generator.random() < probability)

    # Meanings

    def request(self, *avoid: str) -> Request:
        """A need on a topic of no domain to avoid."""
        domain = self.lexicon.nouns[self.other(self.lexicon.nouns, *avoid)]
        kinds = {kind for need in self.table["needs"].values() for kind in need["kinds"]}
        noun = self.pick(domain[self.pick([k for k in domain if k in kinds and domain[k]])])
        sort = "city" if noun.kind in ("place", "event") else self.pick(("adjective", "audience"))
        topic = Topic(noun, sort, self.pick(self._constraints(noun.kind, sort)))
        return Request(topic, self.pick(self.needs(noun)))

    def needs(self, noun: Noun) -> list[str]:
        return [name for name, need in self.table["needs"].items() if noun.kind in need["kinds"]]

    def _constraints(self, kind: str, sort: str) -> list[str]:
        if sort == "adjective":
            return self.lexicon.adjectives(kind)
        if sort == "audience":
            return self.lexicon.open(self.table["audiences"])
        return [city.singular for city in self.lexicon.cities]

    def with_other_constraint(self, request: Request) -> Request:
        topic = request.topic
        options = self._constraints(topic.noun.kind, topic.sort)
        same = self.lexicon.synonyms.get(topic.constraint, [])
        different = self.other(options, topic.constraint, *same)
        return replace(request, topic=replace(topic, constraint=different))

    def with_other_need(self, request: Request) -> Request:
        return replace(request, need=self.other(self.needs(request.topic.noun), request.need))

    def with_other_thing(self, request: Request) -> Request:
        """The same need on a thing of the same class and another domain, if there is one."""
        kind, domain = request.topic.noun.kind, request.topic.noun.domain
        nouns = [
            noun
            for name, classes in self.lexicon.nouns.items()
            for noun in classes.get(kind, [])
            if name != domain
        ]
        topic = replace(request.topic, noun=self.pick(nouns or [request.topic.noun]))
        return self.with_other_constraint(replace(request, topic=topic))

    def title_of(self, request: Request, grade: int) -> tuple[Request, Request]:
        """The query, made general where the grade asks for it, and a title's meaning."""
        if grade == FULL:
            general = self.chance(0.3)
            request = replace(request, need="") if general else request
            return request, request
        if grade == TOPIC:
            general = replace(request, need="")
            return (request, general) if self.chance(0.5) else (general, request)
        if grade == PARTIAL:
            change = self.pick((self.with_other_need, self.with_other_constraint))
            return request, change(request)
        if grade == TERMS:
            if self.chance(0.5):
                return request, self.with_other_thing(request)
            return request, self.with_other_need(self.with_other_constraint(request))
        while (other := self.request(request.topic.noun.domain)).need == request.need:
            pass
        return request, other

    # Texts

    def say(self, request: Request, part: str) -> Node:
        """A query or title with this meaning; `part` is queries or titles."""
        templates = self.table[part]["need" if request.need else "general"]
        template = self.pick(templates)
        plural = part == "titles" or not request.need or self.chance(0.5)
        slots = {"thing": self._thing(request.topic, plural)}
        if request.need:
            verb = Verb.parse(self.pick(self.table["needs"][request.need]["verbs"]))
            slots["verb"] = Node(verb.lemma, "VERB", feats="VerbForm=Inf")
            slots["doing"] = Node(verb.gerund, "VERB", verb.lemma, feats="VerbForm=Ger")
        return fill(template, slots)

    def _thing(self, topic: Topic, plural: bool) -> Node:
        adjective = (topic.constraint,) if topic.sort == "adjective" else ()
        phrase = Phrase(
            topic.noun, 0, determiner="" if plural else "a", plural=plural, adjectives=adjective
        )
        node = noun_phrase(phrase, "obj")
        if topic.sort == "audience":
            *modifiers, head = topic.constraint.split(" ")
            words = [Node(word, "ADJ", relation="amod") for word in modifiers]
            case = Node("for", "ADP", relation="case")
            audience = Node(head, "NOUN", _singular(head), "nmod", "Number=Plur")
            audience.before = [case, *words]
            node.after.append(audience)
        if topic.sort == "city":
            node.after.append(_place("in", topic.constraint))
        return node

    def say_route(self, route: Route, part: str) -> Node:
        templates = self.table[part]["route"] if route.mode else self.table["titles"]["travel"]
        *modifiers, mode = (route.mode or "train").split(" ")

        def vehicle() -> Node:
            words = [Node(word, "NOUN", relation="compound") for word in modifiers]
            return Node(mode, "NOUN", feats="Number=Sing", before=words)

        the_mode = vehicle()
        the_mode.before.insert(0, Node("the", "DET", relation="det"))
        slots = {
            "mode": vehicle(),
            "the_mode": the_mode,
            "from": _place("from", route.source),
            "to": _place("to", route.goal),
        }
        return fill(self.pick(templates), slots)

    def route_pair(self, grade: int) -> tuple[Node, Node]:
        """A query for a route and a title of a grade."""
        cities = [city.singular for city in self.lexicon.cities]
        source, goal, third = self.generator.choice(cities, 3, replace=False).tolist()
        route = Route(source, goal, self.pick(self.table["modes"]))
        other = {
            FULL: route,
            TOPIC: replace(route, mode=""),
            PARTIAL: replace(route, mode=self.other(self.table["modes"], route.mode)),
            TERMS: replace(route, source=goal, goal=source),
            UNRELATED: None,
        }[grade]
        if grade == PARTIAL and self.chance(0.5):
            other = replace(route, goal=third)
        query = self.say_route(route, "queries")
        if other is None:
            return query, self.say(self.request(), "titles")
        return query, self.say_route(other, "titles")


def _place(case: str, city: str) -> Node:
    marker = Node(case, "ADP", relation="case")
    return Node(city, "PROPN", relation="nmod", feats="Number=Sing", before=[marker])


def _singular(plural: str) -> str:
    return {"children": "child", "families": "family", "companies": "company"}.get(
        plural, plural[:-1]
    )


def draw(generator: np.random.Generator, lexicon: Lexicon) -> list[dict]:
    """Draw one example: a row of `SCHEMA` without its id, in a list."""
    search = Search(generator, lexicon)
    grade = int(pick(generator, GRADES))
    shuffled = grade == TERMS and search.chance(0.5)
    shown = search.pick((FULL, TOPIC)) if shuffled else grade
    if search.chance(0.2):
        query, title = search.route_pair(shown)
    else:
        asked, offered = search.title_of(search.request(), shown)
        query, title = search.say(asked, "queries"), search.say(offered, "titles")
    order = shuffle([title], generator) if shuffled else ()
    return [annotate([query], [title], order, capitals=(False, True)) | {"label": float(grade)}]
