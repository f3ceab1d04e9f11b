"""The kinds of meanings that paraphrases are about: how each is drawn, what may be exchanged."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from stages.core.written import exchange
from stages.core.written.exchange import Exchange
from stages.core.written.meaning import Clause
from stages.core.written.scene import Scene


@dataclass(frozen=True)
class Kind:
    """A kind of meaning: how it is drawn, and which exchanges change or keep it.

    `weight` is how often it is drawn beside the others.
    """

    draw: Callable[[Scene], Clause]
    change: tuple[Exchange, ...]
    keep: tuple[Exchange, ...] = ()
    weight: int = 1


def _two_clauses(scene: Scene) -> tuple[Clause, Clause]:
    """Two things that happened, told without a time of their own."""
    one, other = (scene.pick((scene.transitive, scene.intransitive))() for _ in range(2))
    plain = {"time": "", "modal": "", "frequency": "", "tense": "Past", "perfect": False}
    return replace(one, **plain), replace(other, **plain)


def _with_adjunct(scene: Scene, sort: str) -> Clause:
    marks = scene.lexicon.tables["modifiers"]["subordinators"][sort]
    main, inner = _two_clauses(scene)
    return replace(main, adjunct=(scene.pick(marks), inner))


def _coordinated(scene: Scene) -> Clause:
    one, other = _two_clauses(scene)
    return replace(one, conjunct=other)


def _speech(scene: Scene) -> Clause:
    """Someone says that someone did something to someone; at times one of the two is negated."""
    clause = scene.speech(replace(scene.reversible(), time="", places=(), frequency=""))
    negated = scene.pick(("", "outer", "inner"))
    complement = replace(clause.complement, negated=negated == "inner")
    return replace(clause, negated=negated == "outer", complement=complement)


def _with_adjectives(scene: Scene, clause: Clause) -> Clause:
    """The clause between two people who are told apart by an adjective each."""
    one, other = (
        replace(scene.person(proper=0, modified=False), adjectives=(scene.adjective("person"),))
        for _ in range(2)
    )
    role = "standard" if clause.standard else "object"
    return replace(clause, subject=one, **{role: other})


def _with_thing(scene: Scene) -> Clause:
    """Someone does something to a thing, at least one of them with an adjective, or somewhere."""
    kind = scene.pick([kind for kind in scene.thing_kinds() if kind != "place"])
    one, thing = scene.person(proper=0, modified=False), scene.thing(kind, modified=False)
    if scene.chance(0.6):
        one = replace(one, adjectives=(scene.adjective("person"),))
    if not one.adjectives or scene.chance(0.4):
        thing = replace(thing, adjectives=(scene.adjective(kind),))
    clause = Clause(
        one,
        scene.verb("transitive", kind),
        object=thing,
        places=(scene.place(),) if scene.chance(0.35) else (),
    )
    return replace(clause, modal="will") if scene.chance(0.2) else clause


def _two_acts(scene: Scene) -> Iterator[Clause]:
    """Two people, each doing something to a thing of another class."""
    one, other = _with_thing(scene), _with_thing(scene)
    while other.object.noun.kind == one.object.noun.kind:
        other = _with_thing(scene)
    return (
        replace(act, modal="", places=(), subject=act.subject.bare(), object=act.object.bare())
        for act in (one, other)
    )


def _joined_acts(scene: Scene) -> Clause:
    one, other = _two_acts(scene)
    return replace(one, conjunct=other)


def _acts_in_order(scene: Scene) -> Clause:
    one, other = _two_acts(scene)
    marks = scene.lexicon.tables["modifiers"]["subordinators"]["directed"]
    return replace(one, adjunct=(scene.pick(marks), other))


KINDS = {
    "thing": Kind(
        _with_thing,
        (
            exchange.exchange_roles,
            exchange.exchange_adjectives,
            exchange.exchange_object_and_place,
        ),
        weight=4,
    ),
    "joined": Kind(
        _joined_acts, (exchange.exchange_conjunct_objects,), (exchange.exchange_clauses,)
    ),
    "ordered": Kind(_acts_in_order, (exchange.exchange_adjunct_objects,)),
    "reversible": Kind(Scene.reversible, (exchange.exchange_roles,), weight=3),
    "adjectives": Kind(
        lambda scene: _with_adjectives(scene, scene.reversible()),
        (exchange.exchange_adjectives, exchange.exchange_roles),
        weight=3,
    ),
    "symmetric": Kind(
        lambda scene: _with_adjectives(scene, scene.symmetric()),
        (exchange.exchange_adjectives,),
        (exchange.exchange_roles,),
        weight=3,
    ),
    "ditransitive": Kind(Scene.ditransitive, (exchange.exchange_recipient,), weight=3),
    "comparison": Kind(
        lambda scene: scene.comparison(scene.pick(("comparative", "inferior"))),
        (exchange.exchange_standard, exchange.exchange_degree),
        (exchange.exchange_degree_and_standard,),
    ),
    "equality": Kind(
        lambda scene: _with_adjectives(scene, scene.comparison("equal")),
        (exchange.exchange_adjectives,),
        (exchange.exchange_standard,),
    ),
    "position": Kind(lambda scene: scene.position("directed"), (exchange.exchange_position,)),
    "nearness": Kind(lambda scene: scene.position("symmetric"), (), (exchange.exchange_position,)),
    "travel": Kind(Scene.travel, (exchange.exchange_cities,)),
    "sequence": Kind(
        lambda scene: _with_adjunct(scene, "directed"),
        (exchange.exchange_adjunct, exchange.exchange_adjunct_subjects),
    ),
    "simultaneous": Kind(
        lambda scene: _with_adjunct(scene, "symmetric"),
        (exchange.exchange_adjunct_subjects,),
        (exchange.exchange_adjunct,),
    ),
    "coordinated": Kind(
        _coordinated, (exchange.exchange_conjunct_subjects,), (exchange.exchange_clauses,)
    ),
    "speech": Kind(
        _speech,
        (exchange.exchange_speakers, exchange.exchange_inner_roles, exchange.move_negation),
    ),
    "reason": Kind(Scene.reason, (exchange.exchange_roles,)),
}


DRAWN = [name for name, kind in KINDS.items() for _ in range(kind.weight)]


def movable(clause: Clause, scene: Scene) -> Clause:
    """The clause with something that a style can move."""
    if clause.time or clause.manner or clause.adjective:
        return clause
    free = clause.tense == "Past" and not clause.modal
    if free and not clause.adjunct and scene.chance(0.6):
        return replace(clause, time=scene.time())
    movable = clause.verb.lemma != "stand" and not clause.complement
    return replace(clause, manner=scene.manner()) if movable else clause
