"""Texts with one head whose map is known: each token attends to the one before it.

The texts have what pages must show as it is: marks of HTML, and scripts from right to left and
without spaces.
"""

import contextlib
from pathlib import Path

import numpy as np
import pandas as pd

from stages.core.recordings.tokens import Special
from stages.core.viewer.readable import Tokens
from stages.core.viewer.tables import CHOSEN, MAPS
from stages.core.viewer.tables import TEXTS as KEPT
from stages.examples.choosing import choose_patterns, choose_roles, drawn_by_seed
from stages.examples.kept import choice_table, map_table, numbered, role_strengths, text_table
from tests.toy_maps import ToyRecording

TEXTS = (
    ("the dog sees the cat", "a river"),
    ("<script>alert(1)</script> & <b>", "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd"),
    ("\u732b \u5728 \u8fd9\u91cc", "x y"),
    ("one two three four five six", "seven"),
)


def planted_map(length: int) -> np.ndarray:
    """All attention on the token before; the first token's on itself."""
    made = np.eye(length, k=-1)
    made[0, 0] = 1
    return made


class PlantedRecording(ToyRecording):
    """One head attends to the token before; the others by chance."""

    def __init__(self, arm: str, layers: int, heads: int, planted: tuple[int, int]):
        self.name, self.layers, self.heads, self.planted = arm, layers, heads, planted
        self.tokens = pd.DataFrame([token_row(number) for number in range(len(TEXTS))])

    def _maps(self, row: int) -> np.ndarray:
        length = len(self.tokens["tokens"][row])
        generator = np.random.default_rng([len(self.name), row])
        maps = generator.dirichlet(np.ones(length), (self.layers, self.heads, length))
        maps[self.planted] = planted_map(length)
        return maps.astype(np.float32)


def token_row(number: int) -> dict:
    """A pair as `token_table` gives it: every word is a token."""
    first, second = (text.split() for text in TEXTS[number])
    plain = [Special.NONE] * len(first), [Special.NONE] * len(second)
    words = list(range(len(first) + len(second)))
    return {
        "id": str(number),
        "tokens": ["[CLS]", *first, "[SEP]", *second, "[SEP]"],
        "segments": [0] * (len(first) + 2) + [1] * (len(second) + 1),
        "word": [-1, *words[: len(first)], -1, *words[len(first) :], -1],
        "special": [Special.CLS, *plain[0], Special.SEP, *plain[1], Special.SEP],
    }


def planted_tables(
    layers: int, heads: int, planted: tuple[int, int], drawn: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Texts, maps and choices as the stage `examples` writes them, of two arms.

    The classifier finds the planted head diagonal, the surer the later the text, and the others
    heterogeneous, all alike.
    """
    recordings = {
        arm: PlantedRecording(arm, layers, heads, planted) for arm in ("tuned", "untuned")
    }
    rows = np.arange(len(TEXTS))
    corpus = pd.DataFrame(
        {
            "id": [str(row) for row in rows],
            "text_a": [first for first, _ in TEXTS],
            "text_b": [second for _, second in TEXTS],
            "label": [0.0] * len(TEXTS),
            "words": [[] for _ in TEXTS],
        }
    )
    classes = {
        (int(row), layer, head): (
            ("diagonal", "diagonal", 0.6 + row / 10)
            if (layer, head) == planted
            else ("heterogeneous", "heterogeneous", 0.55)
        )
        for row in rows
        for layer, head in np.ndindex(layers, heads)
    }
    classified = pd.DataFrame(
        [(*place, *of_map) for place, of_map in classes.items()],
        columns=["text", "layer", "head", "pattern", "pattern_special", "probability"],
    )
    strengths = role_strengths(recordings["tuned"], corpus, rows)
    choices = choose_patterns(classified) + choose_roles(strengths, heads)
    by_seed = drawn_by_seed(len(rows), drawn, 0)
    numbers = numbered(by_seed, choices)

    def tokens_of(row: int) -> Tokens:
        table = recordings["tuned"].tokens.iloc[row]
        pieces = list(table["tokens"])
        return Tokens(pieces, list(range(len(pieces))), pieces, list(table["segments"]), 0)

    maps = [
        map_table(arm, recording, numbers, by_seed, choices, rows, classes)
        for arm, recording in recordings.items()
    ]
    texts = text_table(numbers, by_seed, corpus, rows, tokens_of)
    return texts, pd.concat(maps, ignore_index=True), choice_table(choices, numbers)


def write_planted(
    folder: Path, data: str, layers: int, heads: int, planted: tuple[int, int], drawn: int
) -> None:
    """Write them as the measures of a task, in a folder with `work`."""
    tables = planted_tables(layers, heads, planted, drawn)
    with contextlib.chdir(folder):
        for declared, table in zip((KEPT, MAPS, CHOSEN), tables, strict=True):
            declared.write(table, data=data)
