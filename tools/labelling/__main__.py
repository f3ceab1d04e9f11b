"""Commands of the labelling tool, in the order of use: draw, sheets, compare, finish, figure."""

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from stages.core.recordings.store import MapStore
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError, atomic
from stages.core.stage.targets import target_file
from stages.patterns.labelled_maps import (
    CLASSES,
    CLOSER_ANNOTATORS,
    FIRST_ANNOTATORS,
    read_labelled,
    read_table,
)
from stages.patterns.map_file import read_maps, write_maps
from stages.patterns.network import PatternClassifier
from stages.patterns.outside import read_outside
from tools.labelling.agreement import adjudicate, agreement, agreements, doubtful, read_labels
from tools.labelling.draw import DrawnBy, DrawSettings
from tools.labelling.draw import draw as draw_maps
from tools.labelling.options import (
    DEFAULT_ENCODER,
    MODELS,
    check_guesses,
    maps_before,
    models_drawn_from,
)
from tools.labelling.outside import draw_outside
from tools.labelling.sheets import (
    CLOSER_LAYOUT,
    FIRST_LAYOUT,
    TOKENS_LAYOUT,
    Layout,
    draw_sheet,
    write_sheets,
)
from tools.labelling.targets import LABELS, adjudicated_files, sheets_folder

app = typer.Typer(add_completion=False, help=__doc__, no_args_is_help=True)

Folder = Annotated[Path, typer.Option(help="folder of the maps and the labels")]

# The options of `draw`.
Work = Annotated[Path, typer.Option(help="the pipeline's folder: tasks and models")]
Models = Annotated[str, typer.Option(help="folders of WORK/models, separated by commas")]
Encoder = Annotated[str, typer.Option(help="name of the encoder of MODELS")]
Checkpoint = Annotated[
    Path | None,
    typer.Option(help="folder of another encoder, untuned, in place of MODELS; name it too"),
]
Count = Annotated[int, typer.Option(help="maps to draw")]
Folds = Annotated[int, typer.Option(help="groups of heads and sentences")]
Items = Annotated[int, typer.Option(help="texts per task and fold")]
Tokens = Annotated[int, typer.Option(help="tokens, with [CLS] and [SEP]")]
More = Annotated[bool, typer.Option(help="add maps to those there")]
By = Annotated[
    DrawnBy,
    typer.Option(
        help="chance: as frequent as the classes are; balanced over them by a guess: rough "
        "(from plain features), maps (a classifier's, of each map), heads (a classifier's, of "
        "each head; which of its maps is left to chance)"
    ),
]
Classifier = Annotated[
    Path | None, typer.Option(help="for --by maps and --by heads: work/classifier, say")
]
Classes = Annotated[
    list[str] | None,
    typer.Option("--class", help="one that a balanced draw is for; may be repeated; else all"),
]


@app.command()
def draw(
    folder: Folder = Path("data/patterns"),
    work: Work = Path("work"),
    models: Models = MODELS,
    encoder: Encoder = DEFAULT_ENCODER,
    checkpoint: Checkpoint = None,
    count: Count = DrawSettings.count,
    folds: Folds = DrawSettings.folds,
    items: Items = DrawSettings.per_fold,
    shortest: Tokens = DrawSettings.shortest,
    longest: Tokens = DrawSettings.longest,
    seed: int = DrawSettings.seed,
    more: More = False,
    by: By = DrawSettings.by,
    classifier: Classifier = None,
    classes: Classes = None,
) -> None:
    """Draw the maps to be labelled: writes maps.npz and maps.csv."""
    check_guesses(by, classifier, classes or [])
    before = maps_before(folder, more)
    if not more:
        target_file(folder / "maps.npz", "file of maps")
    drawn_from = models_drawn_from(work / "models", models, encoder, checkpoint)
    guesser = None if classifier is None else PatternClassifier.load(classifier)
    wanted = tuple(classes or CLASSES)
    settings = DrawSettings(encoder, count, folds, items, shortest, longest, seed, by, wanted)
    table, maps = draw_maps(work / "tasks", drawn_from, settings, before, guesser)
    if more:
        table = pd.concat([before, table], ignore_index=True)
        maps = read_maps(folder / "maps.npz") + maps
    write_maps(folder / "maps.npz", maps)
    write_csv(table, folder / "maps.csv")
    typer.echo(f"{len(maps)} maps of {table['length'].min()} to {table['length'].max()} tokens")


@app.command()
def sheets(
    out: Path,
    folder: Folder = Path("data/patterns"),
    start_at: Annotated[int, typer.Option(help="number of the first map to draw")] = 0,
    closer: Annotated[
        tuple[Path, Path] | None,
        typer.Option(help="the first two annotators' files: draw what they doubt, larger"),
    ] = None,
) -> None:
    """Draw the numbered labelling sheets as PNG files in OUT, with an empty labels.csv beside."""
    sheets_folder(out, folder)
    table = read_table(folder / "maps.csv")
    rows = list(range(start_at, len(table)))
    if closer is None:
        draw_sheets(folder, rows, out, FIRST_LAYOUT)
        return
    unsure = doubtful(*(read_labels(path, table["map"].tolist()) for path in closer))
    draw_sheets(folder, [row for row in rows if unsure[row]], out, CLOSER_LAYOUT)


@app.command()
def outside(
    recording: Annotated[Path, typer.Argument(help="a folder of maps, as docs/texts.md says")],
    folder: Annotated[Path, typer.Argument(help="where to write which maps were drawn")],
    count: Count = 408,
    seed: int = DrawSettings.seed,
) -> None:
    """Draw maps of a RECORDING by chance, for a test outside: writes FOLDER/maps.csv, no map."""
    place = target_file(folder / "maps.csv", "list of the drawn maps", sources=[recording])
    write_csv(draw_outside(MapStore(recording), count, seed), place)


@app.command()
def parts(
    out: Path,
    folder: Folder = Path("data/patterns"),
    recording: Annotated[
        Path | None, typer.Option(help="of the maps that `outside` drew into FOLDER")
    ] = None,
    size: Annotated[int, typer.Option(help="maps of one part")] = 102,
    seed: int = DrawSettings.seed,
) -> None:
    """Draw sheets that name tokens, for labels under both rules, in parts OUT/1, OUT/2, ...

    Of a recording all drawn maps, in the order of the draw; else those of the labelled maps that
    were drawn by chance, shuffled. Either way the first parts alone are a draw by chance too.
    """
    if recording is None:
        table, maps = read_table(folder / "maps.csv"), read_maps(folder / "maps.npz")
        rows = np.flatnonzero(table["drawn_by"] == DrawnBy.CHANCE)
        rows = np.random.default_rng(seed).permutation(rows).tolist()
    else:
        table, maps = read_outside(folder, MapStore(recording))
        rows = list(range(len(table)))
    starts = range(0, len(rows), size)
    places = [sheets_folder(out / str(number)) for number in range(1, len(starts) + 1)]
    columns = {"any": "", "special": "", "sure": ""}
    for start, place in zip(starts, places, strict=True):
        some = sorted(rows[start : start + size])
        write_csv(table.loc[some, ["map"]].assign(**columns), place / LABELS)
        write_sheets(table, maps, some, place, TOKENS_LAYOUT)


@app.command()
def compare(first: Path, second: Path, out: Path, folder: Folder = Path("data/patterns")) -> None:
    """Compare two annotators' files: prints kappa, draws the disagreements as sheets in OUT.

    Only maps that both have labelled count, so that it serves both looks.
    """
    sheets_folder(out, folder)
    maps = read_table(folder / "maps.csv")["map"].tolist()
    one, two = (read_labels(path, maps)["label"] for path in (first, second))
    typer.echo(json.dumps(agreement(one, two), indent=2))
    rows = one.index[(one != two) & (one != "") & (two != "")].tolist()
    draw_sheets(folder, rows, out, CLOSER_LAYOUT)


@app.command()
def finish(
    annotators: Annotated[
        list[Path],
        typer.Argument(help="files of FIRST, SECOND and of two or three who looked closer"),
    ],
    decisions: Annotated[
        Path | None, typer.Option(help="labels of the maps that are left open")
    ] = None,
    folder: Folder = Path("data/patterns"),
) -> None:
    """Write labels.csv (every annotator's label and the adjudicated one) and agreement.json.

    The label is what FIRST and SECOND agree on without a doubt, else what most of those say who
    looked closer, of whom there must be two. A decision counts before both. What is left open is
    named, and nothing is written. The agreement is as `agreements` says.
    """
    names = (*FIRST_ANNOTATORS, *CLOSER_ANNOTATORS)
    if len(annotators) not in range(2, len(names) + 1):
        raise InputError(f"{len(annotators)} files of labels; give 2 to {len(names)}")
    place, _ = adjudicated_files(folder)
    maps = read_table(folder / "maps.csv")["map"].tolist()
    tables = [read_labels(path, maps) for path in annotators]
    for path, table in zip(annotators, tables, strict=True):
        if without := int((table["label"] == "").sum()):
            typer.echo(f"{path}: {without} maps without a label", err=True)
    nothing = pd.DataFrame({"map": maps, "label": "", "doubt": ""})
    decided = nothing if decisions is None else read_labels(decisions, maps)
    result = adjudicate(tables, decided)
    write_csv(result, place)
    write_agreements(folder)
    labels = read_labelled(folder).table["label"].value_counts()
    for name in CLASSES:
        typer.echo(f"{name}: {labels.get(name, 0)}")


@app.command()
def agree(folder: Folder = Path("data/patterns")) -> None:
    """Write agreement.json anew, from the labels.csv that is there."""
    write_agreements(folder)


@app.command()
def figure(
    maps: str,
    path: Path,
    folder: Folder = Path("data/patterns"),
    closer: Annotated[bool, typer.Option(help="as on the sheets for a closer look")] = False,
) -> None:
    """Draw the maps with these numbers (separated by commas) as one picture for the guideline."""
    place = target_file(path, "picture")
    table, weights = read_table(folder / "maps.csv"), read_maps(folder / "maps.npz")
    rows = [int(number) for number in maps.split(",")]
    layout = CLOSER_LAYOUT if closer else FIRST_LAYOUT
    draw_sheet(table, weights, rows, [str(row) for row in rows], place, layout)


def draw_sheets(folder: Path, rows: list[int], out: Path, layout: Layout) -> None:
    """Draw the maps at `rows`, a sheet named by its first map, and an empty labels.csv beside."""
    table, maps = read_table(folder / "maps.csv"), read_maps(folder / "maps.npz")
    place = sheets_folder(out)
    write_csv(table.loc[rows, ["map"]].assign(label="", doubt=""), place / LABELS)
    write_sheets(table, maps, rows, place, layout)


def write_agreements(folder: Path) -> None:
    """Write agreement.json of the labels in a folder."""
    _, place = adjudicated_files(folder)
    found = agreements(read_table(folder / LABELS))
    with atomic(place) as partial:
        partial.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, with the same line ends on every system."""
    with atomic(path) as partial:
        table.to_csv(partial, index=False, lineterminator="\n")


if __name__ == "__main__":
    stage_command(app)
