"""Two towers of the encoder: each text by itself, compared by their [CLS] vectors alone.

As Reimers and Gurevych 2019 (section 3) and Conneau et al. 2017 compare u and v, with the product
beside the difference. Both towers have the same weights.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import PreTrainedModel

from stages.finetune.pair_baselines.pair_model import PairModel, both, classifier, compared
from stages.finetune.pair_baselines.texts import Texts

PARTS = 4  # of a batch's texts by length, each padded to its own longest


class Towers(PairModel):
    """[u, v, |u - v|, u * v] under a classifier, u and v the [CLS] vectors of the two texts.

    Args:
        encoder: pretrained, without a head; its pooler is left out.
        words: the word embeddings that it is to have in place of its own, for fewer words.
        outputs: classes, or 1 for a score.
    """

    def __init__(
        self,
        encoder: PreTrainedModel,
        words: Float[Tensor, "word unit"],
        outputs: int,
        kind: str,
        padding: int,
    ):
        super().__init__(kind, padding)
        if getattr(encoder, "pooler", None) is not None:
            encoder.pooler = None
        encoder.set_input_embeddings(
            nn.Embedding.from_pretrained(words.clone(), freeze=False, padding_idx=padding)
        )
        self.encoder = encoder
        size = encoder.config.hidden_size
        dropout = next(one.p for one in encoder.modules() if isinstance(one, nn.Dropout))
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
        found = []
        for rows in order.tensor_split(min(PARTS, len(order))):
            width = int(lengths[rows].max())
            ids, real = (values[rows, :width] for values in texts)
            states = self.encoder(input_ids=ids, attention_mask=real.long()).last_hidden_state
            found.append(states[:, 0])
        return torch.cat(found)[torch.argsort(order)]
