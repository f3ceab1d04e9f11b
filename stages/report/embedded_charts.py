"""Charts inside of pages: Vega-Lite whose data stand by columns, each name once.

Rows as Vega-Lite has them repeat the name of every column, and long names of panels; a page is half
as large without. `static/report.js` makes rows of them again.
"""

import json
from typing import Any

from markupsafe import Markup

from stages.core.pages.page import Figure
from stages.core.pages.saving import specification
from stages.report.prose import plain


def inline_specification(figure: Figure) -> Markup:
    """The figure's Vega-Lite as JSON that is safe inside of a script element."""
    made = specification(figure.vega_lite, plain(figure.caption))
    if "datasets" in made:
        made["datasets"] = {name: by_columns(rows) for name, rows in made["datasets"].items()}
    text = json.dumps(made, sort_keys=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))


def by_columns(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Rows that all have the same columns, as how many there are and the values of each column.

    A column of texts has each of its `texts` once, and for every row the number of its own.
    """
    names = list(rows[0]) if rows else []
    if any(row.keys() != rows[0].keys() for row in rows):
        raise ValueError("rows of one chart have different columns")
    columns = {name: _column([row[name] for row in rows]) for name in names}
    return {"count": len(rows), "columns": columns}


def _column(values: list[Any]) -> list[Any] | dict[str, Any]:
    if not all(isinstance(value, str) for value in values):
        return values
    places = {text: place for place, text in enumerate(dict.fromkeys(values))}
    return {"texts": list(places), "of": [places[value] for value in values]}
