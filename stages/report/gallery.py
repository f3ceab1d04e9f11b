"""The gallery: of each pattern class, role and relation the clearest and the median map.

The maps are those that the stages `examples` and `text_examples` chose and the pages of heads show;
the gallery puts them side by side, and beside them the texts that were drawn by chance.
"""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from stages.core.pages.said import counted, listed
from stages.core.pages.titles import PATTERN_TITLES
from stages.core.viewer.script.assets import STATIC, joined
from stages.core.viewer.tables import PATTERN, RELATION, ROLE
from stages.report.head_examples import Example
from stages.report.head_pages import ModelHeads, file_of

SOURCES = Path(__file__).parent / "head_page"
# Of each kind of choice: its heading, how to read it, one of it and several.
KINDS = {
    PATTERN: (
        "Pattern classes",
        "Kovaleva et al.'s classes, as the classifier gives them to maps of tasks (a stripe on "
        "whatever token counts as vertical). The clearest map is that of the highest probability.",
        ("pattern class", "pattern classes"),
    ),
    ROLE: (
        "Roles",
        "Vig's patterns, each in the head that follows it most on these texts. A strength is 0 "
        "where attention lies on all tokens alike and 1 where it follows the pattern alone.",
        ("role", "roles"),
    ),
    RELATION: (
        "Syntactic relations",
        "Relations between words, each in the head whose attention follows it most, in the "
        "direction in which it does. Strengths are as those of roles. The words of many relations "
        "stand side by side: a head that attends to a neighbour follows these, whatever it knows; "
        "the page of syntax has the best fixed offset beside each.",
        ("relation", "relations"),
    ),
}
CLASSES = {
    "vertical": "a few tokens take the attention of most",
    "diagonal": "the token before or after",
    "vertical+diagonal": "both of these",
    "block": "tokens of the same text of a pair",
    "heterogeneous": "none of these shapes",
}


@dataclass(frozen=True)
class Picture:
    """A map, or all maps of a text, and where it leads.

    Attributes:
        example: what is shown.
        address: of the head's page with this map.
        file: with the maps, in the folder `heads`.
        arm: whose map is shown.
        of: the model, where there are several.
    """

    example: Example
    address: str
    file: str
    arm: str
    of: str


@dataclass(frozen=True)
class Shelf:
    """The pictures of one pattern class, role or relation, and what it is."""

    title: str
    text: str
    pictures: list[Picture]


@dataclass(frozen=True)
class Gallery:
    """All shelves by kind, and the texts that were drawn by chance."""

    shelves: dict[str, list[Shelf]]
    drawn: list[Picture]

    @property
    def in_short(self) -> list[str]:
        """How much there is to see."""
        if not self.shelves and not self.drawn:
            return ["No maps were kept in this configuration."]
        said = []
        if self.shelves:
            maps = sum(len(one.pictures) for some in self.shelves.values() for one in some)
            kinds = [counted(len(some), *KINDS[kind][2]) for kind, some in self.shelves.items()]
            said.append(f"{counted(maps, 'map', 'maps')} of {listed(kinds)}.")
        if self.drawn:
            texts = counted(len(self.drawn), "text", "texts")
            said.append(f"{texts} drawn by chance, with the maps of all heads.")
        return said


def gallery_of(models: list[ModelHeads]) -> Gallery:
    """The pictures of all models, shelves in the order in which their maps were chosen."""
    shelves: dict[str, dict[str, list[Picture]]] = {}
    drawn = []
    for number, model in enumerate(models):
        name = model.name if len(models) > 1 else ""
        for example in model.examples:
            picture = _picture(number, name, example)
            if example.choice is None:
                drawn.append(picture)
                continue
            of_kind = shelves.setdefault(example.choice.kind, {})
            of_kind.setdefault(example.choice.name, []).append(picture)
    return Gallery(
        {
            kind: [Shelf(*described(kind, name), some) for name, some in shelves[kind].items()]
            for kind in KINDS
            if kind in shelves
        },
        drawn,
    )


def described(kind: str, name: str) -> tuple[str, str]:
    """The title of a shelf, and what is attended to there."""
    if kind == PATTERN:
        return name, CLASSES.get(name, "")
    return PATTERN_TITLES.get(name, name), ""


def _picture(number: int, model: str, example: Example) -> Picture:
    layer, head = example.heads[0]
    shown = {"of": number, "layer": layer, "head": head, "text": example.key}
    shown["view"] = "model" if example.choice is None else "map"
    arm = example.record["models"][0]["name"]
    return Picture(example, f"head.html#{urlencode(shown)}", file_of(example), arm, model)


def write_gallery_assets(folder: Path) -> None:
    """Write the script and the style of the page into the folder of assets."""
    parts = joined(STATIC, ("drawing.js",)), joined(SOURCES, ("unpacking.js", "gallery.js"))
    script = '"use strict";\n(() => {\n' + "\n".join(parts) + "\n})();\n"
    (folder / "gallery.js").write_text(script, encoding="utf-8")
    style = (SOURCES / "gallery.css").read_text(encoding="utf-8")
    (folder / "gallery.css").write_text(style, encoding="utf-8")
