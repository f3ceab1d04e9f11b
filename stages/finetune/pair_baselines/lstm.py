"""An LSTM that reads both texts with attention across them: ESIM (Chen et al. 2017, section 3).

Words are the encoder's own pieces, and their vectors begin as its word embeddings; all else begins
at random.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from stages.finetune.pair_baselines.pair_model import PairModel, both, classifier
from stages.finetune.pair_baselines.texts import Texts


class LstmAcross(PairModel):
    """Encode, align softly, compare, compose, pool, classify (Chen et al. 2017, figure 1, left).

    Args:
        words: vectors, brought to a mean square of 1. An encoder norms its embeddings before it
            reads them; as they are they may be so small that an LSTM hardly sees them.
        size: units of an LSTM in one direction, and of every layer between.
        outputs: classes, or 1 for a score.
    """

    def __init__(
        self,
        words: Float[Tensor, "word unit"],
        size: int,
        outputs: int,
        dropout: float,
        kind: str,
        padding: int,
    ):
        super().__init__(kind, padding)
        vectors = words / words.square().mean().sqrt()
        self.words = nn.Embedding.from_pretrained(vectors, freeze=False, padding_idx=padding)
        self.dropout = nn.Dropout(dropout)
        self.encoding = _both_ways(words.shape[1], size)
        self.comparison = nn.Sequential(nn.Linear(8 * size, size), nn.ReLU(), nn.Dropout(dropout))
        self.composition = _both_ways(size, size)
        self.classifier = classifier(8 * size, size, outputs, dropout)

    def logits(self, texts: Texts) -> Float[Tensor, "example class"]:
        states = _read(self.encoding, self.dropout(self.words(texts.ids)), texts.real)
        aligned = soft_alignment(states, texts.real)
        enhanced = torch.cat([states, aligned, states - aligned, states * aligned], dim=2)
        composed = _read(self.composition, self.comparison(enhanced), texts.real)
        first, second = both(pooled(composed, texts.real))
        return self.classifier(torch.cat([first, second], dim=1))


def soft_alignment(
    states: Float[Tensor, "text token unit"], real: Bool[Tensor, "text token"]
) -> Float[Tensor, "text token unit"]:
    """Each token's mean of the other text's states, by their products (equations 11 to 13)."""
    others, real_others = (torch.cat(both(values)[::-1]) for values in (states, real))
    products = states @ others.transpose(1, 2)
    weights = products.masked_fill(~real_others[:, None], float("-inf")).softmax(dim=2)
    return weights @ others


def pooled(
    states: Float[Tensor, "text token unit"], real: Bool[Tensor, "text token"]
) -> Float[Tensor, "text pooled"]:
    """The mean and the largest of every unit over a text's tokens (equations 18 and 19)."""
    outside = ~real[:, :, None]
    mean = states.masked_fill(outside, 0.0).sum(dim=1) / real.sum(dim=1, keepdim=True)
    largest = states.masked_fill(outside, float("-inf")).amax(dim=1)
    return torch.cat([mean, largest], dim=1)


def _both_ways(inputs: int, size: int) -> nn.LSTM:
    return nn.LSTM(inputs, size, batch_first=True, bidirectional=True)


def _read(
    lstm: nn.LSTM, vectors: Float[Tensor, "text token unit"], real: Bool[Tensor, "text token"]
) -> Float[Tensor, "text token state"]:
    """States of both directions, each of which begins at an end of the text and not of padding."""
    lengths = real.sum(dim=1).cpu()
    packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(lstm(packed)[0], batch_first=True, total_length=real.shape[1])[0]
