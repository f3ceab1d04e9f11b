"""The attention of a reader's [CLS] to passage, appended text, question, option, special tokens.

Beyond Si et al. 2019. A reader scores an option from [CLS]. Each part of a row has a share of the
attention of [CLS], by layer and head. It is measured under an attack that appends words to the
passage, and on the intact row at the same cut. There the end of the passage, with as many tokens,
is compared with the appended words, as [CLS] may prefer the position.

Special tokens have much of the attention, whatever the text. Therefore words alone are compared: a
part's share of the attention to words minus its share of the words.
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

# Stands for a character of an option; no text has this one, of Unicode's private use.
MARK = "\ue000"


@dataclass(frozen=True)
class ToParts:
    """Each part's share of the attention of [CLS] and of the tokens of a row.

    Both are means over the options of a question.
    """

    shares: Float[np.ndarray, "part question layer head"]
    tokens: Float[np.ndarray, "part question"]


def of_option(question: str, option: str) -> list[bool]:
    """Whether each character of the text of question and option is of the option.

    A full stop right behind the option is, if the option ends with one.
    """
    option = option.strip()
    body = option.removesuffix(".")
    stop = option[len(body) :]
    # The same text but for the option's characters: a gap of the question may stand before them.
    marked = joined(question, MARK * len(body) + stop)
    inside, before = [], False
    for character in marked:
        inside.append(character == MARK or (before and character == stop))
        before = character == MARK
    return inside


def parts_of_rows(
    tokenizer: PreTrainedTokenizerBase,
    questions: Sequence[Question],
    inputs: Inputs,
    at_end: Int[np.ndarray, " question"],
) -> list[list[int]]:
    """The part of every token of each row, as a number in `PARTS`.

    Args:
        questions: their options make the rows.
        at_end: number of tokens at the end of the first text that are `END`.
    """
    frame = Frame.of(tokenizer)
    texts = [each.pair(number)[1] for each in questions for number in range(len(each.options))]
    encoding = tokenizer(
        texts, add_special_tokens=False, return_offsets_mapping=True, verbose=False
    )
    offsets = iter(encoding["offset_mapping"])
    special, passage, end, asked, option = (
        PARTS.index(name) for name in (SPECIAL, PASSAGE, END, QUESTION, OPTION)
    )
    rows = []
    for number, question in enumerate(questions):
        first = int(inputs.kept[number] + inputs.appended[number])
        last = min(int(at_end[number]), first)
        for text in question.options:
            inside = of_option(question.question, text)
            # Some tokenizers count the space before a word to its first piece.
            second = [option if inside[stop - 1] else asked for _, stop in next(offsets)]
            rows.append(
                [special] * len(frame.before)
                + [passage] * (first - last)
                + [end] * last
                + [special] * len(frame.between)
                + second
                + [special] * len(frame.behind)
            )
    return rows


def attention_to_parts(
    gated: Gated,
    inputs: Inputs,
    parts: Sequence[list[int]],
    batch: int,
    name: str,
) -> ToParts:
    """The attention of [CLS] to each part, of every question, layer and head.

    Args:
        parts: see `parts_of_rows`.
        batch: number of rows whose maps are computed together.
        name: of the progress bar.
    """
    rows, device = len(parts), gated.model.device
    shares = np.empty((len(PARTS), rows, gated.layers, gated.heads), dtype=np.float32)
    for some in tqdm(list(inputs.encoded.batches(batch)), desc=name):
        width = next(iter(some.inputs.values())).shape[1]
        members = np.zeros((len(some.rows), width, len(PARTS)), dtype=np.float32)
        for line, row in enumerate(some.rows):
            members[line, np.arange(len(parts[row])), parts[row]] = 1
        of_parts = torch.from_numpy(members).to(device)
        tensors = {key: ids.to(device) for key, ids in some.inputs.items()}
        for layer, maps in enumerate(layer_maps(gated, tensors)):
            given = maps[:, :, 0] @ of_parts
            shares[:, some.rows, layer] = given.permute(2, 0, 1).cpu().numpy()
    tokens = np.array([np.bincount(row, minlength=len(PARTS)) / len(row) for row in parts]).T
    return ToParts(_of_questions(shares, inputs), _of_questions(tokens, inputs))


def _of_questions(
    values: Float[np.ndarray, "part option *head"], inputs: Inputs
) -> Float[np.ndarray, "part question *head"]:
    """The mean over the options of each question."""
    sums = np.add.reduceat(values, inputs.starts, axis=1)
    counts = inputs.counts.reshape(-1, *[1] * (values.ndim - 2))
    return (sums / counts).astype(np.float32)


def beyond_tokens(to_parts: ToParts) -> Float[np.ndarray, "part question layer head"]:
    """A part's share of the attention to words minus its share of the words.

    NaN for special tokens, and for a head that attends to no word.
    """
    special = PARTS.index(SPECIAL)
    shares = to_parts.shares.astype(float)
    tokens = to_parts.tokens.astype(float)[..., None, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = shares / (1 - shares[special]) - tokens / (1 - tokens[special])
    beyond[special] = np.nan
    beyond[~np.isfinite(beyond)] = np.nan
    return beyond
