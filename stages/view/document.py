"""The page: its data as JSON, and the files of `static/` put into one.

Nothing in it is loaded from elsewhere, and its own policy forbids it.
"""

import re
from pathlib import Path
from typing import Any

from stages.core.viewer.readable import Tokens
from stages.core.viewer.rounding import HIGHEST, LARGEST, shares_as_text, signed_as_text
from stages.core.viewer.script.assets import joined, viewer_script, viewer_style
from stages.core.viewer.script.inline import as_json
from stages.view.attention import Attention, Prediction
from stages.view.models import ShownModel

STATIC = Path(__file__).parent / "static"
# After those of the views, in this order: each uses what stands before it.
SCRIPTS = ("neuron_view.js", "effect_view.js", "page.js")


def described(
    model: ShownModel, attention: Attention, prediction: Prediction | None
) -> dict[str, Any]:
    """A model and its numbers as the views read them: texts of 12-bit numbers by layer."""
    queries = [signed_as_text(of_heads) for of_heads in attention.queries]
    keys = [signed_as_text(of_heads) for of_heads in attention.keys]
    config = model.gated.model.config
    return {
        "name": model.name,
        "type": config.model_type,
        "layers": model.gated.layers,
        "heads": model.gated.heads,
        "parameters": model.parameters,
        "size": model.gated.head_size,
        "maps": [shares_as_text(of_heads) for of_heads in attention.maps],
        "queries": [text for text, _ in queries],
        "queryStep": [steps for _, steps in queries],
        "keys": [text for text, _ in keys],
        "keyStep": [steps for _, steps in keys],
        "classes": model.classes,
        "prediction": None if prediction is None else _rounded(prediction),
    }


def page_data(
    texts: list[str],
    tokens: Tokens,
    layers: list[int],
    heads: list[int],
    models: list[dict[str, Any]],
) -> dict[str, Any]:
    """All that the page shows."""
    return {
        "texts": texts,
        "pieces": tokens.pieces,
        "groups": tokens.groups,
        "words": tokens.words,
        "segments": tokens.segments,
        "unknown": tokens.unknown,
        "layers": layers,
        "heads": heads,
        "highest": HIGHEST,
        "largest": LARGEST,
        "models": models,
    }


def document(data: dict[str, Any]) -> str:
    """The page as one HTML document."""
    scripts = f"{viewer_script()}\n{joined(STATIC, SCRIPTS)}"
    styles = f"{viewer_style()}{joined(STATIC, ('view.css',))}"
    parts = {
        "styles": f"<style>\n{styles}</style>",
        "data": f'<script type="application/json" id="data">{as_json(data)}</script>',
        "scripts": f"<script>\n{scripts}</script>",
    }
    page = (STATIC / "view.html").read_text(encoding="utf-8")
    # In one pass: a text may hold such a mark itself.
    return re.sub("<!--(styles|data|scripts)-->", lambda mark: parts[mark[1]], page)


def _rounded(prediction: Prediction) -> dict[str, Any]:
    return {
        "whole": prediction.whole.round(6).tolist(),
        "without": {mode: values.round(6).tolist() for mode, values in prediction.without.items()},
    }
