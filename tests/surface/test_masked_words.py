"""The loss of masked words."""

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoConfig, AutoModelForMaskedLM

from stages.core.encoder.batches import Batch
from stages.core.encoder.checkpoint import load_encoder
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.maps.gradient_tables import MASKED
from stages.core.stage.places import ENCODERS
from stages.encoder.stage import random_weights
from stages.surface.masked_words import (
    IGNORED,
    has_mlm_head,
    masked,
    masked_gradients,
    masked_lm,
    masked_loss,
)
from tests.oracle import oracle_corpus, oracle_texts

SETTINGS = {"punctuation": ["."], "share": 0.15, "batch": 4, "resamples": 20, "seed": 0}


def test_masked_tokens_alone_have_a_loss():
    ids, special = [[2, 7, 8, 9, 10, 3]], [[1, 0, 0, 0, 0, 2]]
    shown, labels = masked(ids, special, mask=4, share=0.5, seed=0)
    drawn = [place for place, label in enumerate(labels[0]) if label != IGNORED]
    assert len(drawn) == 2
    assert not {0, 5} & set(drawn)
    for place, token in enumerate(ids[0]):
        assert shown[0][place] == (4 if place in drawn else token)
        assert labels[0][place] == (token if place in drawn else IGNORED)
    logits = torch.zeros(1, 6, 11)
    logits[0, drawn[0], ids[0][drawn[0]]] = 100.0
    batch = Batch(np.array([0]), np.array([6]), {})
    found = masked_loss(logits, batch, labels)
    assert found[0] == pytest.approx(np.log(11) / 2, rel=1e-5)


@pytest.fixture
def encoders(tiny_bert, tmp_path, monkeypatch):
    """An encoder with an MLM head, and random weights without, as the stage `encoder` has them."""
    monkeypatch.chdir(tmp_path)
    config = AutoConfig.from_pretrained(tiny_bert)
    for arm, model in {
        "untuned": AutoModelForMaskedLM.from_config(config),
        "random_weights": random_weights(tiny_bert, 1),
    }.items():
        model.save_pretrained(ENCODERS / arm)
        load_tokenizer(tiny_bert).save_pretrained(ENCODERS / arm)
    return tmp_path


def gradients(folder):
    corpus = oracle_corpus(8)
    device = torch.device("cpu")
    return masked_gradients(oracle_texts(corpus, folder), np.arange(6), **SETTINGS, device=device)


def test_random_weights_are_measured_beside_the_encoder(encoders):
    own, beside = gradients(encoders)
    assert set(own["arm"]) == {"untuned"}
    assert set(beside["arm"]) == {"random_weights"}
    assert own[["layer", "kind"]].equals(beside[["layer", "kind"]])
    assert not np.allclose(own["summed"], beside["summed"])
    assert (own["texts"] == 6).all()
    assert {len(line) for part in (own, beside) for line in part["per_weight_drawn"]} == {20}
    again = gradients(encoders)
    pd.testing.assert_frame_equal(again[1], beside)
    MASKED.write([own, beside], data="pairs")


def test_the_head_of_random_weights_is_random_too_and_the_encoder_is_kept(encoders):
    one, again, other = (masked_lm("random_weights", seed) for seed in (0, 0, 1))
    name = "cls.predictions.transform.dense.weight"
    one, again, other = (model.state_dict() for model in (one, again, other))
    assert torch.equal(one[name], again[name])
    assert not torch.equal(one[name], other[name])
    kept = load_encoder(ENCODERS / "random_weights").state_dict()
    query = "encoder.layer.1.attention.self.query.weight"
    assert torch.equal(one[f"bert.{query}"], kept[query])
    assert torch.equal(other[f"bert.{query}"], kept[query])


def test_without_an_mlm_head_there_are_no_rows(encoders, tiny_bert):
    load_encoder(tiny_bert).save_pretrained(ENCODERS / "untuned")
    tables = gradients(encoders)
    assert not tables
    MASKED.write(tables, data="pairs")
    assert pd.read_parquet(MASKED.path("pairs")).empty


def test_a_folder_without_an_encoder_has_no_mlm_head(tmp_path, tiny_bert):
    assert not has_mlm_head(tmp_path)
    assert not has_mlm_head(tiny_bert)
