"""Exchanges: a clause with two of its parts in each other's place.

What an exchange does to the meaning depends on the clause: who praised whom changes, who met whom
does not. An exchange that does not apply gives None.
"""

from collections.abc import Callable
from dataclasses import replace

from stages.core.written.meaning import Clause

Exchange = Callable[[Clause], Clause | None]  # None where it does not apply


def exchange_roles(clause: Clause) -> Clause | None:
    return replace(clause, subject=clause.object, object=clause.subject)


def exchange_recipient(clause: Clause) -> Clause | None:
    return replace(clause, subject=clause.recipient, recipient=clause.subject)


def exchange_standard(clause: Clause) -> Clause | None:
    return replace(clause, subject=clause.standard, standard=clause.subject)


def exchange_degree(clause: Clause) -> Clause | None:
    """Less for more: the opposite, unless the standard is exchanged too."""
    other = {"comparative": "inferior", "inferior": "comparative"}[clause.degree]
    return replace(clause, degree=other)


def exchange_degree_and_standard(clause: Clause) -> Clause | None:
    return exchange_degree(exchange_standard(clause))


def exchange_adjectives(clause: Clause) -> Clause | None:
    """Give the subject's adjectives to the other participant and back."""
    for name in ("recipient", "object", "standard"):
        other, one = getattr(clause, name), clause.subject
        if other is not None and one.adjectives != other.adjectives:
            return replace(
                clause,
                subject=replace(one, adjectives=other.adjectives),
                **{name: replace(other, adjectives=one.adjectives)},
            )
    return None


def exchange_object_and_place(clause: Clause) -> Clause | None:
    if not clause.places or clause.object is None:
        return None
    ((preposition, ground),) = clause.places
    return replace(clause, object=ground, places=((preposition, clause.object),))


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


def exchange_conjunct_objects(clause: Clause) -> Clause | None:
    other = clause.conjunct
    if clause.object is None or other.object is None:
        return None
    return replace(clause, object=other.object, conjunct=replace(other, object=clause.object))


def exchange_adjunct_objects(clause: Clause) -> Clause | None:
    mark, inner = clause.adjunct
    if clause.object is None or inner.object is None:
        return None
    return replace(
        clause, object=inner.object, adjunct=(mark, replace(inner, object=clause.object))
    )


def exchange_inner_roles(clause: Clause) -> Clause | None:
    return replace(clause, complement=exchange_roles(clause.complement))


def move_negation(clause: Clause) -> Clause | None:
    inner = clause.complement
    if clause.negated == inner.negated:
        return None
    return replace(clause, negated=inner.negated, complement=replace(inner, negated=clause.negated))


def exchange_clauses(clause: Clause) -> Clause | None:
    return replace(clause.conjunct, conjunct=replace(clause, conjunct=None))
