"""The task `similarity`: pairs with a score from 0 (nothing in common) to 5 (the same meaning).

The second text says the meaning of the first after some edits; each edit has a cost in points, and
the score is 5 less their sum. Synonyms and style cost nothing or next to nothing, a lost modifier
little, another participant more, negation and exchanged roles most. Texts of two scenes score 0,
those of one scene that tell something else 1 at most.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from stages.core.written.clause import realise
from stages.core.written.inflection import Verb
from stages.core.written.lexicon import Lexicon, pick
from stages.core.written.meaning import Clause, Phrase
from stages.core.written.paraphrase import (
    draw_style,
    exchange_position,
    exchange_recipient,
    exchange_roles,
    exchange_standard,
)
from stages.core.written.scene import Scene
from stages.core.written.tree import annotate, sentence

FULL_SCORE = 5.0
SAME_SCENE_SCORE = 0.8
Edit = Callable[[Clause, Scene], Clause | None]  # None where it does not apply


def synonym_of_verb(clause: Clause, scene: Scene) -> Clause | None:
    return _other_verb(clause, scene, scene.lexicon.synonyms)


def opposite_of_verb(clause: Clause, scene: Scene) -> Clause | None:
    return _other_verb(clause, scene, scene.lexicon.opposites)


def _other_verb(clause: Clause, scene: Scene, table: dict[str, list[str]]) -> Clause | None:
    if clause.verb is None or clause.verb.name not in table:
        return None
    name = Verb.parse(scene.pick(table[clause.verb.name])).name
    verb = scene.lexicon.verb_forms.get(name)
    return verb and replace(clause, verb=verb)


def synonym_of_adjective(clause: Clause, scene: Scene) -> Clause | None:
    return _other_adjective(clause, scene, scene.lexicon.synonyms)


def opposite_of_adjective(clause: Clause, scene: Scene) -> Clause | None:
    return _other_adjective(clause, scene, scene.lexicon.opposites)


def _other_adjective(clause: Clause, scene: Scene, table: dict[str, list[str]]) -> Clause | None:
    for name, phrase in _participants(clause):
        if phrase.adjectives and phrase.adjectives[0] in table:
            word = scene.pick(table[phrase.adjectives[0]])
            return replace(clause, **{name: replace(phrase, adjectives=(word,))})
    return None


def synonym_of_manner(clause: Clause, scene: Scene) -> Clause | None:
    words = scene.lexicon.synonyms.get(clause.manner)
    return replace(clause, manner=scene.pick(words)) if words else None


def without_adjective(clause: Clause, scene: Scene) -> Clause | None:
    for name, phrase in _participants(clause):
        if phrase.adjectives:
            return replace(clause, **{name: replace(phrase, adjectives=())})
    return None


def without_owner(clause: Clause, scene: Scene) -> Clause | None:
    for name, phrase in _participants(clause):
        if phrase.owner:
            return replace(clause, **{name: replace(phrase, owner=None)})
    return None


def without_time(clause: Clause, scene: Scene) -> Clause | None:
    return replace(clause, time="") if clause.time else None


def without_place(clause: Clause, scene: Scene) -> Clause | None:
    return replace(clause, places=()) if clause.places and clause.verb.lemma != "stand" else None


def without_manner(clause: Clause, scene: Scene) -> Clause | None:
    return replace(clause, manner="") if clause.manner else None


def other_number(clause: Clause, scene: Scene) -> Clause | None:
    thing = clause.object
    if thing is None or thing.noun.proper or thing.determiner not in ("the", "a") or thing.owner:
        return None
    return replace(clause, object=replace(thing, plural=not thing.plural, determiner="the"))


def other_tense(clause: Clause, scene: Scene) -> Clause | None:
    if clause.modal or clause.time or clause.tense == "Pres":
        return None
    return replace(clause, modal="will", perfect=False)


def other_subject(clause: Clause, scene: Scene) -> Clause | None:
    return replace(clause, subject=scene.person())


def other_object(clause: Clause, scene: Scene) -> Clause | None:
    if clause.object is None:
        return None
    kind = clause.object.noun.kind
    other = scene.person() if clause.object.noun.person else scene.thing(kind)
    return replace(clause, object=other)


def other_verb(clause: Clause, scene: Scene) -> Clause | None:
    if clause.verb is None or clause.verb.lemma == "stand" or clause.complement:
        return None
    if clause.object is None:
        return replace(clause, verb=scene.verb("intransitive"))
    if clause.recipient is not None:
        return None
    if clause.object.noun.person:
        return replace(clause, verb=scene.verb("reversible"))
    return replace(clause, verb=scene.verb("transitive", clause.object.noun.kind))


def negation(clause: Clause, scene: Scene) -> Clause | None:
    if clause.frequency or (clause.verb and clause.verb.lemma == "stand"):
        return None
    return replace(clause, negated=not clause.negated)


def other_roles(clause: Clause, scene: Scene) -> Clause | None:
    if clause.recipient is not None:
        return exchange_recipient(clause)
    if clause.standard is not None:
        return exchange_standard(clause)
    if clause.verb.lemma == "stand":
        return exchange_position(clause)
    if clause.object is not None and clause.object.noun.person:
        return exchange_roles(clause)
    return None


COSTS: dict[Edit, float] = {
    synonym_of_verb: 0.2,
    synonym_of_adjective: 0.1,
    synonym_of_manner: 0.1,
    other_number: 0.4,
    other_tense: 0.5,
    without_adjective: 0.4,
    without_owner: 0.6,
    without_time: 0.5,
    without_place: 0.5,
    without_manner: 0.4,
    opposite_of_adjective: 1.0,
    other_subject: 1.4,
    other_object: 1.4,
    other_roles: 1.6,
    negation: 1.8,
    other_verb: 1.8,
    opposite_of_verb: 2.2,
}
EDITS = tuple(COSTS)
KINDS = (
    Scene.reversible,
    Scene.transitive,
    Scene.transitive,
    Scene.ditransitive,
    Scene.intransitive,
    Scene.wish,
    lambda scene: scene.comparison("comparative"),
    lambda scene: scene.position("directed"),
)


def draw(generator: np.random.Generator, lexicon: Lexicon) -> list[dict]:
    """Draw one example: a row of `SCHEMA` without its id, in a list."""
    scene = Scene(generator, lexicon, richness=float(generator.choice([0.2, 0.35, 0.55])))
    clause = pick(generator, KINDS)(scene)
    draw = generator.random()
    if draw < 0.12:
        other, score = pick(generator, KINDS)(_elsewhere(scene)), 0.0
    elif draw < 0.25:
        other, score = pick(generator, KINDS)(scene), SAME_SCENE_SCORE
    else:
        other, score = _edited(clause, scene, int(generator.integers(1, 5)))
    if generator.random() < 0.5:
        clause, other = other, clause
    row = annotate(*([sentence(realise(c, draw_style(generator)))] for c in (clause, other)))
    return [row | {"label": round(score, 1)}]


def _edited(clause: Clause, scene: Scene, count: int) -> tuple[Clause, float]:
    """The clause after `count` edits, each of another kind, and its score."""
    cost, left = 0.0, list(EDITS)
    while count and left:
        edit = left.pop(int(scene.generator.integers(len(left))))
        changed = edit(clause, scene)
        if changed is not None and changed != clause:
            clause, cost, count = changed, cost + COSTS[edit], count - 1
    return clause, max(FULL_SCORE - cost, SAME_SCENE_SCORE)


def _elsewhere(scene: Scene) -> Scene:
    """A scene of another domain."""
    while (other := Scene(scene.generator, scene.lexicon, scene.richness)).domain == scene.domain:
        pass
    return other


def _participants(clause: Clause) -> list[tuple[str, Phrase]]:
    """The noun phrases of a clause by the name of their role."""
    roles = ("subject", "object", "recipient", "standard")
    return [(role, getattr(clause, role)) for role in roles if getattr(clause, role) is not None]
