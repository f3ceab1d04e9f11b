"""What is kept of texts that were drawn and maps that were chosen, as tables."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int

from stages.core.maps.vig_patterns import VIG_PATTERNS, TextTokens, pattern_strengths
from stages.core.recordings.recording import Recording
from stages.core.viewer.packed_maps import packed
from stages.core.viewer.readable import Tokens
from stages.examples.choosing import Choice

UNCLASSIFIED = ("", "", float("nan"))
PLACE = ["arm", "text", "layer", "head"]


def role_strengths(
    recording: Recording, corpus: pd.DataFrame, rows: Int[np.ndarray, " candidate"]
) -> dict[str, Float[np.ndarray, "candidate head"]]:
    """Strengths of Vig's patterns in every head on the candidates, in their order."""
    place = {row: number for number, row in enumerate(rows)}
    shape = (len(rows), recording.layers * recording.heads)
    found = {name: np.full(shape, np.nan) for name in VIG_PATTERNS}
    with torch.inference_mode():
        for batch in recording.batches(rows):
            strengths = pattern_strengths(batch, TextTokens(recording, corpus, batch))
            numbers = [place[row] for row in batch.rows]
            for name, values in strengths.items():
                found[name][numbers] = values.cpu().double().numpy()
    return found


def numbered(drawn: Sequence[int], choices: Sequence[Choice]) -> dict[int, int]:
    """The number of each candidate that is kept: those drawn first, then those with a choice."""
    kept = dict.fromkeys([*drawn, *(choice.text for choice in choices)])
    return {candidate: number for number, candidate in enumerate(kept)}


def text_table(
    numbers: Mapping[int, int],
    drawn: Sequence[int],
    examples: pd.DataFrame,
    rows: Int[np.ndarray, " candidate"],
    tokens_of: Callable[[int], Tokens],
) -> pd.DataFrame:
    """One row a text that is kept.

    Args:
        numbers: as `numbered` gives them.
        examples: with id, text_a, text_b and perhaps label; the candidates are its `rows`.
        tokens_of: the tokens of a row of `examples`.
    """
    found = []
    for candidate, number in numbers.items():
        row = int(rows[candidate])
        example = examples.iloc[row]
        tokens = tokens_of(row)
        found.append(
            {
                "text": number,
                "id": example["id"],
                "label": float(example["label"]) if "label" in examples else float("nan"),
                "texts": texts_of(example) or spelt(tokens),
                "pieces": tokens.pieces,
                "groups": tokens.groups,
                "words": tokens.words,
                "segments": tokens.segments,
                "drawn": candidate in set(drawn),
            }
        )
    return pd.DataFrame(found)


def texts_of(example: pd.Series) -> list[str]:
    """The text, or the two of a pair; none where only tokens are known."""
    return [text for text in (example["text_a"], example["text_b"]) if text is not None]


def spelt(tokens: Tokens) -> list[str]:
    """The texts as their tokens spell them, [CLS] and [SEP] among them."""
    places = {group: place for place, group in reversed(list(enumerate(tokens.groups)))}
    of_words = [tokens.segments[places[group]] for group in range(len(tokens.words))]
    return [
        " ".join(word for word, own in zip(tokens.words, of_words, strict=True) if own == segment)
        for segment in sorted(set(of_words))
    ]


def map_table(
    arm: str,
    recording: Recording,
    numbers: Mapping[int, int],
    drawn: Sequence[int],
    choices: Sequence[Choice],
    rows: Int[np.ndarray, " candidate"],
    classes: Mapping[tuple[int, int, int], tuple[str, str, float]],
) -> pd.DataFrame:
    """One row a text and head of an arm whose map is kept.

    Args:
        recording: attention on the texts, of which the candidates are `rows`.
        classes: pattern, pattern under the rule special and probability, by candidate, layer and
            head; empty where no map was classified.
    """
    chosen: dict[int, set[tuple[int, int]]] = {candidate: set() for candidate in numbers}
    for choice in choices:
        chosen[choice.text].add((choice.layer, choice.head))
    every = set(np.ndindex(recording.layers, recording.heads))
    candidate_of = {int(rows[candidate]): candidate for candidate in numbers}
    found = []
    for batch in recording.batches(np.array(sorted(candidate_of))):
        for number, row in enumerate(batch.rows):
            candidate, length = candidate_of[int(row)], int(batch.lengths[number])
            maps = batch.maps[number, :, :, :length, :length].float().cpu().numpy()
            for layer, head in sorted(every if candidate in drawn else chosen[candidate]):
                weights = packed(maps[layer, head]).tobytes()
                of_map = classes.get((candidate, layer, head), UNCLASSIFIED)
                found.append((arm, numbers[candidate], layer, head, weights, *of_map))
    columns = [*PLACE, "weights", "pattern", "pattern_special", "probability"]
    return pd.DataFrame(found, columns=columns).sort_values(PLACE, ignore_index=True)


def choice_table(choices: Sequence[Choice], numbers: Mapping[int, int]) -> pd.DataFrame:
    """One row a choice, with the number of its text."""
    kept = [choice._replace(text=numbers[choice.text]) for choice in choices]
    return pd.DataFrame(kept, columns=list(Choice._fields))
