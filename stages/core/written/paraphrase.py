"""The task `paraphrase`: two texts that say the same, or not, with the same share of shared words.

For label 1 the second text says the first one's meaning in another style (active and passive,
"gave Anna the book" and "gave the book to Anna", a fronted time), with synonyms, or with those
parts exchanged that may be (who met whom). For label 0 as many words are replaced by others that
mean something else, or parts are exchanged so that the meaning changes.

Each first text, or each second one, comes with both labels. The two other texts are said in one
style, have as many words, as many different ones, and share as many with it, so that no number that
is computed of these tells the label. A twentieth of the draws, a fifth of those for training, is
easier: for label 0 the second text tells something else and shares fewer words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields

import numpy as np

from stages.core.written.clause import realise
from stages.core.written.comparison import may_write, overlap, template_of
from stages.core.written.edit import SUBSTITUTIONS, SYNONYMS, Edit, negation
from stages.core.written.exchange import Exchange
from stages.core.written.kinds import DRAWN, KINDS, Kind, movable
from stages.core.written.lexicon import Lexicon, pick
from stages.core.written.meaning import Clause, Style
from stages.core.written.scene import Scene
from stages.core.written.tree import Node, annotate, plain, sentence

# How label 0 comes about: words are replaced (for label 1 by synonyms), parts are exchanged, or it
# is something else from the same scene, which shares fewer words.
REPLACED, EXCHANGED, OTHER = "replaced", "exchanged", "other"
WAYS = {REPLACED: 0.8, EXCHANGED: 0.15, OTHER: 0.05}
# Without easier pairs to begin with, an encoder may stay at chance for hundreds of steps: nothing
# tells it at first to compare the two texts at all.
TRAINING_WAYS = {REPLACED: 0.67, EXCHANGED: 0.13, OTHER: 0.2}
MOST_REPLACED = 3  # words
SYNONYM_SHARE = 0.15  # of the exchanges: a synonym for one of the words, for both labels
STYLES = 8  # of the second texts, drawn at most until both share as many words with the first
NEGATED_SHARE = 0.12  # of the meanings, where they can be
KEEPING_EXCHANGE = 0.4  # chance that label 1 exchanges what it may
STYLE_CHANCE = 0.3  # of each choice of style
# Chance that the second text makes another choice than the first: moves of a particle, an adverb,
# a time are common, those that turn the participants round (the passive) are rarer.
LIGHT_CHANGE = 0.5
HEAVY_CHANGE = 0.15
LIGHT = ("particle_last", "front_time", "early_manner", "of_genitive", "bare_complement")
RICHNESS = (0.0, 0.0, 0.0, 0.1)
CHOICES = fields(Style)


def draw_style(generator: np.random.Generator) -> Style:
    return Style(*(bool(generator.random() < STYLE_CHANCE) for _ in CHOICES))


def restyled(style: Style, generator: np.random.Generator) -> Style:
    """A style that differs from `style` in some choices."""
    return Style(
        **{
            f.name: getattr(style, f.name)
            != bool(generator.random() < (LIGHT_CHANGE if f.name in LIGHT else HEAVY_CHANGE))
            for f in CHOICES
        }
    )


def draw(generator: np.random.Generator, lexicon: Lexicon) -> list[dict]:
    """Draw two pairs with one text in common, the first or the second of both, one for each label.

    They are rows of `SCHEMA` without ids, with the kind of meaning, how label 0 comes about, and
    the templates of both texts.
    """
    ways = TRAINING_WAYS if lexicon.split == "train" else WAYS
    how = str(generator.choice(list(ways), p=list(ways.values())))
    rows: list[dict] = []
    while not rows:
        rows = _rows(generator, lexicon, how)
    return rows


def _rows(generator: np.random.Generator, lexicon: Lexicon, how: str) -> list[dict]:
    """The two rows for one meaning, none if it does not fit."""
    scene = Scene(generator, lexicon, richness=pick(generator, RICHNESS))
    name = pick(generator, DRAWN)
    kind = KINDS[name]
    clause = movable(kind.draw(scene), scene)
    if scene.chance(NEGATED_SHARE):
        clause = negation(clause, scene) or clause
    if how == EXCHANGED:
        if not kind.change:
            return []
        change = scene.pick(kind.change)
        # Some exchanges make odd sentences ("the arrest filmed the juror"): both labels get them.
        clause = change(clause) if scene.chance(0.5) else clause
    style = draw_style(generator)
    first = clause and sentence(realise(clause, style))
    if first is None or not may_write(lexicon, [first]):
        return []
    if how == EXCHANGED:
        meanings = _exchanged(kind, clause, scene, change)
    else:
        meanings = _replaced(clause, scene) if how == REPLACED else _other(kind, clause, scene)
    for changed, kept in meanings:
        said = restyled(style, generator)
        seconds = [sentence(realise(meaning, said)) for meaning in (changed, kept)]
        if _fit(first, seconds, how) and may_write(lexicon, seconds):
            break
    else:
        return []
    turned = scene.chance(0.5)
    rows = []
    for label, second in enumerate(seconds):
        roots = (second, first) if turned else (first, second)
        facts = {"kind": name, "how": how, "templates": [template_of(root) for root in roots]}
        rows.append(annotate(*([root] for root in roots)) | {"label": float(label)} | facts)
    return rows


def _fit(first: Node, seconds: Sequence[Node], how: str) -> bool:
    """Whether two texts differ from a first one and, where they should, overlap with it alike."""
    text, one, other = (plain(root) for root in (first, *seconds))
    if text in (one, other):
        return False
    return how == OTHER or overlap(text, one) == overlap(text, other)


def _replaced(clause: Clause, scene: Scene) -> Iterator[tuple[Clause, Clause]]:
    """The clause with words that mean something else, and with as many synonyms, in any order."""
    used = set(scene.used)
    for _ in range(STYLES):
        scene.used = set(used)
        count = int(scene.generator.integers(1, MOST_REPLACED + 1))
        changed = _edited(clause, SUBSTITUTIONS, count, scene)
        kept = _edited(clause, SYNONYMS, count, scene)
        if changed is not None and kept is not None:
            yield changed, kept


def _edited(clause: Clause, edits: Sequence[Edit], count: int, scene: Scene) -> Clause | None:
    """The clause after some edits in any order; None if fewer apply."""
    for place in scene.generator.permutation(len(edits)):
        changed = edits[place](clause, scene)
        if changed is not None:
            clause, count = changed, count - 1
        if count == 0:
            return clause
    return None


def _exchanged(
    kind: Kind, clause: Clause, scene: Scene, change: Exchange
) -> Iterator[tuple[Clause, Clause]]:
    """The clause with parts exchanged so that its meaning changes, and so that it does not."""
    if scene.chance(SYNONYM_SHARE):
        clause = scene.pick(SYNONYMS)(clause, scene) or clause
    changed = change(clause)
    kept = _kept(kind, clause, scene)
    if changed is not None and changed != kept:
        yield from [(changed, kept)] * STYLES


def _other(kind: Kind, clause: Clause, scene: Scene) -> Iterator[tuple[Clause, Clause]]:
    """Another clause of the same kind from the same scene, and the clause."""
    yield from [(kind.draw(scene), _kept(kind, clause, scene))] * STYLES


def _kept(kind: Kind, clause: Clause, scene: Scene) -> Clause:
    """The clause, or one with those parts exchanged that may be."""
    exchanged = kind.keep and scene.chance(KEEPING_EXCHANGE)
    return scene.pick(kind.keep)(clause) if exchanged else clause
