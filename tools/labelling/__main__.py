"""Commands of the labelling tool, in the order of use: draw, sheets, compare, finish, figure."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from stages.core.stage.arms import FROM_CHECKPOINT, UNTUNED
from stages.core.stage.files import InputError, atomic
from stages.patterns.labelled_maps import (
    CLASSES,
    CLOSER_ANNOTATORS,
    FIRST_ANNOTATORS,
    read_labelled,
    read_maps,
    read_table,
    write_maps,
)
from stages.patterns.network import PatternClassifier
from tools.labelling.agreement import adjudicate, agreement, doubtful, read_labels
from tools.labelling.draw import NONE_BEFORE, DrawnBy, DrawSettings, Model
from tools.labelling.draw import draw as draw_maps
from tools.labelling.sheets import CLOSER_LAYOUT, FIRST_LAYOUT, Layout, draw_sheet

app = typer.Typer(add_completion=False, help=__doc__, no_args_is_help=True)

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
TASKS = ("relevance", "paraphrase", "sentiment", "similarity")
MODELS = ",".join(f"{task}/{arm}-0" for task in TASKS for arm in FROM_CHECKPOINT)

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
    table = read_table(folder / "maps.csv")
    rows = list(range(start_at, len(table)))
    if closer is None:
        draw_sheets(folder, rows, out, FIRST_LAYOUT)
        return
    unsure = doubtful(*(read_labels(path, table["map"].tolist()) for path in closer))
    draw_sheets(folder, [row for row in rows if unsure[row]], out, CLOSER_LAYOUT)


@app.command()
def compare(first: Path, second: Path, out: Path, folder: Folder = Path("data/patterns")) -> None:
    """Compare two annotators' files: prints kappa, draws the disagreements as sheets in OUT.

    Only maps that both have labelled count, so that it serves both looks.
    """
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
    named, and nothing is written. The agreement is that of the first two, and of the first two who
    looked closer.
    """
    names = (*FIRST_ANNOTATORS, *CLOSER_ANNOTATORS)
    if len(annotators) not in range(2, len(names) + 1):
        raise InputError(f"{len(annotators)} files of labels; give 2 to {len(names)}")
    maps = read_table(folder / "maps.csv")["map"].tolist()
    tables = [read_labels(path, maps) for path in annotators]
    for path, table in zip(annotators, tables, strict=True):
        if without := int((table["label"] == "").sum()):
            typer.echo(f"{path}: {without} maps without a label", err=True)
    nothing = pd.DataFrame({"map": maps, "label": "", "doubt": ""})
    decided = nothing if decisions is None else read_labels(decisions, maps)
    result = adjudicate(tables, decided)
    looks = {"first_look": tables[:2], "closer_look": tables[2:4]}
    agreements = {
        look: agreement(*(table["label"] for table in pair))
        for look, pair in looks.items()
        if len(pair) == 2
    }
    write_csv(result, folder / "labels.csv")
    with atomic(folder / "agreement.json") as partial:
        partial.write_text(json.dumps(agreements, indent=2) + "\n", encoding="utf-8")
    labels = read_labelled(folder).table["label"].value_counts()
    for name in CLASSES:
        typer.echo(f"{name}: {labels.get(name, 0)}")


@app.command()
def figure(
    maps: str,
    path: Path,
    folder: Folder = Path("data/patterns"),
    closer: Annotated[bool, typer.Option(help="as on the sheets for a closer look")] = False,
) -> None:
    """Draw the maps with these numbers (separated by commas) as one picture for the guideline."""
    table, weights = read_table(folder / "maps.csv"), read_maps(folder / "maps.npz")
    rows = [int(number) for number in maps.split(",")]
    layout = CLOSER_LAYOUT if closer else FIRST_LAYOUT
    draw_sheet(table, weights, rows, [str(row) for row in rows], path, layout)


def check_guesses(by: DrawnBy, classifier: Path | None, classes: Sequence[str]) -> None:
    """Refuse options of a draw that do not go together.

    Raises:
        InputError: a class is unknown, a classifier is lacking, or the draw has no use for one.
    """
    if unknown := set(classes) - set(CLASSES):
        raise InputError(f"--class {min(unknown)}: no such class; use {', '.join(CLASSES)}")
    if (classifier is not None) != (by in (DrawnBy.MAPS, DrawnBy.HEADS)):
        raise InputError(
            "--by maps and --by heads need --classifier; other draws have no use for it"
        )
    if classes and by is DrawnBy.CHANCE:
        raise InputError("--by chance has no use for --class; use a balanced draw")


def maps_before(folder: Path, more: bool) -> pd.DataFrame:
    """The table of the maps that a draw adds to.

    Raises:
        InputError: maps are there, and the draw is not to add to them.
    """
    if more:
        return read_table(folder / "maps.csv")
    if (folder / "maps.csv").exists():
        raise InputError(f"{folder / 'maps.csv'} is there; add to it with --more, or give --folder")
    return NONE_BEFORE


def models_drawn_from(
    folder: Path, names: str, encoder: str, checkpoint: Path | None
) -> list[Model]:
    """The models of the pipeline with these names, or an untuned checkpoint on every task.

    Raises:
        InputError: the checkpoint has no name.
    """
    if checkpoint is None:
        return [Model.of_pipeline(folder / name) for name in names.split(",")]
    if encoder == DEFAULT_ENCODER:
        raise InputError(f"--checkpoint {checkpoint}: say with --encoder what it is called")
    return [Model(task, UNTUNED, 0, checkpoint) for task in TASKS]


def draw_sheets(folder: Path, rows: list[int], out: Path, layout: Layout) -> None:
    """Draw the maps at `rows`, a sheet named by its first map, and an empty labels.csv beside."""
    table, maps = read_table(folder / "maps.csv"), read_maps(folder / "maps.npz")
    with typer.progressbar(range(0, len(rows), layout.maps), label="sheets") as starts:
        for start in starts:
            some = rows[start : start + layout.maps]
            titles = [str(table.at[row, "map"]) for row in some]
            path = out / f"sheet-{table.at[some[0], 'map']:04d}.png"
            draw_sheet(table, maps, some, titles, path, layout)
    write_csv(table.loc[rows, ["map"]].assign(label="", doubt=""), out / "labels.csv")


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, with the same line ends on every system."""
    with atomic(path) as partial:
        table.to_csv(partial, index=False, lineterminator="\n")


if __name__ == "__main__":
    try:
        app(standalone_mode=True)
    except InputError as error:
        typer.secho(f"error: {error}", fg="red", err=True)
        raise SystemExit(2) from None
