"""What is saved of a chart: its specification with a description, its data, and its image."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import vl_convert

from stages.core.pages.charts import ZERO, VegaLite
from stages.core.stage.files import atomic

# Columns by which a mark leads to the page of its head, whether or not a chart shows them.
OF_HEADS = ("layer", "head", "data", "corpus", "model", "panel")


def specification(made: VegaLite, description: str) -> VegaLite:
    """A chart with a description for those who cannot see it.

    Of its data it has only the columns that it names somewhere, and those that lead to heads.
    """
    named = "\n".join(_texts({key: part for key, part in made.items() if key != "datasets"}))
    datasets = {}
    for name, rows in made.get("datasets", {}).items():
        kept = {key for row in rows for key in row if key in OF_HEADS or key in named}
        datasets[name] = [{key: value for key, value in row.items() if key in kept} for row in rows]
    data = {"datasets": datasets} if "datasets" in made else {}
    return made | data | {"description": description}


def data_of(made: VegaLite) -> pd.DataFrame:
    """The rows that a chart draws, as its specification holds them; not those of lines at 0."""
    datasets = specification(made, "")["datasets"].values()
    tables = [pd.DataFrame(rows) for rows in datasets]
    return pd.concat([table for table in tables if list(table) != [ZERO]], ignore_index=True)


def _texts(part: Any) -> Iterator[str]:
    """Every text in a specification, as fields and expressions are; escapes are taken off."""
    if isinstance(part, dict):
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from _texts(inner)
    elif isinstance(part, str):
        yield part.replace("\\", "")


def save_svg(made: VegaLite, path: Path) -> None:
    """Write the chart as an SVG file.

    Marks are not described one by one: nobody hears them in an image, whose text is the page's,
    and they would make the file half as large again.
    """
    silent = made | {"config": {**made.get("config", {}), "aria": False}}
    svg = vl_convert.vegalite_to_svg(silent)
    with atomic(path) as partial:
        partial.write_text(_renumbered(svg) + "\n", encoding="utf-8")


def _renumbered(svg: str) -> str:
    """Number gradients and clips from 0: the renderer counts on over all charts of a process."""
    numbers: dict[str, int] = {}
    return re.sub(
        r"\b(gradient_|clip)(\d+)\b",
        lambda match: match[1] + str(numbers.setdefault(match[0], len(numbers))),
        svg,
    )
