"""Loading the tokenizer of a checkpoint, without the code of any model."""

from pathlib import Path

from transformers import AutoConfig, AutoTokenizer, PreTrainedConfig, PreTrainedTokenizerBase
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
    require_model(folder)
    config = AutoConfig.from_pretrained(folder)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
    except Exception as error:  # tokenizers raises nothing narrower
        raise refusal(
            f"the tokenizer of {folder} cannot be read ({error}); copy its files again from the "
            "checkpoint that it belongs to"
        ) from None
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


def require_model(folder: Path) -> None:
    """Check that a checkpoint's configuration is in `folder`.

    Raises:
        InputError: it is not.
    """
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder}: no model there; `dvc repro` or `stages.finetune` makes it")
