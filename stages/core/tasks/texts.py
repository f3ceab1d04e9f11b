"""Whether values of rows are texts: asked wherever a text enters, whatever file it came in."""

import math
import re
from reprlib import Repr
from typing import Any

HALF = re.compile("[\ud800-\udfff]")
# A library cut a text of UTF-16 inside of a character.
HALF_FAULT = "half of a surrogate pair (an emoji was cut)"
SHORTENED = Repr()
SHORTENED.maxstring = SHORTENED.maxother = 80  # letters


def shown(value: Any) -> str:
    """A value for a message: as Python writes it, short however long or deep it is."""
    return SHORTENED.repr(value)


def has_half(text: str) -> bool:
    """Whether a text has half of a surrogate pair, which no file in UTF-8 can hold."""
    return HALF.search(text) is not None


def fault_of_text(value: Any) -> str:
    """Why a value is no text; empty where it is one.

    Missing are null, NaN and blanks alone. A number is no text, as a column of numbers is seldom
    the column that was meant.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "missing text"
    if not isinstance(value, str):
        return f"{shown(value)} in place of a text"
    if not value.strip():
        return "missing text"
    return HALF_FAULT if has_half(value) else ""


def identity_of(value: Any) -> str:
    """The id of a row: a text, or a number as it is written.

    Raises:
        ValueError: it is missing, or neither.
    """
    # Asked of an integer, `isfinite` fails where no float is as large.
    if type(value) is int or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    if fault := fault_of_text(value):
        raise ValueError(f"{fault} as `id`")
    return value
