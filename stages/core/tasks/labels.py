"""Labels: one name of a class however it is written, and what kind of task a column makes."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any, Literal

from stages.core.tasks.texts import HALF_FAULT, has_half, shown

# Not all that Python takes for a number: `1_2`, `nan` and `infinity` are words here.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
NO_LABELS = ("none", "nan", "inf", "-inf", "<na>", "nat")  # values, not words
# As files of text write them; between numbers they are no names of classes.
MISSING = (*NO_LABELS, "na", "n/a", "#n/a", "null", "infinity", "-infinity")
TRUTHS = {"false": "0", "true": "1"}
MOST_CLASSES = 20
# A column of at least so many rows, of which this share have values of their own, is one of ids.
LEAST_ROWS, SHARE_OF_IDS = 10, 0.9

Kind = Literal["classification", "regression"]


def number_of(value: Any) -> Decimal | None:
    """The number that a value is or that a text says; None where it is none.

    Truth values, NaN and infinities are none.
    """
    if isinstance(value, bool):
        return None
    text = value.strip() if isinstance(value, str) else str(value)
    return Decimal(text) if NUMBER.fullmatch(text) else None


def label_name(value: Any) -> str:
    """The name of a class in the one form that names are compared in.

    Numbers go by value (1, 1.0, "1.0" and " 1 " are "1"), truth values are "false" and "true", and
    blanks around a word do not count.

    Raises:
        ValueError: the value is no label; the message says why.
    """
    if isinstance(value, list | tuple | dict | set | bytes):
        raise ValueError(f"{shown(value)} in place of a label")
    if not isinstance(value, str):
        value = str(value)
        if value.lower() in NO_LABELS:
            raise ValueError("there is no label")
    text = unicodedata.normalize("NFC", value).strip()
    if not text:
        raise ValueError("there is no label")
    if has_half(text):
        raise ValueError(f"the label has {HALF_FAULT}")
    if text.lower() in TRUTHS:
        return text.lower()
    number = number_of(text)
    return text if number is None else _plain(number)


def class_number(label: Any, names: Sequence[str]) -> int:
    """The number of a label's class.

    A whole number stands for the class of that number where no class has a number for its name.

    Args:
        names: of the classes, as `label_name` writes them, in the order of their numbers.

    Raises:
        ValueError: there is no label, or none of these classes.
    """
    try:
        name = label_name(label)
    except ValueError as fault:
        raise ValueError(f"unknown label {shown(label)} ({fault})") from None
    for spelling in (name, TRUTHS.get(name)):
        if spelling in names:
            return names.index(spelling)
    place = int(name) if re.fullmatch(r"\d{1,9}", name, re.ASCII) else None
    if place in range(len(names)) and are_words(names):
        return place
    raise ValueError(f"unknown label {shown(label)}")


def are_words(names: Sequence[str]) -> bool:
    """Whether no name of a class is a number, so that numbers may stand for classes in order."""
    return all(number_of(name) is None for name in names)


def missing_words(labels: Collection[str]) -> set[str]:
    """The words for a missing value among names of labels; none where other words stand there."""
    words = {name for name in labels if number_of(name) is None}
    only = all(word.lower() in MISSING for word in words) and len(words) < len(labels)
    return words if only else set()


def classes_of(labels: Counter[str], kind: Kind | None = None) -> list[str] | None:
    """The classes of a column in order, by value where all are numbers; None where it has scores.

    Scores are numbers of which there are more than `MOST_CLASSES`, or of which one is not whole.
    Words for a missing value do not count where all others are numbers.

    Args:
        labels: names as `label_name` writes them, with how many rows have each.
        kind: what the user says of the column; None to tell it by the values.

    Raises:
        ValueError: it has one value alone, too many words, or ids: nearly every row another value.
    """
    missing = missing_words(labels)
    labels = Counter({name: count for name, count in labels.items() if name not in missing})
    numbers = {name: number_of(name) for name in labels}
    words = [name for name, number in numbers.items() if number is None]
    whole = not words and all(number == number.to_integral_value() for number in numbers.values())
    found = f"has {len(labels)} different values in {labels.total()} rows"
    if len(labels) < 2:
        raise ValueError(f"{found}; name a column of two or more classes, or of scores")
    if kind == "regression" and words:
        raise ValueError(f"has {shown(words[0])}, which is no number; scores are numbers")
    ids = labels.total() >= LEAST_ROWS and len(labels) > SHARE_OF_IDS * labels.total()
    if kind is None and ids and (whole or words):
        mend = "name the column of classes or scores"
        if whole:
            mend += " or, if these are scores, say so with --kind regression"
        raise ValueError(f"{found}, as ids have; {mend}")
    if kind is None and words and len(labels) > MOST_CLASSES:
        raise ValueError(
            f"{found}; name a column of 2 to {MOST_CLASSES} classes, or of scores or, if these are "
            "classes, say so with --kind classification"
        )
    scores = not words and (len(labels) > MOST_CLASSES or not whole)
    if kind == "regression" or (kind is None and scores):
        return None
    return sorted(labels, key=str if words else numbers.__getitem__)


def _plain(number: Decimal) -> str:
    """A number without an exponent, and without zeros that do not count."""
    text = f"{number.copy_abs():f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"-{text}" if number < 0 else text
