"""Loading the tokenizer of a checkpoint, without the code of any model."""

import re
from operator import itemgetter
from pathlib import Path

import typer
from transformers import AutoTokenizer, PreTrainedConfig, PreTrainedTokenizerBase
from transformers.utils import logging

from stages.core.encoder.configuration import SHORTEST, read_config
from stages.core.encoder.families import (
    BYTE_LEVEL,
    WORD_MARKS,
    WORDPIECE,
    family_of,
    knows_segments,
    longest_input,
    refusal,
)
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE

# A word and a letter that few vocabularies have, so that [UNK] is needed.
TEXTS = ("a", "\u2603")
# [CLS], tokens of the first text, [SEP], those of the second; RoBERTa has two [SEP] between.
SINGLE, PAIR = "c0+s", "c0+ss?1+s"
FEW = 0.001  # of a vocabulary's entries
# transformers draws a bar for each of the many small files that it reads and writes.
logging.disable_progress_bar()


def load_tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    """The tokenizer of a checkpoint; gives `token_type_ids` only where the encoder knows segments.

    Raises:
        InputError: there is none, it has no character offsets, no [CLS], [SEP] or [PAD], or more
            entries than the encoder has embeddings.
    """
    require_model(folder)
    config = read_config(folder)
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
    piece, number = max(tokenizer.get_vocab().items(), key=itemgetter(1))
    if number >= config.vocab_size:
        raise refusal(
            f"the tokenizer of {folder} gives {piece!r} the number {number}, its encoder has only "
            f"{config.vocab_size} embeddings; the tokenizer is another model's, or tokens were "
            "added to it alone: copy the right one"
        )
    if config.pad_token_id != tokenizer.pad_token_id and family_of(config).positions_after_padding:
        raise refusal(
            f"the tokenizer of {folder} pads with {tokenizer.pad_token_id}, config.json says "
            f"`pad_token_id` {config.pad_token_id}, after which positions are counted; copy both "
            "from the same checkpoint"
        )
    _require_frame(tokenizer, folder)
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    if knows_segments(config):
        tokenizer.model_input_names.append("token_type_ids")
    longest = tokenizer.model_max_length
    if not isinstance(longest, int | float) or not longest >= SHORTEST:
        raise refusal(
            f"the tokenizer of {folder} says that a text has at most {longest!r} tokens "
            "(`model_max_length` in tokenizer_config.json); write there how many the encoder reads"
        )
    # Some tokenizers say 10^30.
    tokenizer.model_max_length = int(min(longest, longest_input(config)))
    return tokenizer


def unreachable(tokenizer: PreTrainedTokenizerBase) -> list[str]:
    """Entries of the vocabulary that no text is cut into, as the tokenizer changes their letters.

    Special tokens are not asked for.
    """
    normalizer, pieces = tokenizer.backend_tokenizer.normalizer, tokenizer.get_vocab()
    if normalizer is None:
        return []
    marks = re.compile("|".join([*WORD_MARKS, WORDPIECE.continues]))
    # Bytes are spelt by letters too; those of ASCII alone stand for themselves.
    of_bytes = any(piece.startswith(BYTE_LEVEL.begins) for piece in pieces)
    spelt = {piece: marks.sub("", piece, count=1) for piece in pieces}
    changed = [
        piece
        for piece, text in spelt.items()
        if not (of_bytes and not text.isascii())
        and normalizer.normalize_str(text).strip() != text.strip()
    ]
    return sorted(set(changed) - tokenizer.get_added_vocab().keys())


def warn_unreachable(folder: Path) -> None:
    """Warn of a tokenizer that makes letters small, or plain, though its vocabulary has others.

    Raises:
        InputError: as `load_tokenizer`.
    """
    tokenizer = load_tokenizer(folder)
    entries = unreachable(tokenizer)
    if len(entries) <= FEW * len(tokenizer):
        return
    small = any(piece != piece.lower() for piece in entries)
    change = "makes letters small" if small else "takes accents off letters"
    key = "do_lower_case" if small else "strip_accents"
    typer.secho(
        f"warning: {folder}: {len(entries)} of {len(tokenizer)} entries of the vocabulary "
        f"({', '.join(entries[:3])}, ...) cannot be reached, as the tokenizer {change}; write "
        f'`"{key}": false` into tokenizer_config.json, as the encoder was trained with them',
        fg="yellow",
        err=True,
    )


def _require_frame(tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    """Check that the tokenizer puts its special tokens around a text, and around both of a pair.

    Raises:
        InputError: it does not, or cuts no text.
    """
    cls, sep = tokenizer.cls_token, tokenizer.sep_token
    letters = {tokenizer.cls_token_id: "c", tokenizer.sep_token_id: "s"}
    for texts, frame in ((TEXTS[:1], SINGLE), (TEXTS, PAIR)):
        try:
            # Not `tokenizer`, which forgets how texts are cut and padded once it is called.
            encoding = tokenizer.backend_tokenizer.encode(*texts)
        except Exception as error:  # tokenizers raises nothing narrower
            raise refusal(
                f"the tokenizer of {folder} cannot cut a text ({error}); copy its files again from "
                "the checkpoint that it belongs to"
            ) from None
        columns = zip(encoding.ids, encoding.sequence_ids, encoding.attention_mask, strict=True)
        numbers = [(number, text) for number, text, real in columns if real]
        spelt = "".join(letters.get(number, str(text)) for number, text in numbers)
        tokens = tokenizer.convert_ids_to_tokens([number for number, _ in numbers])
        if re.fullmatch(frame, spelt) is None:
            single, second = f"{cls} $A {sep}", f"$B:1 {sep}:1"
            raise refusal(
                f"the tokenizer of {folder} makes {tokens} of {' and '.join(map(repr, texts))}, "
                f"without {cls} and {sep} around a text; give it a post-processor "
                f"(TemplateProcessing of tokenizers: single '{single}', pair '{single} {second}'), "
                "and save it"
            )


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
