"""Examples that were kept with their maps, as the script of a head's page reads them."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from stages.core.pages.said import counted
from stages.core.pages.titles import PATTERN_TITLES
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.core.viewer.clearest import clearest_and_median
from stages.core.viewer.packed_maps import as_text
from stages.core.viewer.tables import (
    CHOSEN,
    CORPUS_CHOSEN,
    CORPUS_MAPS,
    CORPUS_TEXTS,
    MAPS,
    PATTERN,
    RELATION,
    TEXTS,
)

# Strength of lines is counted in so many steps (stages/core/viewer/script/static/head_view.js).
HIGHEST = 4095
MOST_LETTERS = 60  # of a text where one is chosen


class Choice(NamedTuple):
    """For what a map was chosen, as `CHOSEN` has it."""

    kind: str
    name: str
    which: str
    value: float
    among: int


@dataclass(frozen=True)
class Example:
    """A text with some maps.

    Attributes:
        key: names it in addresses, and its file.
        data: the task or corpus.
        choice: for what its map was chosen; None of a text that was drawn by the seed alone, which
            has the maps of all heads.
        why: for what it was kept.
        text: its beginning.
        heads: layer and head of each map.
        record: what the views show (stages/core/viewer/script/static/numbers.js).
        clear: of drawn texts the probability of each classified map's pattern, by layer and head.
    """

    key: str
    data: str
    choice: Choice | None
    why: str
    text: str
    heads: list[tuple[int, int]]
    record: dict[str, Any]
    clear: dict[tuple[int, int], tuple[str, float]]

    @property
    def drawn(self) -> bool:
        """Whether it was drawn by the seed alone."""
        return self.choice is None

    @property
    def measured(self) -> str:
        """Of a chosen map, how clear it is, and among how many."""
        return "" if self.choice is None else measured_in_words(self.choice)

    @property
    def listed(self) -> dict[str, Any]:
        """Its entry in the list of examples; without heads where it has all."""
        return {
            "key": self.key,
            "data": self.data,
            "why": self.why,
            "text": self.text,
            "heads": None if self.drawn else self.heads,
        }


def examples_of(measures: Measures, labels: dict[str, list[str] | None]) -> list[Example]:
    """All examples of a model, those of tasks before those of corpora, drawn ones first.

    Args:
        labels: of each task the names of its classes; None for a score.
    """
    found: list[Example] = []
    for tables in ((TEXTS, MAPS, CHOSEN), (CORPUS_TEXTS, CORPUS_MAPS, CORPUS_CHOSEN)):
        with suppress(NotMeasured):
            texts, maps = (measures.rows(table) for table in tables[:2])
            for data in texts["data"].unique():
                chosen = pd.DataFrame(columns=tables[2].columns)
                with suppress(NotMeasured):
                    chosen = measures.rows(tables[2].where(data=data))
                of_data = (table[table["data"] == data] for table in (texts, maps))
                found += _of_data(data, *of_data, chosen, labels.get(data))
    return found


def _of_data(
    data: str,
    texts: pd.DataFrame,
    maps: pd.DataFrame,
    chosen: pd.DataFrame,
    labels: list[str] | None,
) -> Iterator[Example]:
    by_text = {int(number): own for number, own in maps.groupby("text")}
    rows = {int(row["text"]): row for _, row in texts.iterrows()}
    total = sum(bool(row["drawn"]) for row in rows.values())
    for number, row in rows.items():
        if row["drawn"]:
            why = f"one of {counted(total, 'text', 'texts')} drawn by chance"
            yield _example(f"{data}-{number}", data, None, why, row, by_text[number], labels)
    for place, row in enumerate(chosen.itertuples()):
        own = by_text[row.text]
        own = own[(own["layer"] == row.layer) & (own["head"] == row.head)]
        choice = Choice(row.kind, row.name, row.which, row.value, row.among)
        key = f"{data}-chosen-{place}"
        yield _example(key, data, choice, why_chosen(choice), rows[row.text], own, labels)


def why_chosen(choice: Choice) -> str:
    """For what a map was chosen, as "the median of 12 diagonal maps, probability 97%"."""
    if choice.kind == PATTERN:
        maps = counted(choice.among, f"{choice.name} map", f"{choice.name} maps")
        return f"the {choice.which} of {maps}, probability {choice.value:.0%}"
    texts = counted(choice.among, "text", "texts")
    name = PATTERN_TITLES.get(choice.name, choice.name)
    if choice.kind == RELATION:
        name = f"the relation {name}"
    return (
        f"the {choice.which} of {texts} in the head that follows most: "
        f"{name} (strength {choice.value:.2f})"
    )


def measured_in_words(choice: Choice) -> str:
    """How clear a map is and among how many, as "probability 97%, of 12 maps"."""
    if choice.kind == PATTERN:
        return f"probability {choice.value:.0%}, of {counted(choice.among, 'map', 'maps')}"
    return f"strength {choice.value:.2f}, of {counted(choice.among, 'text', 'texts')}"


def _example(
    key: str,
    data: str,
    choice: Choice | None,
    why: str,
    row: Any,
    maps: pd.DataFrame,
    labels: list[str] | None,
) -> Example:
    arms = list(dict.fromkeys(maps["arm"]))
    first = maps[maps["arm"] == arms[0]]
    layers, heads = sorted(set(first["layer"])), sorted(set(first["head"]))
    texts = [str(text) for text in row["texts"]]
    record = {
        "texts": texts,
        "pieces": list(row["pieces"]),
        "groups": [int(group) for group in row["groups"]],
        "words": list(row["words"]),
        "segments": [int(segment) for segment in row["segments"]],
        "unknown": 0,
        "layers": [int(layer) for layer in layers],
        "heads": [int(head) for head in heads],
        "highest": HIGHEST,
        "label": label_in_words(row["label"], labels),
        "models": [_arm(arm, maps[maps["arm"] == arm]) for arm in arms],
    }
    return Example(
        key,
        data,
        choice,
        why,
        shortened(" / ".join(texts)),
        [
            (int(layer), int(head))
            for layer, head in zip(first["layer"], first["head"], strict=True)
        ],
        record,
        {
            (int(one.layer), int(one.head)): (one.pattern, float(one.probability))
            for one in first.itertuples()
            if one.pattern
        },
    )


def _arm(name: str, maps: pd.DataFrame) -> dict[str, Any]:
    """The maps of an arm, by layer and head in order, and the pattern of each."""
    maps = maps.sort_values(["layer", "head"])
    patterns = [
        [one.pattern, one.pattern_special, round(float(one.probability), 4)]
        for one in maps.itertuples()
        if one.pattern
    ]
    return {
        "name": name,
        "packed": as_text(b"".join(maps["weights"])),
        "patterns": patterns or None,
    }


def label_in_words(label: float, labels: list[str] | None) -> str:
    """The name of a gold class, or a score; empty where there is none."""
    if np.isnan(label):
        return ""
    return f"{label:g}" if labels is None else labels[int(label)]


def shortened(text: str) -> str:
    """The beginning of a text."""
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"


def notes(examples: list[Example]) -> dict[tuple[int, int], dict[str, str]]:
    """Of each head, in which drawn text of each task its map is clearest, and in which median.

    Returns:
        By layer and head, then by the example's key.
    """
    found: dict[tuple[int, int], dict[str, str]] = {}
    for data in dict.fromkeys(example.data for example in examples):
        drawn = [one for one in examples if one.data == data and one.drawn and one.clear]
        for place in sorted({place for one in drawn for place in one.clear}):
            own = [one for one in drawn if place in one.clear]
            sure = np.array([one.clear[place][1] for one in own])
            for which, number in clearest_and_median(sure).items():
                pattern, probability = own[number].clear[place]
                said = f"{which} of this head's maps ({pattern}, probability {probability:.0%})"
                of_head = found.setdefault(place, {})
                key = own[number].key
                of_head[key] = f"{of_head[key]}; {said}" if key in of_head else said
    return found
