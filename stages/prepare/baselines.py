"""Baselines without an encoder: the majority class (or mean score), a bag of words, word overlap.

The bag of words counts the words of each text apart, so that it knows which text a word is in, but
neither their order nor which words the texts share. The overlap knows of a pair how many words its
texts share and how long they are, but no word. Of scripts that write no spaces every character is a
word.
"""

import re

import numpy as np
import pandas as pd
import regex
from jaxtyping import Float
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from stages.core.tasks.task import Task

WORD = re.compile(r"\b\w+\b")  # words of one letter too: "a" and "I"
# Scripts that write no spaces between words: each letter with its marks stands for itself.
UNSEGMENTED = (
    *("Han", "Hiragana", "Katakana", "Bopomofo", "Yi", "Thai", "Lao", "Khmer", "Myanmar"),
    *("Tai_Le", "New_Tai_Lue", "Tai_Tham", "Tai_Viet", "Ahom", "Javanese", "Balinese"),
)
SCRIPTS = "".join(rf"\p{{Script={name}}}" for name in UNSEGMENTED)
CHARACTER = regex.compile(rf"(?V1)([[{SCRIPTS}]&&[\p{{L}}\p{{N}}]]\p{{M}}*)")
ITERATIONS = 2_000


def words_of(text: str) -> list[str]:
    """The words of a text in their order; of scripts that write no spaces, its characters."""
    found: list[str] = []
    for place, part in enumerate(CHARACTER.split(text)):
        found += [part] if place % 2 else WORD.findall(part)
    return found


def word_counts(train: pd.DataFrame, validation: pd.DataFrame) -> tuple[csr_matrix, csr_matrix]:
    """Count the words of the training examples in both splits, the two texts side by side."""
    blocks: list[tuple[csr_matrix, csr_matrix]] = []
    for column in ("text_a", "text_b"):
        if train[column].notna().all():
            vectorizer = CountVectorizer(tokenizer=words_of, token_pattern=None)
            counts = vectorizer.fit_transform(train[column])
            blocks.append((counts, vectorizer.transform(validation[column])))
    fitted, applied = zip(*blocks, strict=True)
    return hstack(fitted).tocsr(), hstack(applied).tocsr()


def majority(
    train: pd.DataFrame, validation: pd.DataFrame, task: Task
) -> Float[np.ndarray, " example"]:
    """The most frequent class of the training examples (the lowest of equals), or their mean."""
    guess = train["label"].mode()[0] if task.kind == "classification" else train["label"].mean()
    return np.full(len(validation), guess)


def bag_of_words(
    train: pd.DataFrame, validation: pd.DataFrame, task: Task
) -> Float[np.ndarray, " example"]:
    """Predictions of a logistic regression (ridge regression for scores) on word counts."""
    fitted, applied = word_counts(train, validation)
    classifier = LogisticRegression(max_iter=ITERATIONS)
    model = classifier if task.kind == "classification" else Ridge()
    return model.fit(fitted, train["label"]).predict(applied)


def overlap_numbers(examples: pd.DataFrame) -> Float[np.ndarray, "example number"]:
    """Of each pair: the Jaccard index of its sets of words, the shares of shared words in either
    set, and the logarithm of how much longer the second text is.

    Small and capital letters are the same; a text without a word counts as one of one word.
    """
    rows = []
    for texts in zip(examples["text_a"], examples["text_b"], strict=True):
        words = [words_of(text.lower()) or [""] for text in texts]
        one, other = (set(text) for text in words)
        shared = len(one & other)
        shares = [shared / len(one | other), shared / len(one), shared / len(other)]
        rows.append([*shares, np.log(len(words[1]) / len(words[0]))])
    return np.array(rows)


def word_overlap(
    train: pd.DataFrame, validation: pd.DataFrame, task: Task
) -> Float[np.ndarray, " example"]:
    """Predictions of a logistic regression (ridge regression for scores) on `overlap_numbers`."""
    classifier = LogisticRegression(max_iter=ITERATIONS)
    model = make_pipeline(
        StandardScaler(), classifier if task.kind == "classification" else Ridge()
    )
    return model.fit(overlap_numbers(train), train["label"]).predict(overlap_numbers(validation))


MODELS = {"majority": majority, "bag_of_words": bag_of_words}
OF_PAIRS = {"word_overlap": word_overlap}


def baseline_predictions(
    train: pd.DataFrame, validation: pd.DataFrame, task: Task
) -> list[pd.DataFrame]:
    """The predictions of each baseline on the validation examples, as rows of `BASELINES`."""
    pairs = train["text_b"].notna().all()
    return [
        validation[["id", "label"]].assign(model=name, prediction=predict(train, validation, task))
        for name, predict in (MODELS | OF_PAIRS if pairs else MODELS).items()
    ]
