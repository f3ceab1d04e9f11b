"""The task `similarity`: pairs with a score from 0 (another meaning) to 5 (the same).

The second text says the meaning of the first after some edits; each edit has a cost in points, and
the score is 5 less their sum, at least 0. Synonyms and style cost little or nothing, a lost
modifier more, another participant more again, exchanged roles, negation and another verb most.
Texts of two domains score 0.

More than half of the examples come in twos with one text in common: a closer and a farther pair,
whose scores add up to nearly 5, and whose other texts have as many words, as many different ones,
and share as many with the common one. There overlap tells nothing. In the other examples it falls
with the score.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from stages.core.written.clause import realise
from stages.core.written.comparison import may_write, overlap, template_of
from stages.core.written.edit import COSTS, EDITS, PARTS, negation
from stages.core.written.lexicon import Lexicon, pick
from stages.core.written.meaning import Clause
from stages.core.written.paraphrase import draw_style
from stages.core.written.scene import Scene
from stages.core.written.tree import Node, annotate, plain, sentence

FULL = 5.0
MOST_EDITS = 4
MATCHED_SHARE = 0.4  # of the draws: two examples of like overlap; the others are one example
ELSEWHERE_SHARE = 0.15  # of these: of another domain
SECOND_TEXTS = 20  # drawn for each first one, of which two are kept
LEAST_DIFFERENCE = 1.0  # of the two scores
UNEVEN = 0.8  # at most: how far their sum is from `FULL`
NEGATED_SHARE = 0.4  # of the meanings, where they can be: a negation is as often lost as added
RICHNESS = (0.15, 0.3, 0.5)
KINDS = (
    Scene.reversible,
    Scene.transitive,
    Scene.transitive,
    Scene.ditransitive,
    Scene.ditransitive,
    Scene.intransitive,
    Scene.wish,
    Scene.own,
    Scene.reflexive,
    Scene.reported,
    Scene.reason,
    Scene.described,
    lambda scene: scene.comparison("comparative"),
    lambda scene: scene.position("directed"),
)


@dataclass(frozen=True)
class Second:
    """What a second text could be, its score beside the first text, and how the two overlap."""

    root: Node
    score: float
    overlap: tuple[int, int, int]


def draw(generator: np.random.Generator, lexicon: Lexicon) -> list[dict]:
    """Draw one example, or two with one text in common, which is the first or the second of both.

    They are rows of `SCHEMA` without ids, with the templates of both texts and whether their
    overlap is `matched`.
    """
    seconds: list[Second] = []
    matched = generator.random() < MATCHED_SHARE
    while not seconds:
        scene = Scene(generator, lexicon, richness=pick(generator, RICHNESS))
        clause = pick(generator, KINDS)(scene)
        if scene.chance(NEGATED_SHARE):
            clause = negation(clause, scene) or clause
        first = sentence(realise(clause, draw_style(generator)))
        if may_write(lexicon, [first]):
            seconds = (_matched if matched else _free)(first, clause, scene)
    turned = generator.random() < 0.5
    rows = []
    for second in seconds:
        roots = (second.root, first) if turned else (first, second.root)
        row = annotate(*([root] for root in roots))
        templates = [template_of(root) for root in roots]
        label = round(second.score, 1)
        rows.append(row | {"label": label, "templates": templates, "matched": matched})
    return rows


def _free(first: Node, clause: Clause, scene: Scene) -> list[Second]:
    """One second text: the clause after some edits, or a clause of another domain."""
    if scene.chance(ELSEWHERE_SHARE):
        root = sentence(
            realise(pick(scene.generator, KINDS)(_elsewhere(scene)), draw_style(scene.generator))
        )
        fit = may_write(scene.lexicon, [root])
        return [Second(root, 0.0, overlap(plain(first), plain(root)))] if fit else []
    return list(islice(_seconds(clause, plain(first), scene), 1))


def _matched(first: Node, clause: Clause, scene: Scene) -> list[Second]:
    """Two second texts of like overlap and unlike scores; none if no two of those drawn fit."""
    seconds = list(islice(_seconds(clause, plain(first), scene), SECOND_TEXTS))
    pairs = [pair for pair in combinations(seconds, 2) if _fit(*pair)]
    # Or near scores would be by far the most frequent.
    wanted = scene.generator.uniform(LEAST_DIFFERENCE, FULL)
    differences = [abs(abs(one.score - other.score) - wanted) for one, other in pairs]
    return list(pairs[int(np.argmin(differences))]) if pairs else []


def _seconds(clause: Clause, text: str, scene: Scene) -> Iterator[Second]:
    """Second texts that differ from the first one, which says `clause`."""
    used = set(scene.used)
    for _ in range(SECOND_TEXTS):
        scene.used = set(used)
        other, score = _edited(clause, scene, int(scene.generator.integers(MOST_EDITS + 1)))
        root = sentence(realise(other, draw_style(scene.generator)))
        if plain(root) != text and may_write(scene.lexicon, [root]):
            yield Second(root, score, overlap(text, plain(root)))


def _fit(one: Second, other: Second) -> bool:
    """Whether the overlap of two second texts is the same, and their scores tell them apart."""
    apart = abs(one.score - other.score) >= LEAST_DIFFERENCE
    return apart and abs(one.score + other.score - FULL) <= UNEVEN and one.overlap == other.overlap


def _edited(clause: Clause, scene: Scene, count: int) -> tuple[Clause, float]:
    """The clause after `count` edits, no two of one part, and its score."""
    score, left, touched = FULL, list(EDITS), set()
    while count and left:
        edit = left.pop(int(scene.generator.integers(len(left))))
        if touched & PARTS.get(edit, set()):
            continue
        changed = edit(clause, scene)
        if changed is not None and changed != clause:
            clause, score, count = changed, score - COSTS[edit], count - 1
            touched |= PARTS.get(edit, set())
    return clause, max(score, 0.0)


def _elsewhere(scene: Scene) -> Scene:
    """A scene of another domain."""
    while (other := Scene(scene.generator, scene.lexicon, scene.richness)).domain == scene.domain:
        pass
    return other
