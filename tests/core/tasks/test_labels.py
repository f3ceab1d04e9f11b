"""Names of classes in one form, and what kind of task a column makes."""

from collections import Counter
from decimal import Decimal

import pytest

from stages.core.tasks.labels import class_number, classes_of, label_name, number_of


@pytest.mark.parametrize(
    ("name", "spellings"),
    [
        ("1", [1, 1.0, "1", "1.0", " 1 ", "01", "+1", "1e0", "1.", Decimal("1.00")]),
        ("0", [0, 0.0, -0.0, "-0", "0.000"]),
        ("-1.5", [-1.5, "-1.50", "-15e-1"]),
        ("100000", [1e5, "1e5", 100_000]),
        ("12345678901234567890123456789012", ["12345678901234567890123456789012.0"]),
        ("true", [True, "true", "True", "TRUE"]),
        ("yes", ["yes", " yes", "yes\t", "\u00a0yes"]),
        ("caf\u00e9", ["caf\u00e9", "cafe\u0301"]),
        # Words, though Python takes them for numbers, and libraries for nothing.
        ("1_2", ["1_2"]),
        ("nan", ["nan"]),
        ("NA", ["NA"]),
        ("infinity", ["infinity"]),
        ("\u0661", ["\u0661"]),
    ],
)
def test_one_name_for_all_spellings(name: str, spellings: list) -> None:
    assert [label_name(spelling) for spelling in spellings] == [name] * len(spellings)


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), "", "  ", [1], {}, b"a"])
def test_what_is_no_label(value: object) -> None:
    with pytest.raises(ValueError, match="label"):
        label_name(value)
    with pytest.raises(ValueError, match="unknown label"):
        class_number(value, ["a", "b"])


def test_numbers_are_places_of_words_alone() -> None:
    assert class_number("1.0", ["no", "yes"]) == 1
    assert class_number(2, ["1", "2", "3"]) == 1
    for label, names in ((0, ["1", "2"]), (2, ["a", "b"]), (1, ["1.5", "a"]), (True, ["a", "b"])):
        with pytest.raises(ValueError, match=f"unknown label {label}"):
            class_number(label, names)


@pytest.mark.parametrize("value", [True, None, "1_0", "nan", "1,5", float("nan")])
def test_what_is_no_number(value: object) -> None:
    assert number_of(value) is None


def counted(*values: object, rows: int = 3) -> Counter[str]:
    return Counter({label_name(value): rows for value in values})


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (counted("b", "a"), ["a", "b"]),
        (counted(10, 9, 1), ["1", "9", "10"]),
        (counted("0", "1", "x"), ["0", "1", "x"]),
        (counted(5.0, 2.0), ["2", "5"]),
        (counted(0.5, 1, 2), None),
        (counted(*range(101), rows=2), None),
        (counted(*(number / 2 for number in range(50)), rows=1), None),
        (counted("a", "b", "c", rows=1), ["a", "b", "c"]),
        # Between numbers, words for what is missing are no classes.
        (counted(0, 1, "NA", "inf"), ["0", "1"]),
        (counted(0.5, 1, "null"), None),
        (counted("no", "1", "NA"), ["1", "NA", "no"]),
        (counted("NA", "None"), ["NA", "None"]),
    ],
)
def test_classes_and_scores(labels: Counter[str], classes: list[str] | None) -> None:
    assert classes_of(labels) == classes


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        (counted("a"), "1 different values in 3 rows; name a column of two or more"),
        (counted(*range(100), rows=1), "100 different values in 100 rows, as ids have.*--kind"),
        (counted(*range(12), rows=1), "as ids have"),
        (counted(*(f"k{number}" for number in range(12)), rows=1), "as ids have"),
        (counted(*(f"k{number}" for number in range(12)), rows=1), "classes or scores$"),
        (counted(1, "NA"), "1 different values in 3 rows"),
        (counted(*(f"k{number}" for number in range(21))), "2 to 20 classes.*--kind"),
    ],
)
def test_columns_that_are_neither(labels: Counter[str], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        classes_of(labels)


def test_a_kind_that_is_given() -> None:
    ids, words = counted(*range(100), rows=1), counted(*(f"k{number}" for number in range(21)))
    assert classes_of(ids, "regression") is None
    assert classes_of(counted(1, 2), "regression") is None
    assert classes_of(counted(1, 2.5), "classification") == ["1", "2.5"]
    assert len(classes_of(words, "classification")) == 21
    assert classes_of(counted(1, 2, "nan"), "regression") is None
    with pytest.raises(ValueError, match="'k0', which is no number"):
        classes_of(words, "regression")
