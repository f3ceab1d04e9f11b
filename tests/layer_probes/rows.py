"""A table of probes as the stage writes it, of accuracies that a test names."""

from typing import Any

from stages.core.verdicts.measures import Measures
from stages.layer_probes.tables import CHANCE, EMBEDDINGS, FIRST, LAYER, SCORES, WORD_EMBEDDINGS
from tests.claims import write_drawn

NAMES = {"embeddings": EMBEDDINGS, "words": WORD_EMBEDDINGS, "first": FIRST, "chance": CHANCE}


def probe_rows(
    probe: str,
    part: str,
    layers: list[float],
    position: int = 0,
    encoder: str = "untuned",
    **levels: float,
) -> list[dict[str, Any]]:
    """One row a layer, with their accuracies, and one a level: `embeddings`, `words`, `first`,
    `chance`."""
    place = {"encoder": encoder, "probe": probe, "position": position, "part": part}
    values = [(LAYER, layer, value) for layer, value in enumerate(layers)]
    values += [(NAMES[key], -1, value) for key, value in levels.items()]
    return [
        place
        | {"state": state, "layer": layer, "accuracy": value}
        | {"low": value - 0.01, "high": value + 0.01, "sentences": 50, "items": 20}
        for state, layer, value in values
    ]


def write_probes(measures: Measures, *parts: list[dict[str, Any]], name: str = "written") -> None:
    """Write the table of a set, all rows with the same noise in their resamples."""
    rows = [row for part in parts for row in part]
    write_drawn(measures, SCORES, rows, spread=0.01, set=name)
