"""The texts of the page as tokens, and as words."""

import numpy as np
from transformers import PreTrainedConfig, PreTrainedTokenizerBase

from stages.core.encoder.batches import Encoded
from stages.core.recordings.tokens import Special
from stages.core.stage.files import InputError
from stages.core.tasks.texts import has_half
from stages.core.viewer.readable import Tokens, read_text


def require_text(first: str, second: str | None) -> None:
    """Check that there is something to read.

    Raises:
        InputError: a text is empty, or was given in another encoding than UTF-8.
    """
    for place, text in (("first", first), ("second", second)):
        if text is not None and not text.strip():
            raise InputError(f"the {place} text is empty; give some words, in quotes")
        # Python keeps bytes of the command line that it cannot read as half of a surrogate pair.
        if text is not None and has_half(text):
            raise InputError(f"the {place} text is not UTF-8; set the terminal to it")


def encode_texts(
    tokenizer: PreTrainedTokenizerBase,
    config: PreTrainedConfig,
    first: str,
    second: str | None,
    name: str,
) -> tuple[Encoded, Tokens]:
    """The model's inputs, and what they are to a reader.

    Args:
        config: of the encoder that the tokenizer belongs to.
        name: of the model, for messages.

    Raises:
        InputError: the tokenizer finds no token, or more than the model has positions for.
    """
    texts = [first] if second is None else [first, second]
    # verbose: what is too long is said below.
    count = len(tokenizer(*texts, verbose=False)["input_ids"])
    most = tokenizer.model_max_length
    if count > most:
        raise InputError(
            f"the text has {count} tokens, [CLS] and [SEP] among them, but {name} has positions "
            f"for {most}; shorten it"
        )
    read = read_text(tokenizer, config, texts, None, most)
    if not np.equal(read.table["special"], Special.NONE).any():
        raise InputError(f"the tokenizer of {name} finds no token in the text; give some words")
    return read.encoded, read.tokens
