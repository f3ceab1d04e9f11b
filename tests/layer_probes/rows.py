"""A table of probes as the stage writes it, of accuracies that a test names."""

from typing import Any

from stages.core.verdicts.measures import Measures
from stages.layer_probes.tables import CHANCE, EMBEDDINGS, FIRST, LAYER, SCORES, WORD_EMBEDDINGS
from tests.claims import write_table

NAMES = {"embeddings": EMBEDDINGS, "words": WORD_EMBEDDINGS, "first": FIRST, "chance": CHANCE}


def probe_rows(
    probe: str,
    part: str,
    layers: list[float],
    position: int = 0,
    arm: str = "untuned",
    **levels: float,
) -> list[dict[str, Any]]:
    """One row a layer, with their accuracies, and one a level: `embeddings`, `words`, `first`,
    `chance`."""
    keys = {"arm": arm, "probe": probe, "position": position, "part": part}
    values = [(LAYER, layer, value) for layer, value in enumerate(layers)]
    values += [(NAMES[key], -1, value) for key, value in levels.items()]
    return [
        keys | {"state": state, "layer": layer, "accuracy": value, "sentences": 50, "items": 20}
        for state, layer, value in values
    ]


def write_probes(measures: Measures, *parts: list[dict[str, Any]], data: str = "written") -> None:
    """Add rows to the table of a set, all with the same noise in their resamples."""
    rows = [row for part in parts for row in part]
    ends = [
        {"accuracy_low": row["accuracy"] - 0.01, "accuracy_high": row["accuracy"] + 0.01}
        for row in rows
    ]
    rows = [row | limits for row, limits in zip(rows, ends, strict=True)]
    write_table(measures, SCORES, rows, 0.01, data)
