"""The baselines on toys that single words decide, or do not."""

import pandas as pd

from stages.baseline import bag_of_words, majority, word_counts
from stages.core.tasks.task import Task

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
