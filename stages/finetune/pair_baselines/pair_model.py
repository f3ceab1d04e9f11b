"""What both models of pairs are to `finetune`'s training: a classifier of Hugging Face's kind."""

from abc import abstractmethod

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

from stages.finetune.pair_baselines.texts import Texts, apart


class PairConfig(PreTrainedConfig):
    """What training asks of a configuration: whether it is about a score."""

    model_type = "pair_baseline"


class PairModel(PreTrainedModel):
    """A classifier of rows as `encode_apart` makes them."""

    config_class = PairConfig

    def __init__(self, kind: str, padding: int):
        regression = "regression" if kind == "regression" else "single_label_classification"
        super().__init__(PairConfig(problem_type=regression))
        self.post_init()  # while there is no weight that it could draw anew
        self.padding = padding

    def forward(
        self, input_ids: Int[Tensor, "example token"], text: Int[Tensor, "example token"]
    ) -> SequenceClassifierOutput:
        return SequenceClassifierOutput(logits=self.logits(apart(input_ids, text, self.padding)))

    @abstractmethod
    def logits(self, texts: Texts) -> Float[Tensor, "example class"]:
        """One number a class, or the score."""


def both(values: Shaped[Tensor, "text ..."]) -> tuple[Tensor, Tensor]:
    """Values of the first texts and of the second ones."""
    first, second = values.chunk(2)
    return first, second


def classifier(inputs: int, size: int, outputs: int, dropout: float) -> nn.Sequential:
    """Two layers with tanh between them, as behind the encoder's own [CLS]."""
    return nn.Sequential(
        nn.Dropout(dropout),
        nn.Linear(inputs, size),
        nn.Tanh(),
        nn.Dropout(dropout),
        nn.Linear(size, outputs),
    )


def compared(u: Float[Tensor, "text unit"], v: Float[Tensor, "text unit"]) -> list[Tensor]:
    """What `u` and `v` differ by and share, unit by unit."""
    return [torch.abs(u - v), u * v]
