"""What the encoder makes of text that it has not learnt, beside a baseline that reads nothing."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F
from transformers import BertForMaskedLM

from stages.pretrain.kept import PLACES
from stages.pretrain.pairs import Masking, Order, Pairs

IGNORED = -100  # what the collator writes where nothing is asked


@dataclass(frozen=True)
class Score:
    """Mean loss in nats and share of right answers, over the masked tokens."""

    loss: float
    accuracy: float
    masked: int

    @classmethod
    def of(
        cls, losses: Float[np.ndarray, " masked"], right: Bool[np.ndarray, " masked"]
    ) -> "Score":
        """The score of outcomes."""
        return cls(float(losses.mean()), float(right.mean()), len(right))

    def rounded(self) -> dict[str, float]:
        """Its numbers as they are written."""
        return {name: round(value, PLACES) for name, value in vars(self).items()}


class HeldOut:
    """Held-out pairs with masks that stay the same, so that scores differ by the weights alone."""

    def __init__(self, pairs: Pairs, masking: Masking, batch_tokens: int, seed: int):
        order = Order(pairs.lengths, batch_tokens, seed)
        self.batches, self.texts = [], []
        for step in range(order.steps_an_epoch):
            rows = order.batch(step)
            batch = masking(pairs, rows, step)
            asked = (batch["labels"] != IGNORED).sum(1).numpy()
            self.batches.append(batch)
            self.texts.append(np.repeat(pairs.texts[rows], asked))

    @property
    def answers(self) -> Int[np.ndarray, " masked"]:
        """The tokens that are asked for."""
        labels = torch.cat([batch["labels"].flatten() for batch in self.batches])
        return labels[labels != IGNORED].numpy()

    def outcomes(
        self, model: BertForMaskedLM, device: torch.device
    ) -> tuple[Float[np.ndarray, " masked"], Bool[np.ndarray, " masked"]]:
        """The loss in nats and whether the answer is right, of every token that is asked for.

        In float32; the model is left as it was.
        """
        training = model.training
        model.eval()
        losses, right = [], []
        with torch.inference_mode():
            for batch in self.batches:
                inputs = {name: values.to(device) for name, values in batch.items()}
                logits, answers = answered(model, inputs)
                losses.append(F.cross_entropy(logits, answers, reduction="none").double().cpu())
                right.append((logits.argmax(-1) == answers).cpu())
        model.train(training)
        return torch.cat(losses).numpy(), torch.cat(right).numpy()

    def score(self, model: BertForMaskedLM, device: torch.device) -> Score:
        """The score of a model."""
        return Score.of(*self.outcomes(model, device))

    def by_text(
        self, model: BertForMaskedLM, device: torch.device, frequencies: Float[np.ndarray, " entry"]
    ) -> pd.DataFrame:
        """Sums of the outcomes of each text, of a model and of frequencies alone."""
        loss, right = self.outcomes(model, device)
        unigram_loss, unigram_right = unigram(frequencies, self.answers)
        table = pd.DataFrame(
            {
                "text": np.concatenate(self.texts),
                "masked": 1,
                "loss": loss,
                "right": right.astype(int),
                "unigram_loss": unigram_loss,
                "unigram_right": unigram_right.astype(int),
            }
        )
        return table.groupby("text", as_index=False).sum()


def answered(
    model: BertForMaskedLM, inputs: dict[str, Tensor]
) -> tuple[Float[Tensor, "masked vocabulary"], Int[Tensor, " masked"]]:
    """Logits of the tokens that are asked for, and what they are.

    The head reads these alone, an eighth of all: its product with the vocabulary would else cost as
    much as half the encoder.
    """
    labels = inputs["labels"]
    mask = inputs["attention_mask"]
    states = model.bert(
        input_ids=inputs["input_ids"],
        token_type_ids=inputs["token_type_ids"],
        # Without padding, as most batches are, attention needs no mask.
        attention_mask=None if bool(mask.all()) else mask,
    ).last_hidden_state
    asked = labels != IGNORED
    return model.cls(states[asked]).float(), labels[asked]


def shares(tokens: Int[np.ndarray, " token"], vocabulary: int) -> Float[np.ndarray, " entry"]:
    """How often each entry occurs among tokens, as shares; each is counted once more than it is."""
    counts = np.bincount(tokens, minlength=vocabulary).astype(float) + 1
    return counts / counts.sum()


def unigram(
    frequencies: Float[np.ndarray, " entry"], answers: Int[np.ndarray, " masked"]
) -> tuple[Float[np.ndarray, " masked"], Bool[np.ndarray, " masked"]]:
    """The outcomes of one who knows how frequent tokens are and reads nothing."""
    return -np.log(frequencies[answers]), answers == frequencies.argmax()


def falls(losses: list[float], patience: int) -> Iterator[bool]:
    """Whether the loss still falls, after each evaluation.

    It does not once the last `patience` evaluations have brought no new lowest loss.
    """
    lowest, since = float("inf"), 0
    for loss in losses:
        lowest, since = (loss, 0) if loss < lowest else (lowest, since + 1)
        yield since < patience
