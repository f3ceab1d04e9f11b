"""The generated text in `data/written/`: sound annotation, sound splits, and no shortcut.

A shortcut tells the label without understanding. The bounds stand above the measured scores.
"""

import hashlib
import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from stages.core.corpora.entries import WrittenCorpus
from stages.core.questions.question import validate as validate_questions
from stages.core.stage.files import InputError
from stages.core.stimuli.entries import WrittenStimuli
from stages.core.stimuli.store import MAIN_AUXILIARY, NTH_TOKEN, POSITIONS
from stages.core.tasks.examples import validate
from stages.core.tasks.metrics import METRICS
from stages.core.tasks.task import WrittenData, load_task
from stages.core.written import SPLITS, written_examples, written_questions, written_rows
from stages.corpus import written as corpus
from stages.prepare.baselines import bag_of_words, majority, overlap_numbers, word_overlap
from stages.stimuli.written import attention_rows, probe_rows

ROOT = Path(__file__).parents[2]
ALL = WrittenData(source="written")
TASKS = ("relevance", "sentiment", "similarity")
# Of the primary metric: accuracy, or the rank correlation of similarity. Majority is 0.2 of five
# grades, 0.5 of two classes, 0 of scores.
BAG_OF_WORDS = {"relevance": 0.26, "sentiment": 0.58, "similarity": 0.2}
OVERLAP = {"relevance": 0.42, "similarity": 0.55}
LENGTH = {"relevance": 0.26, "sentiment": 0.56, "similarity": 0.25}
# Condition: modifier, distractors, matching ones (Lin et al. 2019, Table 2); modals alike.
CONDITIONS = {
    "A1": ("prepositional", 1, 1),
    "A2": ("prepositional", 1, 0),
    "A3": ("relative", 1, 1),
    "A4": ("relative", 1, 0),
    "R1": ("object", 1, 1),
    "R2": ("object", 1, 0),
    "R3": ("relative", 1, 1),
    "R4": ("relative", 1, 0),
    "R5": ("relative and object", 2, 2),
    "R6": ("relative and object", 2, 1),
    "R7": ("relative and object", 2, 1),
    "R8": ("relative and object", 2, 0),
}


@pytest.fixture(scope="module")
def tasks():
    return {name: load_task(name, ROOT / "params.yaml") for name in TASKS}


@pytest.fixture(scope="module")
def examples():
    return {name: written_examples(name, ALL) for name in TASKS}


@pytest.fixture(scope="module")
def questions():
    return written_questions(ALL)


def test_the_readme_has_the_hash_and_the_rows_of_every_file():
    readme = (ROOT / "data/written/README.md").read_text()
    files = sorted((ROOT / "data/written").glob("*.zst"))
    assert len(files) == 8
    for file in files:
        rows = len(written_rows(file.name.split(".")[0]))
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        assert f"| `{file.name}` | {rows:,} | {digest[:12]} |" in readme


@pytest.mark.parametrize("name", TASKS)
def test_annotation_is_sound(examples, tasks, name):
    classes = tasks[name].outputs if tasks[name].kind == "classification" else None
    for split in SPLITS:
        validate(examples[name][split], name, classes)
        for row in examples[name][split].to_dict("records"):
            texts = (row["text_a"], row["text_b"])
            for number, word in enumerate(row["words"]):
                assert texts[word["segment"]][word["start"] : word["end"]] == word["text"]
                assert word["deprel"] and (word["head"] < 0) == (word["deprel"] == "root")
                if word["head"] >= 0:
                    assert word["head"] != number
                    assert row["words"][word["head"]]["segment"] == word["segment"]
            for mention in row["mentions"]:
                assert mention["first"] <= mention["head"] <= mention["last"]
    train, validation = (
        {frozenset(pair) for pair in frame[["text_a", "text_b"]].to_numpy()}
        for frame in examples[name].values()
    )
    assert not train & validation


def scored(task, frame, predictions):
    return METRICS[task.metrics[0]](frame["label"].to_numpy(), np.asarray(predictions))


def told_by_trees(task, train, validation, numbers):
    """The score of small trees, which see steps and combinations of numbers."""
    is_class = task.kind == "classification"
    model = (HistGradientBoostingClassifier if is_class else HistGradientBoostingRegressor)(
        max_depth=3, max_iter=50, random_state=0
    )
    model.fit(numbers(train), train["label"])
    return scored(task, validation, model.predict(numbers(validation)))


def lengths(frame):
    texts = [frame[name] for name in ("text_a", "text_b") if frame[name].notna().all()]
    return np.array([[len(re.findall(r"\w+", text)) for text in column] for column in texts]).T


@pytest.mark.parametrize("name", TASKS)
def test_no_shortcut_tells_the_label(examples, tasks, name):
    task, (train, validation) = tasks[name], examples[name].values()
    assert scored(task, validation, bag_of_words(train, validation, task)) < BAG_OF_WORDS[name]
    assert told_by_trees(task, train, validation, lengths) < LENGTH[name]
    if name in OVERLAP:
        linear = scored(task, validation, word_overlap(train, validation, task))
        trees = told_by_trees(task, train, validation, overlap_numbers)
        assert max(linear, trees) < OVERLAP[name]
    if task.kind == "classification":
        most = scored(task, validation, majority(train, validation, task))
        assert most < 1 / task.outputs + 0.05


def unseen(texts, others):
    """The share of neighbouring parts of speech that other texts never have, ends among them."""
    known = {pair for text in others for pair in pairwise(["", *text, ""])}
    pairs = [pair for text in texts for pair in pairwise(["", *text, ""])]
    return float(np.mean([pair not in known for pair in pairs]))


@pytest.mark.parametrize("grade", range(5))
def test_titles_of_no_grade_are_shuffled(examples, grade):
    """T6's trap: a class of shuffled titles would teach the order of words."""
    titles: dict[int, list[list[str]]] = {}
    for row in examples["relevance"]["train"].to_dict("records"):
        words = [word["upos"] for word in row["words"] if word["segment"] == 1]
        titles.setdefault(int(row["label"]), []).append(words)
    others = [text for other, texts in titles.items() if other != grade for text in texts]
    assert unseen(titles[grade], others) < 0.03
    generator = np.random.default_rng(1)
    shuffled = [generator.permutation(text).tolist() for text in titles[grade]]
    assert unseen(shuffled, others) > 0.15


def words_of(text):
    return re.findall(r"\w+", text.lower())


SHORTCUTS = {
    "longest in words": lambda one, option: len(option.split()),
    "longest in characters": lambda one, option: len(option),
    "shortest": lambda one, option: -len(option),
    "words shared with the passage": lambda one, option: len(
        set(words_of(option)) & set(words_of(one.passage))
    ),
    "words shared with the question": lambda one, option: len(
        set(words_of(option)) & set(words_of(one.question))
    ),
    "told of first": lambda one, option: -one.passage.lower().find(option.lower()),
    "told of last": lambda one, option: one.passage.lower().rfind(option.lower()),
}
BY_LENGTH = ("longest in words", "longest in characters", "shortest")


def accuracy(questions, value):
    """Accuracy of whoever takes the option of the largest value, ties by chance."""
    hits = []
    for question in questions:
        values = [value(question, option) for option in question.options]
        best = [number for number, score in enumerate(values) if score == max(values)]
        hits.append((question.answer in best) / len(best))
    return np.mean(hits)


@pytest.mark.parametrize("shortcut", SHORTCUTS)
def test_no_shortcut_tells_the_answer(questions, shortcut):
    """But where the passage tells of no other option: there, lengths alone tell nothing."""
    strangers = {row["id"] for row in written_rows("questions") if row["strangers"]}
    asked = [
        question
        for split in SPLITS
        for question in questions[split]
        if shortcut in BY_LENGTH or question.id not in strangers
    ]
    chance = np.mean([1 / len(question.options) for question in asked])
    error = np.sqrt(chance * (1 - chance) / len(asked))
    assert abs(accuracy(asked, SHORTCUTS[shortcut]) - chance) < 3.5 * error


def test_questions_are_sound_and_all_different(questions):
    for split in SPLITS:
        validate_questions(questions[split], split)
    passages = [question.passage for split in SPLITS for question in questions[split]]
    assert len(set(passages)) == len(passages) == 732


def test_fewer_examples_are_drawn_and_a_text_that_is_not_there_is_refused():
    some = written_examples("sentiment", ALL.model_copy(update={"train": 12, "validation": 6}))
    assert [len(frame) for frame in some.values()] == [12, 6]
    every = written_examples("sentiment", ALL)["train"].set_index("id")["text_a"]
    assert (every[some["train"]["id"]].to_numpy() == some["train"]["text_a"]).all()
    with pytest.raises(InputError, match=r"mrpc\.jsonl\.zst: no such file.* relevance"):
        written_examples("mrpc", ALL)


@pytest.mark.parametrize("pairs", [False, True])
def test_texts_of_the_corpus_are_annotated(pairs):
    entry = WrittenCorpus(source="written", pairs=pairs)
    texts = corpus.read("mine", entry)
    assert len(texts) == (500 if pairs else 1000)
    assert texts["id"].iloc[7] == "mine-00007"
    assert texts["text_b"].notna().all() if pairs else texts["text_b"].isna().all()
    for row in texts.to_dict("records"):
        both = (row["text_a"], row["text_b"])
        for word in row["words"]:
            assert both[word["segment"]][word["start"] : word["end"]] == word["text"]
        for frame in row["frames"]:
            assert row["words"][frame["target_first"]]["upos"] == "VERB"
            element = range(frame["first"], frame["last"] + 1)
            assert min(abs(frame["target_first"] - word) for word in element) >= 2
    assert pairs or texts["frames"].map(len).sum() > 50


def test_conditions_of_attention_have_their_structure_and_share_their_words():
    rows = pd.DataFrame(attention_rows(WrittenStimuli(source="written", sentences=25)))
    assert rows["condition"].value_counts().tolist() == [25] * 16
    for row in rows.to_dict("records"):
        name, _, modal = row["condition"].partition(" ")
        assert (row["modifier"], row["distractors"], row["matching"]) == CONDITIONS[name]
        assert row["auxiliary"] == ("modal" if modal or name[0] == "R" else "agreeing")
        assert len(set(row["items"])) == 1 + row["distractors"] == 1 + len(row["wrong"])
        assert row["words"][-1] == "."
    numbers = rows["id"].str.rpartition("-")[2].groupby(rows["condition"]).agg(list)
    assert all(drawn == numbers["A1"] for drawn in numbers)
    items = rows.set_index("id")["items"]
    for number in numbers["A1"]:
        assert items[f"A1-{number}"] == items[f"A4-modal-{number}"]
        assert items[f"R1-{number}"][0] == items[f"R8-{number}"][0]
    without = next(attention_rows(WrittenStimuli(source="written", full_stop=False)))
    assert "." not in without["words"]


def test_a_probe_asks_for_the_right_word_and_trains_on_other_words():
    rows = list(probe_rows(WrittenStimuli(source="written", train=120, test=60)))
    counts = pd.DataFrame(rows).drop_duplicates(["id", "probe"]).value_counts(["probe", "part"])
    assert counts[MAIN_AUXILIARY, "train"] == 120
    assert counts["subject_noun", "possessive"] == 60
    for row in rows:
        words, target, first = row["words"], row["target"], row["first"]
        if row["probe"] == NTH_TOKEN:
            assert target == row["position"] - 1
            assert len(words) > POSITIONS[-1]
            continue
        assert (first == target) == (row["part"] in ("train", "test"))
        if row["part"] == "relative":
            assert {"who", "that"} & set(words[:target])
        if row["part"] == "possessive":
            assert words[first + 1] == "'s"
        if row["part"] == "compound":
            assert target == first + 1
    taught, asked = (
        {item for row in rows if (row["part"] == "train") == train for item in row["items"]}
        for train in (True, False)
    )
    assert taught and asked and not taught & asked


def test_lines_are_json_of_declared_keys():
    keys = {"id", "split", "text_a", "text_b", "label", "words", "mentions", "shared"}
    assert all(set(row) <= keys for name in TASKS for row in written_rows(name))
    assert json.dumps(written_rows("questions")[0])
