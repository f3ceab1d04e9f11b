"""Confidence and entropy of heads, against the maps of transformers itself."""

import numpy as np
import pytest
import torch

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.tasks.examples import read_examples
from stages.harmful.attention import confidence_and_entropy
from tests import toy


@pytest.mark.parametrize("pairs", [True, False])
def test_means_over_the_real_tokens_of_each_example(tmp_path, monkeypatch, tiny_bert, pairs):
    monkeypatch.chdir(tmp_path)
    toy.write_parameters()
    toy.write_examples_of("toy", 7, pairs)
    toy.write_models(tiny_bert, "tuned")
    folder = tmp_path / "work/models/toy/tuned-0"
    examples = read_examples(toy.examples_path("toy"))
    encoded = encode(load_tokenizer(folder), examples, 40)
    found = confidence_and_entropy(Gated(load_tuned(folder)), encoded, 4, torch.device("cpu"))
    for row, (_, maps) in enumerate(
        (id_, toy.eager_attention("tuned")[id_]) for id_ in examples["id"]
    ):
        np.testing.assert_allclose(found[0, row], maps.max(axis=-1).mean(axis=-1), rtol=1e-4)
        entropy = -(maps * np.log(maps)).sum(axis=-1).mean(axis=-1)
        np.testing.assert_allclose(found[1, row], entropy, rtol=1e-4)
