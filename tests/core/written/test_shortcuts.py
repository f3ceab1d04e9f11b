"""What can be told of the examples of params.yaml, as many as it draws, without understanding them.

The bounds stand over what was measured; a simple model must not find more.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression

from stages.baseline.stage import bag_of_words, majority, overlap_numbers, word_overlap
from stages.core.tasks.metrics import METRICS
from stages.core.tasks.task import load_task
from stages.core.written import DRAW, draw_task
from stages.core.written.comparison import overlap
from stages.core.written.paraphrase import OTHER

PARAMETERS = Path(__file__).parents[3] / "params.yaml"
PAIRS = ["relevance", "paraphrase", "similarity"]
# Of the primary metric: accuracy, or the rank correlation of similarity. Majority is 0.2 of five
# grades, 0.5 of two classes, 0 of scores.
BAG_OF_WORDS = {"relevance": 0.26, "paraphrase": 0.58, "sentiment": 0.58, "similarity": 0.2}
OVERLAP = {"relevance": 0.42, "paraphrase": 0.58, "similarity": 0.55}
LENGTH = {"relevance": 0.26, "paraphrase": 0.56, "sentiment": 0.56, "similarity": 0.25}


@pytest.fixture(scope="module")
def tasks():
    return {name: load_task(name, PARAMETERS) for name in DRAW}


@pytest.fixture(scope="module")
def drawn(tasks):
    return {
        name: {split: pd.DataFrame(rows) for split, rows in draw_task(name, task).items()}
        for name, task in tasks.items()
    }


def scored(task, examples, predictions):
    return METRICS[task.metrics[0]](examples["label"].to_numpy(), np.asarray(predictions))


def told_by_trees(task, train, validation, numbers):
    """How well small trees, which see steps and combinations of numbers, tell the label."""
    kind = task.kind == "classification"
    model = (HistGradientBoostingClassifier if kind else HistGradientBoostingRegressor)(
        max_depth=3, max_iter=50, random_state=0
    )
    model.fit(numbers(train), train["label"])
    return scored(task, validation, model.predict(numbers(validation)))


def lengths(examples):
    texts = [examples[name] for name in ("text_a", "text_b") if examples[name].notna().all()]
    return np.array([[len(re.findall(r"\w+", text)) for text in column] for column in texts]).T


@pytest.mark.parametrize("name", DRAW)
def test_a_bag_of_words_tells_little(drawn, tasks, name):
    train, validation = drawn[name].values()
    found = scored(tasks[name], validation, bag_of_words(train, validation, tasks[name]))
    assert found < BAG_OF_WORDS[name]


@pytest.mark.parametrize("name", PAIRS)
def test_overlap_tells_little(drawn, tasks, name):
    train, validation = drawn[name].values()
    linear = scored(tasks[name], validation, word_overlap(train, validation, tasks[name]))
    trees = told_by_trees(tasks[name], train, validation, overlap_numbers)
    assert max(linear, trees) < OVERLAP[name]


@pytest.mark.parametrize("name", DRAW)
def test_length_tells_next_to_nothing(drawn, tasks, name):
    train, validation = drawn[name].values()
    assert told_by_trees(tasks[name], train, validation, lengths) < LENGTH[name]


@pytest.mark.parametrize("name", ["relevance", "paraphrase", "sentiment"])
def test_no_class_is_much_more_frequent(drawn, tasks, name):
    train, validation = drawn[name].values()
    found = scored(tasks[name], validation, majority(train, validation, tasks[name]))
    assert found < 1 / tasks[name].outputs + 0.05


@pytest.mark.parametrize("name", DRAW)
def test_no_template_stands_in_both_splits(drawn, name):
    train, validation = (
        {template for templates in frame["templates"] for template in templates}
        for frame in drawn[name].values()
    )
    assert len(train) > 10 and len(validation) > 5
    assert not train & validation


@pytest.mark.parametrize("name", DRAW)
def test_every_word_of_every_text_has_its_syntax(drawn, name):
    for frame in drawn[name].values():
        assert all(word["deprel"] for words in frame["words"] for word in words)


@pytest.mark.parametrize("split", ["train", "validation"])
def test_every_kind_of_query_is_as_frequent_at_every_grade(drawn, split):
    frame = drawn["relevance"][split]
    counts = pd.crosstab(frame["kind"], frame["label"])
    assert counts.shape == (4, 5)
    assert chi2_contingency(counts).pvalue > 0.001
    shares = counts.loc[["need", "general"]] / counts.sum()
    assert shares.min(axis=None) > 0.25 and shares.max(axis=None) < 0.55
    assert (counts.loc["route"] / counts.sum()).between(0.08, 0.25).all()


def test_the_kind_of_query_does_not_tell_the_grade(drawn):
    train, validation = (pd.get_dummies(frame["kind"]) for frame in drawn["relevance"].values())
    model = LogisticRegression().fit(train, drawn["relevance"]["train"]["label"])
    labels = drawn["relevance"]["validation"]["label"]
    assert np.mean(model.predict(validation) == labels) < 0.25


@pytest.mark.parametrize(
    ("split", "low", "high"), [("train", 0.15, 0.25), ("validation", 0.02, 0.08)]
)
def test_paraphrases_come_in_twos_of_like_overlap(drawn, split, low, high):
    """But for those that tell something else, no number of shared words differs between them."""
    frame = drawn["paraphrase"][split]
    numbers = overlap_numbers(frame)
    assert frame["label"].tolist() == [0.0, 1.0] * (len(frame) // 2)
    other = (frame["how"] == OTHER).to_numpy()
    np.testing.assert_array_equal(numbers[~other][::2], numbers[~other][1::2])
    assert low < other.mean() < high
    for one, two in zip(*(frame[place::2].itertuples() for place in range(2)), strict=True):
        assert (one.text_a == two.text_a) != (one.text_b == two.text_b)


@pytest.mark.parametrize("split", ["train", "validation"])
def test_matched_scores_come_in_twos_of_like_overlap(drawn, split):
    frame = drawn["similarity"][split]
    matched = frame[frame["matched"]].to_dict("records")
    assert 0.4 < len(matched) / len(frame) < 0.7
    for one, two in zip(matched[::2], matched[1::2], strict=False):
        assert abs(one["label"] - two["label"]) > 0.9
        assert abs(one["label"] + two["label"] - 5) < 0.9
        texts = [(row["text_a"], row["text_b"]) for row in (one, two)]
        if one["text_b"] == two["text_b"]:
            texts = [pair[::-1] for pair in texts]
        assert overlap(*texts[0]) == overlap(*texts[1])
