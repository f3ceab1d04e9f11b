"""Rows of files and data sets as questions: their values, checked, and what is said of bad ones."""

from pathlib import Path
from typing import Any, Literal

import typer

from stages.core.stage.files import InputError
from stages.core.tasks.texts import HALF_FAULT, has_half, identity_of, shown

BadRows = Literal["stop", "skip"]
Layout = Literal["questions", "dream", "race"]  # of a file; question_files.py says what each is
LETTERS = "ABCDEFGHIJ"  # RACE's names of the right option
SHOWN = 5  # bad rows named in a message


class Bad(ValueError):
    """Why a row is no question: the key, what is wrong with it, the mend."""


def report_faults(where: str | Path, faults: list[str], bad_rows: BadRows) -> None:
    """Refuse rows that are no questions, or say which are left out.

    Args:
        where: the file or data set that has them.
        faults: of each its place and what is wrong with it; none if all are questions.

    Raises:
        InputError: there are some, and `bad_rows` is `stop`.
    """
    if not faults:
        return
    shown = "\n".join(f"  {fault}" for fault in faults[:SHOWN])
    if len(faults) > SHOWN:
        shown += f"\n  and {len(faults) - SHOWN} more"
    if bad_rows == "stop":
        raise InputError(
            f"{where}: rows that are no questions ({len(faults)}):\n{shown}\nmend them, or leave "
            "them out with `bad_rows: skip`"
        )
    typer.echo(f"{where}: {len(faults)} rows left out:\n{shown}", err=True)


def object_of(value: Any) -> dict[str, Any]:
    """The value, if it is an object of JSON.

    Raises:
        Bad: it is not.
    """
    if not isinstance(value, dict):
        raise Bad("no JSON object; mend it, or name another layout")
    return value


def value_of(values: dict[str, Any], key: str) -> Any:
    """What a row has under a key.

    Raises:
        Bad: it has no such key.
    """
    if key not in values:
        known = ", ".join(values) or "none"
        raise Bad(f"no key `{key}`; its keys are {known}; add it, or name another layout")
    return values[key]


def text_of(values: dict[str, Any], key: str) -> str:
    """The text of a row under a key.

    Raises:
        Bad: there is none, it is empty, or half of a character.
    """
    text = value_of(values, key)
    if not isinstance(text, str) or not text.strip():
        raise Bad(f"`{key}` is {shown(text)}; give a text")
    if has_half(text):
        raise Bad(f"`{key}` has {HALF_FAULT}; mend the text")
    return text


def texts_of(values: dict[str, Any], key: str) -> tuple[str, ...]:
    """The list of texts of a row under a key.

    Raises:
        Bad: there is none, or it holds something else.
    """
    return list_of_texts(value_of(values, key), key)


def list_of_texts(value: Any, key: str) -> tuple[str, ...]:
    """The texts of a list.

    Raises:
        Bad: it is none, or holds something else.
    """
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise Bad(f"`{key}` is {shown(value)}; give a list of texts")
    if any(map(has_half, value)):
        raise Bad(f"`{key}` has {HALF_FAULT}; mend the text")
    return tuple(value)


def id_of(value: Any) -> str:
    """The id of a row.

    Raises:
        Bad: it is neither a text nor a number.
    """
    try:
        return identity_of(value)
    except ValueError as fault:
        raise Bad(f"{fault}; give a text or a number, or leave the key out") from None


def place_of(answer: Any, options: tuple[str, ...], key: str) -> int:
    """The place of the option of that text, from 0.

    Raises:
        Bad: no option has it.
    """
    if answer not in options:
        raise Bad(
            f"`{key}` is {shown(answer)}, none of the options {list(options)}; mend its spelling"
        )
    return options.index(answer)


def place_of_letter(letter: Any, options: tuple[str, ...], key: str) -> int:
    """The place of the option that a letter names, from 0.

    Raises:
        Bad: it is no letter, or that of no option.
    """
    known = LETTERS[: len(options)]
    if not is_letter(letter) or letter not in known:
        raise Bad(f"`{key}` has {shown(letter)}; give one of the letters {', '.join(known)}")
    return known.index(letter)


def is_letter(value: Any) -> bool:
    """Whether a value is a letter that may name an option."""
    return isinstance(value, str) and len(value) == 1 and value in LETTERS
