"""How much of a text a tokenizer knows: what it does not know it gives one token, `[UNK]`.

A text in another script is all alike to an encoder that has not its characters, and is measured
without an error.
"""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import typer
from pydantic import Field, NonNegativeFloat
from transformers import PreTrainedTokenizerBase

from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE, Parameters, section

Share = Annotated[NonNegativeFloat, Field(le=1)]


class UnknownTokens(Parameters, section="unknown_tokens"):
    """The section `unknown_tokens` of `params.yaml`: shares of all tokens of a split or corpus."""

    warned: Share
    refused: Share


class Known(NamedTuple):
    """Numbers of tokens, special ones not counted."""

    tokens: int
    unknown: int


def known_tokens(tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]) -> Known:
    """Count the tokens of texts, and those that the tokenizer does not know."""
    if not texts:
        return Known(0, 0)
    ids = tokenizer(list(texts), add_special_tokens=False)["input_ids"]
    missing = tokenizer.unk_token_id
    return Known(sum(map(len, ids)), sum(row.count(missing) for row in ids if missing is not None))


def require_known(where: str, found: Known) -> None:
    """Warn of many unknown tokens, and refuse most.

    Raises:
        InputError: their share is above `unknown_tokens.refused`.
    """
    bounds = section(UnknownTokens, "unknown_tokens")
    share = found.unknown / max(found.tokens, 1)
    said = f"{where}: {share:.0%} of its {found.tokens} tokens are unknown to the tokenizer"
    if share > bounds.refused:
        raise InputError(
            f"{said}: its language or script is not the encoder's; name another `checkpoint` in "
            f"{PARAMETER_FILE}, or raise `unknown_tokens.refused` there ({bounds.refused})"
        )
    if share > bounds.warned:
        typer.secho(f"warning: {said}; what stands there is lost", fg="yellow", err=True)
