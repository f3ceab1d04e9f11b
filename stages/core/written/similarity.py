"""The task `similarity`: pairs with a score from 0 (nothing in common) to 5 (the same meaning).

The second text says the meaning of the first after some edits; each edit has a cost in points, and
the score is 5 less their sum. Synonyms and style cost nothing or next to nothing, a lost modifier
little, another participant more, negation and another verb most. Texts of two domains score 0,
those of one scene that tell something else, or are edited beyond that, `SAME_SCENE`.
"""

import numpy as np

from stages.core.written.clause import realise
from stages.core.written.edit import COSTS, EDITS
from stages.core.written.lexicon import Lexicon, pick
from stages.core.written.meaning import Clause
from stages.core.written.paraphrase import draw_style
from stages.core.written.scene import Scene
from stages.core.written.tree import annotate, sentence

FULL = 5.0
SAME_SCENE = 0.6
OTHER_DOMAIN_SHARE = 0.12
SAME_SCENE_SHARE = 0.10
MOST_EDITS = 3
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


def draw(generator: np.random.Generator, lexicon: Lexicon) -> list[dict]:
    """Draw one example: a row of `SCHEMA` without its id, in a list."""
    scene = Scene(generator, lexicon, richness=pick(generator, RICHNESS))
    clause = pick(generator, KINDS)(scene)
    chance = generator.random()
    if chance < OTHER_DOMAIN_SHARE:
        other, score = pick(generator, KINDS)(_elsewhere(scene)), 0.0
    elif chance < OTHER_DOMAIN_SHARE + SAME_SCENE_SHARE:
        other, score = pick(generator, KINDS)(scene), SAME_SCENE
    else:
        other, score = _edited(clause, scene, int(generator.integers(MOST_EDITS + 1)))
    if generator.random() < 0.5:
        clause, other = other, clause
    row = annotate(*([sentence(realise(c, draw_style(generator)))] for c in (clause, other)))
    return [row | {"label": round(score, 1)}] if row["text_a"] != row["text_b"] else []


def _edited(clause: Clause, scene: Scene, count: int) -> tuple[Clause, float]:
    """The clause after `count` edits, each of another kind, and its score."""
    score, left = FULL, list(EDITS)
    while count and left:
        edit = left.pop(int(scene.generator.integers(len(left))))
        changed = edit(clause, scene)
        if changed is not None and changed != clause:
            clause, score, count = changed, score - COSTS[edit], count - 1
    return clause, max(score, SAME_SCENE)


def _elsewhere(scene: Scene) -> Scene:
    """A scene of another domain."""
    while (other := Scene(scene.generator, scene.lexicon, scene.richness)).domain == scene.domain:
        pass
    return other
