"""Few validation examples of a task with the maps that `attend` recorded, untuned and tuned.

Some are drawn by the seed alone, with the maps of all heads: what one sees without a choice. Others
are chosen of all that `patterns` classified: of each pattern the clearest and the median map, by
the classifier's probability; of each of Vig's patterns, which are roles of heads, the clearest and
the median example of the head that follows it most. Of these the map of that head is kept.
"""

import numpy as np
import pandas as pd
from jaxtyping import Int
from pydantic import NonNegativeInt, PositiveInt

from stages.core.encoder.batches import encode
from stages.core.encoder.configuration import read_config
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.recordings.recording import StoredRecording
from stages.core.recordings.store import MapStore
from stages.core.recordings.tokens import token_table
from stages.core.stage.arms import TUNED, UNTUNED
from stages.core.stage.places import examples_file, maps_folder, model_folder, patterns_file
from stages.core.stage.settings import Parameters, section
from stages.core.tasks.examples import read_examples
from stages.core.tasks.task import load_task, seeds_of
from stages.core.viewer.readable import Tokens, read_text
from stages.core.viewer.tables import CHOSEN, MAPS, TEXTS
from stages.examples.choosing import candidates, choose_patterns, choose_roles, drawn_by_seed
from stages.examples.kept import (
    choice_table,
    map_table,
    numbered,
    role_strengths,
    text_table,
    texts_of,
)

ARMS = (TUNED, UNTUNED)  # maps are chosen by the first


class Examples(Parameters, section="examples"):
    """The section `examples` of `params.yaml`."""

    texts: NonNegativeInt
    tokens: PositiveInt
    seed: NonNegativeInt


def classified(table: pd.DataFrame, places: dict[str, int]) -> pd.DataFrame:
    """One row a map of the candidates: text, layer, head, its patterns and the first's probability.

    Args:
        table: as `patterns` writes it: id, layer, head, pattern, pattern_special, and a column of
            probabilities a pattern.
        places: of the candidates, by id.
    """
    own = table[table["id"].isin(list(places))].reset_index(drop=True)
    patterns = own["pattern"].astype(str)
    probabilities = [own[name][row] for row, name in enumerate(patterns)]
    return pd.DataFrame(
        {
            "text": own["id"].map(places).astype(int),
            "layer": own["layer"].astype(int),
            "head": own["head"].astype(int),
            "pattern": patterns,
            "pattern_special": own["pattern_special"].astype(str),
            "probability": np.array(probabilities, dtype=float),
        }
    )


def by_place(maps: pd.DataFrame) -> dict[tuple[int, int, int], tuple[str, str, float]]:
    """Patterns and probability of each classified map, by candidate, layer and head."""
    places = zip(maps["text"], maps["layer"], maps["head"], strict=True)
    values = zip(maps["pattern"], maps["pattern_special"], maps["probability"], strict=True)
    return dict(zip(places, values, strict=True))


def shown_candidates(
    examples: pd.DataFrame, store: MapStore, ids: set[str], parameters: Examples
) -> Int[np.ndarray, " candidate"]:
    """Rows of the classified examples that are short enough, in the order of `examples`."""
    lengths = dict(zip(store.index["id"], store.index["length"], strict=True))
    rows = np.flatnonzero(examples["id"].isin(list(ids)).to_numpy())
    of_rows = np.array([lengths[examples["id"].iloc[row]] for row in rows])
    return rows[candidates(of_rows, parameters.tokens, None, parameters.seed)]


def run_stage(task: str) -> None:
    """Keep few examples of TASK with the maps that `attend` recorded."""
    parameters = section(Examples, "examples")
    definition = load_task(task)
    examples = read_examples(examples_file(task, "validation"))
    stores = {arm: MapStore(maps_folder(task, arm)) for arm in ARMS}
    tables = {arm: pd.read_parquet(patterns_file(task, arm)) for arm in ARMS}
    ids = set(tables[TUNED]["id"])
    rows = shown_candidates(examples, stores[TUNED], ids, parameters)
    places = {examples["id"].iloc[row]: number for number, row in enumerate(rows)}
    maps = {arm: classified(table, places) for arm, table in tables.items()}

    folder = model_folder(task, TUNED, seeds_of(task)[0])
    tokenizer, config = load_tokenizer(folder), read_config(folder)
    encoded = encode(tokenizer, examples, definition.max_length)
    tokens = token_table(tokenizer, examples, encoded, definition.max_length)
    recordings = {arm: StoredRecording(arm, store, tokens) for arm, store in stores.items()}

    def tokens_of(row: int) -> Tokens:
        example = examples.iloc[row]
        words = example["words"] or None
        limit = definition.max_length
        return read_text(tokenizer, config, texts_of(example), words, limit).tokens

    drawn = drawn_by_seed(len(rows), parameters.texts, parameters.seed)
    strengths = role_strengths(recordings[TUNED], examples, rows)
    choices = choose_patterns(maps[TUNED]) + choose_roles(strengths, recordings[TUNED].heads)
    numbers = numbered(drawn, choices)
    TEXTS.write(text_table(numbers, drawn, examples, rows, tokens_of), data=task)
    kept = [
        map_table(arm, recordings[arm], numbers, drawn, choices, rows, by_place(maps[arm]))
        for arm in ARMS
    ]
    MAPS.write(kept, data=task)
    CHOSEN.write(choice_table(choices, numbers), data=task)
