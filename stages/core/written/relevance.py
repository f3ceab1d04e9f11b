"""The task `relevance`: a query and a title, graded 1 to 5 as in the query-title study.

The label is the grade less 1. Of a title with one subject:

5  it serves the need on the topic, be it in other words
4  it is on the topic, but one of the two is general ("leather sofas")
3  one thing is wrong: another need, another constraint; another mode or end of the route
2  terms match, the matter does not: another constraint and no such need, the need on another thing
   with the same constraint; the route the wrong way round, or with another end and no such mode
1  another thing, be it with the constraint or the need that was asked for; another route

A title with two subjects has the grade of the better one. The other one names of the query's terms
those that the better one lacks, as far as its own grade allows, so that "repairing rusty ladders
and choosing leather sofas" has all the words of "repairing leather sofas" at grade 3: not the terms
alone, but what belongs together makes the grade. The kind of query is drawn apart from the grade.
Templates are written out in data/written/titles.yaml, each for one split alone.
"""

import numpy as np

from stages.core.written.inflection import Verb
from stages.core.written.lexicon import Lexicon
from stages.core.written.meaning import Phrase
from stages.core.written.phrase import noun_phrase
from stages.core.written.search import GRADES, WEAK, Meaning, Request, Route, Search, grade_of
from stages.core.written.template import fill
from stages.core.written.tree import Node, annotate

ROUTE_SHARE = 0.2  # of the queries
GENERAL_SHARE = 0.5  # of the other queries
MODELESS_SHARE = 0.25  # of the queries for routes
TWO_SUBJECTS_SHARE = 0.25  # of the titles


class Speaker:
    """Says meanings by the templates of a split, and remembers which it took."""

    def __init__(self, search: Search):
        self.search = search
        self.lexicon = search.lexicon
        self.pick, self.chance = search.pick, search.chance
        self.taken: list[str] = []

    def template(self, *keys: str) -> str:
        template = self.pick(self.lexicon.templates("titles", *keys))
        self.taken.append(template)
        return template

    def query(self, meaning: Meaning) -> Node:
        return self._say(meaning, "queries", 0, plural=self.chance(0.5))

    def title(self, *meanings: Meaning) -> Node:
        """A title of one or two subjects, in this order."""
        if len(meanings) == 1:
            return self._say(meanings[0], "titles", 0)
        first, second = (self._say(m, "subjects", place) for place, m in enumerate(meanings))
        return fill(self.template("pairs"), {"first": first, "second": second})

    def _say(self, meaning: Meaning, part: str, entity: int, plural: bool = True) -> Node:
        template = self.template(part, meaning.kind)
        if isinstance(meaning, Route):
            return fill(template, self._of_route(meaning))
        slots = {"thing": self._thing(meaning, entity, plural or not meaning.need)}
        if meaning.need:
            verb = Verb.parse(self.pick(self.search.verbs[meaning.need]))
            slots["verb"] = Node(verb.lemma, "VERB", feats="VerbForm=Inf")
            slots["doing"] = Node(verb.gerund, "VERB", verb.lemma, feats="VerbForm=Ger")
        return fill(template, slots)

    def _thing(self, request: Request, entity: int, plural: bool) -> Node:
        topic = request.topic
        adjective = (topic.constraint,) if topic.sort == "adjective" else ()
        phrase = Phrase(
            topic.noun,
            entity,
            determiner="" if plural else "a",
            plural=plural,
            adjectives=adjective,
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

    def _of_route(self, route: Route) -> dict[str, Node]:
        slots = {"from": _place("from", route.source), "to": _place("to", route.goal)}
        if route.mode:
            slots |= {"mode": _vehicle(route.mode), "the_mode": _vehicle(route.mode)}
            slots["the_mode"].before.insert(0, Node("the", "DET", relation="det"))
        return slots


def _vehicle(mode: str) -> Node:
    *modifiers, head = mode.split(" ")
    words = [Node(word, "NOUN", relation="compound") for word in modifiers]
    return Node(head, "NOUN", feats="Number=Sing", before=words)


def _place(case: str, city: str) -> Node:
    marker = Node(case, "ADP", relation="case")
    return Node(city, "PROPN", relation="nmod", feats="Number=Sing", before=[marker])


def _singular(plural: str) -> str:
    return {"children": "child", "families": "family", "companies": "company"}.get(
        plural, plural[:-1]
    )


def question(search: Search) -> Meaning:
    """What a query asks, whatever the grade of its title will be."""
    if search.chance(ROUTE_SHARE):
        route = search.route()
        return Route(route.source, route.goal, "") if search.chance(MODELESS_SHARE) else route
    request = search.request()
    return Request(request.topic, "") if search.chance(GENERAL_SHARE) else request


def answers(search: Search, asked: Meaning, grade: int) -> list[Meaning]:
    """One or two subjects of a title of a grade; the better one has the grade, at either place."""
    offers = search.offers(asked)
    best = next(offer for offer in offers if grade_of(asked, offer) == grade)
    if not search.chance(TWO_SUBJECTS_SHARE):
        return [best]
    missing = asked.terms - best.terms
    others = [
        offer for offer in offers if offer != best and grade_of(asked, offer) <= min(grade, WEAK)
    ]
    second = max(others, key=lambda offer: len(missing & offer.terms))
    return [best, second] if search.chance(0.5) else [second, best]


def draw(generator: np.random.Generator, lexicon: Lexicon) -> list[dict]:
    """Draw one example: a row of `SCHEMA` without its id, in a list, with its kind of query and
    the templates that it was made by.
    """
    search = Search(generator, lexicon)
    grade = int(search.pick(GRADES))
    asked = question(search)
    speaker = Speaker(search)
    query = speaker.query(asked)
    title = speaker.title(*answers(search, asked, grade))
    row = annotate([query], [title], capitals=(False, True))
    return [row | {"label": float(grade), "kind": asked.kind, "templates": speaker.taken}]
