"""What config.json may not say: transformers would leave it out, or fail at it."""

import json
from pathlib import Path

import pytest

from stages.core.checkpoint_files import check
from stages.core.encoder.configuration import json_object, pruned_heads, read_config
from stages.core.stage.files import InputError
from tests.core.test_checkpoint_files import change

DEEP = json.loads("[" * 400 + "]" * 400)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"position_embedding_type": "relative_key_query"}, "`position_embedding_type` is 'relati"),
        (
            {"position_embedding_type": "relative_key"},
            "choose a checkpoint with absolute positions",
        ),
        ({"pruned_heads": {"0": [0], "1": [2, 3]}}, r"tools\.cut .* --heads 0\.0 1\.2 1\.3$"),
        ({"pruned_heads": [0]}, "no mapping from layers to lists of heads"),
        ({"is_decoder": True}, "`is_decoder` is True"),
        ({"add_cross_attention": True}, "`add_cross_attention` is True"),
        ({"chunk_size_feed_forward": 7}, "`chunk_size_feed_forward` is 7"),
        ({"per_layer_config": {"0": {"hidden_act": "relu"}}}, "`per_layer_config`"),
        ({"hidden_act": "relu"}, "`hidden_act` is 'relu'; encoders of type bert compute gelu"),
        ({"hidden_act": "nonsense"}, "`hidden_act` is 'nonsense'"),
        ({"activation": "relu"}, "`activation` is 'relu', but 'gelu' is computed"),
        ({"n_heads": 2}, "`n_heads` is 2, but 4 is computed"),
        ({"layer_norm_eps": float("nan")}, "`layer_norm_eps` is nan, no small number above 0"),
        ({"layer_norm_eps": -1e-12}, "`layer_norm_eps` is -1e-12"),
        ({"layer_norm_eps": 0.0}, "`layer_norm_eps` is 0.0"),
        ({"layer_norm_eps": 5.0}, "`layer_norm_eps` is 5.0"),
        ({"initializer_range": float("nan")}, "`initializer_range` is nan"),
        ({"hidden_dropout_prob": 1.5}, "`hidden_dropout_prob` is 1.5, no share"),
        ({"num_labels": 10**9}, "`num_labels` is 1000000000; write how many"),
        ({"num_labels": 1e9}, "`num_labels` is 1000000000.0"),
        ({"num_labels": "2"}, "`num_labels` is '2'"),
        ({"id2label": ["no", "yes"]}, "config.json cannot be read .*; mend that value"),
        ({"hidden_size": "16"}, "'hidden_size' expected int, got str"),
        ({"num_hidden_layers": [2]}, "'num_hidden_layers' expected int, got list"),
        ({"vocab_size": 99.0}, "'vocab_size' expected int, got float"),
        ({"dtype": "float99"}, "no attribute 'float99'"),
        ({"num_attention_heads": 3}, "`hidden_size` 16 is no multiple of `num_attention_heads` 3"),
        ({"num_attention_heads": 0}, "`num_attention_heads` is 0, no number above 0"),
        ({"num_hidden_layers": -2}, "`num_hidden_layers` is -2"),
        ({"pad_token_id": 4000}, "`pad_token_id` is 4000, beyond the vocabulary"),
        ({"max_position_embeddings": 2}, "no position is left for a text"),
        ({"model_type": ["bert"]}, r"a model of type \['bert'\], not a BERT-like encoder"),
        (
            {"model_type": "roberta"},
            "`architectures` names BertModel, but `model_type` is 'roberta'",
        ),
        ({"architectures": "BertModel"}, "`architectures` is 'BertModel', no list of names"),
        ({"architectures": [1]}, "no list of names"),
        ({"unknown": DEEP}, "config.json is not a JSON object"),
    ],
)
def test_what_transformers_would_leave_out_or_fail_at(tiny_bert_copy, changes, complaint):
    change(tiny_bert_copy / "config.json", **changes)
    with pytest.raises(InputError, match=complaint):
        read_config(tiny_bert_copy)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_named(tiny_bert_copy, encoding):
    file = tiny_bert_copy / "config.json"
    file.write_text(file.read_text(), encoding=encoding)
    with pytest.raises(InputError, match="config.json begins with a byte order mark.*UTF-8 with"):
        read_config(tiny_bert_copy)


def test_it_says_how_many_heads_there_are(tiny_bert_copy):
    content = json_object(tiny_bert_copy / "config.json")
    del content["num_attention_heads"]
    (tiny_bert_copy / "config.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="there is no `num_attention_heads`"):
        read_config(tiny_bert_copy)


@pytest.mark.parametrize(
    "changes",
    [
        {"position_embedding_type": "absolute", "pruned_heads": {}, "is_decoder": False},
        {"pruned_heads": {"0": []}, "chunk_size_feed_forward": 0, "rope_scaling": None},
        {"hidden_act": "gelu_new", "output_hidden_states": True, "torchscript": True},
        {"output_attentions": True, "return_dict": False},
        {"layer_norm_eps": 1e-5, "hidden_dropout_prob": 0, "classifier_dropout": None},
        {"num_labels": 3, "problem_type": "single_label_classification"},
        {"architectures": ["AnyOtherName"], "language": "english", "pooler_type": "first"},
        {"architectures": None, "pad_token_id": -1},
    ],
)
def test_what_published_files_say(tiny_bert_copy, changes):
    change(tiny_bert_copy / "config.json", **changes)
    assert read_config(tiny_bert_copy).num_attention_heads == 4


def test_every_family_is_read_with_changes(any_checkpoint):
    names = {0: "one", 1: "two", 2: "three"}
    assert read_config(any_checkpoint, id2label=names).num_labels == 3


@pytest.mark.parametrize(
    ("family", "changes", "complaint"),
    [
        ("distilbert", {"hidden_act": "relu"}, "`hidden_act` is 'relu', but 'gelu' is computed"),
        ("distilbert", {"activation": "silu"}, "`activation` is 'silu'; encoders of type distil"),
        ("roberta", {"pad_token_id": None}, "`pad_token_id` is null, after which positions"),
        ("roberta", {"model_type": "bert"}, "`architectures` names RobertaModel, but"),
        ("electra", {"position_embedding_type": "relative_key"}, "`position_embedding_type`"),
    ],
)
def test_each_family_has_its_keys(tiny_checkpoints, tmp_path, family, changes, complaint):
    content = json_object(tiny_checkpoints[family] / "config.json") | changes
    (tmp_path / "config.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=complaint):
        read_config(tmp_path)


@pytest.mark.parametrize("text", ["[" * 1000 + "]" * 1000, '{"a":' * 1000 + "1" + "}" * 1000])
@pytest.mark.parametrize(
    "name",
    ["config.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"],
)
def test_brackets_a_thousand_deep(tiny_bert_copy, name, text):
    (tiny_bert_copy / name).write_text(text)
    with pytest.raises(InputError, match=f"{name} is not a JSON object; copy the file anew"):
        check(tiny_bert_copy)


def test_pruned_heads_are_listed_by_layer():
    file = Path("config.json")
    assert pruned_heads({"pruned_heads": {"1": [3, 0], "0": [2]}}, file) == [(0, 2), (1, 0), (1, 3)]
    assert pruned_heads({"pruned_heads": None}, file) == []
    with pytest.raises(InputError, match="config.json: `pruned_heads` is"):
        pruned_heads({"pruned_heads": {"0": 1}}, file)
