"""The scripts and the style of the views, for pages that hold them or lie beside them."""

import json
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parent / "static"
# In this order: each uses what stands before it.
SCRIPTS = (
    "numbers.js",
    "state.js",
    "drawing.js",
    "tokens.js",
    "head_view.js",
    "head_grid.js",
    "model_view.js",
    "map_view.js",
    "controls.js",
)


def viewer_script() -> str:
    """All scripts of the views, one after the other."""
    return joined(STATIC, SCRIPTS)


def viewer_style() -> str:
    """The style of the views, for an element of the class `viewer`."""
    return (STATIC / "viewer.css").read_text(encoding="utf-8")


def joined(folder: Path, names: tuple[str, ...]) -> str:
    """Some files of a folder as one text."""
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


def as_json(data: Any) -> str:
    """JSON that cannot end the element around it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
