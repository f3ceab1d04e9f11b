"""The scripts and the style of the views, for pages that hold them or lie beside them."""

from pathlib import Path

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
