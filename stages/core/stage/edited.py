"""Which file of settings a message names: the one that the user edits.

In a configuration that is `settings.yaml`. Its `params.yaml` and `dvc.yaml` are made of that, and
whatever is changed there is lost when they are made again.
"""

import re
from pathlib import Path

PARAMETER_FILE, PIPELINE_FILE, SETTINGS_FILE = "params.yaml", "dvc.yaml", "settings.yaml"
# A path at the start of a line, which may have blanks, or a word; in backticks the file itself.
NAMED = re.compile(r"(^[^\n`:]*/|[^\s`'\"(]*/|(?<![^\s(]))params\.yaml(?![\w-]|\.\w)", re.MULTILINE)


def is_made(file: str | Path) -> bool:
    """Whether a file is one that `tools.configurations` makes of the settings beside it."""
    file = Path(file)
    beside = file.with_name(SETTINGS_FILE)
    return file.name in (PARAMETER_FILE, PIPELINE_FILE) and beside.is_file()


def edited(message: str) -> str:
    """A message with `settings.yaml` for each `params.yaml` that was made of one beside it."""
    return NAMED.sub(lambda match: f"{match[1]}{_edited(match[0])}", message)


def _edited(file: str) -> str:
    # Of a path at the start of a line the first words may be none of it.
    return SETTINGS_FILE if is_made(file) or is_made(file.split()[-1]) else PARAMETER_FILE


def mend_made(folder: str | Path) -> str:
    """The command that makes the files of a configuration anew, as messages end with it."""
    name = Path(folder).resolve().name
    return f"run `python -m tools.configurations configurations/{name}` at the root of the project"
