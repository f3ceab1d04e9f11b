"""Questions as a training takes them: whole questions a step, in passes of few tokens."""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from stages.core.questions.batches import padding_share, passes
from stages.core.questions.inputs import Inputs
from stages.core.questions.loss import choice_losses
from stages.core.trainer import Chunk
from stages.finetune.training import Finetune, TuningData, texts_of_pass


class QuestionData(TuningData):
    """Questions, an option a row: in the same steps for all readers of a seed.

    Args:
        inputs: the questions as this reader sees them.
        lengths: of the questions as they are, whatever this reader sees: they make the steps.
    """

    def __init__(
        self,
        inputs: Inputs,
        lengths: Int[np.ndarray, " question"],
        settings: Finetune,
        seed: int,
    ):
        super().__init__(lengths, settings, seed)
        self.inputs, self.seen = inputs, inputs.lengths

    def chunks(self, items: list[int]) -> list[Chunk]:
        """The rows of some questions at a time, each chunk padded to its own longest row.

        The options of a question stay together, as its loss is of all of them.
        """
        return [self.chunk(questions) for questions in self.passes(np.array(items))]

    def passes(self, questions: Int[np.ndarray, " some"]) -> Iterator[Int[np.ndarray, " chunk"]]:
        """The questions of each chunk, longest first."""
        tokens, counts = self.settings.pass_tokens, self.inputs.counts
        return passes(questions, self.seen, counts, tokens, texts_of_pass)

    def chunk(self, questions: Int[np.ndarray, " chunk"]) -> Chunk:
        """The rows of the options of some questions, with `counts` and `answers` for the loss."""
        rows = self.inputs.encoded.batch(self.inputs.rows_of(questions)).inputs
        counts, answers = self.inputs.counts[questions], self.inputs.answers[questions]
        return rows | {"counts": torch.from_numpy(counts), "answers": torch.from_numpy(answers)}

    def loss(self, model: nn.Module, chunk: Chunk) -> Float[Tensor, ""]:
        counts, answers = chunk.pop("counts"), chunk.pop("answers")
        return choice_losses(model(**chunk).logits[:, 0], counts, answers).sum() / self.step

    def padding(self) -> float:
        """The share of all passes of the training, over its epochs, that is padding."""
        size = self.step // self.settings.accumulation
        chunks = [
            chunk
            for epoch in range(self.settings.epochs)
            for questions in self.order(epoch).reshape(-1, size)
            for chunk in self.passes(questions)
        ]
        return padding_share(chunks, self.inputs.encoded.lengths, self.inputs.counts)
