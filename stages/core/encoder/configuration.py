"""Reading `config.json` of a checkpoint, and refusing what transformers would not compute of it."""

import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import fields
from math import inf
from pathlib import Path
from typing import Any

from transformers import AutoConfig, PreTrainedConfig

from stages.core.encoder.families import BY_TYPE, Family, family_of_type, longest_input, refusal

CONFIG = "config.json"
CLASSIFIER, MASKED_LM = "ForSequenceClassification", "ForMaskedLM"
ENDS = ("model", "for")  # of a class's name, behind its type
# Keys with which config.json or tokenizer_config.json has transformers load something else: code
# of the folder's own, weights of another name or form, kernels of the Hub.
FOREIGN_KEYS = (
    "auto_map",
    "transformers_weights",
    "fast_tokenizer_files",
    "quantization_config",
    "attn_implementation",
    "_attn_implementation",
    "_attn_implementation_internal",
    "experts_implementation",
    "_experts_implementation",
)
PLAIN_ATTENTION = (None, "eager", "sdpa")
# Keys of encoders that compute something else than these families do: another mask, positions
# turned into queries and keys, parts of a text at a time.
UNCOMPUTED = (
    "is_decoder",
    "add_cross_attention",
    "is_encoder_decoder",
    "chunk_size_feed_forward",
    "per_layer_config",
    "rope_parameters",
    "rope_scaling",
    "rope_theta",
    "rotary_value",
    "alibi",
    "use_alibi",
    "relative_attention",
    "sliding_window",
    "attention_chunk_size",
    "attention_window",
    "pre_norm",
    "norm_first",
    "normalize_before",
)
# What a model gives out beside its last layer is asked for where it is run, whatever the file says.
OUTPUTS = {"output_attentions": False, "output_hidden_states": False, "return_dict": True}
BYTE_ORDER_MARKS = (BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE)
# One setting under the names that families have for it; weights tell the others apart by shape.
ALIASES = (("num_attention_heads", "n_heads"), ("hidden_act", "activation"))
# Forms of one function, which differ in the third digit.
GELU = (
    "gelu",
    "gelu_new",
    "gelu_python",
    "gelu_fast",
    "gelu_accurate",
    "gelu_pytorch_tanh",
    "gelu_python_tanh",
)
DEEPEST = 50  # lists and mappings in each other; a copy of many more ends in a RecursionError
MOST_CLASSES = 100_000  # transformers makes a name for each
SHORTEST = 3  # tokens: [CLS], one of the text, [SEP]


def read_config(folder: Path, pruned: bool = False, **changes: Any) -> PreTrainedConfig:
    """The configuration of the encoder in `folder`, with some values changed.

    Args:
        pruned: whether it may say that heads were pruned, which transformers does not load.

    Raises:
        InputError: `config.json` is no JSON object, or says what transformers cannot compute.
    """
    file = folder / CONFIG
    content = json_object(file)
    family = family_of_type(content.get("model_type"), str(folder))
    refuse_foreign_keys(content, file)
    _refuse(file, _uncomputed(content, family))
    if not pruned and (heads := pruned_heads(content, file)):
        named = " ".join(f"{layer}.{head}" for layer, head in heads)
        raise refusal(
            f"{file}: `pruned_heads` says that heads were pruned, whose weights transformers 5 "
            "does not load; put zeros in their place, which predicts the same: "
            f"python -m tools.cut {folder} NEW_FOLDER --heads {named}"
        )
    try:
        config = AutoConfig.from_pretrained(folder, **OUTPUTS, **changes)
    except Exception as error:  # each version raises others for a value of a wrong type
        reason = str(error).strip().split("\n")[-1].strip() or type(error).__name__
        mend = "mend that value, or copy the file anew"
        raise refusal(f"{file} cannot be read ({reason}); {mend}") from None
    _refuse(file, _ill_sized(config, family))
    _refuse(file, _out_of_range(config))
    _refuse(file, _contradicting(content, config, family))
    return config


def json_object(file: Path) -> dict[str, Any]:
    """The content of a file of JSON.

    Raises:
        InputError: it is no JSON object, begins with a byte order mark, or its parts lie too deep
            in each other.
    """
    read = file.read_bytes()
    if read.startswith(BYTE_ORDER_MARKS):
        raise refusal(
            f"{file} begins with a byte order mark, which transformers does not read; save the "
            "file anew as UTF-8 without one"
        )
    try:
        content = json.loads(read.decode())
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or _deeper(content, DEEPEST):
        raise refusal(f"{file} is not a JSON object; copy the file anew")
    return content


def refuse_foreign_keys(content: dict[str, Any], file: Path) -> None:
    """Refuse a file that has transformers load what is not in its folder.

    Raises:
        InputError: it does.
    """
    for key in FOREIGN_KEYS:
        value = content.get(key)
        if value is None or ("attn" in key and value in PLAIN_ATTENTION):
            continue
        raise refusal(
            f"{file} has the key {key!r} ({value!r}), with which transformers loads code, weights "
            "or kernels that are not those of this folder; take the key out if the model works "
            "without it, or choose another checkpoint"
        )


def has_head(config: PreTrainedConfig, head: str) -> bool:
    """Whether the model was saved with a head: `CLASSIFIER` or `MASKED_LM`."""
    return any(name.endswith(head) for name in config.architectures or [])


def pruned_heads(content: dict[str, Any], file: Path) -> list[tuple[int, int]]:
    """Layer and head of every head whose weights were taken out.

    Raises:
        InputError: `pruned_heads` is no mapping from layers to lists of heads.
    """
    heads = content.get("pruned_heads") or {}
    try:
        return sorted((int(layer), int(head)) for layer in heads for head in heads[layer])
    except (TypeError, ValueError, IndexError):
        raise refusal(
            f"{file}: `pruned_heads` is {heads!r}, no mapping from layers to lists of heads; mend "
            "it, or copy the file anew"
        ) from None


def _refuse(file: Path, complaints: Iterator[str]) -> None:
    for complaint in complaints:
        raise refusal(f"{file}: {complaint}")


def _deeper(value: Any, levels: int) -> bool:
    """Whether lists and mappings lie more than `levels` deep in each other."""
    inside = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list):
        return False
    return levels == 0 or any(_deeper(each, levels - 1) for each in inside)


def _uncomputed(content: dict[str, Any], family: Family) -> Iterator[str]:
    """What the file asks for and transformers leaves out, or has no end."""
    kind = content.get("position_embedding_type")
    if kind not in (None, "absolute"):
        yield (
            f"`position_embedding_type` is {kind!r}, which transformers 5 does not compute: every "
            "map would be another model's; choose a checkpoint with absolute positions"
        )
    for key in UNCOMPUTED:
        if content.get(key):
            yield (
                f"`{key}` is {content[key]!r}, which an encoder of type {content['model_type']} "
                "does not compute here; take the key out if the weights were trained without it, "
                "or choose another checkpoint"
            )
    classes = content.get("num_labels")
    if classes is not None and not (type(classes) is int and 0 <= classes <= MOST_CLASSES):
        yield f"`num_labels` is {classes!r}; write how many outputs the classifier has"
    if not any(key in content for key in ALIASES[0]):
        yield (
            f"there is no `{ALIASES[0][0]}`, and weights do not tell how many heads a layer has; "
            "copy the file that came with the weights"
        )
    names = content.get("architectures") or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        yield f"`architectures` is {names!r}, no list of names; copy the file anew"
    others = [
        other.replace("-", "")
        for other, record in BY_TYPE.items()
        if record.positions_after_padding != family.positions_after_padding
    ]
    for name in names:
        if name.lower().startswith(tuple(f"{other}{end}" for other in others for end in ENDS)):
            yield (
                f"`architectures` names {name}, but `model_type` is {content['model_type']!r}, "
                "which counts positions otherwise; copy the file that came with the weights"
            )


def _ill_sized(config: PreTrainedConfig, family: Family) -> Iterator[str]:
    keys = ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"]
    keys += ["max_position_embeddings", family.inner_size, *filter(None, [family.segments])]
    for key in keys:
        value = getattr(config, key)
        if type(value) is not int or value < 1:
            yield f"`{key}` is {value!r}, no number above 0; copy the file anew"
    if config.hidden_size % config.num_attention_heads:
        yield (
            f"`hidden_size` {config.hidden_size} is no multiple of `num_attention_heads` "
            f"{config.num_attention_heads}; copy the file anew"
        )
    padding = config.pad_token_id
    if padding is None and family.positions_after_padding:
        yield "`pad_token_id` is null, after which positions are counted; copy the file anew"
    if padding is not None and not -config.vocab_size <= padding < config.vocab_size:
        yield f"`pad_token_id` is {padding}, beyond the vocabulary; copy the file anew"
    if longest_input(config) < SHORTEST:
        yield (
            f"`max_position_embeddings` is {config.max_position_embeddings}: no position is left "
            "for a text; copy the file anew"
        )


def _out_of_range(config: PreTrainedConfig) -> Iterator[str]:
    """Values that make not a number of outputs, of weights drawn anew, or of training."""
    for key, highest in (("layer_norm_eps", 0.1), ("initializer_range", inf)):
        value = getattr(config, key, None)
        if value is not None and not 0 < value < highest:
            yield f"`{key}` is {value!r}, no small number above 0; copy the file anew"
    for field in fields(config):
        value = getattr(config, field.name)
        if "dropout" in field.name and value is not None and not 0 <= value < 1:
            yield f"`{field.name}` is {value!r}, no share from 0 to below 1; copy the file anew"


def _contradicting(
    content: dict[str, Any], config: PreTrainedConfig, family: Family
) -> Iterator[str]:
    """What the file says under a name that this family does not read, or of another function."""
    computed = {"num_attention_heads": config.num_attention_heads}
    computed["hidden_act"] = getattr(config, family.activation)
    for names in ALIASES:
        for name in names:
            if name in content and content[name] != computed[names[0]]:
                yield (
                    f"`{name}` is {content[name]!r}, but {computed[names[0]]!r} is computed; copy "
                    "the file that came with the weights"
                )
    if computed["hidden_act"] not in GELU:
        yield (
            f"`{family.activation}` is {computed['hidden_act']!r}; encoders of type "
            f"{config.model_type} compute gelu ({', '.join(GELU)}): copy the file that came with "
            "the weights, or choose another checkpoint"
        )
