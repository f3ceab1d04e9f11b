"""Probes of all layers trained together, against one after another with states made anew.

One after another, the probe of each layer and question reads all sentences through the encoder
once, stores the states of its layer, and learns from these for the same number of passes. That is
generous: an encoder within the training loop reads every sentence once a pass. Two questions are
asked, of ten that the stage asks.
"""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import torch
from jaxtyping import Int
from torch import Tensor

from benchmarks.pairs import ratios, take_turns
from stages.core.checkpoint_source import PackageCheckpoint, locate
from stages.core.encoder.checkpoint import load_encoder
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.runtime.runtime import find_device, read_runtime
from stages.core.stage.settings import section
from stages.core.stimuli.entries import WrittenStimuli
from stages.core.stimuli.store import MAIN_AUXILIARY, NTH_TOKEN, POSITIONS
from stages.layer_probes.fitting import fit_probes, predicted_words
from stages.layer_probes.sentences import Questions, questions
from stages.layer_probes.stage import LayerProbes
from stages.layer_probes.states import WordStates, state_file
from stages.stimuli.written import probe_rows

TOGETHER, ONE_BY_ONE = "all layers together", "one after another"
AGREEING = 0.98  # share of the same answers: a batch of others rounds its states otherwise
TESTED = 200
ASKED = (MAIN_AUXILIARY, NTH_TOKEN)
LONGER = 2
Answers = Int[Tensor, "sentence state probe"]


def asked_of(sentences: int) -> Questions:
    """The main auxiliary and the second word of so many written sentences, and of some others."""
    drawn = LONGER * sentences  # a sentence must have words enough to be asked about their position
    entry = WrittenStimuli(source="written", train=drawn, test=TESTED)
    rows = pd.DataFrame(
        row
        for row in probe_rows(entry)
        if row["probe"] in ASKED and row["position"] in (0, POSITIONS[0])
    )
    every = set(rows["id"][rows["probe"] == ASKED[-1]])
    return questions(rows[rows["id"].isin(every)], sentences, None, seed=0)


def default_encoder(parameters: LayerProbes) -> WordStates:
    """The encoder of the default configuration."""
    folder = locate(section(PackageCheckpoint, "checkpoint"))
    device = find_device(read_runtime().device)
    return WordStates(load_encoder(folder).to(device), load_tokenizer(folder), parameters.pieces)


def together(asked: Questions, encoder: WordStates, parameters: LayerProbes) -> Answers:
    """What the probes of all states answer, as the stage `layer_probes` trains them."""
    return _answers(asked, encoder, parameters, slice(None))


def one_by_one(asked: Questions, encoder: WordStates, parameters: LayerProbes) -> Answers:
    """What they answer if each is trained by itself."""
    columns = []
    for probe in range(len(asked.probes)):
        alone = replace(asked, taught=asked.taught.of_probe(probe))
        found = [
            _answers(alone, encoder, parameters, slice(state, state + 1))
            for state in range(encoder.shape[0])
        ]
        columns.append(torch.cat(found, dim=1))
    return torch.cat(columns, dim=2)


def _answers(
    asked: Questions, encoder: WordStates, parameters: LayerProbes, kept: slice
) -> Answers:
    words = [*asked.taught.words, *asked.tested]
    shape = (len(range(encoder.shape[0])[kept]), encoder.shape[1])
    with (
        tempfile.TemporaryDirectory() as folder,
        state_file(Path(folder), list(map(len, words)), shape) as states,
    ):
        for sentence, own in encoder.of(words):
            states.write(sentence, own[:, kept].copy())
        weights = fit_probes(
            states,
            asked.taught,
            parameters.epochs,
            parameters.batch,
            parameters.learning_rate,
            parameters.seed,
            encoder.model.device,
        )
        return predicted_words(
            states, len(asked.taught.words), len(words), weights, parameters.batch
        )


def compare(sentences: int, rounds: int) -> pd.DataFrame:
    """Time both sides on the same sentences and check that they answer alike.

    Returns:
        side, seconds, ratio (to all layers together), lowest, highest, agreeing (share of the same
        answers), sentences, questions, states.
    """
    parameters = section(LayerProbes, "layer_probes")
    drawn, encoder = asked_of(sentences), default_encoder(parameters)
    found: dict[str, Answers] = {}
    ways: dict[str, Callable[..., Answers]] = {TOGETHER: together, ONE_BY_ONE: one_by_one}
    sides = {
        name: lambda name=name: found.update({name: ways[name](drawn, encoder, parameters)})
        for name in ways
    }
    table = ratios(take_turns(sides, rounds), to=TOGETHER)
    agreeing = float((found[TOGETHER] == found[ONE_BY_ONE]).float().mean())
    if agreeing < AGREEING:
        raise SystemExit(f"the sides give the same answer in {agreeing:.1%} of the cases only")
    return table.assign(
        agreeing=agreeing,
        sentences=len(drawn.taught.words),
        questions=len(drawn.probes),
        states=encoder.shape[0],
    )
