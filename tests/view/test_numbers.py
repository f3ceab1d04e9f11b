"""The numbers in the page are the model's, within their rounding, in every family."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoModelForSequenceClassification

from stages.core.encoder.families import family_of
from stages.core.heads.layer_modules import layer_holder, layer_modules
from stages.core.viewer.rounding import HIGHEST, LARGEST, shares_as_text, signed_as_text
from stages.view.models import CHECKPOINT, MODEL, load_model
from stages.view.view import view_data
from tests.checkpoints import TINY
from tests.view.conftest import FIRST, SECOND

LAYER, HEAD = 1, 3
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def codes(text: str) -> np.ndarray:
    """The numbers of 12 bits behind a text."""
    digits = np.array([LETTERS.index(letter) for letter in text]).reshape(-1, 2)
    return digits[:, 0] * 64 + digits[:, 1]


def shares_in(model: dict, layer: int, tokens: int) -> np.ndarray:
    """Maps of a layer, head x query x key."""
    return codes(model["maps"][layer]).reshape(-1, tokens, tokens) / HIGHEST


def vectors_in(model: dict, side: str, layer: int, tokens: int) -> np.ndarray:
    """Queries or keys of a layer, head x token x neuron."""
    steps = model["queryStep" if side == "queries" else "keyStep"][layer]
    whole = codes(model[side][layer]).reshape(-1, tokens, model["size"]) - LARGEST - 1
    return whole * np.array(steps)[:, None, None]


def inputs_of(folder: Path, *texts: str) -> dict[str, torch.Tensor]:
    tokenizer = load_model(str(folder), CHECKPOINT).tokenizer
    return tokenizer(*texts, return_tensors="pt")


@pytest.fixture(params=TINY)
def family(request: pytest.FixtureRequest) -> str:
    return request.param


def test_maps_queries_and_keys_are_those_of_transformers(family, tiny_checkpoints):
    folder = tiny_checkpoints[family]
    data = view_data([load_model(str(folder), CHECKPOINT)], FIRST, SECOND)
    model, tokens = data["models"][0], len(data["pieces"])
    own = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    modules = layer_modules(layer_holder(own).layer[LAYER], family_of(own.config))
    seen = {}
    for name in ("query", "key"):
        getattr(modules, name).register_forward_hook(
            lambda _, __, output, name=name: seen.update({name: output[0]})
        )
    with torch.no_grad():
        maps = own(**inputs_of(folder, FIRST, SECOND), output_attentions=True).attentions
    expected = maps[LAYER][0].numpy()
    found = shares_in(model, LAYER, tokens)
    np.testing.assert_allclose(found, expected, atol=0.5 / HIGHEST + 1e-5)
    size = model["size"]
    for name, side in (("query", "queries"), ("key", "keys")):
        vectors = seen[name].unflatten(-1, (-1, size)).transpose(0, 1).numpy()
        rounding = np.abs(vectors).max() / LARGEST
        np.testing.assert_allclose(vectors_in(model, side, LAYER, tokens), vectors, atol=rounding)
    # What the neuron view makes of them is the map again.
    scores = vectors_in(model, "queries", LAYER, tokens) @ vectors_in(
        model, "keys", LAYER, tokens
    ).transpose(0, 2, 1)
    odds = np.exp(scores / np.sqrt(size))
    np.testing.assert_allclose(odds / odds.sum(-1, keepdims=True), expected, atol=2e-3)
    assert np.ptp(expected[HEAD]) > 0.01


def without(folder: Path, layer: int, head: int, inputs: dict) -> np.ndarray:
    """Logits of the model with one head's part of the output projection's input at zero."""
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    modules = layer_modules(layer_holder(model).layer[layer], family_of(model.config))
    size = model.config.hidden_size // model.config.num_attention_heads

    def cut(_, arguments):
        outputs = arguments[0].clone()
        outputs[..., head * size : (head + 1) * size] = 0
        return (outputs,)

    modules.output.register_forward_pre_hook(cut)
    with torch.no_grad():
        return model(**inputs).logits[0].double().numpy()


def softmax(logits: np.ndarray) -> np.ndarray:
    odds = np.exp(logits - logits.max())
    return odds / odds.sum()


def test_a_head_off_is_a_pass_with_its_slice_zeroed(family, classifiers):
    folder = classifiers(family, ("no", "maybe", "yes"))
    data = view_data([load_model(str(folder), MODEL)], FIRST, SECOND)
    prediction = data["models"][0]["prediction"]
    inputs = inputs_of(folder, FIRST, SECOND)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        whole = softmax(model(**inputs).logits[0].double().numpy())
    np.testing.assert_allclose(prediction["whole"], whole, atol=1e-5)
    moved = 0.0
    for layer, head in ((0, 1), (LAYER, HEAD)):
        after = softmax(without(folder, layer, head, inputs))
        np.testing.assert_allclose(prediction["without"]["zero"][layer][head], after, atol=1e-5)
        moved = max(moved, np.abs(after - whole).max())
    assert moved > 1e-3
    assert prediction["without"]["uniform"] != prediction["without"]["zero"]


def test_a_regression_has_its_score(classifiers):
    folder = classifiers("bert", ("score",))
    data = view_data([load_model(str(folder), MODEL)], FIRST)
    model = data["models"][0]
    assert model["classes"] == []
    logits = without(folder, LAYER, HEAD, inputs_of(folder, FIRST))
    found = model["prediction"]["without"]["zero"][LAYER][HEAD]
    np.testing.assert_allclose(found, logits, atol=1e-5)


def test_chosen_layers_and_heads_are_those_of_the_whole(classifiers):
    shown = load_model(str(classifiers("minilm")), MODEL)
    whole = view_data([shown], FIRST, SECOND)
    part = view_data([shown], FIRST, SECOND, layers="1,4-5", heads="7")
    assert (part["layers"], part["heads"]) == ([1, 4, 5], [7])
    tokens = len(whole["pieces"])
    np.testing.assert_array_equal(
        shares_in(part["models"][0], 1, tokens)[0], shares_in(whole["models"][0], 4, tokens)[7]
    )
    np.testing.assert_array_equal(
        vectors_in(part["models"][0], "keys", 2, tokens)[0],
        vectors_in(whole["models"][0], "keys", 5, tokens)[7],
    )
    off, all_off = (data["models"][0]["prediction"]["without"]["uniform"] for data in (part, whole))
    np.testing.assert_allclose(off[2][0], all_off[5][7], atol=2e-6)


def test_rounding_is_as_the_page_says():
    generator = np.random.default_rng(0)
    shares = generator.random((2, 3, 3))
    np.testing.assert_allclose(
        codes(shares_as_text(shares)).reshape(2, 3, 3) / HIGHEST, shares, atol=0.5 / HIGHEST
    )
    values = generator.normal(size=(2, 5, 4)) * np.array([[[1.0]], [[1000.0]]])
    text, steps = signed_as_text(values)
    found = (codes(text).reshape(2, 5, 4) - LARGEST - 1) * np.array(steps)[:, None, None]
    largest = np.abs(values).max(axis=(1, 2))
    for head in range(2):
        np.testing.assert_allclose(found[head], values[head], atol=0.51 * largest[head] / LARGEST)
    text, _ = signed_as_text(np.zeros((1, 2, 2)))
    assert set(codes(text)) == {LARGEST + 1}


def test_words_have_their_pieces_and_special_tokens_are_their_own(tiny_bert):
    data = view_data([load_model(str(tiny_bert), CHECKPOINT)], "Dogs not bark .", "a b")
    assert data["pieces"][0] == "[CLS]"
    words = {}
    for piece, group in zip(data["pieces"], data["groups"], strict=True):
        words.setdefault(data["words"][group], []).append(piece)
    assert words["Dogs"] == ["dog", "##s"]
    assert words["bark"] == ["b", "##a", "##r", "##k"]
    assert data["words"] == ["[CLS]", "Dogs", "not", "bark", ".", "[SEP]", "a", "b", "[SEP]"]
    assert data["segments"][-3:] == [1, 1, 1]
    assert sorted(set(data["groups"])) == list(range(9))


def test_bytes_are_shown_as_the_text_they_cover(tiny_checkpoints):
    data = view_data([load_model(str(tiny_checkpoints["roberta"]), CHECKPOINT)], "the dog 你")
    assert data["pieces"][:3] == ["<s>", "the", "dog"]
    assert "你" in data["pieces"]
    assert not any("Ġ" in piece for piece in data["pieces"])
