"""What the [CLS] of a reader attends to: passage, appended text, question, option, special tokens.

Beyond Si et al. 2019. A reader scores an option from [CLS]. Of each part of a row it is asked which
share of the attention of [CLS] it has, by layer and head, under an attack that appends words to the
passage and intact at the same cut. The intact passage has in place of these words as many of its
own at its end, so that a liking for what stands there is no liking for what is appended.

Special tokens have much of the attention, whatever the text. So a part is held against its number
of tokens among words alone: its share of the attention that goes to words, less its share of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from tqdm import tqdm
from transformers import PreTrainedTokenizerBase

from stages.core.heads.layer_maps import layer_maps
from stages.core.heads.seam import Gated
from stages.core.questions.question import Question, joined
from stages.reading.conditions import Frame, Inputs
from stages.reading.tables import END, OPTION, PARTS, PASSAGE, QUESTION, SPECIAL

# Stands for a character of an option: of Unicode's private use, so that no text has it.
MARK = "\ue000"


@dataclass(frozen=True)
class ToParts:
    """The attention of [CLS] to parts of rows, and how many tokens each part has.

    Both are shares of the row, mean over the options of a question.
    """

    shares: Float[np.ndarray, "part question layer head"]
    tokens: Float[np.ndarray, "part question"]


def of_option(question: str, option: str) -> list[bool]:
    """Which characters of question and option in one text are of the option.

    A full stop right behind the option counts as its own if it ends with one.
    """
    option = option.strip()
    body = option.removesuffix(".")
    stop = option[len(body) :]
    # The same text but for the option's characters: a gap of the question may stand before them.
    marked = joined(question, MARK * len(body) + stop)
    found, before = [], False
    for character in marked:
        own = character == MARK or (before and character == stop)
        found.append(own)
        before = character == MARK
    return found


def parts_of_rows(
    tokenizer: PreTrainedTokenizerBase,
    questions: Sequence[Question],
    inputs: Inputs,
    at_end: Int[np.ndarray, " question"],
) -> list[list[int]]:
    """The part of every token of each row, as places in `PARTS`.

    Args:
        questions: of the rows, with the options that stand in them.
        at_end: tokens at the end of the first text that are `END`: those that an attack appends.
    """
    frame = Frame.of(tokenizer)
    texts = [one.pair(place)[1] for one in questions for place in range(len(one.options))]
    encoding = tokenizer(
        texts, add_special_tokens=False, return_offsets_mapping=True, verbose=False
    )
    offsets = iter(encoding["offset_mapping"])
    special, passage, end, asked, option = (
        PARTS.index(name) for name in (SPECIAL, PASSAGE, END, QUESTION, OPTION)
    )
    found = []
    for number, question in enumerate(questions):
        first = int(inputs.kept[number] + inputs.appended[number])
        last = min(int(at_end[number]), first)
        for text in question.options:
            own = of_option(question.question, text)
            # Some tokenizers count the space before a word to its first piece.
            second = [option if own[stop - 1] else asked for _, stop in next(offsets)]
            found.append(
                [special] * len(frame.before)
                + [passage] * (first - last)
                + [end] * last
                + [special] * len(frame.between)
                + second
                + [special] * len(frame.behind)
            )
    return found


def attention_to_parts(
    gated: Gated,
    inputs: Inputs,
    parts: Sequence[list[int]],
    batch: int,
    name: str,
) -> ToParts:
    """The attention of [CLS] to each part, of every question, layer and head.

    Args:
        parts: of the tokens of every row.
        batch: rows whose maps are made together.
        name: is shown meanwhile.
    """
    rows, device = len(parts), gated.model.device
    shares = np.empty((len(PARTS), rows, gated.layers, gated.heads), dtype=np.float32)
    for some in tqdm(list(inputs.encoded.batches(batch)), desc=name):
        width = next(iter(some.inputs.values())).shape[1]
        members = np.zeros((len(some.rows), width, len(PARTS)), dtype=np.float32)
        for place, row in enumerate(some.rows):
            members[place, np.arange(len(parts[row])), parts[row]] = 1
        of_parts = torch.from_numpy(members).to(device)
        tensors = {key: ids.to(device) for key, ids in some.inputs.items()}
        for layer, maps in enumerate(layer_maps(gated, tensors)):
            given = maps[:, :, 0] @ of_parts
            shares[:, some.rows, layer] = given.permute(2, 0, 1).cpu().numpy()
    tokens = np.array([np.bincount(one, minlength=len(PARTS)) / len(one) for one in parts]).T
    return ToParts(_of_questions(shares, inputs), _of_questions(tokens, inputs))


def _of_questions(
    values: Float[np.ndarray, "part option *place"], inputs: Inputs
) -> Float[np.ndarray, "part question *place"]:
    """The mean over the options of each question."""
    sums = np.add.reduceat(values, inputs.starts, axis=1)
    counts = inputs.counts.reshape(-1, *[1] * (values.ndim - 2))
    return (sums / counts).astype(np.float32)


def beyond_tokens(found: ToParts) -> Float[np.ndarray, "part question layer head"]:
    """The share of a part in the attention to words, less its share of the words.

    Not a number for special tokens, and where a row's head attends to no word.
    """
    special = PARTS.index(SPECIAL)
    shares, tokens = found.shares.astype(float), found.tokens.astype(float)[..., None, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = shares / (1 - shares[special]) - tokens / (1 - tokens[special])
    beyond[special] = np.nan
    beyond[~np.isfinite(beyond)] = np.nan
    return beyond
