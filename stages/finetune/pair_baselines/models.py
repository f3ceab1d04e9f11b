"""Two models of pairs: an LSTM with attention across the pair, and two towers of the encoder.

`LstmAcross` is ESIM (Chen et al. 2017, section 3): words are the encoder's own pieces, and their
vectors begin as its word embeddings; all else begins at random. `Towers` read each text by itself
and compare the two [CLS] vectors alone, as Reimers and Gurevych 2019 (section 3) and Conneau et al.
2017 compare u and v, with the product beside the difference. Both towers have the same weights.
"""

from abc import abstractmethod

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

from stages.finetune.pair_baselines.texts import Texts, apart

GROUPS = 4  # of a batch's texts by length, each padded to its own longest for the towers


class PairConfig(PreTrainedConfig):
    """The configuration that Hugging Face's classes ask for; it has nothing to say."""

    model_type = "pair_baseline"


class PairModel(PreTrainedModel):
    """A classifier of rows as `encode_apart` makes them."""

    config_class = PairConfig

    def __init__(self, padding: int):
        super().__init__(PairConfig())
        self.post_init()  # while there is no weight that it could draw anew
        self.padding = padding

    def forward(
        self, input_ids: Int[Tensor, "example token"], text: Int[Tensor, "example token"]
    ) -> SequenceClassifierOutput:
        return SequenceClassifierOutput(logits=self.logits(apart(input_ids, text, self.padding)))

    @abstractmethod
    def logits(self, texts: Texts) -> Float[Tensor, "example class"]:
        """One number a class, or the score."""


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
        padding: int,
    ):
        super().__init__(padding)
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


class Towers(PairModel):
    """[u, v, |u - v|, u * v] under a classifier, u and v the [CLS] vectors of the two texts.

    Args:
        encoder: pretrained, without a head; its pooler is left out.
        words: the word embeddings that it is to have instead, for fewer words.
        outputs: classes, or 1 for a score.
    """

    def __init__(
        self,
        encoder: PreTrainedModel,
        words: Float[Tensor, "word unit"],
        outputs: int,
        padding: int,
    ):
        super().__init__(padding)
        if getattr(encoder, "pooler", None) is not None:
            encoder.pooler = None
        encoder.set_input_embeddings(
            nn.Embedding.from_pretrained(words.clone(), freeze=False, padding_idx=padding)
        )
        self.encoder = encoder
        size = encoder.config.hidden_size
        dropout = next(module.p for module in encoder.modules() if isinstance(module, nn.Dropout))
        self.classifier = classifier(4 * size, size, outputs, dropout)

    def logits(self, texts: Texts) -> Float[Tensor, "example class"]:
        u, v = both(self.vectors(texts))
        return self.classifier(torch.cat([u, v, *compared(u, v)], dim=1))

    def vectors(self, texts: Texts) -> Float[Tensor, "text unit"]:
        """The [CLS] vector of every text, which has seen no other text.

        Texts of like length go through together, whichever side they are of: queries are shorter
        than titles, and padding costs as much as words.
        """
        lengths = texts.real.sum(dim=1)
        order = torch.argsort(lengths, stable=True)
        vectors = []
        for rows in order.tensor_split(min(GROUPS, len(order))):
            width = int(lengths[rows].max())
            ids, real = (values[rows, :width] for values in texts)
            states = self.encoder(input_ids=ids, attention_mask=real.long()).last_hidden_state
            vectors.append(states[:, 0])
        return torch.cat(vectors)[torch.argsort(order)]


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
