"""The written tasks as a whole: sound annotation, sound splits, no cue in single words."""

import shutil
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stages.core.stage.files import InputError
from stages.core.tasks.examples import validate
from stages.core.tasks.task import Task
from stages.core.written import DRAW, write_task
from stages.core.written.edit import (
    COSTS,
    PARTS,
    opposite_of_verb,
    other_object,
    other_verb,
    synonym_of_object,
    synonym_of_subject,
    synonym_of_verb,
)
from stages.core.written.inflection import Verb
from stages.core.written.lexicon import ANY, FOLDER, SPLITS, Lexicon, Noun, held_out
from stages.core.written.meaning import Clause, Phrase
from stages.core.written.scene import Scene
from stages.core.written.search import GRADES
from stages.core.written.similarity import KINDS as SIMILARITY_KINDS
from stages.core.written.similarity import _edited
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


def test_scores_span_the_scale_and_edits_cost_something(written):
    scores = pd.concat(written["similarity"].values())["label"]
    assert scores.between(0, 5).all()
    counts = np.histogram(scores, bins=range(6))[0]
    assert counts.min() > 0.05 * len(scores)
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


def written_templates(table):
    """The templates below each pair of `train` and `validation` in a table, by split."""
    if not isinstance(table, dict):
        return []
    if set(table) == set(SPLITS):
        texts = {s: [t if isinstance(t, str) else t["text"] for t in table[s]] for s in SPLITS}
        return [texts]
    return [found for inner in table.values() for found in written_templates(inner)]


def test_every_template_makes_a_tree():
    tables = Lexicon(ANY).tables
    groups = [*written_templates(tables["titles"]), *written_templates(tables["opinions"])]
    texts = [text for group in groups for split in SPLITS for text in group[split]]
    assert len(texts) > 100
    for text in texts:
        if ">" in text:  # not the words that join clauses
            assert fill(text, defaultdict(lambda: Node("x", "NOUN"))).relation == "root"


@pytest.mark.parametrize("table", ["titles", "opinions"])
def test_no_template_is_written_for_both_splits(table):
    groups = written_templates(Lexicon(ANY).tables[table])
    train, validation = ({text for group in groups for text in group[s]} for s in SPLITS)
    assert train and validation and not train & validation


@pytest.mark.parametrize("part", ["adjective_frames", "operators", "verb_frames"])
def test_each_split_has_as_many_frames_that_turn_polarity_as_that_keep_it(part):
    for frames in Lexicon(ANY).tables["opinions"][part].values():
        assert sum(frame["sign"] for frame in frames) == 0


def test_a_list_without_templates_of_a_split_is_refused(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "written")
    titles = tmp_path / "written" / "titles.yaml"
    text = titles.read_text(encoding="utf-8")
    titles.write_text(text.replace("    validation:", "    test:", 1), encoding="utf-8")
    with pytest.raises(InputError, match=r"titles\.yaml: `queries\.need`.*train and validation"):
        Lexicon("train", tmp_path / "written").templates("titles", "queries", "need")


def test_templates_and_words_of_any_split_are_those_of_both():
    train, validation, anything = (Lexicon(split) for split in (*SPLITS, ANY))
    both = [*train.templates("titles", "pairs"), *validation.templates("titles", "pairs")]
    assert anything.templates("titles", "pairs") == both
    names = {split.split: {noun.singular for noun in split.names} for split in (train, anything)}
    assert names["train"] < names[ANY]
    told = [f"NOUN {number}" for number in range(300)]
    assert all(train.may_say(text) != validation.may_say(text) for text in told)
    assert all(anything.may_say(text) for text in told)
    assert 0.2 < np.mean([validation.may_say(text) for text in told]) < 0.5


HIRED = Clause(
    Phrase(Noun("cook", "cooks", "person", "kitchen"), 1),
    Verb.parse("hire"),
    object=Phrase(Noun("nurse", "nurses", "person", "hospital"), 2),
)
VAN = Phrase(Noun("van", "vans", "vehicle"), 3)


def test_synonyms_and_opposites_are_those_of_the_frame():
    scene = Scene(np.random.default_rng(0), Lexicon(ANY))
    assert {synonym_of_verb(HIRED, scene).verb.name for _ in range(20)} == {"employ"}
    assert {synonym_of_verb(replace(HIRED, object=VAN), scene).verb.name for _ in range(20)} == {
        "rent"
    }
    assert {opposite_of_verb(HIRED, scene).verb.name for _ in range(20)} == {"dismiss"}
    left = replace(HIRED, verb=Verb.parse("leave/left/left"), object=None)
    assert opposite_of_verb(left, scene).verb.name == "arrive"
    hall = Phrase(Noun("hall", "halls", "place"), 4)
    assert opposite_of_verb(replace(left, object=hall), scene) is None


def test_no_part_of_a_meaning_is_edited_twice():
    assert PARTS.keys() <= COSTS.keys()
    scene = Scene(np.random.default_rng(1), Lexicon(ANY))
    names = Counter()
    for _ in range(400):
        edited, score = _edited(HIRED, scene, 1)
        names[edited.verb.name] += 1
        if edited.verb.name == "dismiss":
            assert score == 5 - COSTS[opposite_of_verb]
        edited, score = _edited(HIRED, scene, 4)
        assert 0 <= score < 5
        # "Did not employ" may be drawn, "did not dismiss" is nearly "hired" again.
        assert not (edited.verb.name == "dismiss" and edited.negated)
    assert names["dismiss"] and names["employ"]


def test_a_synonym_of_a_noun_keeps_its_referent():
    scene = Scene(np.random.default_rng(0), Lexicon(ANY))
    doctor = Noun("doctor", "doctors", "person", "hospital")
    subject = Phrase(doctor, 7, gender="Fem", plural=True)
    said = replace(HIRED, subject=subject, object=subject.as_pronoun("reflexive"))
    found = synonym_of_subject(said, scene)
    assert (found.subject.noun.singular, found.subject.noun.plural) == ("physician", "physicians")
    assert found.subject == replace(subject, noun=found.subject.noun)
    assert found.object.pronoun == "reflexive" and found.object.entity == 7
    assert synonym_of_object(said, scene) is None  # a pronoun has none


def test_a_scene_takes_no_synonym_for_another():
    lexicon = Lexicon(ANY)
    scene = Scene(np.random.default_rng(0), lexicon)
    nouns = lexicon.nouns["hospital"]["person"]
    assert [noun.singular for noun in nouns[:3]] == ["doctor", "physician", "nurse"]
    for _ in range(20):
        scene.used = set()
        first, second = (scene._unused(nouns[:3]).singular for _ in range(2))
        assert (first == "nurse") != (second == "nurse")


def test_another_verb_is_neither_a_synonym_nor_an_opposite():
    lexicon = Lexicon(ANY)
    for seed in range(60):
        scene = Scene(np.random.default_rng(seed), lexicon)
        assert other_verb(HIRED, scene).verb.name not in ("hire", "employ", "dismiss")


def test_where_a_class_has_no_other_noun_nothing_stands_for_it():
    lexicon = Lexicon(ANY)
    devices = lexicon.nouns["hotel"]["device"]
    lift = next(noun for noun in devices if noun.singular == "lift")
    elevator = next(noun for noun in devices if noun.singular == "elevator")
    cleaned = replace(HIRED, object=Phrase(lift, 3, gender="Neut"))
    scene = Scene(np.random.default_rng(0), lexicon)
    scene.domain = "hotel"
    assert other_object(cleaned, scene).object.noun.singular not in ("lift", "elevator")
    lexicon.nouns["hotel"]["device"] = [lift, elevator]
    scene.used = set()
    assert other_object(cleaned, scene) is None
