"""Encoders under heads of all kinds: what is loaded, and what is left over of them."""

import shutil
from pathlib import Path

import pytest
import torch
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForMultipleChoice,
    AutoModelForNextSentencePrediction,
    AutoModelForPreTraining,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    BertForMultipleChoice,
    BertForTokenClassification,
)

from stages.core.encoder.checkpoint import load_encoder, load_masked_lm, load_tuned
from stages.core.heads.seam import Gated
from stages.core.stage.files import InputError
from tests.core.encoder.test_weights import edit, renamed
from tests.core.test_checkpoint_files import change

CLASSES = [
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForMultipleChoice,
    AutoModelForNextSentencePrediction,
    AutoModelForPreTraining,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
]


def classifier_of(checkpoint: Path, folder: Path) -> Path:
    """A classifier of two classes on an encoder, in a folder with its tokenizer."""
    shutil.copytree(checkpoint, folder)
    with torch.random.fork_rng(devices=[]):
        AutoModelForSequenceClassification.from_pretrained(checkpoint).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("alone", [False, True])
def test_the_encoder_of_every_class_is_loaded(any_checkpoint, tmp_path, alone):
    """Also where its names lack their prefix beside those of the head."""
    config, number = AutoConfig.from_pretrained(any_checkpoint), 0
    for kind in CLASSES:
        if type(config) in kind._model_mapping:
            number += 1
            folder = shutil.copytree(any_checkpoint, tmp_path / str(number))
            model = kind.from_pretrained(any_checkpoint)
            model.save_pretrained(folder)
            if alone:
                prefix = f"{model.base_model_prefix}."
                edit(folder, lambda weights: renamed(weights, lambda key: key.replace(prefix, "")))  # noqa: B023
            before, after = model.base_model.state_dict(), load_encoder(folder).state_dict()
            assert all(torch.equal(before[name], after[name]) for name in before)
    assert number > 4


@pytest.mark.parametrize("load", [load_encoder, load_masked_lm])
@pytest.mark.parametrize(
    "name", ["rel_embeddings.weight", "prompt_encoder.0.weight", "bert.adapter.weight"]
)
def test_what_is_left_over_beside_an_encoder_alone(tiny_bert_copy, load, name):
    edit(tiny_bert_copy, lambda weights: weights | {name: torch.ones(3, 4)})
    with pytest.raises(InputError, match=f"1 weights are left over, .*{name}"):
        load(tiny_bert_copy)


def test_a_head_that_stands_twice(tiny_bert, tmp_path):
    folder = classifier_of(tiny_bert, tmp_path / "model")
    edit(folder, lambda weights: weights | {"bert.classifier.weight": torch.ones(2, 16)})
    with pytest.raises(InputError, match="1 weights are left over, .*bert.classifier.weight"):
        load_tuned(folder)


def test_another_class_than_a_classifier_of_texts_is_named(tiny_bert, tmp_path):
    """Their weights may have its names and shapes."""
    folder = classifier_of(tiny_bert, tmp_path / "model")
    expected = load_tuned(folder).state_dict()
    for kind in (BertForTokenClassification, BertForMultipleChoice):
        change(folder / "config.json", architectures=[kind.__name__])
        load_encoder(folder)
        with pytest.raises(InputError, match=f"config.json names {kind.__name__}; choose"):
            load_tuned(folder)
    for unknown in (None, []):
        change(folder / "config.json", architectures=unknown)
        again = load_tuned(folder).state_dict()
        assert all(torch.equal(expected[name], again[name]) for name in expected)


def test_what_else_a_model_should_give_out_changes_nothing(any_checkpoint, tmp_path):
    folder = classifier_of(any_checkpoint, tmp_path / "model")
    inputs = {"input_ids": torch.arange(5, 11)[None]}

    def logits_and_maps() -> list[torch.Tensor]:
        gated, results = Gated(load_tuned(folder)), []
        results.append(gated(inputs, record_maps=lambda _, maps: results.append(maps)))
        return [*results, load_encoder(folder)(**inputs).last_hidden_state]

    before = logits_and_maps()
    keys = {"output_attentions": True, "output_hidden_states": True, "return_dict": False}
    change(folder / "config.json", **keys)
    assert all(map(torch.equal, before, logits_and_maps()))
    given = load_encoder(folder)
    assert not any(getattr(given.config, key) is value for key, value in keys.items())
