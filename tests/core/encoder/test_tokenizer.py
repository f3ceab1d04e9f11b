"""What a tokenizer is asked once: its frame around a text, its reach, its longest text."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers.processors import BertProcessing, TemplateProcessing
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from stages.core.checkpoint_source import FolderCheckpoint, locate
from stages.core.encoder.tokenizer import load_tokenizer, unreachable
from stages.core.stage.files import InputError
from tests.checkpoints import wordpiece_vocabulary
from tests.core.test_checkpoint_files import change

CLS_AND_SEP = [("[CLS]", 2), ("[SEP]", 3)]


def reprocess(folder: Path, processor: Any) -> None:
    """Give the tokenizer in a folder another post-processor, and a class that leaves it."""
    backend = AutoTokenizer.from_pretrained(folder).backend_tokenizer
    backend.post_processor = processor
    backend.save(str(folder / "tokenizer.json"))
    change(folder / "tokenizer_config.json", tokenizer_class=PreTrainedTokenizerFast.__name__)


@pytest.mark.parametrize(
    ("processor", "complaint"),
    [
        (
            TemplateProcessing(single="$A", pair="$A $B:1", special_tokens=[]),
            r"makes \['a'\] of 'a', without \[CLS\] and \[SEP\] around a text; .*\[CLS\] \$A",
        ),
        (
            TemplateProcessing(single="[CLS] $A", pair="[CLS] $A $B", special_tokens=CLS_AND_SEP),
            r"makes \['\[CLS\]', 'a'\] of 'a'",
        ),
        (
            TemplateProcessing(
                single="[CLS] $A [SEP]", pair="[CLS] $A $B:1 [SEP]:1", special_tokens=CLS_AND_SEP
            ),
            r"\['\[CLS\]', 'a', '\[UNK\]', '\[SEP\]'\] of 'a' and",
        ),
        (
            TemplateProcessing(
                single="[CLS] [CLS] $A [SEP]", pair="$A $B", special_tokens=CLS_AND_SEP
            ),
            r"\['\[CLS\]', '\[CLS\]', 'a'",
        ),
        (BertProcessing(("[SEP]", 8), ("[CLS]", 9)), r"makes \['house', 'a', 'cat'\] of"),
    ],
)
def test_a_text_without_its_frame_is_refused(tiny_bert_copy, processor, complaint):
    reprocess(tiny_bert_copy, processor)
    with pytest.raises(InputError, match=complaint):
        locate(FolderCheckpoint(source="folder", path=str(tiny_bert_copy)))


def test_every_family_has_its_frame_and_reaches_its_vocabulary(any_checkpoint):
    tokenizer = load_tokenizer(any_checkpoint)
    assert unreachable(tokenizer) == []


def test_the_probe_leaves_the_tokenizer_as_it_is(tiny_bert_copy, tmp_path):
    """How texts are cut and padded stands in tokenizer.json, which is written again."""
    backend = AutoTokenizer.from_pretrained(tiny_bert_copy).backend_tokenizer
    backend.enable_truncation(32)
    backend.enable_padding(length=32)
    backend.save(str(tiny_bert_copy / "tokenizer.json"))
    load_tokenizer(tiny_bert_copy).save_pretrained(tmp_path / "again")
    settings = json.loads((tmp_path / "again/tokenizer.json").read_text())
    assert settings["truncation"]["max_length"] == 32
    assert settings["padding"]["strategy"] == {"Fixed": 32}


@pytest.fixture
def cased(tiny_bert_copy: Path) -> Callable[..., Path]:
    """Puts words with other letters in place of some, of a folder without tokenizer_config.json."""

    def make(changed: dict[str, str], **settings: Any) -> Path:
        for name in ("tokenizer.json", "tokenizer_config.json"):
            (tiny_bert_copy / name).unlink()
        pieces = [changed.get(piece, piece) for piece in wordpiece_vocabulary()]
        (tiny_bert_copy / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
        if settings:
            change(tiny_bert_copy / "tokenizer_config.json", **settings)
        return tiny_bert_copy

    return make


CAPITALS = {"dog": "Dog", "cat": "CAT", "##x": "##X"}
ACCENTS = {"dog": "d\u00f4g", "##x": "##\u00e9"}


@pytest.mark.parametrize(
    ("changed", "settings", "warned"),
    [
        (CAPITALS, {}, r"3 of \d+ entries .*\(##X, CAT, Dog, .*makes letters small; .*lower_case"),
        (CAPITALS, {"do_lower_case": True}, '"do_lower_case": false'),
        (CAPITALS, {"do_lower_case": False}, None),
        (ACCENTS, {}, r"2 of \d+ entries .* takes accents off letters; write `\"strip_accents\""),
        (ACCENTS, {"strip_accents": False}, None),
        ({}, {}, None),
    ],
)
def test_entries_that_no_text_reaches_are_warned_of_once(cased, capsys, changed, settings, warned):
    folder = cased(changed, **settings)
    capsys.readouterr()
    locate(FolderCheckpoint(source="folder", path=str(folder)))
    said = " ".join(capsys.readouterr().err.split())
    load_tokenizer(folder)
    assert capsys.readouterr().err == ""
    assert re.search(f"^warning: .*{warned}", said) if warned else said == ""


@pytest.mark.parametrize("longest", ["512", 0, -1, 2, float("nan")])
def test_how_long_a_text_may_be(tiny_bert_copy, longest):
    change(tiny_bert_copy / "tokenizer_config.json", model_max_length=longest)
    with pytest.raises(InputError, match=r"a text has at most .* tokens \(`model_max_length`"):
        load_tokenizer(tiny_bert_copy)


@pytest.mark.parametrize(("longest", "tokens"), [(10**30, 64), (1e30, 64), (20.0, 20), (None, 64)])
def test_a_text_is_no_longer_than_the_encoder_has_positions(tiny_bert_copy, longest, tokens):
    change(tiny_bert_copy / "tokenizer_config.json", model_max_length=longest)
    found = load_tokenizer(tiny_bert_copy).model_max_length
    assert (found, type(found)) == (tokens, int)


def test_tokens_that_were_added_to_the_tokenizer_alone(tiny_bert_copy):
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert_copy)
    number = len(tokenizer)
    tokenizer.add_tokens(["<entity>"])
    tokenizer.save_pretrained(tiny_bert_copy)
    with pytest.raises(InputError, match=f"gives '<entity>' the number {number}, its encoder has"):
        load_tokenizer(tiny_bert_copy)


def test_an_entry_whose_number_lies_far_out(tiny_bert_copy):
    settings = json.loads((tiny_bert_copy / "tokenizer.json").read_text())
    settings["model"]["vocab"]["house"] = 7000
    (tiny_bert_copy / "tokenizer.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match="gives 'house' the number 7000"):
        load_tokenizer(tiny_bert_copy)


def test_positions_are_counted_after_the_tokenizers_padding(tiny_checkpoints, tmp_path):
    folder = shutil.copytree(tiny_checkpoints["roberta"], tmp_path / "copy")
    change(folder / "config.json", pad_token_id=0)
    with pytest.raises(InputError, match="pads with 1, config.json says `pad_token_id` 0"):
        load_tokenizer(folder)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tokenizer.json", "[" * 1000 + "]" * 1000),
        ("tokenizer.json", "{"),
        ("tokenizer_config.json", '{"cls_token": 5}'),
        ("tokenizer_config.json", '{"tokenizer_class": 5}'),
    ],
)
def test_a_tokenizer_that_cannot_be_read(tiny_bert_copy, name, text):
    (tiny_bert_copy / name).write_text(text)
    with pytest.raises(InputError, match="cannot be read .*copy its files again"):
        load_tokenizer(tiny_bert_copy)
