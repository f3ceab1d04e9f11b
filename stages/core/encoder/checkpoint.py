"""The one loader of weights: encoders, classifiers and masked language models, judged alike."""

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import LayerNorm
from transformers import (
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    PreTrainedConfig,
    PreTrainedModel,
)
from transformers.utils import logging

from stages.core.checkpoint_files import check_model, stored_shapes
from stages.core.encoder.configuration import CLASSIFIER, OUTPUTS, has_head
from stages.core.encoder.families import BY_TYPE, TASK_HEADS, longest_input, refusal
from stages.core.encoder.tokenizer import require_model
from stages.core.heads.seam import Gated

POOLER = {"pooler"}  # of which no map depends
# Saved by older versions of transformers; they say nothing.
BUFFERS = ("position_ids", "token_type_ids")
TOKENS = 10  # of the text that every model reads once
ROUNDING = 1e-3


def load_encoder(folder: Path) -> PreTrainedModel:
    """The encoder without a head, in float32, for evaluation.

    Raises:
        InputError: as `_load`.
    """
    return load_encoder_with_report(folder)[0].eval()


def load_encoder_with_report(folder: Path) -> tuple[PreTrainedModel, set[str]]:
    """The encoder and the names of the weights that the checkpoint lacks (those of a pooler).

    Raises:
        InputError: as `_load`.
    """
    encoder, lacking = _load(AutoModel, folder)
    return in_own_memory(encoder), lacking


def load_tuned(folder: Path) -> PreTrainedModel:
    """A classifier, as `finetune` writes it, in float32, for evaluation.

    Raises:
        InputError: as `_load`, config.json names another class than one that classifies texts, or
            the classifier on the encoder is not whole.
    """
    return in_own_memory(_load(AutoModelForSequenceClassification, folder)[0]).eval()


def load_masked_lm(folder: Path, seed: int | None = None) -> tuple[PreTrainedModel, set[str]]:
    """The encoder with its MLM head, and the names of the head's weights that are not there.

    Args:
        seed: with which weights that are not there are drawn.

    Raises:
        InputError: as `_load`.
    """
    return _load(AutoModelForMaskedLM, folder, seed)


def in_own_memory(model: PreTrainedModel) -> PreTrainedModel:
    """The model with weights that begin where torch would put them, in place.

    safetensors leaves them where they lie in the file, at odd multiples of 8 bytes: products then
    differ in the last digit from those of a copy that was sent to another process.
    """
    for tensor in (*model.parameters(), *model.buffers()):
        tensor.data = tensor.data.clone()
    return model


def _load(kind: type, folder: Path, seed: int | None = None) -> tuple[PreTrainedModel, set[str]]:
    """A model in float32, and the names of weights that it need not have and has not.

    Args:
        kind: `AutoModel` or one with a head.

    Raises:
        InputError: there is none, or of another class than is asked for; config.json says what
            transformers does not compute; weights of the encoder, or of a classifier, are missing,
            left over, of another shape or not finite; or the model gives out what is no attention.
    """
    require_model(folder)
    config = check_model(folder)
    if kind is AutoModelForSequenceClassification:
        _require_class(config, folder)
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # what is missing is judged below
    try:
        with torch.random.fork_rng(devices=[]):
            if seed is not None:
                torch.manual_seed(seed)
            model, report = kind.from_pretrained(
                folder,
                use_safetensors=True,
                dtype=torch.float32,
                attn_implementation="sdpa",
                output_loading_info=True,
                ignore_mismatched_sizes=True,
                **OUTPUTS,
            )
    except Exception as error:  # of a file that only looks like a checkpoint it raises many
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise refusal(f"{folder} cannot be loaded ({reason}); copy the checkpoint anew") from None
    finally:
        logging.set_verbosity(verbosity)
    if kind is AutoModelForSequenceClassification:
        _require_names(model.config, folder)
    lacking = _require_whole(model, report, kind is AutoModelForSequenceClassification, folder)
    _require_numbers(model, folder)
    _require_attention(model, folder)
    return model, lacking


def _require_whole(
    model: PreTrainedModel, report: dict[str, Any], classifier: bool, folder: Path
) -> set[str]:
    """Check that every weight in use was in the file, and every weight of the file is in use.

    Returns:
        The names of other weights of the model that the file has not.

    Raises:
        InputError: one was not, or is not.
    """
    base = f"{model.base_model_prefix}."
    encoder = {name for name, _ in model.base_model.named_children()}
    heads = {name for name, _ in model.named_children()}
    used = encoder | heads if classifier else encoder - POOLER

    def in_use(name: str) -> bool:
        return name.removeprefix(base).split(".")[0] in used

    unexpected = sorted(report["unexpected_keys"])
    missing = sorted(filter(in_use, report["missing_keys"]))
    _refuse_prefix(missing, unexpected, base, folder)
    shapes = {name: of_both for name, *of_both in report["mismatched_keys"]}
    for name in filter(in_use, shapes):
        (stored, configured), top = shapes[name], name.removeprefix(base).split(".")[0]
        if top not in encoder and len(stored) == len(configured) and stored[0] != configured[0]:
            raise refusal(
                f"{folder}: config.json names {configured[0]} classes, but the classifier of the "
                f"weights has {stored[0]} outputs ({name}); mend `id2label` and `label2id` there"
            )
    names_there = stored_shapes(folder).keys()
    # Names of an encoder alone have no prefix that tells them from those of heads.
    plain = any(name.split(".")[0] in encoder - POOLER for name in names_there)

    def of_encoder(name: str) -> bool:
        prefixed = name.startswith(base)
        others = POOLER if prefixed else POOLER | TASK_HEADS
        return (prefixed or plain) and name.removeprefix(base).split(".")[0] not in others

    left_over = [
        name
        for name in unexpected
        if (in_use(name) or of_encoder(name)) and name.split(".")[-1] not in BUFFERS
    ]
    # Where a weight stands with the prefix and without, either may be taken.
    left_over += [
        base + name for name in names_there if in_use(name) and base + name in names_there
    ]
    for names, fault in (
        (missing, "are missing"),
        (sorted(filter(in_use, shapes)), "have another shape than config.json says"),
        (left_over, "are left over, which transformers would drop"),
    ):
        if names:
            raise refusal(
                f"{folder}: {len(names)} weights {fault} ({_some(names)}); config.json and the "
                "weights belong to different models: copy both from the same checkpoint"
            )
    return set(report["missing_keys"]) | set(shapes)


def _require_class(config: PreTrainedConfig, folder: Path) -> None:
    """Check that a model was saved as a classifier of texts, where its file names a class at all.

    Raises:
        InputError: it was saved as another.
    """
    if config.architectures and not has_head(config, CLASSIFIER):
        named = ", ".join(config.architectures)
        raise refusal(
            f"{folder} is no classifier of texts: `architectures` of config.json names {named}; "
            f"choose a model whose class ends with {CLASSIFIER}, or load the encoder alone"
        )


def _require_names(config: PreTrainedConfig, folder: Path) -> None:
    """Check that every class of a classifier has a number from 0 and a name.

    Raises:
        InputError: one has not.
    """
    names = config.id2label
    if sorted(names) != list(range(len(names))) or not names or None in names.values():
        raise refusal(
            f"{folder}: config.json has the classes {names} (`id2label`); give each output a name, "
            "by its number from 0"
        )


def _refuse_prefix(missing: list[str], unexpected: list[str], base: str, folder: Path) -> None:
    """Say so where weights are missing because all names begin otherwise, as a wrapper's do."""
    for name in missing:
        plain = name.removeprefix(base)
        for other in unexpected:
            if other.endswith(f".{plain}"):
                prefix = other.removesuffix(plain).removesuffix(base)
                if prefix.removesuffix(".") in BY_TYPE:
                    return  # of another family
                raise refusal(
                    f"{folder}: the names of its weights begin with {prefix!r}, which a wrapper "
                    "around the model adds; save the model inside, or take the prefix off once: "
                    f"load_file of safetensors.torch, name.removeprefix({prefix!r}), save_file"
                )


def _require_numbers(model: PreTrainedModel, folder: Path) -> None:
    """Check that weights are finite, and that no norm multiplies by zero alone.

    Raises:
        InputError: one is not, or does.
    """
    spoilt = [name for name, tensor in model.state_dict().items() if not tensor.isfinite().all()]
    if spoilt:
        raise refusal(
            f"{folder}: {len(spoilt)} weights are not finite ({_some(spoilt)}); the training that "
            "made them went wrong, or the file is damaged: take an earlier checkpoint"
        )
    modules = model.named_modules()
    norms = {f"{name}.weight": each for name, each in modules if isinstance(each, LayerNorm)}
    empty = [name for name, norm in norms.items() if not norm.weight.any()]
    if empty:
        raise refusal(
            f"{folder}: {len(empty)} weights of norms are zero alone ({_some(empty)}), as where a "
            "download broke off; copy or download the weights again"
        )


@torch.inference_mode()
def _require_attention(model: PreTrainedModel, folder: Path) -> None:
    """Check that a model gives out finite numbers on a few tokens, and maps whose rows sum to 1.

    Raises:
        InputError: it is not.
    """
    # A copy around the same weights, as `Gated` changes the model's attention.
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    gated = Gated(copy.deepcopy(model, shared))
    count = min(TOKENS, longest_input(model.config))
    ids = torch.arange(count)[None] % model.config.vocab_size
    right: dict[int, bool] = {}

    def record(layer: int, maps: Tensor) -> None:
        right[layer] = bool(((maps.sum(-1) - 1).abs() < ROUNDING).all())

    output = gated({"input_ids": ids, "attention_mask": torch.ones_like(ids)}, record_maps=record)
    wrong = [layer for layer in range(gated.layers) if not right.get(layer)]
    if wrong or not output.isfinite().all():
        raise refusal(
            f"{folder}: on {count} tokens the model gives out no finite numbers (attention of "
            f"layers {wrong}); its weights are damaged or too large: copy or download them again, "
            "or take an earlier checkpoint"
        )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
