"""Loading the encoder of a checkpoint, and classifiers on it."""

from pathlib import Path

import torch
from safetensors import SafetensorError
from transformers import AutoModel, AutoModelForSequenceClassification, PreTrainedModel
from transformers.utils import logging

from stages.core.encoder.families import refusal
from stages.core.encoder.tokenizer import require_model


def load_encoder(folder: Path) -> PreTrainedModel:
    """The encoder without a head, in float32, for evaluation.

    Raises:
        InputError: weights of the encoder are missing, have another shape, or are not finite.
    """
    return load_encoder_with_report(folder)[0].eval()


def load_tuned(folder: Path) -> PreTrainedModel:
    """A classifier that `finetune` wrote, in float32, for evaluation.

    Raises:
        InputError: there is none.
    """
    require_model(folder)
    model = AutoModelForSequenceClassification.from_pretrained(
        folder, use_safetensors=True, dtype=torch.float32, attn_implementation="sdpa"
    )
    return in_own_memory(model).eval()


def in_own_memory(model: PreTrainedModel) -> PreTrainedModel:
    """The model with weights that begin where torch would put them, in place.

    safetensors leaves them where they lie in the file, at odd multiples of 8 bytes: products then
    differ in the last digit from those of a copy that was sent to another process.
    """
    for tensor in (*model.parameters(), *model.buffers()):
        tensor.data = tensor.data.clone()
    return model


def load_encoder_with_report(folder: Path) -> tuple[PreTrainedModel, set[str]]:
    """The encoder and the names of the weights that the checkpoint lacks (those of a pooler)."""
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # what is missing is judged below
    try:
        with torch.random.fork_rng(devices=[]):
            encoder, report = AutoModel.from_pretrained(
                folder,
                use_safetensors=True,
                dtype=torch.float32,
                attn_implementation="sdpa",
                output_loading_info=True,
                ignore_mismatched_sizes=True,
            )
    except SafetensorError as error:
        raise refusal(
            f"{folder}/model.safetensors is damaged ({error}); copy or download it again"
        ) from None
    finally:
        logging.set_verbosity(verbosity)
    missing = set(report["missing_keys"])
    lost = sorted(name for name in missing if not name.startswith("pooler."))
    lost += sorted(name for name, *_ in report["mismatched_keys"])
    if lost:
        raise refusal(
            f"{folder}: {len(lost)} weights of the encoder are missing or have another shape than "
            f"config.json says ({', '.join(lost[:3])}, ...); config.json and model.safetensors "
            "belong to different models: copy both from the same checkpoint"
        )
    spoilt = [name for name, tensor in encoder.state_dict().items() if not tensor.isfinite().all()]
    if spoilt:
        raise refusal(
            f"{folder}: {len(spoilt)} weights are not finite ({', '.join(spoilt[:3])}, ...); the "
            "training that made them went wrong, or the file is damaged: take an earlier checkpoint"
        )
    return in_own_memory(encoder), missing
