"""Reading `params.yaml` section by section against a pydantic model."""

from pathlib import Path
from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    NonNegativeInt,
    PositiveInt,
    TypeAdapter,
    ValidationError,
)

from stages.core.stage.edited import PARAMETER_FILE as PARAMETER_FILE
from stages.core.stage.files import InputError, read_yaml

# What a section of `params.yaml` is checked against, by its name; a module adds its own.
SECTIONS: dict[str, Any] = {}


class Parameters(BaseModel):
    """Base of every section of `params.yaml`: unknown keys are errors, values do not change.

    Neither is a number that is none, or infinite.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def __init_subclass__(cls, section: str | None = None, **others: Any) -> None:
        """Make a section's model known by the section's name."""
        super().__init_subclass__(**others)
        if section is not None:
            SECTIONS[section] = cls


class Resampled(Parameters):
    """Base of the sections of studies with a bootstrap: the number of its draws, and its seed."""

    resamples: PositiveInt
    seed: NonNegativeInt


def section(model: Any, key: str, file: str | Path = PARAMETER_FILE) -> Any:
    """Read the section `key` (dotted for nested ones, as `tasks.mrpc`) of `file` as a `model`.

    Args:
        model: a pydantic model, or any type that pydantic knows.

    Raises:
        InputError: the section is missing, has an unknown key or a wrong value; the message names
            file, key and mend.
    """
    value = read_yaml(file)
    for depth, part in enumerate(key.split(".")):
        if not isinstance(value, dict) or part not in value:
            parent = ".".join(key.split(".")[:depth]) or "the top level"
            known = ", ".join(map(str, value)) if isinstance(value, dict) else "nothing"
            raise InputError(
                f"{file}: `{key}` is missing: {parent} has {known}; add `{part}` there"
            )
        value = value[part]
    return checked(model, value, f"{file}: `{key}`")


def checked(model: Any, value: Any, where: str) -> Any:
    """Validate `value` as a `model`; errors start with `where`.

    Raises:
        InputError: one line for each wrong key.
    """
    try:
        return TypeAdapter(model).validate_python(value)
    except ValidationError as error:
        complaints = [_complaint(where, item, value) for item in error.errors()]
        raise InputError("\n".join(complaints)) from None


def _complaint(where: str, item: Any, value: Any) -> str:
    key = ".".join(_keys(item, value))
    place = f"{where}, key `{key}`" if key else where
    if item["type"] == "extra_forbidden":
        return f"{place}: unknown key; remove it or mend its spelling"
    if item["type"] == "missing":
        return f"{place}: this key is missing; add it"
    if item["type"] == "value_error":
        return f"{place}: {item['msg'].removeprefix('Value error, ')}"
    return f"{place}: {item['msg']} (it is {item['input']!r})"


def _keys(item: Any, value: Any) -> list[str]:
    """The keys that lead to a complaint, without the names of the types that pydantic tried."""
    keys = []
    for part in item["loc"]:
        inside = isinstance(value, dict) or (isinstance(value, list) and isinstance(part, int))
        try:
            value = value[part] if inside else None
        except (KeyError, IndexError):
            if item["type"] != "missing" or part != item["loc"][-1]:
                continue
            value = None
        if inside:
            keys.append(str(part))
    return keys
