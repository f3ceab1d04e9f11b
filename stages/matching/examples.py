"""The training pairs that select heads, and the validation pairs that measure them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from stages.core.encoder.batches import Encoded, encode
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.stage.files import InputError
from stages.core.stage.places import examples_file
from stages.core.stage.settings import PARAMETER_FILE
from stages.core.tasks.examples import draw_examples, read_examples
from stages.matching.tables import ALL, DRAWS
from stages.matching.terms import Terms, Unit, frequent_words, spelt_words, terms_of

TRAIN = "train"  # the samples `ALL` and `DRAWS` are of validation examples


@dataclass(frozen=True)
class TermPairs:
    """Some examples of a task with their terms."""

    examples: pd.DataFrame
    encoded: Encoded
    terms: list[Terms]

    @property
    def labels(self) -> Float[np.ndarray, " example"]:
        return self.examples["label"].to_numpy(dtype=float)


def read_pairs(
    task: str,
    model: Path,
    max_length: int,
    unit: Unit,
    frequent: float | None,
    counts: Mapping[str, int | None],
    seed: int,
) -> dict[str, TermPairs]:
    """Training examples, validation examples, and the validation examples of random draws.

    Args:
        model: folder of the tokenizer.
        frequent: as of `frequent_words`, over all training examples.
        counts: how many examples each of the three has; all where null.

    Raises:
        InputError: they are no pairs, or none has a term in both of its texts.
    """
    tokenizer = load_tokenizer(model)
    train, validation = (
        read_examples(examples_file(task, split)) for split in ("train", "validation")
    )
    if train["text_b"].isna().any():
        raise InputError(
            f"{PARAMETER_FILE}: `matching.tasks` has {task}, whose examples are single texts; "
            "it takes tasks of pairs"
        )

    def tokens(examples: pd.DataFrame) -> tuple[Encoded, pd.DataFrame]:
        encoded = encode(tokenizer, examples, max_length)
        return encoded, spelt_words(tokenizer, examples, encoded, max_length, unit)

    function_words = frequent_words(tokens(train)[1], frequent)
    some = draw_examples(validation, counts[ALL], seed)
    samples = {
        TRAIN: draw_examples(train, counts[TRAIN], seed),
        ALL: some,
        DRAWS: draw_examples(some, counts[DRAWS], seed),
    }
    pairs = {}
    for name, examples in samples.items():
        encoded, table = tokens(examples)
        pairs[name] = TermPairs(examples, encoded, terms_of(table, function_words))
        if not any(terms.shared.any() for terms in pairs[name].terms):
            raise InputError(
                f"{examples_file(task, 'train').parent}: no pair has a word in both of its "
                "texts; raise `matching.frequent`, or leave the task out of `matching.tasks`"
            )
    return pairs
