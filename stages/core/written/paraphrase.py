"""The task `paraphrase`: two texts that say the same, or not, mostly in the same words.

For label 1 the second text says the first one's meaning in another style (active and passive,
"gave Anna the book" and "gave the book to Anna", a fronted time), or with those parts exchanged
that may be (who met whom). For label 0 parts are exchanged so that the meaning changes, or some of
it is replaced. The style is drawn alike, and each first text comes with both labels, so that no
word, no construction and no topic tells the label: the order of the words does.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np

from stages.core.written import exchange
from stages.core.written.clause import realise
from stages.core.written.edit import SUBSTITUTIONS
from stages.core.written.exchange import Exchange
from stages.core.written.lexicon import Lexicon, pick
from stages.core.written.meaning import Clause, Style
from stages.core.written.scene import Scene
from stages.core.written.tree import annotate, sentence

SUBSTITUTED_SHARE = 0.25  # of the pairs with label 0: a word or two replaced
OTHER_CLAUSE_SHARE = 0.10  # of those too: something else from the same scene
KEEPING_EXCHANGE = 0.4  # chance that label 1 exchanges what it may
STYLE_CHANCE = 0.3  # of each choice of style
# Chance that the second text makes another choice than the first: moves of a particle, an adverb,
# a time are common, those that turn the participants round (the passive) are rarer.
LIGHT_CHANGE = 0.5
HEAVY_CHANGE = 0.15
LIGHT = ("particle_last", "front_time", "early_manner", "of_genitive", "bare_complement")
RICHNESS = (0.0, 0.15, 0.35)


@dataclass(frozen=True)
class Kind:
    """A kind of meaning: how it is drawn, and which exchanges change or keep it."""

    draw: Callable[[Scene], Clause]
    change: tuple[Exchange, ...]
    keep: tuple[Exchange, ...] = ()


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


KINDS = {
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
    "ditransitive": Kind(Scene.ditransitive, (exchange.exchange_recipient,)),
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
    name = pick(generator, KINDS)
    kind = KINDS[name]
    clause = _movable(kind.draw(scene), scene)
    kept: Clause | None = clause
    if kind.keep and scene.chance(KEEPING_EXCHANGE):
        kept = scene.pick(kind.keep)(clause)
    changed, how = _changed(kind, clause, scene)
    if changed is None or kept is None or changed == clause:
        return []
    style = draw_style(generator)
    rows = []
    for label, other in enumerate((changed, kept)):
        texts = ((clause, style), (other, restyled(style, generator)))
        trees = ([sentence(realise(meaning, said))] for meaning, said in texts)
        rows.append(annotate(*trees) | {"label": float(label), "kind": how or name})
    return rows if all(row["text_a"] != row["text_b"] for row in rows) else []


def _changed(kind: Kind, clause: Clause, scene: Scene) -> tuple[Clause | None, str]:
    """A clause that means something else."""
    chance = scene.generator.random()
    if chance < OTHER_CLAUSE_SHARE:
        return kind.draw(scene), "other"
    if chance < OTHER_CLAUSE_SHARE + SUBSTITUTED_SHARE or not kind.change:
        for _ in range(int(scene.generator.integers(1, 3))):
            clause = scene.pick(SUBSTITUTIONS)(clause, scene) or clause
        return clause, "substituted"
    return scene.pick(kind.change)(clause), ""
