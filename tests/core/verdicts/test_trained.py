"""What a checkpoint was trained on: as its section says, else as its files tell, else not known."""

import json
from pathlib import Path

import pytest

from stages.core.stage.files import InputError
from stages.core.stage.settings import SECTIONS, checked, section
from stages.core.verdicts.trained import training_of, training_of_folder
from tools.pipeline import ROOT


def folder(path: Path, architecture: object, modules: bool = False) -> Path:
    (path / "config.json").write_text(json.dumps({"architectures": architecture}))
    if modules:
        (path / "modules.json").write_text("[]")
    return path


@pytest.mark.parametrize(
    ("architecture", "modules", "training"),
    [
        (["BertForMaskedLM"], False, "masked words"),
        (["RobertaForMaskedLM"], False, "masked words"),
        (["BertForPreTraining"], False, "masked words"),
        (["ElectraForMaskedLM"], False, "masked words"),
        (["ElectraForPreTraining"], False, "other"),
        (["BertModel"], False, None),
        (["BertModel"], True, "sentence similarity"),
        (["RobertaForMaskedLM"], True, "sentence similarity"),  # made of one for masked words
        (["BertForSequenceClassification"], False, "classification"),
        (["BertForSequenceClassification"], True, "classification"),
        (["DistilBertForTokenClassification"], False, "classification"),
        (["BertForQuestionAnswering"], False, "other"),
        ([], False, None),
        ("BertForMaskedLM", False, None),
        ([None, 3], False, None),
        (None, False, None),
    ],
)
def test_files_tell_what_an_encoder_was_trained_on(tmp_path, architecture, modules, training):
    assert training_of_folder(folder(tmp_path, architecture, modules)) == training


@pytest.mark.parametrize("content", ["[", "[]", "3", "[" * 5000])
def test_files_that_are_damaged_tell_nothing(tmp_path, content):
    (tmp_path / "config.json").write_text(content)
    assert training_of_folder(tmp_path) is None
    assert training_of_folder(tmp_path / "nowhere") is None


def test_the_section_goes_before_the_files(tiny_bert_copy, capsys):
    checkpoint = {"source": "folder", "path": str(tiny_bert_copy)}
    assert training_of(checkpoint) == "not known"
    config = json.loads((tiny_bert_copy / "config.json").read_text())
    config["architectures"] = ["BertForMaskedLM"]
    (tiny_bert_copy / "config.json").write_text(json.dumps(config))
    assert training_of(checkpoint) == "masked words"
    assert training_of(checkpoint | {"training": "classification"}) == "classification"
    assert capsys.readouterr().out == ""
    gone = {"source": "folder", "path": str(tiny_bert_copy / "gone")}
    assert training_of(gone) == "not known"
    assert "`checkpoint.training` may say it" in capsys.readouterr().out
    assert training_of(gone | {"training": "other"}) == "other"


def test_the_default_tells_that_it_is_a_sentence_encoder():
    assert training_of(section(dict, "checkpoint", ROOT / "params.yaml")) == "sentence similarity"


def test_another_word_for_a_training_is_refused():
    entry = {"source": "folder", "path": "there", "training": "magic"}
    with pytest.raises(InputError, match=r"training.*masked words.*it is 'magic'"):
        checked(SECTIONS["checkpoint"], entry, "params.yaml: `checkpoint`")
