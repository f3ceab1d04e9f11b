"""The weights of an encoder or classifier that are no model's, or not those that are asked for."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import AutoModelForSequenceClassification

from stages.core.checkpoint_files import check
from stages.core.encoder.checkpoint import load_encoder, load_masked_lm, load_tuned
from stages.core.encoder.configuration import read_config
from stages.core.stage.files import InputError
from tests.core.test_checkpoint_files import change, split

Weights = dict[str, Tensor]
LOADERS = [load_encoder, load_tuned, load_masked_lm]
QUERY = "bert.encoder.layer.0.attention.self.query.weight"


@pytest.fixture(scope="module")
def written(tiny_checkpoints, tmp_path_factory) -> Path:
    """A classifier of two classes on the tiny BERT."""
    folder = tmp_path_factory.mktemp("classifier") / "whole"
    shutil.copytree(tiny_checkpoints["bert"], folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = read_config(folder, id2label={0: "no", 1: "yes"})
        AutoModelForSequenceClassification.from_config(config).save_pretrained(folder)
    return folder


@pytest.fixture
def classifier(written: Path, tmp_path: Path) -> Path:
    """A copy of it, free to be spoilt."""
    return shutil.copytree(written, tmp_path / "classifier")


def edit(folder: Path, changed: Callable[[Weights], Weights]) -> None:
    weights = changed(load_file(folder / "model.safetensors"))
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def renamed(weights: Weights, name: Callable[[str], str]) -> Weights:
    return {name(key): tensor for key, tensor in weights.items()}


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "model.", "module.module."])
def test_a_wrappers_prefix_is_named(classifier, load, prefix):
    edit(classifier, lambda weights: renamed(weights, lambda key: prefix + key))
    with pytest.raises(InputError, match=f"begin with '{prefix}'.*removeprefix\\('{prefix}'\\)"):
        load(classifier)


def test_what_is_loaded_is_the_same_at_every_call(classifier):
    one, other = (load_tuned(classifier).state_dict() for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("load", LOADERS)
def test_names_with_something_inside(classifier, load):
    """As a wrapper around each layer leaves them."""
    edit(
        classifier,
        lambda weights: renamed(weights, lambda key: key.replace("layer.0.", "layer.0.wrapped.")),
    )
    with pytest.raises(InputError, match="16 weights are missing .*belong to different models"):
        load(classifier)


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize(
    ("extra", "complaint"),
    [
        ("bert.encoder.layer.0.attention.self.distance_embedding.weight", "1 weights are left ove"),
        ("bert.encoder.layer.1.output.adapter.weight", "1 weights are left over"),
        ("bert.embeddings.more.weight", "left over, which transformers would drop .bert.embed"),
        ("bert.encoder.layer.2.output.dense.weight", "num_hidden_layers 2, its weights have 3"),
        ("embeddings.word_embeddings.weight", "holds two encoders"),
        ("bert.prompt_encoder.weight", "1 weights are left over"),
        ("bert.prefix.embedding.weight", "1 weights are left over"),
    ],
)
def test_weights_that_are_left_over(classifier, load, extra, complaint):
    edit(classifier, lambda weights: weights | {extra: torch.ones(3, 4)})
    with pytest.raises(InputError, match=complaint):
        load(classifier)


def test_what_may_be_left_over(classifier):
    """Another head, and buffers that older versions saved."""
    before = load_tuned(classifier).state_dict()
    others = {
        "cls.predictions.bias": torch.ones(3),
        "qa_outputs.weight": torch.ones(2, 16),
        "bert.embeddings.position_ids": torch.arange(64)[None],
    }
    edit(classifier, lambda weights: weights | others)
    after = load_tuned(classifier).state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    load_encoder(classifier)
    edit(classifier, lambda weights: weights | {"classifier.more.weight": torch.ones(2)})
    load_encoder(classifier)
    with pytest.raises(InputError, match="1 weights are left over, .*classifier.more.weight"):
        load_tuned(classifier)


@pytest.mark.parametrize("name", ["classifier.weight", "bert.pooler.dense.bias"])
def test_a_head_that_is_asked_for_is_there(classifier, name):
    edit(classifier, lambda weights: {key: one for key, one in weights.items() if key != name})
    load_encoder(classifier)
    with pytest.raises(InputError, match=rf"1 weights are missing \({name}\)"):
        load_tuned(classifier)


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize(
    ("spoilt", "complaint"),
    [
        (lambda weight: weight * float("nan"), r"1 weights are not finite \(.*query.weight\)"),
        (lambda weight: weight.double() * 1e300, "1 weights are not finite"),
        (lambda weight: weight * 3e38, r"no finite numbers \(attention of layers \[0"),
        (lambda weight: weight[4:].contiguous(), "1 weights have another shape"),
        (lambda weight: weight.sum(), "1 weights have another shape"),
        (lambda weight: (weight * 9).to(torch.int8), "query.weight has numbers of the kind I8"),
    ],
)
def test_weights_that_no_attention_comes_of(classifier, load, spoilt, complaint):
    edit(classifier, lambda weights: weights | {QUERY: spoilt(weights[QUERY])})
    with pytest.raises(InputError, match=complaint):
        load(classifier)


def test_a_head_that_is_not_finite(classifier):
    spoilt = {"classifier.bias": torch.tensor([0.0, float("inf")])}
    edit(classifier, lambda weights: weights | spoilt)
    load_encoder(classifier)
    with pytest.raises(InputError, match=r"1 weights are not finite \(classifier.bias\)"):
        load_tuned(classifier)


@pytest.mark.parametrize("load", LOADERS)
def test_a_file_of_zeros(classifier, load):
    """As a download that broke off in a file of the right size leaves it."""
    edit(classifier, lambda weights: {key: one.zero_() for key, one in weights.items()})
    with pytest.raises(InputError, match="5 weights of norms are zero alone"):
        load(classifier)


@pytest.mark.parametrize("load", [*LOADERS, check])
@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda content: content[: len(content) // 2], "model.safetensors is damaged"),
        (lambda content: content + b"more", "model.safetensors is damaged"),
        (lambda _: b"", "model.safetensors is damaged"),
        (lambda _: b"<!DOCTYPE html>" * 99, "model.safetensors is damaged"),
        (lambda _: b"version https://git-lfs.github.com/spec/v1\noid", "pointer of Git LFS"),
    ],
)
def test_a_damaged_file(classifier, load, spoil, complaint):
    file = classifier / "model.safetensors"
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(InputError, match=complaint):
        load(classifier)


def test_a_damaged_shard_is_named(classifier):
    split(classifier)
    load_tuned(classifier)
    shard = classifier / "model-2.safetensors"
    shard.write_bytes(shard.read_bytes()[:-9])
    with pytest.raises(InputError, match="model-2.safetensors is damaged"):
        load_tuned(classifier)


def test_a_weight_in_two_shards(classifier):
    split(classifier)
    first, second = (classifier / f"model-{number}.safetensors" for number in (1, 2))
    name, tensor = next(iter(load_file(first).items()))
    save_file(load_file(second) | {name: tensor + 1}, second, {"format": "pt"})
    with pytest.raises(InputError, match=f"model-2.safetensors has {name}, as another file has"):
        load_tuned(classifier)


def test_what_transformers_fails_at_is_refused(classifier, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise KeyError("nonsense")

    monkeypatch.setattr(AutoModelForSequenceClassification, "from_pretrained", fail)
    with pytest.raises(InputError, match=r"classifier cannot be loaded \('nonsense'\)"):
        load_tuned(classifier)


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        ({"0": "a", "1": "b", "2": "c"}, "names 3 classes, but the classifier of .* has 2 outputs"),
        ({"1": "a", "2": "b"}, "give each output a name, by its number from 0"),
        ({"0": "a", "1": None}, "give each output a name"),
        ({"0": "a", "1": "b", "2": "c", "3": "d"}, "names 4 classes"),
    ],
)
def test_classes_that_are_not_the_heads(classifier, labels, complaint):
    change(classifier / "config.json", id2label=labels)
    load_encoder(classifier)
    with pytest.raises(InputError, match=complaint):
        load_tuned(classifier)


@pytest.mark.parametrize("load", [*LOADERS, check])
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("num_hidden_layers", 1),
        ("num_hidden_layers", 10**9),
        ("vocab_size", 10**12),
        ("max_position_embeddings", 10**12),
        ("intermediate_size", 10**12),
        ("hidden_size", 32),
        ("type_vocab_size", 1),
    ],
)
def test_sizes_are_those_of_the_weights(classifier, load, key, value):
    """Before a model of that size is made."""
    change(classifier / "config.json", **{key: value})
    with pytest.raises(InputError, match=f"config.json says {key} {value}, its weights have"):
        load(classifier)


def test_other_families_have_other_sizes(any_checkpoint, tmp_path):
    folder = shutil.copytree(any_checkpoint, tmp_path / "copy")
    config = read_config(folder)
    key = config.attribute_map.get("num_hidden_layers", "num_hidden_layers")
    change(folder / "config.json", **{key: 1})
    layers = config.num_hidden_layers
    with pytest.raises(InputError, match=f"num_hidden_layers 1, its weights have {layers}"):
        load_encoder(folder)


def test_loading_draws_no_random_number(classifier):
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    load_encoder(classifier)
    load_tuned(classifier)
    load_masked_lm(classifier, 5)
    assert torch.equal(torch.rand(2), expected)


@pytest.mark.parametrize(
    ("architectures", "advice"),
    [
        (
            ["BertForSequenceClassification"],
            r"transformers: AutoModelForSequenceClassification\.fr",
        ),
        (["BertForMaskedLM"], r"transformers: AutoModelForMaskedLM\.from"),
        (["BertModel"], r"transformers: AutoModel\.from"),
        (None, r"AutoModel \(of a classifier: AutoModelForSequenceClassification\)\.from"),
    ],
)
def test_pickled_weights_are_converted_with_their_head(classifier, architectures, advice):
    (classifier / "model.safetensors").rename(classifier / "pytorch_model.bin")
    change(classifier / "config.json", architectures=architectures)
    for load in (load_tuned, check):
        with pytest.raises(InputError, match=advice):
            load(classifier)
