"""Commands of the labelling tool, in the order of use: draw, sheets, compare, finish, figure."""

import json
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from stages.core.files import InputError, atomic
from stages.core.pattern_data import CLASSES, read_labelled, read_maps, read_table, write_maps
from stages.labelling.agreement import ORDINALS, adjudicate, agreement, read_labels
from stages.labelling.draw import Model
from stages.labelling.draw import draw as draw_maps
from stages.labelling.sheets import draw_sheet

app = typer.Typer(add_completion=False, help=__doc__, no_args_is_help=True)

Folder = Annotated[Path, typer.Option(help="folder of the maps and the labels")]
PER_SHEET = 20
DEFAULT_ENCODER = "all-MiniLM-L6-v2"
TASKS = ("relevance", "paraphrase", "sentiment", "similarity")
MODELS = ",".join(f"{task}-{arm}-0" for task in TASKS for arm in ("none", "pretrained"))


@app.command()
def draw(
    folder: Folder = Path("data/patterns"),
    work: Annotated[Path, typer.Option(help="the pipeline's folder: tasks and models")] = Path(
        "work"
    ),
    models: Annotated[
        str, typer.Option(help="folders of WORK/models, separated by commas")
    ] = MODELS,
    encoder: Annotated[str, typer.Option(help="name of the encoder of MODELS")] = DEFAULT_ENCODER,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="folder of another encoder, untuned, in place of MODELS; name it too"),
    ] = None,
    count: Annotated[int, typer.Option(help="maps to draw")] = 520,
    folds: Annotated[int, typer.Option(help="groups of heads and sentences")] = 5,
    items: Annotated[int, typer.Option(help="texts per task and fold")] = 16,
    shortest: Annotated[int, typer.Option(help="tokens, with [CLS] and [SEP]")] = 8,
    longest: Annotated[int, typer.Option(help="tokens, with [CLS] and [SEP]")] = 72,
    seed: int = 2019,
    more: Annotated[bool, typer.Option(help="add maps to those there")] = False,
    balanced: Annotated[
        bool, typer.Option(help="over the classes; otherwise as frequent as they are")
    ] = True,
) -> None:
    """Draw the maps to be labelled: writes maps.npz and maps.csv."""
    before = read_table(folder / "maps.csv") if more else None
    if checkpoint is not None and encoder == DEFAULT_ENCODER:
        raise InputError(f"--checkpoint {checkpoint}: say with --encoder what it is called")
    if checkpoint is None:
        drawn_from = [Model.of_pipeline(work / "models" / name) for name in models.split(",")]
    else:
        drawn_from = [Model(task, "none", 0, checkpoint) for task in TASKS]
    table, maps = draw_maps(
        work / "tasks",
        drawn_from,
        encoder,
        count,
        folds,
        items,
        shortest,
        longest,
        seed,
        before,
        balanced,
    )
    if before is not None:
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
) -> None:
    """Draw the numbered labelling sheets as PNG files in OUT, with an empty labels.csv beside."""
    table, maps = read_table(folder / "maps.csv"), read_maps(folder / "maps.npz")
    with typer.progressbar(range(start_at, len(maps), PER_SHEET), label="sheets") as starts:
        for start in starts:
            rows = list(range(start, min(start + PER_SHEET, len(maps))))
            titles = [str(table.at[row, "map"]) for row in rows]
            draw_sheet(table, maps, rows, titles, out / f"sheet-{start // PER_SHEET:02d}.png")
    write_csv(table.loc[start_at:, ["map"]].assign(label="", doubt=""), out / "labels.csv")


@app.command()
def compare(first: Path, second: Path, out: Path, folder: Folder = Path("data/patterns")) -> None:
    """Compare two annotators' files: prints kappa, draws the disagreements as sheets in OUT."""
    table, maps = read_table(folder / "maps.csv"), read_maps(folder / "maps.npz")
    one, two = (
        read_labels(path, table["map"].tolist(), whole=False)["label"] for path in (first, second)
    )
    typer.echo(json.dumps(agreement(one, two), indent=2))
    rows = one.index[(one != two) & (one != "") & (two != "")].tolist()
    for start in range(0, len(rows), PER_SHEET):
        some = rows[start : start + PER_SHEET]
        titles = [f"{table.at[row, 'map']}: {one[row]} / {two[row]}" for row in some]
        draw_sheet(table, maps, some, titles, out / f"disagreement-{start // PER_SHEET:02d}.png")
    write_csv(table.loc[rows, ["map"]].assign(label="", doubt=""), out / "decisions.csv")


@app.command()
def finish(
    annotators: Annotated[list[Path], typer.Argument(help="two or more files of labels")],
    decisions: Annotated[Path, typer.Option(help="labels of the maps that are left open")],
    folder: Folder = Path("data/patterns"),
) -> None:
    """Write labels.csv (every annotator's label and the adjudicated one) and agreement.json.

    The label is what the first two annotators agree on, else what most of them say, else what
    DECISIONS says; a decision always counts, a row without a label is none. The first must label
    every map, the others may leave maps out; a map that the second left out is learnt from, but
    counts in no score. The agreement is that of the first two.
    """
    if len(annotators) not in range(2, len(ORDINALS) + 1):
        raise InputError(f"{len(annotators)} files of labels; give 2 to {len(ORDINALS)}")
    numbers = read_table(folder / "maps.csv")["map"].tolist()
    tables = [read_labels(path, numbers, whole=k == 0) for k, path in enumerate(annotators)]
    for path, table in zip(annotators, tables, strict=True):
        if without := int((table["label"] == "").sum()):
            typer.echo(f"{path}: {without} maps without a label", err=True)
    decided = read_labels(decisions, None)
    write_csv(adjudicate(tables, decided), folder / "labels.csv")
    with atomic(folder / "agreement.json") as partial:
        result = agreement(tables[0]["label"], tables[1]["label"])
        partial.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    labels = read_labelled(folder).table["label"].value_counts()
    for name in CLASSES:
        typer.echo(f"{name}: {labels.get(name, 0)}")


@app.command()
def figure(maps: str, path: Path, folder: Folder = Path("data/patterns")) -> None:
    """Draw the maps with these numbers (separated by commas) as one picture for the guideline."""
    table, weights = read_table(folder / "maps.csv"), read_maps(folder / "maps.npz")
    rows = [int(number) for number in maps.split(",")]
    draw_sheet(table, weights, rows, [str(row) for row in rows], path)


def write_csv(table, path: Path) -> None:
    with atomic(path) as partial:
        table.to_csv(partial, index=False, lineterminator="\n")


if __name__ == "__main__":
    try:
        app(standalone_mode=True)
    except InputError as error:
        typer.secho(f"error: {error}", fg="red", err=True)
        raise SystemExit(2) from None
