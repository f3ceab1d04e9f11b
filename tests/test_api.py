"""The interface from Python: the example of docs/viewing.md is run and held against hooks."""

import re

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoModelForSequenceClassification, PreTrainedModel

from stages import api
from stages.api import Gate, Gated, MapStore, encode_texts, load_tokenizer, logits_under_gates
from stages.core.stage.files import InputError
from tools.pipeline import ROOT

DOCS = (ROOT / "docs/viewing.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"^## From Python\n.*?^```python\n(.*?)^```$", DOCS, re.M | re.S).group(1)


def without_head(model: PreTrainedModel, layer: int, head: int, inputs: dict) -> np.ndarray:
    """The first token's last state with one head's part of the output projection's input at 0."""
    size = model.config.hidden_size // model.config.num_attention_heads

    def cut(_, arguments):
        (outputs,) = arguments
        outputs = outputs.clone()
        outputs[..., head * size : (head + 1) * size] = 0
        return (outputs,)

    projection = model.encoder.layer[layer].attention.output.dense
    hook = projection.register_forward_pre_hook(cut)
    with torch.no_grad():
        state = model(**inputs).last_hidden_state[:, 0].numpy()
    hook.remove()
    return state


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> dict:
    """The names that the example leaves, after it ran in an empty folder."""
    names: dict = {}
    empty = tmp_path_factory.mktemp("example")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(empty)
        exec(compile(EXAMPLE, "docs/viewing.md", "exec"), names)
    return names | {"maps": MapStore(empty / "my/maps")}


@pytest.fixture(scope="module")
def inputs(example) -> dict[str, torch.Tensor]:
    return example["texts"].batch(np.arange(2)).inputs


def test_the_example_turns_heads_off_as_a_hook_does(example, inputs):
    model = AutoModel.from_pretrained(example["folder"], attn_implementation="eager").eval()
    with torch.no_grad():
        state = model(**inputs).last_hidden_state[:, 0].numpy()
    np.testing.assert_allclose(example["before"], state, atol=1e-5)
    for place in (0, len(example["gates"]) // 2, int(example["moved"].argmax())):
        ((layer, head),) = example["gates"][place].heads
        cut = without_head(model, layer, head, inputs)
        np.testing.assert_allclose(example["after"][place], cut, atol=1e-5)
        distance = np.linalg.norm(cut - state, axis=-1).mean()
        assert example["moved"][place] == pytest.approx(distance, abs=1e-4)
        assert distance > 0.01


def test_the_example_records_the_maps_that_transformers_gives(example, inputs):
    model = AutoModel.from_pretrained(example["folder"], attn_implementation="eager").eval()
    with torch.no_grad():
        own = torch.stack(model(**inputs, output_attentions=True).attentions, dim=1).numpy()
    for text, (identity, pieces) in enumerate(
        zip(example["maps"].ids, example["maps"].tokens["tokens"], strict=True)
    ):
        length = len(pieces)
        assert length == inputs["attention_mask"][text].sum()
        np.testing.assert_allclose(
            example["maps"][identity], own[text, ..., :length, :length], atol=1e-3
        )


def test_logits_come_in_the_order_of_examples_and_gates(tiny_bert):
    """Of pairs of several lengths, in several batches; random gates too, and every mode."""
    model = AutoModelForSequenceClassification.from_pretrained(tiny_bert, num_labels=3)
    gated, tokenizer = Gated(model), load_tokenizer(tiny_bert)
    firsts = ["a cat", "the dog likes the old house", "the book", "a child reads a good book"]
    texts = encode_texts(tokenizer, firsts, ["a dog", "not the garden", "a", "the river is red"])
    means = api.mean_outputs(gated, texts.batches(4))
    gates = [
        Gate("mean", ((1, 2),), "head"),
        *api.random_shares(gated.layers, gated.heads, "uniform", [0.5], draws=2, seed=0),
        Gate("zero", ((0, 3),), "head"),
    ]
    before, after = logits_under_gates(gated, texts, gates, means, batch=3)
    assert after.shape == (len(gates), 4, 3)
    for row in range(4):
        alone = texts.batch(np.array([row])).inputs
        with torch.no_grad():
            np.testing.assert_allclose(before[row], gated(alone)[0], atol=1e-5)
            for gate, logits in zip(gates, after, strict=True):
                off = api.off_matrix([gate], gated.layers, gated.heads)
                full = gated(alone, gate=api.GateBatch(gate.mode, off, means))
                np.testing.assert_allclose(logits[row], full[0], atol=1e-5)


def test_long_texts_are_cut_to_the_positions_of_the_encoder(tiny_bert):
    texts = encode_texts(load_tokenizer(tiny_bert), ["the cat " * 200, "a dog"])
    assert texts.lengths.tolist() == [64, 4]


@pytest.mark.parametrize(
    ("texts", "others", "said"),
    [
        ([], None, "there are no texts"),
        ([None], None, r"texts\[0\] is None: no text"),
        (["a", "a \ud83d"], None, r"texts\[1\] is .*half of a surrogate pair"),
        (["a"], ["a", "b"], "1 texts have 2 others"),
        (["a", "b"], ["a", None], r"others\[1\] is None: no text"),
    ],
)
def test_what_is_no_text_is_refused(tiny_bert, texts, others, said):
    with pytest.raises(InputError, match=said):
        encode_texts(load_tokenizer(tiny_bert), texts, others)


def test_every_name_of_the_interface_is_there():
    assert sorted(set(api.__all__)) == sorted(api.__all__)
    assert all(hasattr(api, name) for name in api.__all__)
