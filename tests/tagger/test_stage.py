"""A tagger trained on a small treebank, and what happens without one."""

import re
from pathlib import Path

import pandas as pd
import pytest
from ruamel.yaml import YAML

from stages.core.annotation.tagger import Tagger
from stages.core.stage.files import InputError
from stages.core.stage.places import TAGGER
from stages.tagger.stage import run_stage
from tests.oracle import oracle_corpus


def write_treebank(path: Path, count: int, seed: int) -> None:
    lines = []
    for _, row in oracle_corpus(count, seed).iterrows():
        lines.append(f"# sent_id = {row['id']}")
        for place, word in enumerate(row["words"], 1):
            cells = [str(place), word["text"], word["lemma"], word["upos"], "_", "_"]
            lines.append("\t".join([*cells, str(word["head"] + 1), word["deprel"], "_", "_"]))
        lines.append("")
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def write_parameters(**changes) -> None:
    settings = {"train": None, "test": None, "sentences": None, "epochs": 25, "seed": 0}
    settings["language"] = "en"
    with Path("params.yaml").open("w") as stream:
        YAML().dump({"tagger": settings | changes}, stream)


def test_without_a_treebank_there_is_no_tagger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_parameters()
    run_stage()
    assert not Tagger.is_trained(TAGGER)
    with pytest.raises(InputError, match=r"tagger\.train"):
        Tagger.load(TAGGER)


def test_a_treebank_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_parameters(train="none.conllu")
    with pytest.raises(InputError, match=r"tagger\.train.*none\.conllu"):
        run_stage()
    assert not TAGGER.exists()


def test_a_treebank_of_underscores_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_treebank(Path("train.conllu"), 3, 0)
    text = re.sub(r"^(\d+)\t\S+\t\S+", r"\1\t_\t_", Path("train.conllu").read_text(), flags=re.M)
    Path("train.conllu").write_text(text)
    write_parameters(train="train.conllu")
    with pytest.raises(InputError, match=r"train\.conllu: .* the words are withheld"):
        run_stage()
    assert not TAGGER.exists()


def test_a_trained_tagger_annotates_words_and_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_treebank(Path("train.conllu"), 60, 0)
    write_treebank(Path("test.conllu"), 20, 1)
    write_parameters(train="train.conllu", test="test.conllu")
    run_stage()
    facts = YAML(typ="safe").load(TAGGER / "tagger.json")
    assert facts["scores"]["upos"] > 0.95
    assert facts["scores"]["uas"] > 0.8
    tagger = Tagger.load(TAGGER)
    found = tagger.annotate(["the", "dog", "sees", "the", "cat", "."])
    assert [word["upos"] for word in found[:3]] == ["DET", "NOUN", "VERB"]
    texts = pd.DataFrame({"text_a": ["the dog sees the cat ."], "text_b": ["it sleeps ."]})
    (words,) = tagger.annotate_texts(texts)
    assert [word["segment"] for word in words] == [0] * 6 + [1] * 3
    assert all(-1 <= word["head"] < 9 for word in words)
    assert {word["head"] >= 6 or word["head"] < 0 for word in words[6:]} == {True}
    text = texts["text_b"][0]
    assert [text[word["start"] : word["end"]] for word in words[6:]] == ["it", "sleeps", "."]


def test_the_words_of_a_text_are_cut_as_its_language_cuts_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_treebank(Path("train.conllu"), 10, 0)
    write_parameters(train="train.conllu", language="zh", epochs=1)
    run_stage()
    texts = pd.DataFrame({"text_a": ["苹果"], "text_b": None})
    (words,) = Tagger.load(TAGGER).annotate_texts(texts)
    assert [word["text"] for word in words] == ["苹", "果"]


def test_a_language_that_is_not_known_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_treebank(Path("train.conllu"), 10, 0)
    write_parameters(train="train.conllu", language="chinese")
    with pytest.raises(InputError, match=r"params\.yaml.*tagger\.language.*'chinese'"):
        run_stage()
    assert not TAGGER.exists()
