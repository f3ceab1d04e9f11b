"""The baselines on toys that single words decide, or do not."""

import re

import numpy as np
import pandas as pd
import pytest

from stages.core.tasks.examples import examples_frame
from stages.core.tasks.task import Task, WrittenData
from stages.core.written import written_examples
from stages.prepare.baselines import (
    CHARACTER,
    bag_of_words,
    baseline_predictions,
    majority,
    overlap_numbers,
    word_counts,
    word_overlap,
    words_of,
)

DATA = {"source": "written", "train": 1, "validation": 1, "seed": 0}
CLASSES = Task(data=DATA, kind="classification", labels=2, metrics=["accuracy"])
SCORES = Task(data=DATA, kind="regression", metrics=["pearson"])


def frame(texts, labels, second=None):
    return pd.DataFrame({"text_a": texts, "text_b": second, "label": labels}).astype(
        {"text_b": object}
    )


TRAIN = frame(["a good film", "a bad film", "good food", "bad food", "bad"], [1.0, 0, 1, 0, 0])


def test_majority_is_that_of_the_training_examples():
    validation = frame(["x", "y"], [1.0, 1.0])
    assert majority(TRAIN, validation, CLASSES).tolist() == [0, 0]
    assert majority(TRAIN, validation, SCORES).tolist() == [0.4, 0.4]


def test_single_words_are_learnt():
    validation = frame(["good luck", "bad luck"], [1.0, 0.0])
    assert bag_of_words(TRAIN, validation, CLASSES).tolist() == [1, 0]
    first, second = bag_of_words(TRAIN, validation, SCORES)
    assert first > second


def test_order_and_matches_are_not_seen():
    texts = (["cat dog", "dog cat"], ["cat dog", "cat dog"])
    train = frame(texts[0] * 8, [1.0, 0.0] * 8, texts[1] * 8)
    first, second = bag_of_words(train, train[:2], SCORES)
    assert first == second


def test_the_two_texts_are_counted_apart():
    train = frame(["I am", "a b"], [0.0, 1.0], ["b", "c"])
    fitted, applied = word_counts(train, frame(["a zebra"], [0.0], ["b b"]))
    # a am b i | b c
    assert fitted.toarray().tolist() == [[0, 1, 0, 1, 1, 0], [1, 0, 1, 0, 0, 1]]
    assert applied.toarray().tolist() == [[1, 0, 0, 0, 2, 0]]


def test_overlap_counts_different_words_of_either_text():
    # {a, cat, and} and {the, cat}: one of four is shared; five words against four.
    pairs = frame(["A cat and a cat", "?"], [0.0, 0.0], ["The cat, the cat", "dog dog"])
    wanted = [[1 / 4, 1 / 3, 1 / 2, np.log(4 / 5)], [0, 0, 0, np.log(2)]]
    np.testing.assert_allclose(overlap_numbers(pairs), wanted)


def test_overlap_is_learnt_whatever_the_words_are():
    same, other = ("red fox", "red fox"), ("blue owl", "old hen")
    texts = [same, other, ("one two", "two one"), ("one two", "six ten")] * 5
    first, second = zip(*texts, strict=True)
    train = frame(list(first), [1.0, 0.0] * 10, list(second))
    validation = frame(["new words", "new words"], [1.0, 0.0], ["new words", "old hen"])
    assert word_overlap(train, validation, CLASSES).tolist() == [1, 0]
    above, below = word_overlap(train, validation, SCORES)
    assert above > 0.9 and below < 0.1


def test_longer_second_texts_are_learnt():
    train = frame(["a b", "a b"] * 10, [1.0, 0.0] * 10, ["c d e f", "c d"] * 10)
    validation = frame(["g", "g"], [1.0, 0.0], ["h i", "h"])
    assert word_overlap(train, validation, CLASSES).tolist() == [1, 0]


@pytest.mark.parametrize("pairs", [False, True])
def test_overlap_is_a_baseline_of_pairs_alone(pairs):
    rows = [
        {"id": str(i), "text_a": f"x{i}", "text_b": f"x{i * (i % 2)}" if pairs else None}
        | {"label": float(i % 2)}
        for i in range(4)
    ]
    examples = examples_frame(rows)
    tables = baseline_predictions(examples, examples, CLASSES)
    models = [table["model"].unique().tolist() for table in tables]
    assert models == [["majority"], ["bag_of_words"], *([["word_overlap"]] if pairs else [])]


def test_characters_are_the_words_of_scripts_without_spaces():
    text = "苹果手机 iPhone 12, 苹果。コーヒー"
    assert words_of(text) == [*"苹果手机", "iPhone", "12", *"苹果", *"コーヒー"]
    assert words_of("ที่นี่ a_b") == ["ที่", "นี่", "a_b"]  # a letter with its marks
    assert words_of("한국어 слово") == ["한국어", "слово"]  # these write spaces


def test_chinese_pairs_share_characters_and_are_counted_by_them():
    # {苹, 果, 手, 机} and {苹, 果}: two of four are shared.
    pairs = frame(["苹果手机"], [0.0], ["苹果"])
    np.testing.assert_allclose(overlap_numbers(pairs), [[1 / 2, 1 / 2, 1, np.log(2 / 4)]])
    fitted, _ = word_counts(frame(["苹果", "果果"], [0.0, 1.0]), frame(["苹"], [0.0]))
    assert fitted.toarray().tolist() == [[1, 1], [2, 0]]


@pytest.mark.parametrize("name", ["relevance", "sentiment", "similarity"])
def test_written_tasks_have_the_words_that_they_had(name):
    data = WrittenData(source="written", train=40, validation=40, seed=3)
    for rows in written_examples(name, data).values():
        for text in [*rows["text_a"], *rows["text_b"].dropna()]:
            assert words_of(text) == re.findall(r"(?u)\b\w+\b", text)


def test_text_without_such_scripts_has_the_words_that_it_had():
    every = map(chr, range(0x11A7))  # Latin, Greek, Cyrillic, Arabic, Thai, Myanmar and others
    kept = "".join(one for one in every if not CHARACTER.match(one) and one.isprintable())
    for start in range(0, len(kept), 7):
        text = f"a{kept[start : start + 7]}b"
        assert words_of(text) == re.findall(r"(?u)\b\w+\b", text)
