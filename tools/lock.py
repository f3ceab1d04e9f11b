"""Is a committed `dvc.lock` what these sources and parameters give? Checked without any data.

`dvc repro --allow-missing --dry` knows for every stage but those that depend on a folder gathered
from many stages' outputs. The hash of such a folder follows from the hashes of its files. The lock
or DVC's cache has them; otherwise sizes must add up (`folder_complaints`). Of code that changed DVC
knows that the stage `code` would run, and not which others after it; their sums say that. With
`--bytes` the outputs that are here are held against the lock, too, and so is DVC's cache.

A configuration takes up to an hour to rebuild, and data that are not carried along. So its lock may
be of earlier code: its numbers are those of the commit that wrote it, its settings those of now.
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from stages.core.stage.command import stage_command
from stages.core.stage.files import read_yaml
from stages.core.stage.lock_file import LOCK, read_lock
from stages.core.stage.places import CODE
from stages.core.stage.settings import PARAMETER_FILE
from tools.lock_bytes import DVC, FOLDER, bytes_complaints, cache_of, folder_hash
from tools.repository import require_repository

PRINT_SUMS = """
import json
from stages.code.stage import contents
print(json.dumps(contents()))
"""


def folder_complaints(lock: dict, cache: Path | None = None) -> list[str]:
    """One line for each gathered folder that is not the outputs inside of it.

    Outputs that are folders are compared file by file, if DVC's cache has their lists. In a fresh
    clone it has none: then the number of files and their size must add up.

    Args:
        cache: as of `cache_of`.
    """
    made = {out["path"]: out for stage in lock.values() for out in stage.get("outs", [])}
    complaints = []
    for name, stage in lock.items():
        for dep in stage.get("deps", []):
            prefix = f"{dep['path']}/"
            inside = {
                path.removeprefix(prefix): out
                for path, out in made.items()
                if path.startswith(prefix)
            }
            if inside and not _adds_up(dep, inside, cache):
                complaints.append(
                    f"{name}: {dep['path']} is not what the {len(inside)} outputs in it add up to; "
                    "run dvc repro, and remove files there that no stage makes any more"
                )
    return complaints


def _adds_up(dep: dict, inside: dict[str, dict], cache: Path | None) -> bool:
    """Whether a gathered folder has the files of the outputs inside of it and no others."""
    files: dict[str, str] = {}
    for path, out in inside.items():
        if not out["md5"].endswith(FOLDER):
            files[path] = out["md5"]
            continue
        listed = cache and cache / out["md5"][:2] / out["md5"][2:]
        if not listed or not listed.is_file():
            return all(
                dep.get(key) == sum(out.get(key, default) for out in inside.values())
                for key, default in (("size", 0), ("nfiles", 1))
            )
        for entry in json.loads(listed.read_text(encoding="utf-8")):
            files[f"{path}/{entry['relpath']}"] = entry["md5"]
    return dep["md5"] == folder_hash(files)


def code_complaints(lock: dict, sums: dict[str, str]) -> list[str]:
    """One line for each stage that runs other code than the lock says, and for the sums themselves.

    Args:
        sums: as `sums_of` has them.
    """
    hashes = {name: hashlib.md5(text.encode()).hexdigest() for name, text in sums.items()}
    now = {(CODE / name).as_posix(): md5 for name, md5 in hashes.items()}
    now[CODE.as_posix()] = folder_hash(hashes)
    return [
        f"{name}: {path['path']} is another now, as code that the stage runs has changed; "
        "run dvc repro"
        for name, stage in lock.items()
        for path in [*stage.get("deps", []), *stage.get("outs", [])]
        if path["path"] in now and path["md5"] != now[path["path"]]
    ]


def sums_of(code: Path) -> dict[str, str]:
    """The files that the stage `code` writes of a project's `stages`, by name."""
    printed = subprocess.run(
        [sys.executable, "-c", PRINT_SUMS],
        cwd=code.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(printed.stdout)


def settings_complaints(lock: dict, parameters: dict) -> list[str]:
    """One line for each stage and key of `params.yaml` whose value the lock has otherwise."""
    complaints = []
    for name, stage in lock.items():
        for key, locked in stage.get("params", {}).get(PARAMETER_FILE, {}).items():
            value: Any = parameters
            for part in key.split("."):
                value = value.get(part) if isinstance(value, dict) else None
            if value != locked:
                complaints.append(
                    f"{name}: `{key}` of {PARAMETER_FILE} is another now; run dvc repro"
                )
    return complaints


def complaints_of_earlier_code(folder: Path) -> list[str]:
    """As `complaints`, where code and data that the project carries may have changed since.

    Raises:
        InputError: there is no lock, or a kill cut it short.
    """
    lock = read_lock(folder / LOCK)
    return folder_complaints(lock, cache_of(folder)) + settings_complaints(
        lock, read_yaml(folder / PARAMETER_FILE)
    )


def complaints(folder: Path, sums: dict[str, str] | None = None) -> list[str]:
    """Everything that is wrong with `folder/dvc.lock`, in words; empty when nothing is.

    Args:
        sums: as `sums_of` has them of the folder's code, which takes seconds; None: made here.

    Raises:
        InputError: there is no lock, or a kill cut it short; or no repository of git.
    """
    require_repository(folder)
    lock = read_lock(folder / LOCK)
    complaints = folder_complaints(lock, cache_of(folder))
    complaints += code_complaints(lock, sums or sums_of((folder / "stages").resolve()))
    dry = subprocess.run(
        [*DVC, "repro", "--allow-missing", "--dry"], cwd=folder, capture_output=True, text=True
    )
    if dry.returncode:
        complaints.append(f"dvc repro --dry failed: {dry.stderr.strip()}")
    runs = re.findall(r"^Running stage '(.*)'", dry.stdout, re.MULTILINE)
    return [*complaints, *(f"dvc repro would run the stage {name}" for name in runs)]


def is_configuration(folder: Path) -> bool:
    """Whether a folder is one of `configurations`, not the project itself."""
    return folder.resolve().parent.name == "configurations"


def main(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="of configurations; by default this one")
    ] = None,
    check_bytes: Annotated[
        bool, typer.Option("--bytes", help="also of outputs and DVC's cache; reads all of them")
    ] = False,
) -> None:
    """Say whether dvc.lock is what sources and settings give; exit with 1 where it is not.

    The lock of a configuration may be of earlier code.
    """
    found = []
    for folder in folders or [Path()]:
        earlier = is_configuration(folder)
        wrong = complaints_of_earlier_code(folder) if earlier else complaints(folder)
        wrong += bytes_complaints(folder, read_lock(folder / LOCK)) if check_bytes else []
        found += [f"{folder}: {line}" for line in wrong]
    typer.echo("\n".join(found) or "dvc.lock is up to date")
    raise typer.Exit(bool(found))


if __name__ == "__main__":
    stage_command(main)
