"""The section `pretrain` of `params.yaml`."""

from typing import Annotated, Literal, Self

import torch
from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from stages.core.bf16 import fast_in_bf16
from stages.core.stage.settings import Parameters

Share = Annotated[PositiveFloat, Field(lt=1)]


class Pretrain(Parameters, section="pretrain"):
    """How an encoder is made from text, and which of those that are kept the report shows."""

    encoders: list[Annotated[str, Field(pattern="^[A-Za-z0-9_]+$")]]
    text: str
    held_out: PositiveInt
    lowercase: bool
    vocabulary: PositiveInt
    least_count: PositiveInt
    layers: PositiveInt
    heads: PositiveInt
    hidden: PositiveInt
    intermediate: PositiveInt
    max_length: Annotated[int, Field(ge=8)]
    masked: Share
    tokens: PositiveInt
    batch_tokens: PositiveInt
    learning_rate: PositiveFloat
    warmup: Annotated[NonNegativeFloat, Field(lt=1)]
    weight_decay: NonNegativeFloat
    beta2: Share
    gradient_norm: PositiveFloat
    dropout: Annotated[NonNegativeFloat, Field(lt=1)]
    precision: Literal["auto", "fp32", "bf16"]
    evaluate_steps: PositiveInt
    patience: PositiveInt
    seed: NonNegativeInt

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.hidden % self.heads:
            raise ValueError(
                f"`hidden` is {self.hidden}, which {self.heads} heads cannot share evenly; "
                f"make it a multiple of {self.heads}"
            )
        if self.batch_tokens < self.max_length:
            raise ValueError(
                f"`batch_tokens` is {self.batch_tokens}, less than one pair of `max_length` "
                f"{self.max_length}; make it larger"
            )
        return self

    @property
    def steps(self) -> int:
        """Steps until the budget of tokens is spent."""
        return max(1, self.tokens // self.batch_tokens)

    @property
    def learnt(self) -> dict:
        """The settings on which the weights depend."""
        return self.model_dump(exclude={"encoders", "text"})


def in_bf16(precision: str, device: torch.device) -> bool:
    """Whether to multiply in bf16: as the setting says, `auto` where the processor does it fast."""
    return precision == "bf16" or (precision == "auto" and fast_in_bf16(device))
