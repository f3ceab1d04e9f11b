"""The task `paraphrase`: pairs with the same words in another order, on both sides of the label.

A meaning is said twice. For label 1 the second text says the same in another style (active and
passive, "gave Anna the book" and "gave the book to Anna", a fronted time), or exchanges what may
be exchanged (who met whom). For label 0 the words are exchanged so that the meaning changes, and
the style is drawn as for label 1: no word and no construction tells the label.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np

from stages.core.written.clause import realise
from stages.core.written.lexicon import Lexicon, pick
from stages.core.written.meaning import Clause, Phrase, Style
from stages.core.written.scene import Scene
from stages.core.written.tree import annotate, sentence

LABELS = ("different", "same")
STYLE_CHANCE = {"passive": 0.4, "swap_phrases": 0.3, "inverted": 0.3}
Exchange = Callable[[Clause], Clause | None]  # None where it does not apply


def exchange_roles(clause: Clause) -> Clause | None:
    return replace(clause, subject=clause.object, object=clause.subject)


def exchange_recipient(clause: Clause) -> Clause | None:
    return replace(clause, subject=clause.recipient, recipient=clause.subject)


def exchange_standard(clause: Clause) -> Clause | None:
    return replace(clause, subject=clause.standard, standard=clause.subject)


def exchange_adjectives(clause: Clause) -> Clause | None:
    """Give the subject's modifiers to the other noun and back."""
    for name in ("recipient", "object", "standard"):
        other = getattr(clause, name)
        if other is not None and not other.noun.proper and not clause.subject.noun.proper:
            one = clause.subject
            if one.adjectives == other.adjectives or one.noun.kind != other.noun.kind:
                continue
            return replace(
                clause,
                subject=replace(one, adjectives=other.adjectives),
                **{name: replace(other, adjectives=one.adjectives)},
            )
    return None


def exchange_position(clause: Clause) -> Clause | None:
    ((preposition, ground),) = clause.places
    return replace(clause, subject=ground, places=((preposition, clause.subject),))


def exchange_cities(clause: Clause) -> Clause | None:
    (source, here), (goal, there) = clause.places
    return replace(clause, places=((source, there), (goal, here)))


def exchange_adjunct(clause: Clause) -> Clause | None:
    mark, inner = clause.adjunct
    return replace(inner, adjunct=(mark, replace(clause, adjunct=None)))


def exchange_adjunct_subjects(clause: Clause) -> Clause | None:
    mark, inner = clause.adjunct
    return replace(
        clause, subject=inner.subject, adjunct=(mark, replace(inner, subject=clause.subject))
    )


def exchange_speakers(clause: Clause) -> Clause | None:
    inner = clause.complement
    return replace(clause, subject=inner.subject, complement=replace(inner, subject=clause.subject))


def exchange_conjunct_subjects(clause: Clause) -> Clause | None:
    other = clause.conjunct
    return replace(clause, subject=other.subject, conjunct=replace(other, subject=clause.subject))


def exchange_inner_roles(clause: Clause) -> Clause | None:
    return replace(clause, complement=exchange_roles(clause.complement))


def move_negation(clause: Clause) -> Clause | None:
    inner = clause.complement
    if clause.negated == inner.negated:
        return None
    return replace(clause, negated=inner.negated, complement=replace(inner, negated=clause.negated))


def exchange_clauses(clause: Clause) -> Clause | None:
    return replace(clause.conjunct, conjunct=replace(clause, conjunct=None))


@dataclass(frozen=True)
class Kind:
    """A kind of meaning: how it is drawn, and which exchanges change or keep it."""

    draw: Callable[[Scene], Clause]
    change: tuple[Exchange, ...]
    keep: tuple[Exchange, ...] = ()


def _adjunct(scene: Scene, sort: str) -> Clause:
    marks = scene.lexicon.tables["modifiers"]["subordinators"][sort]
    main, inner = (
        replace(scene.pick((scene.transitive, scene.intransitive))(), time="", modal="")
        for _ in range(2)
    )
    return replace(main, adjunct=(scene.pick(marks), inner), perfect=False, tense="Past")


def _speech(scene: Scene) -> Clause:
    clause = scene.speech(replace(scene.reversible(), time="", places=()))
    negated = scene.chance(0.4)
    inner = scene.chance(0.5)
    complement = replace(clause.complement, negated=negated and inner, frequency="")
    return replace(clause, negated=negated and not inner, complement=complement)


def _coordinated(scene: Scene) -> Clause:
    one, other = (
        replace(
            scene.pick((scene.transitive, scene.intransitive))(),
            time="",
            tense="Past",
            perfect=False,
            frequency="",
        )
        for _ in range(2)
    )
    return replace(one, conjunct=other)


def _adjective_pair(scene: Scene, draw: Callable[[], Clause]) -> Clause:
    """A clause between two people told apart by an adjective each."""
    clause = draw()
    one, other = (
        replace(scene.person(proper=0, modified=False), adjectives=(scene.adjective("person"),))
        for _ in range(2)
    )
    return replace(clause, subject=one, **{_other_role(clause): other})


def _other_role(clause: Clause) -> str:
    return next(n for n in ("recipient", "standard", "object") if getattr(clause, n) is not None)


KINDS = {
    "reversible": Kind(Scene.reversible, (exchange_roles,)),
    "symmetric": Kind(
        lambda scene: _adjective_pair(scene, scene.symmetric),
        (exchange_adjectives,),
        (exchange_roles,),
    ),
    "adjectives": Kind(
        lambda scene: _adjective_pair(scene, scene.reversible),
        (exchange_adjectives, exchange_roles),
    ),
    "ditransitive": Kind(Scene.ditransitive, (exchange_recipient,)),
    "comparison": Kind(lambda scene: scene.comparison("comparative"), (exchange_standard,)),
    "equality": Kind(
        lambda scene: _adjective_pair(scene, lambda: scene.comparison("equal")),
        (exchange_adjectives,),
        (exchange_standard,),
    ),
    "position": Kind(lambda scene: scene.position("directed"), (exchange_position,)),
    "travel": Kind(Scene.travel, (exchange_cities,)),
    "subordinate": Kind(lambda scene: _adjunct(scene, "directed"), (exchange_adjunct,)),
    "simultaneous": Kind(
        lambda scene: _adjunct(scene, "symmetric"),
        (exchange_adjunct_subjects,),
        (exchange_adjunct,),
    ),
    "coordinated": Kind(_coordinated, (exchange_conjunct_subjects,), (exchange_clauses,)),
    "speech": Kind(_speech, (exchange_speakers, exchange_inner_roles, move_negation)),
}


def draw_style(generator: np.random.Generator) -> Style:
    return Style(
        **{
            field.name: bool(generator.random() < STYLE_CHANCE.get(field.name, 0.4))
            for field in fields(Style)
        }
    )


def draw(generator: np.random.Generator, lexicon: Lexicon) -> list[dict]:
    """Draw a meaning and two pairs about it, one for each label.

    Both pairs share the first text, so what is talked about never tells the label.
    """
    while True:
        scene = Scene(generator, lexicon, richness=float(generator.choice([0.1, 0.25, 0.45])))
        name = pick(generator, KINDS)
        clause = KINDS[name].draw(scene)
        changed = pick(generator, KINDS[name].change)(clause)
        keeps = KINDS[name].keep
        kept = pick(generator, keeps)(clause) if keeps and generator.random() < 0.7 else clause
        if changed is None or kept is None:
            continue
        style = draw_style(generator)
        rows = []
        for label, other in enumerate((changed, kept)):
            first, second = (
                [sentence(realise(said, how))]
                for said, how in ((clause, style), (other, draw_style(generator)))
            )
            rows.append(annotate(first, second) | {"label": float(label), "kind": name})
        if all(row["text_a"] != row["text_b"] for row in rows):
            return rows
