"""Loading the encoder of a checkpoint, its tokenizer, and classifiers on it."""

from pathlib import Path

import torch
from safetensors import SafetensorError
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging

from stages.core.encoder.families import knows_segments, longest_input, refusal
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE

# transformers draws a bar for each of the many small files that it reads and writes.
logging.disable_progress_bar()


def load_tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    """The tokenizer of a checkpoint; gives `token_type_ids` only where the encoder knows segments.

    Raises:
        InputError: there is none, it has no character offsets, no [CLS], [SEP] or [PAD], or more
            entries than the encoder has embeddings.
    """
    _require(folder)
    config = AutoConfig.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    if not tokenizer.is_fast:
        raise refusal(
            f"the tokenizer of {folder} has no fast version, which gives character offsets; "
            "convert it once with tokenizers and save it as tokenizer.json"
        )
    lacking = [
        name for name in ("cls", "sep", "pad") if getattr(tokenizer, f"{name}_token") is None
    ]
    if lacking:
        raise refusal(
            f"the tokenizer of {folder} has no {', '.join(lacking)} token; "
            "add it to tokenizer_config.json"
        )
    if len(tokenizer) > config.vocab_size:
        raise refusal(
            f"the tokenizer of {folder} has {len(tokenizer)} entries, its encoder only "
            f"{config.vocab_size} embeddings; the tokenizer is another model's: copy the right one"
        )
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    if knows_segments(config):
        tokenizer.model_input_names.append("token_type_ids")
    # Some tokenizers say 10^30.
    tokenizer.model_max_length = min(tokenizer.model_max_length, longest_input(config))
    return tokenizer


def require_positions(config: PreTrainedConfig, folder: Path, max_length: int, key: str) -> None:
    """Check that the encoder in `folder` can read texts of `max_length` tokens.

    Args:
        key: the key of params.yaml that sets `max_length`, for the message.

    Raises:
        InputError: it has fewer positions.
    """
    if max_length > (longest := longest_input(config)):
        raise InputError(
            f"{PARAMETER_FILE}: {key} is {max_length} (128 where the entry does not say), but the "
            f"encoder in {folder} has positions for {longest} tokens; set `max_length: {longest}` "
            "or less in the entry"
        )


def load_encoder(folder: Path) -> PreTrainedModel:
    """The encoder without a head, in float32, for evaluation.

    Raises:
        InputError: weights of the encoder are missing or have another shape.
    """
    return load_encoder_with_report(folder)[0].eval()


def load_tuned(folder: Path) -> PreTrainedModel:
    """A classifier that `finetune` wrote, in float32, for evaluation.

    Raises:
        InputError: there is none.
    """
    _require(folder)
    return AutoModelForSequenceClassification.from_pretrained(
        folder, use_safetensors=True, dtype=torch.float32, attn_implementation="sdpa"
    ).eval()


def _require(folder: Path) -> None:
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder}: no model there; `dvc repro` or `stages.finetune` makes it")


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
    return encoder, missing
