"""Measures of readers of one set of questions, of the rows that tests of their room have."""

from pathlib import Path

import numpy as np

from stages.core.questions.tables import QUESTION_SIZES
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.places import MEASURES
from stages.core.verdicts.measures import Measures
from stages.reading import tables
from stages.reading.attacks import TO_PASSAGE
from tests.claims import write_drawn, write_rows, write_table
from tests.reading.rows import (
    choice,
    cls,
    from_random,
    reader,
    trainings,
    write_scores,
    write_shuffled,
)

QUESTIONS = "passages"
READERS = (TUNED, TUNED_FROM_RANDOM)


def write_reading(folder: Path, layers: int, heads: int) -> None:
    """Every table of the stage `reading`, of one seed, and the sizes of the questions."""
    measures = Measures(folder / MEASURES, {}, [], {})
    write_scores(measures, [*reader(), *from_random(), *trainings()], QUESTIONS)
    write_shuffled(measures, QUESTIONS)
    choices = [
        choice(value, change=change, outcome=outcome, name=name)
        for change, value in ((tables.EFFECT, 0.2), (tables.ATTACKED, 0.1))
        for outcome in tables.OUTCOMES_OF_HEADS
        for name in READERS
    ]
    write_drawn(measures, tables.CHOICES, choices, 0.01, questions=QUESTIONS)
    layer, head = np.divmod(np.arange(layers * heads), heads)
    places = [{"layer": one, "head": other} for one, other in zip(layer, head, strict=True)]
    own = [place | {"reader": name, "seed": 0} for name in READERS for place in places]
    off = [
        place
        | {"attack": TO_PASSAGE, "examples": 60}
        | {
            name: value + 0.01 * place["layer"] - 0.02 * place["head"]
            for change in tables.CHANGES
            for name, value in ((change, 0.1), (f"{change}_low", 0.0), (f"{change}_high", 0.2))
        }
        for place in own
    ]
    write_rows(measures, tables.HEADS, off, questions=QUESTIONS)
    conditions = {TO_PASSAGE: 0.2, tables.INTACT: 0.05}
    bars = [
        cls(0.2, beyond, condition, part, name)
        for condition, beyond in conditions.items()
        for part in tables.PARTS
        for name in READERS
    ]
    write_drawn(measures, tables.CLS, bars, 0.01, questions=QUESTIONS)
    cells = [
        place | {"condition": condition, "part": part, "share": 0.1, "beyond": beyond}
        for place in own
        for condition, beyond in conditions.items()
        for part in tables.PARTS
    ]
    write_rows(measures, tables.CLS_HEADS, cells, questions=QUESTIONS)
    sizes = [
        {"split": split, "examples": count, "passages": count // 2, "fewest_options": 3}
        | {"most_options": 4, "tokens": 90 * count, "unknown": 0, "cut": 0, "in_both": 0}
        for split, count in (("train", 10), ("validation", 100))
    ]
    write_table(measures, QUESTION_SIZES, sizes, data=QUESTIONS)
