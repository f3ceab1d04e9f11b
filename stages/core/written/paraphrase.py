"""The task `paraphrase`: two texts that say the same, or not, mostly in the same words.

For label 1 the second text says the first one's meaning in another style (active and passive,
"gave Anna the book" and "gave the book to Anna", a fronted time), or with those parts exchanged
that may be (who met whom). For label 0 parts are exchanged so that the meaning changes, or some of
it is replaced. The style is drawn alike, and each first text comes with both labels, so that no
word, no construction and no topic tells the label: the order of the words does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from stages.core.written import exchange
from stages.core.written.clause import realise
from stages.core.written.edit import SUBSTITUTIONS, SYNONYMS, negation
from stages.core.written.exchange import Exchange
from stages.core.written.lexicon import Lexicon, pick
from stages.core.written.meaning import Clause, Style
from stages.core.written.scene import Scene
from stages.core.written.tree import annotate, sentence, shuffle

# Of the pairs with label 0: something else from the same scene; one or two edits; the words of a
# paraphrase shuffled. The rest are exchanges. Those two leave every word as it was.
OTHER_SHARE, SUBSTITUTED_SHARE, SHUFFLED_SHARE = 0.15, 0.40, 0.15
SYNONYM_SHARE = 0.15  # of the pairs with label 1
NEGATED_SHARE = 0.12  # of the meanings, where they can be
KEEPING_EXCHANGE = 0.4  # chance that label 1 exchanges what it may
STYLE_CHANCE = 0.3  # of each choice of style
# Chance that the second text makes another choice than the first: moves of a particle, an adverb,
# a time are common, those that turn the participants round (the passive) are rarer.
LIGHT_CHANGE = 0.5
HEAVY_CHANGE = 0.15
LIGHT = ("particle_last", "front_time", "early_manner", "of_genitive", "bare_complement")
RICHNESS = (0.0, 0.05, 0.15, 0.3)


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
        weight=2,
    ),
    "joined": Kind(
        _joined_acts, (exchange.exchange_conjunct_objects,), (exchange.exchange_clauses,)
    ),
    "ordered": Kind(_acts_in_order, (exchange.exchange_adjunct_objects,)),
    "reversible": Kind(Scene.reversible, (exchange.exchange_roles,)),
    "adjectives": Kind(
        lambda scene: _with_adjectives(scene, scene.reversible()),
        (exchange.exchange_adjectives, exchange.exchange_roles),
    ),
    "symmetric": Kind(
        lambda scene: _with_adjectives(scene, scene.symmetric()),
        (exchange.exchange_adjectives,),
        (exchange.exchange_roles,),
    ),
    "ditransitive": Kind(Scene.ditransitive, (exchange.exchange_recipient,), weight=2),
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
        weight=2,
    ),
    "reason": Kind(Scene.reason, (exchange.exchange_roles,)),
}


DRAWN = [name for name, kind in KINDS.items() for _ in range(kind.weight)]


def draw_style(generator: np.random.Generator) -> Style:
    return Style(**{f.name: bool(generator.random() < STYLE_CHANCE) for f in fields(Style)})


def restyled(style: Style, generator: np.random.Generator) -> Style:
    """A style that differs from `style` in some choices."""
    return Style(
        **{
            f.name: getattr(style, f.name)
            != bool(generator.random() < (LIGHT_CHANGE if f.name in LIGHT else HEAVY_CHANGE))
            for f in fields(Style)
        }
    )


def _movable(clause: Clause, scene: Scene) -> Clause:
    """The clause with something that a style can move."""
    if clause.time or clause.manner or clause.adjective:
        return clause
    free = clause.tense == "Past" and not clause.modal
    if free and not clause.adjunct and scene.chance(0.6):
        return replace(clause, time=scene.time())
    movable = clause.verb.lemma != "stand" and not clause.complement
    return replace(clause, manner=scene.manner()) if movable else clause


def draw(generator: np.random.Generator, lexicon: Lexicon) -> list[dict]:
    """Draw a meaning and two pairs about it, one for each label; none if a draw does not fit."""
    scene = Scene(generator, lexicon, richness=pick(generator, RICHNESS))
    name = pick(generator, DRAWN)
    kind = KINDS[name]
    clause = _movable(kind.draw(scene), scene)
    if scene.chance(NEGATED_SHARE):
        clause = negation(clause, scene) or clause
    kept: Clause | None = clause
    if kind.keep and scene.chance(KEEPING_EXCHANGE):
        kept = scene.pick(kind.keep)(clause)
    if scene.chance(SYNONYM_SHARE):
        kept = scene.pick(SYNONYMS)(kept, scene) or kept
    how = _draw_change(generator)
    changed = kept if how == "shuffled" else _changed(kind, clause, scene, how)
    if changed is None or kept is None or (changed == clause and how != "shuffled"):
        return []
    style = draw_style(generator)
    rows = []
    for label, other in enumerate((changed, kept)):
        first, second = (
            [sentence(realise(meaning, said))]
            for meaning, said in ((clause, style), (other, restyled(style, generator)))
        )
        order = shuffle(second, generator) if how == "shuffled" and label == 0 else ()
        rows.append(annotate(first, second, order) | {"label": float(label), "kind": how or name})
    return rows if all(row["text_a"] != row["text_b"] for row in rows) else []


def _draw_change(generator: np.random.Generator) -> str:
    """How the pair with label 0 comes about; empty for an exchange."""
    shares = (OTHER_SHARE, SUBSTITUTED_SHARE, SHUFFLED_SHARE)
    ways = ("other", "substituted", "shuffled", "")
    return str(generator.choice(ways, p=(*shares, 1 - sum(shares))))


def _changed(kind: Kind, clause: Clause, scene: Scene, how: str) -> Clause | None:
    """A clause that means something else."""
    if how == "other":
        return kind.draw(scene)
    if how == "substituted" or not kind.change:
        for _ in range(int(scene.generator.integers(1, 3))):
            clause = scene.pick(SUBSTITUTIONS)(clause, scene) or clause
        return clause
    return scene.pick(kind.change)(clause)
