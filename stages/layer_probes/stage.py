"""What each layer knows of a word's place in the sentence (Lin, Tan, Frank 2019, section 3).

Linear probes of every layer, and of the embeddings before them, find the main auxiliary, the
subject's noun and the n-th token. They are trained on simple sentences, and tested on others like
these and on sentences with relative clauses, compounds and possessives. The encoder is not tuned.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import typer
from jaxtyping import Float
from pydantic import PositiveFloat, PositiveInt
from transformers import PreTrainedTokenizerBase

from stages.core.encoder.checkpoint import load_encoder
from stages.core.encoder.configuration import read_config
from stages.core.encoder.families import longest_input
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.intervals.groups import LEAST_GROUPS
from stages.core.intervals.intervals import percentile_interval
from stages.core.maps.words import FromPieces
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import CORPUS_ARMS
from stages.core.stage.files import InputError
from stages.core.stage.places import ENCODERS, SCRATCH
from stages.core.stage.settings import Resampled, section
from stages.core.stimuli.lexical_items import sentence_weights, widened
from stages.core.stimuli.store import read_probes, spelt
from stages.core.tables import estimate_columns
from stages.layer_probes.fitting import fit_probes, predicted_words
from stages.layer_probes.sentences import PROBE, Questions, questions
from stages.layer_probes.states import WordStates, state_file
from stages.layer_probes.tables import CHANCE, FIRST, SCORES


class LayerProbes(Resampled, section="layer_probes"):
    """The section `layer_probes` of `params.yaml`."""

    sets: list[str]
    train: PositiveInt | None
    test: PositiveInt | None
    pieces: FromPieces
    epochs: PositiveInt
    batch: PositiveInt
    learning_rate: PositiveFloat


def found_words(asked: Questions, encoder: WordStates, parameters: LayerProbes) -> pd.DataFrame:
    """Train all probes of all states together, and ask each.

    Returns:
        One column a state, by its row in `encoder.states`, one row a question of `asked.asked`:
        whether the probe finds the word that is meant.
    """
    taught = len(asked.taught.words)
    words = [*asked.taught.words, *asked.tested]
    with state_file(SCRATCH / "layer_probes", list(map(len, words)), encoder.shape) as states:
        for sentence, of_words in encoder.of(words):
            states.write(sentence, of_words)
        weights = fit_probes(
            states,
            asked.taught,
            parameters.epochs,
            parameters.batch,
            parameters.learning_rate,
            parameters.seed,
            encoder.model.device,
        )
        told = predicted_words(states, taught, len(words), weights, parameters.batch).numpy()
    rows = asked.asked
    right = told[rows["sentence"], :, rows["number"]] == rows["target"].to_numpy()[:, None]
    return pd.DataFrame(right, index=rows.index)


def accuracy_table(
    asked: Questions, right: pd.DataFrame, states: pd.DataFrame, parameters: LayerProbes
) -> pd.DataFrame:
    """The rows of `SCORES` of one arm: one a probe, part and state, or baseline.

    Resamples draw lexical items, the same for all rows and arms.
    """
    every = asked.asked.assign(items=asked.asked["items"].map(lambda names: tuple(sorted(names))))
    places, distinct = every["items"].factorize()
    weights = sentence_weights(list(distinct), parameters.resamples, parameters.seed)
    tables = []
    for keys, of_part in every.groupby([*PROBE, "part"], sort=False):
        values = right.loc[of_part.index].to_numpy(dtype=float).T
        kinds = list(zip(states["state"], states["layer"], strict=True))
        for name, line in _baselines(of_part, asked.tested):
            kinds.append((name, -1))
            values = np.concatenate([values, line[None]])
        items = len({item for names in of_part["items"] for item in names})
        lines = _means(values, weights[:, places[of_part.index]], items)
        limits = percentile_interval(lines[:, 1:])
        table = pd.DataFrame(kinds, columns=["state", "layer"]).assign(
            **dict(zip([*PROBE, "part"], keys, strict=True)),
            **estimate_columns("accuracy", lines[:, 0], *limits, lines[:, 1:]),
            sentences=len(of_part),
            items=items,
        )
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _means(
    values: Float[np.ndarray, "state question"],
    weights: Float[np.ndarray, "line question"],
    items: int,
) -> Float[np.ndarray, "state line"]:
    """Weighted means, the first line of the data; NaN on resamples of too few items.

    A resample that lacks all of these sentences becomes a copy of another one, the same for every
    encoder.
    """
    empty = ~weights[1:].any(1)
    if items < LEAST_GROUPS or empty.all():
        means = np.full((len(values), len(weights)), np.nan)
        means[:, 0] = values.mean(1)
        return means
    lines = np.arange(len(weights))
    lines[1:][empty] = np.resize(1 + np.flatnonzero(~empty), np.count_nonzero(empty))
    weights = weights[lines]
    means = (values @ weights.T) / weights.sum(1)
    return widened(means, items).clip(0, 1)


def _baselines(
    rows: pd.DataFrame, sentences: list[tuple[str, ...]]
) -> Iterator[tuple[str, Float[np.ndarray, " question"]]]:
    """Yield each baseline with its probability of answering each question."""
    if (rows["first"] >= 0).all():
        yield FIRST, (rows["first"] == rows["target"]).to_numpy(dtype=float)
    yield CHANCE, 1 / rows["sentence"].map(lambda number: len(sentences[number])).to_numpy(float)


def readable(rows: pd.DataFrame, tokenizer: PreTrainedTokenizerBase, longest: int) -> pd.DataFrame:
    """The questions about sentences that an encoder of `longest` tokens reads to their end."""
    words = rows["words"].map(tuple)
    texts = {sentence: spelt(sentence)[0] for sentence in words}
    ids = tokenizer(list(texts.values()), verbose=False)["input_ids"]
    short = {
        sentence for sentence, tokens in zip(texts, ids, strict=True) if len(tokens) <= longest
    }
    if lost := len(texts) - len(short):
        typer.echo(f"{lost} of {len(texts)} sentences have more than {longest} tokens: left out")
    return rows[words.isin(short)]


def run_stage(stimuli_set: str) -> None:
    """Train and score a probe of every layer on the sentences of the stimuli SET."""
    parameters = section(LayerProbes, "layer_probes")
    device = start(read_runtime(), parameters.seed)
    encoders = [arm for arm in CORPUS_ARMS if (ENCODERS / arm).is_dir()]
    if not encoders:
        raise InputError(
            f"{ENCODERS}: no encoder whose layers could be probed; name some under `encoder.arms` "
            "in params.yaml"
        )
    tokenizer = load_tokenizer(ENCODERS / encoders[0])  # all arms have the same
    longest = longest_input(read_config(ENCODERS / encoders[0]))
    rows = readable(read_probes(stimuli_set), tokenizer, longest)
    asked = questions(rows, parameters.train, parameters.test, parameters.seed)
    tables = []
    for arm in encoders:
        model = load_encoder(ENCODERS / arm).to(device)
        encoder = WordStates(model, tokenizer, parameters.pieces)
        right = found_words(asked, encoder, parameters)
        table = accuracy_table(asked, right, encoder.states, parameters)
        tables.append(table.assign(arm=arm))
    SCORES.write(tables, data=stimuli_set)
