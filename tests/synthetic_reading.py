"""Measures of readers of one set of questions, of the rows that tests of their room have."""

from pathlib import Path

from stages.core.questions.tables import QUESTION_SIZES
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.places import MEASURES
from stages.core.verdicts.measures import Measures
from stages.reading import tables
from stages.reading.attacks import TO_PASSAGE
from tests.claims import write_table
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
        choice(value, change=change, outcome=outcome, arm=arm)
        for change, value in ((tables.EFFECT, 0.2), (tables.ATTACKED, 0.1))
        for outcome in tables.OUTCOMES_OF_HEADS
        for arm in READERS
    ]
    write_table(measures, tables.CHOICES, choices, 0.01, QUESTIONS)
    of_heads = [
        {"arm": arm, "layer": layer, "head": head}
        for arm in READERS
        for layer in range(layers)
        for head in range(heads)
    ]
    effects = [
        keys
        | {"attack": TO_PASSAGE, "examples": 60}
        | dict.fromkeys(tables.CHANGES, 0.1 + 0.01 * keys["layer"] - 0.02 * keys["head"])
        for keys in of_heads
    ]
    write_table(measures, tables.HEADS, effects, 0.05, QUESTIONS)
    conditions = {TO_PASSAGE: 0.2, tables.INTACT: 0.05}
    bars = [
        cls(0.2, beyond, condition, part, arm)
        for condition, beyond in conditions.items()
        for part in tables.PARTS
        for arm in READERS
    ]
    write_table(measures, tables.CLS, bars, 0.01, QUESTIONS)
    cells = [
        keys | {"condition": condition, "part": part, "share": 0.1, "beyond": beyond}
        for keys in of_heads
        for condition, beyond in conditions.items()
        for part in tables.PARTS
    ]
    write_table(measures, tables.CLS_HEADS, cells, data=QUESTIONS)
    sizes = [
        {"split": split, "examples": count, "passages": count // 2, "fewest_options": 3}
        | {"most_options": 4, "tokens": 90 * count, "unknown": 0, "cut": 0, "in_both": 0}
        for split, count in (("train", 10), ("validation", 100))
    ]
    write_table(measures, QUESTION_SIZES, sizes, data=QUESTIONS)
