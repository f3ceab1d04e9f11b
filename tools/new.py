"""A configuration for data of one's own: `python -m tools.new NAME --train FILE ...`.

It reads both files as `prepare` will, says what it understood, and writes
`configurations/NAME/settings.yaml`, with the task's columns and the classes that stand in the data.
The rest of the folder it makes as `python -m tools.configurations` does.
"""

import os
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from ruamel.yaml import YAML

from stages.check.configuration import given
from stages.core.stage.command import stage_command
from stages.core.stage.edited import PARAMETER_FILE, SETTINGS_FILE
from stages.core.stage.files import InputError, atomic, read_yaml
from stages.core.stage.targets import require_plain_name
from tools.configurations import made_names, require_configuration, write
from tools.pipeline import ROOT
from tools.task_files import LABEL, SECOND, TEXT, columns_as_given, read_files

QUICK = ROOT / "configurations/quick" / SETTINGS_FILE
DEFAULT = ROOT / PARAMETER_FILE
QUICK_ROWS = {"train": 960, "validation": 400}  # at most so many are drawn
# Of the quick configuration: its name, and the data of this project that it names.
NOT_TAKEN = ("findings", "tasks", "corpora")
COMMENT = """\
# What differs from params.yaml at the root. After a change of it:
# python -m tools.configurations {folder}
# To study heads on texts of this project, too: corpora: {{sentences: {{}}, pairs: {{}}}}
"""


def folder_of(name: str) -> Path:
    """The folder of a new configuration, in which nothing is that would be written.

    Raises:
        InputError: the name would write elsewhere, over something, or into a task of the default.
    """
    require_plain_name(name, "the name")
    if name in read_yaml(DEFAULT)["tasks"]:
        raise InputError(
            f"{name!r}: the default has a task of that name, whose settings would be mixed with "
            "yours; take another name"
        )
    folder = ROOT / "configurations" / name
    if os.path.lexists(folder / SETTINGS_FILE):
        raise InputError(
            f"{folder / SETTINGS_FILE} is there already; edit it, or take another name"
        )
    here = [folder / name for name in made_names()]
    if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir()):
        here.insert(0, folder)
    for path in filter(os.path.lexists, here):
        raise InputError(f"{path} is there already; take another name, or move it away")
    return folder


def checkpoint_of(named: str) -> dict[str, str]:
    """The section `checkpoint`: a folder that is there, or a model of the Hub at its commit of now.

    Raises:
        InputError: there is no such folder, and the Hub has no such model.
    """
    from stages.core.checkpoint_source import FolderCheckpoint, named_checkpoint, pinned

    named_as = named_checkpoint(named)
    if isinstance(named_as, FolderCheckpoint):
        if not Path(named).is_dir():
            raise InputError(
                f"--checkpoint {named}: no such folder in {Path.cwd()}; it is neither a folder "
                "nor organisation/name of the Hub"
            )
        return {"source": "folder", "path": str(Path(named).resolve())}
    taken = f"--checkpoint {named}: no such folder in {Path.cwd()}; taken as a model of the Hub"
    try:
        model = pinned(named_as)
    except InputError as error:
        reason = str(error).removeprefix("params.yaml: `checkpoint`: ")
        raise InputError(f"{taken}: {reason}") from None
    typer.echo(f"{taken}, at its commit {model.revision}")
    return model.model_dump(exclude_none=True)


def main(
    name: Annotated[str, typer.Argument(help="of the configuration, and of its task")],
    train: Annotated[Path, typer.Option(help="examples to tune on: .tsv, .csv, .jsonl, .parquet")],
    validation: Annotated[Path, typer.Option(help="examples to measure on")],
    text: Annotated[
        str,
        typer.Option(
            help="column of the text, or of the first of a pair; 0 is the first of a file without "
            "a header line"
        ),
    ],
    label: Annotated[str, typer.Option(help="column of the class or score")],
    second: Annotated[str | None, typer.Option(help="column of the second text, of pairs")] = None,
    checkpoint: Annotated[
        str | None, typer.Option(help="folder, or organisation/name of the Hub; else the default")
    ] = None,
    rate: Annotated[float, typer.Option(help="learning rate of the tuning")] = 1.0e-4,
    quick: Annotated[bool, typer.Option(help="few examples, and no pattern classifier")] = False,
    kind: Annotated[
        Literal["classification", "regression"] | None,
        typer.Option(help="what labels are, classes or scores; else they tell"),
    ] = None,
    bad_rows: Annotated[
        Literal["stop", "skip"], typer.Option(help="whether rows that are no examples are left out")
    ] = "stop",
) -> None:
    """Make configurations/NAME for a task of your own files; then `dvc repro` there."""
    folder = folder_of(name)
    require_configuration(folder)
    if not 0 < rate <= 1:
        raise InputError(f"--rate is {rate}; give a number above 0 and not above 1, as 1e-4")
    options = {TEXT: text, SECOND: second, LABEL: label}
    columns = columns_as_given(train, {key: value for key, value in options.items() if value})
    data = (QUICK_ROWS if quick else {}) | ({"bad_rows": bad_rows} if bad_rows == "skip" else {})
    files = read_files(name, {"train": train, "validation": validation}, columns, kind, **data)
    settings: dict[str, Any] = {"findings": {"configuration": name}}
    if quick:
        taken = read_yaml(QUICK)
        settings |= {key: value for key, value in taken.items() if key not in NOT_TAKEN}
    settings["run"] = settings.get("run", {}) | {"tasks": [name]}
    if checkpoint:
        settings["checkpoint"] = checkpoint_of(checkpoint)
    settings["tasks"] = {name: files.entry | {"finetune": {"learning_rate": rate}}}
    splits = files.entry["data"]["splits"]
    splits |= {split: os.path.relpath(path, folder) for split, path in splits.items()}
    given(settings, str(folder / SETTINGS_FILE))  # which may refuse them, before any is written
    for line in files.said():
        typer.echo(line)
    folder.mkdir(parents=True, exist_ok=True)
    with atomic(folder / SETTINGS_FILE) as partial, partial.open("w", encoding="utf-8") as stream:
        stream.write(COMMENT.format(folder=f"configurations/{name}"))
        YAML().dump(settings, stream)
    write(folder)
    typer.echo(f"made configurations/{name}")
    typer.echo(f"how long it takes here: python -m tools.estimate configurations/{name}")
    typer.echo(f"to run it: cd configurations/{name} && dvc repro")


if __name__ == "__main__":
    stage_command(main)
