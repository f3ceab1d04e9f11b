"""Edits: a clause with one part of its meaning changed, and what that costs on a scale of 5 points.

An edit that does not apply gives None.
"""

from collections.abc import Callable
from dataclasses import replace

from stages.core.written.clause import LINKING_PREPOSITIONS
from stages.core.written.exchange import (
    exchange_position,
    exchange_recipient,
    exchange_roles,
    exchange_standard,
)
from stages.core.written.inflection import Verb
from stages.core.written.lexicon import flat
from stages.core.written.meaning import Clause, Phrase
from stages.core.written.scene import Scene

Edit = Callable[[Clause, Scene], Clause | None]


def synonym_of_verb(clause: Clause, scene: Scene) -> Clause | None:
    """Another verb of a group that means the same in this frame: one hires a cook, not a car."""
    if clause.verb is None:
        return None
    for group in _frame(clause, scene):
        words = {} if isinstance(group, str) else {Verb.parse(word).name: word for word in group}
        if clause.verb.name in words:
            return _with_verb(clause, scene, scene.lexicon.open(words.values()))
    return None


def opposite_of_verb(clause: Clause, scene: Scene) -> Clause | None:
    """An opposite that has the same frame, or none of verbs.yaml: nobody arrives a room."""
    if clause.verb is None:
        return None
    fitting = {Verb.parse(word).name for word in flat(_frame(clause, scene))}
    opposites = scene.lexicon.open(scene.lexicon.opposites.get(clause.verb.name, ()))
    fitting |= scene.lexicon.verb_forms.keys() - scene.lexicon.framed_verbs
    return _with_verb(clause, scene, [word for word in opposites if word in fitting])


def _with_verb(clause: Clause, scene: Scene, words: list[str]) -> Clause | None:
    """The clause with one of some verbs in place of its own."""
    names = [name for word in words if (name := Verb.parse(word).name) != clause.verb.name]
    return replace(clause, verb=scene.lexicon.verb_forms[scene.pick(names)]) if names else None


def _frame(clause: Clause, scene: Scene) -> list:
    """The verbs that could stand in a clause, as verbs.yaml lists them."""
    tables, thing = scene.lexicon.tables["verbs"], clause.object
    if clause.complement is not None:
        return tables["infinitival" if clause.infinitive else "clausal"]
    if thing is None:
        return tables["motion" if _travels(clause) else "intransitive"]
    if clause.recipient is not None:
        return tables["ditransitive"]
    if thing.pronoun == "reflexive":
        return tables["reflexive"]
    if not thing.noun.person:
        return tables["transitive"].get(thing.noun.kind, [])
    linked = clause.verb.particle in LINKING_PREPOSITIONS
    return tables["symmetric" if linked else "reversible"]


def synonym_of_adjective(clause: Clause, scene: Scene) -> Clause | None:
    return _other_adjective(clause, scene, scene.lexicon.synonyms)


def opposite_of_adjective(clause: Clause, scene: Scene) -> Clause | None:
    return _other_adjective(clause, scene, scene.lexicon.opposites)


def _other_adjective(clause: Clause, scene: Scene, table: dict[str, list[str]]) -> Clause | None:
    for name, phrase in participants(clause):
        words = scene.lexicon.open(table.get(phrase.adjectives[0], ()) if phrase.adjectives else ())
        fitting = [w for w in words if scene.lexicon.fits(w, phrase.noun.kind)]
        if fitting:
            word = scene.pick(fitting)
            return replace(clause, **{name: replace(phrase, adjectives=(word,))})
    return None


def synonym_of_subject(clause: Clause, scene: Scene) -> Clause | None:
    return _other_noun(clause, clause.subject, scene)


def synonym_of_object(clause: Clause, scene: Scene) -> Clause | None:
    return _other_noun(clause, clause.object, scene)


def _other_noun(clause: Clause, phrase: Phrase | None, scene: Scene) -> Clause | None:
    """The clause with another noun for a phrase, wherever it speaks of the same."""
    if phrase is None or phrase.pronoun:
        return None
    names = scene.lexicon.noun_synonyms.get(phrase.noun.singular)
    if not names:
        return None
    name = scene.pick(names)
    classes = scene.lexicon.nouns[phrase.noun.domain][phrase.noun.kind]
    noun = next(noun for noun in classes if noun.singular == name)
    return with_referent(clause, phrase.entity, replace(phrase, noun=noun))


def synonym_of_manner(clause: Clause, scene: Scene) -> Clause | None:
    words = scene.lexicon.open(scene.lexicon.synonyms.get(clause.manner, ()))
    return replace(clause, manner=scene.pick(words)) if words else None


def without_adjective(clause: Clause, scene: Scene) -> Clause | None:
    for name, phrase in participants(clause):
        if phrase.adjectives:
            return replace(clause, **{name: replace(phrase, adjectives=())})
    return None


def without_owner(clause: Clause, scene: Scene) -> Clause | None:
    thing = clause.object
    if thing is None or thing.owner is None or thing.noun.person:
        return None
    return replace(clause, object=replace(thing, owner=None))


def without_time(clause: Clause, scene: Scene) -> Clause | None:
    return replace(clause, time="") if clause.time else None


def without_place(clause: Clause, scene: Scene) -> Clause | None:
    return None if not clause.places or _located(clause) else replace(clause, places=())


def without_manner(clause: Clause, scene: Scene) -> Clause | None:
    return replace(clause, manner="") if clause.manner else None


def without_adjunct(clause: Clause, scene: Scene) -> Clause | None:
    return replace(clause, adjunct=None) if clause.adjunct else None


def other_number(clause: Clause, scene: Scene) -> Clause | None:
    thing = clause.object
    if thing is None or thing.noun.proper or thing.determiner not in ("the", "a") or thing.owner:
        return None
    if thing.pronoun or clause.adjunct:
        return None
    return replace(clause, object=replace(thing, plural=not thing.plural, determiner="the"))


def other_tense(clause: Clause, scene: Scene) -> Clause | None:
    if clause.modal or clause.time or clause.adjunct or clause.tense == "Pres":
        return None
    if clause.complement and not clause.infinitive:
        return None
    return replace(clause, modal="will", perfect=False)


def other_subject(clause: Clause, scene: Scene) -> Clause | None:
    """Another subject; the pronouns for it change with it."""
    old = clause.subject
    if _located(clause):
        new = scene.thing(old.noun.kind, modified=False)
        return replace(clause, subject=new) if _differ(old, new, scene) else None
    new = scene.person_of(old.gender)
    return with_referent(clause, old.entity, new) if _differ(old, new, scene) else None


def other_object(clause: Clause, scene: Scene) -> Clause | None:
    old = clause.object
    if old is None or old.pronoun:
        return None
    new = scene.person_of(old.gender) if old.noun.person else scene.thing(old.noun.kind)
    return with_referent(clause, old.entity, new) if _differ(old, new, scene) else None


def _differ(old: Phrase, new: Phrase, scene: Scene) -> bool:
    """Whether two nouns mean different things: a class may have no other noun left."""
    same = (old.noun.singular, *scene.lexicon.noun_synonyms.get(old.noun.singular, ()))
    return new.noun.singular not in same


def other_verb(clause: Clause, scene: Scene) -> Clause | None:
    if clause.verb is None or clause.complement or clause.recipient or _located(clause):
        return None
    # A synonym would be no other verb, an opposite is an edit of its own.
    for table in (scene.lexicon.synonyms, scene.lexicon.opposites):
        scene.used |= _names(scene, table, clause.verb.name)
    if clause.object is None:
        new = scene.verb("motion" if _travels(clause) else "intransitive")
    elif clause.object.noun.person:
        new = scene.verb("reversible")
    else:
        new = scene.verb("transitive", clause.object.noun.kind)
    same = (clause.verb.name, *_names(scene, scene.lexicon.synonyms, clause.verb.name))
    return replace(clause, verb=new) if new.name not in same else None


def _names(scene: Scene, table: dict[str, list[str]], name: str) -> set[str]:
    """The names of the verbs that a table has for one."""
    return {Verb.parse(word).name for word in table.get(name, ())}


def negation(clause: Clause, scene: Scene) -> Clause | None:
    if clause.frequency or clause.adjunct or (clause.verb and _located(clause)):
        return None
    return replace(clause, negated=not clause.negated)


def other_roles(clause: Clause, scene: Scene) -> Clause | None:
    if clause.recipient is not None:
        return exchange_recipient(clause)
    if clause.standard is not None:
        return exchange_standard(clause)
    if _located(clause):
        return exchange_position(clause)
    thing = clause.object
    if thing is not None and thing.noun.person and not (thing.pronoun or clause.complement):
        return exchange_roles(clause)
    return None


COSTS: dict[Edit, float] = {
    synonym_of_verb: 0.2,
    synonym_of_adjective: 0.1,
    synonym_of_manner: 0.1,
    synonym_of_subject: 0.2,
    synonym_of_object: 0.2,
    other_number: 0.4,
    other_tense: 0.5,
    without_adjective: 0.4,
    without_owner: 0.6,
    without_time: 0.5,
    without_place: 0.5,
    without_manner: 0.4,
    without_adjunct: 1.2,
    opposite_of_adjective: 1.0,
    other_subject: 1.4,
    other_object: 1.4,
    other_roles: 1.6,
    negation: 1.8,
    other_verb: 1.8,
    opposite_of_verb: 2.2,
}
# What each edit changes, where it is not a part of its own. Two edits of one part would cost more
# than they change: the opposite of another verb is another verb, "did not lose" is "found".
PARTS: dict[Edit, set[str]] = {
    synonym_of_verb: {"verb"},
    other_verb: {"verb"},
    opposite_of_verb: {"verb", "polarity"},
    negation: {"polarity"},
    synonym_of_adjective: {"adjectives", "subject", "object"},
    opposite_of_adjective: {"adjectives", "subject", "object"},
    without_adjective: {"adjectives", "subject", "object"},
    synonym_of_subject: {"subject"},
    synonym_of_object: {"object"},
    other_subject: {"subject"},
    other_object: {"object"},
    other_number: {"object"},
    without_owner: {"object"},
    synonym_of_manner: {"manner"},
    without_manner: {"manner"},
}
EDITS = tuple(COSTS)
# Those of one part that never leave a paraphrase, and those that always do.
SUBSTITUTIONS = (other_subject, other_object, other_verb)
SYNONYMS = (
    synonym_of_verb,
    synonym_of_adjective,
    synonym_of_manner,
    synonym_of_subject,
    synonym_of_object,
)


def participants(clause: Clause) -> list[tuple[str, Phrase]]:
    """The noun phrases of a clause by the name of their role."""
    roles = ("subject", "object", "recipient", "standard")
    return [(role, getattr(clause, role)) for role in roles if getattr(clause, role) is not None]


def with_referent(clause: Clause, entity: int, new: Phrase) -> Clause:
    """The clause with `new` wherever it speaks of `entity`, by a pronoun where it did so."""
    changes: dict = {}
    for role, phrase in participants(clause):
        if phrase.entity == entity:
            changes[role] = new.as_pronoun(phrase.pronoun) if phrase.pronoun else new
        elif phrase.owner is not None and phrase.owner.entity == entity and phrase.owner.pronoun:
            changes[role] = replace(phrase, owner=new.as_pronoun())
    if clause.complement is not None:
        changes["complement"] = with_referent(clause.complement, entity, new)
    if clause.adjunct is not None:
        mark, inner = clause.adjunct
        changes["adjunct"] = (mark, with_referent(inner, entity, new))
    return replace(clause, **changes)


def _travels(clause: Clause) -> bool:
    return any(preposition == "from" for preposition, _ in clause.places)


def _located(clause: Clause) -> bool:
    """Whether the clause says where a thing stands."""
    return clause.verb is not None and clause.verb.lemma == "stand"
