"""Pairs of consecutive pieces of one text, and batches of them by tokens without padding.

A text is read from its beginning to its end in windows of as many tokens as a sequence holds, so
that nothing of it is lost. Where a paragraph ends within a window, what stands before and behind is
the pair, as in the original; a window within one paragraph is halved, behind the sentence that ends
nearest to its middle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int
from transformers import DataCollatorForLanguageModeling, PreTrainedTokenizerBase

from stages.pretrain.text import Text

SPECIAL_TOKENS = 3  # [CLS] one [SEP] other [SEP]
SENTENCE_ENDS = ("。", "\uff01", "\uff1f", "\uff1b", ".", "!", "?", ";")  # full-width ! ? ; too
SHORTEST = 8  # tokens: less text than that is left out
PARAGRAPHS_AT_ONCE = 20_000


@dataclass(frozen=True)
class Pairs:
    """Pairs without their special tokens, one behind the other.

    Attributes:
        tokens: of all pairs.
        starts: where each begins; and the end of the last.
        firsts: how many tokens of each are of its first part.
        texts: the number of the text that each is of.
    """

    tokens: Int[np.ndarray, " token"]
    starts: Int[np.ndarray, " bound"]
    firsts: Int[np.ndarray, " pair"]
    texts: Int[np.ndarray, " pair"]

    def __len__(self) -> int:
        return len(self.firsts)

    @property
    def lengths(self) -> Int[np.ndarray, " pair"]:
        """Tokens of each sequence, [CLS] and [SEP] counted."""
        return np.diff(self.starts) + SPECIAL_TOKENS

    def sequence(self, row: int, tokenizer: PreTrainedTokenizerBase) -> dict[str, list[int]]:
        """The sequence of a pair as the tokenizer would give it, segments 0 and 1."""
        tokens = self.tokens[self.starts[row] : self.starts[row + 1]].tolist()
        first = int(self.firsts[row])
        front, back = tokens[:first], tokens[first:]
        begin, end = tokenizer.cls_token_id, tokenizer.sep_token_id
        return {
            "input_ids": [begin, *front, end, *back, end],
            "token_type_ids": [0] * (len(front) + 2) + [1] * (len(back) + 1),
            "special_tokens_mask": [1, *[0] * len(front), 1, *[0] * len(back), 1],
        }


def encoded(texts: Sequence[Text], tokenizer: PreTrainedTokenizerBase) -> Iterator[list[list[int]]]:
    """Token ids of every paragraph of each text."""
    start = 0
    while start < len(texts):
        stop, paragraphs = start, []
        while stop < len(texts) and len(paragraphs) < PARAGRAPHS_AT_ONCE:
            paragraphs += texts[stop]
            stop += 1
        ids = iter(tokenizer(paragraphs, add_special_tokens=False, verbose=False)["input_ids"])
        for text in texts[start:stop]:
            yield [next(ids) for _ in text]
        start = stop


def make_pairs(texts: Sequence[Text], tokenizer: PreTrainedTokenizerBase, max_length: int) -> Pairs:
    """All pairs of texts, of `max_length` tokens at most with their special ones."""
    ends = np.array(sorted(set(tokenizer.convert_tokens_to_ids(list(SENTENCE_ENDS)))))
    tokens, lengths, firsts, numbers = [], [], [], []
    for number, paragraphs in enumerate(encoded(texts, tokenizer)):
        whole = np.array([token for ids in paragraphs for token in ids], dtype=np.int32)
        bounds = np.cumsum([len(ids) for ids in paragraphs])
        sentences = np.flatnonzero(np.isin(whole, ends)) + 1
        for start in range(0, len(whole), max_length - SPECIAL_TOKENS):
            stop = min(start + max_length - SPECIAL_TOKENS, len(whole))
            if stop - start < SHORTEST:
                continue
            tokens.append(whole[start:stop])
            lengths.append(stop - start)
            firsts.append(parted(start, stop, bounds, sentences) - start)
            numbers.append(number)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    joined = np.concatenate(tokens) if tokens else np.zeros(0, dtype=np.int32)
    return Pairs(joined, starts, np.array(firsts, np.int32), np.array(numbers, np.int32))


def parted(
    start: int, stop: int, bounds: Int[np.ndarray, " paragraph"], sentences: Int[np.ndarray, " end"]
) -> int:
    """Where the second part of a window begins: behind a paragraph, else a sentence, else midway.

    Of several the one nearest to the middle.
    """
    middle = (start + stop) // 2
    for ends in (bounds, sentences):
        inside = ends[(ends > start) & (ends < stop)]
        if len(inside):
            return int(inside[np.argmin(np.abs(inside - middle))])
    return middle


class Order:
    """Which pairs make the batch of each step: a function of the seed and the step alone.

    In every epoch all pairs go by once, those of one length in an order drawn anew; a batch takes
    pairs of like length until `batch_tokens` are reached, padding counted, and the batches of an
    epoch come in an order drawn anew.
    """

    def __init__(self, lengths: Int[np.ndarray, " pair"], batch_tokens: int, seed: int):
        self.lengths, self.seed = lengths, seed
        descending = -np.sort(-lengths)
        # How lengths fall into batches is the same in every epoch: those drawn differ, not they.
        self.bounds = [0]
        while self.bounds[-1] < len(lengths):
            longest = int(descending[self.bounds[-1]])
            self.bounds.append(min(self.bounds[-1] + batch_tokens // longest, len(lengths)))
        self.drawn: tuple[int, list[np.ndarray]] = (-1, [])

    @property
    def steps_an_epoch(self) -> int:
        return len(self.bounds) - 1

    def batch(self, step: int) -> Int[np.ndarray, " row"]:
        """The pairs of a step, counted from 0."""
        epoch, index = divmod(step, self.steps_an_epoch)
        if self.drawn[0] != epoch:
            self.drawn = (epoch, self._epoch(epoch))
        return self.drawn[1][index]

    def _epoch(self, epoch: int) -> list[Int[np.ndarray, " row"]]:
        generator = np.random.default_rng([self.seed, epoch])
        mixed = generator.permutation(len(self.lengths))
        rows = mixed[np.argsort(-self.lengths[mixed], kind="stable")]
        batches = np.split(rows, self.bounds[1:-1])
        return [batches[index] for index in generator.permutation(len(batches))]


class Masking:
    """Batches with tokens masked anew at every step, by transformers' own collator.

    15% of the tokens are asked for (`masked`): 80% of these are replaced by [MASK], 10% by a token
    drawn from the vocabulary, 10% stay. The draw is a function of the seed and the step alone.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, masked: float, seed: int):
        self.tokenizer, self.seed = tokenizer, seed
        self.collator = DataCollatorForLanguageModeling(tokenizer, mlm_probability=masked)

    def __call__(self, pairs: Pairs, rows: Sequence[int], step: int) -> dict[str, torch.Tensor]:
        mixed = np.random.SeedSequence([self.seed, step]).generate_state(1, np.uint64)[0]
        self.collator.generator = torch.Generator().manual_seed(int(mixed >> np.uint64(1)))
        return dict(self.collator([pairs.sequence(int(row), self.tokenizer) for row in rows]))
