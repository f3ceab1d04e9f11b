"""The written tasks as a whole: sound annotation, sound splits, no cue in single words."""

from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest

from stages.core.stage.files import InputError
from stages.core.tasks.examples import validate
from stages.core.tasks.task import Task
from stages.core.written import DRAW, write_task
from stages.core.written.edit import COSTS
from stages.core.written.lexicon import Lexicon, held_out
from stages.core.written.relevance import GRADES, TERMS, Search
from stages.core.written.scene import Scene
from stages.core.written.similarity import KINDS as SIMILARITY_KINDS
from stages.core.written.template import fill
from stages.core.written.tree import Node

CLASSES = {"relevance": len(GRADES), "paraphrase": 2, "sentiment": 2, "similarity": None}


def entry(name, seed=5, train=160, validation=160):
    labels = CLASSES[name]
    return Task(
        data={"source": "written", "train": train, "validation": validation, "seed": seed},
        kind="classification" if labels else "regression",
        labels=labels,
        metrics=["accuracy" if labels else "pearson"],
    )


@pytest.fixture(scope="module")
def written():
    return {name: write_task(name, entry(name)) for name in DRAW}


@pytest.mark.parametrize("name", DRAW)
def test_annotation_is_sound(written, name):
    for examples in written[name].values():
        validate(examples, name, CLASSES[name])
        for row in examples.to_dict("records"):
            texts = (row["text_a"], row["text_b"])
            for i, word in enumerate(row["words"]):
                assert texts[word["segment"]][word["start"] : word["end"]] == word["text"]
                assert word["head"] != i
                if word["head"] >= 0:
                    assert row["words"][word["head"]]["segment"] == word["segment"]
                    assert word["deprel"] not in ("", "root")
                else:
                    assert word["deprel"] in ("", "root")
            for mention in row["mentions"]:
                assert mention["first"] <= mention["head"] <= mention["last"]


@pytest.mark.parametrize("name", DRAW)
def test_every_word_leads_to_a_root_and_no_arcs_cross(written, name):
    for row in written[name]["validation"].to_dict("records"):
        arcs = [(min(i, w["head"]), max(i, w["head"])) for i, w in enumerate(row["words"])]
        arcs = [arc for arc in arcs if arc[0] >= 0]
        for a, b in arcs:
            assert not any(a < c < b < d for c, d in arcs), row["text_a"]
        for i in range(len(row["words"])):
            steps = 0
            while i >= 0:
                i, steps = row["words"][i]["head"], steps + 1
                assert steps <= len(row["words"])


@pytest.mark.parametrize("name", DRAW)
def test_splits_share_no_pair_and_hold_words_out(written, name):
    texts = {
        split: {frozenset(pair) for pair in examples[["text_a", "text_b"]].to_numpy()}
        for split, examples in written[name].items()
    }
    assert not texts["train"] & texts["validation"]
    assert all(len(texts[split]) == 160 for split in texts)
    lemmas = {
        split: {word["lemma"] for words in examples["words"] for word in words}
        for split, examples in written[name].items()
    }
    assert len(lemmas["validation"] - lemmas["train"]) > 10


def test_a_held_out_word_is_in_no_training_lexicon():
    train, validation = Lexicon("train"), Lexicon("validation")
    left = {n.singular for n in validation.names} - {n.singular for n in train.names}
    assert left == {n.singular for n in validation.names if held_out(n.singular)} != set()


@pytest.mark.parametrize("name", ["paraphrase", "sentiment"])
def test_the_same_seed_gives_the_same_examples_and_another_others(written, name):
    again, other = (write_task(name, entry(name, seed))["train"] for seed in (5, 6))
    pd.testing.assert_frame_equal(written[name]["train"], again)
    assert set(again["text_a"]) != set(other["text_a"])


def test_a_task_that_is_not_written_is_refused():
    with pytest.raises(InputError, match=r"tasks\.mrpc\.data\.source.*relevance"):
        write_task("mrpc", entry("relevance"))


def test_every_first_text_of_a_paraphrase_comes_with_both_labels(written):
    labels = written["paraphrase"]["train"].groupby("text_a")["label"].agg(set)
    assert set(map(frozenset, labels)) == {frozenset({0.0, 1.0})}


def test_many_unlike_pairs_have_the_words_of_like_ones(written):
    """The words of many unlike pairs are the same, so that only their order tells."""

    def same_words(row):
        bags = defaultdict(Counter)
        for word in row["words"]:
            if word["upos"] in ("NOUN", "PROPN", "VERB", "ADJ"):
                bags[word["segment"]][word["lemma"]] += 1
        return bags[0] == bags[1]

    pairs = pd.concat(written["paraphrase"].values())
    same = pairs.apply(same_words, axis=1).groupby(pairs["label"]).mean()
    assert same[1.0] > 0.8
    assert same[0.0] > 0.3


def test_shuffled_titles_are_of_the_grade_terms(written):
    relevance = pd.concat(written["relevance"].values())
    shuffled = relevance["words"].map(lambda words: any(not w["deprel"] for w in words))
    assert set(relevance["label"][shuffled]) == {TERMS}
    assert 0.3 < shuffled[relevance["label"] == TERMS].mean() < 0.7


def test_a_shuffled_title_has_the_words_of_a_title(written):
    rows = written["relevance"]["validation"]
    (row,) = [r for r in rows.to_dict("records") if not r["words"][-1]["deprel"]][:1]
    words = [w["text"] for w in row["words"] if w["segment"] == 1]
    assert row["text_b"] == " ".join(words).replace(" :", ":")


def test_grades_follow_from_query_and_title():
    search = Search(np.random.default_rng(3), Lexicon("validation"))
    for _ in range(50):
        asked, offered = search.title_of(search.request(), 4)
        assert asked == offered
        asked, offered = search.title_of(search.request(), 3)
        assert asked.topic == offered.topic and (asked.need == "") != (offered.need == "")
        asked, offered = search.title_of(search.request(), 2)
        assert (asked.need == offered.need) != (asked.topic == offered.topic)
        assert asked.topic.noun == offered.topic.noun
        asked, offered = search.title_of(search.request(), 0)
        assert asked.need != offered.need and asked.topic.noun != offered.topic.noun


def test_scores_span_the_scale_and_edits_cost_something(written):
    scores = pd.concat(written["similarity"].values())["label"]
    assert scores.between(0, 5).all()
    assert all(((scores >= low) & (scores < low + 1)).mean() > 0.05 for low in range(5))
    assert min(COSTS.values()) > 0


def test_opinion_words_are_in_texts_of_both_polarities():
    examples = write_task("sentiment", entry("sentiment", train=1500, validation=1))["train"]
    positive = set(Lexicon("train").tables["opinions"]["positive"])
    hits = examples["words"].map(lambda words: any(w["lemma"] in positive for w in words))
    share = examples["label"][hits].mean()
    assert 0.4 < share < 0.6


@pytest.mark.parametrize("split", ["train", "validation"])
def test_every_domain_can_tell_every_kind_of_clause(split):
    lexicon = Lexicon(split)
    for domain in lexicon.nouns:
        for seed, kind in enumerate(SIMILARITY_KINDS):
            scene = Scene(np.random.default_rng(seed), lexicon, richness=0.5)
            scene.domain = domain
            assert kind(scene).subject.noun.singular


def test_every_template_makes_a_tree():
    tables = Lexicon("validation").tables
    templates = [t for part in ("queries", "titles") for t in tables["titles"][part].values()]
    templates = [text for group in templates for text in group]
    for frames in ("adjective_frames", "verb_frames", "operators"):
        templates += [frame["text"] for frame in tables["opinions"][frames]]
    templates += [*tables["opinions"]["stories"], *tables["opinions"]["reversals"]]
    templates += [text for group in tables["opinions"]["reports"].values() for text in group]
    for text in templates:
        assert fill(text, defaultdict(lambda: Node("x", "NOUN"))).relation == "root"
