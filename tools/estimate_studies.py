"""Operations of the studies that run an encoder, or tune models of pairs, beside the grids.

Of matrix products alone, as `stages.importance.cost` counts them. Which heads a study will find is
not known before: heads drawn at random stand for them, as many as it takes at most.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.cost import PASSES_OF_A_STEP, Sizes
from stages.ablate.stage import Ablate
from stages.confusion.stage import Confusion
from stages.core.control_seeds import control_seeds
from stages.core.heads.gates import Gate, bands, single_heads
from stages.core.runtime.runtime import Precision
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.files import InputError, read_yaml
from stages.core.stage.settings import PARAMETER_FILE, checked, section
from stages.core.stimuli.entries import Stimuli
from stages.core.tasks.examples import drawn_rows
from stages.core.tasks.task import load_task, seeds_of
from stages.finetune.pair_baselines.run import PairBaselines
from stages.finetune.training import Finetune
from stages.harmful.choices import random_heads
from stages.harmful.stage import Harmful
from stages.importance.cost import Geometry, least_for_grid
from stages.layer_probes.sentences import questions
from stages.layer_probes.stage import LayerProbes
from stages.layer_probes.states import state_table
from stages.matching.stage import Matching
from stages.matching.turning_off import draws_of, gates_on_all, gates_with_draws
from stages.pretrain.settings import Pretrain
from stages.word_order.stage import WordOrder
from stages.word_order.turned_off import blocks_of, count_of, shared_out

HARMFUL, WORD_ORDER, MATCHING = "heads that hurt", "order of words", "matching terms"
TOWERS, LSTM = "pairs by two towers", "pairs by an LSTM"
PROBES, CONFUSION = "probes of layers", "confusion"
OF_A_PAIR, OF_A_TEXT = 3, 2  # special tokens
Part = tuple[str, str, float, float]  # the values of `benchmarks.cost.COLUMNS`


@dataclass(frozen=True)
class Study:
    """One task and its encoder."""

    task: str
    file: Path
    geometry: Geometry
    sizes: Sizes

    @property
    def arms(self) -> dict[str, list[int]]:
        """The seeds of the task's tuned encoders."""
        seeds = seeds_of(self.task, file=self.file)
        return {TUNED: seeds, TUNED_FROM_RANDOM: control_seeds(seeds, self.file)}

    def of(self, split: str, count: int | None) -> int:
        """How many examples of a split are taken where so many are asked for; null: all."""
        total = getattr(self.sizes, split).examples
        return total if count is None else min(count, total)

    def forward(self, split: str, count: int) -> int:
        """Whole passes, one an example: of maps, too."""
        return count * self.geometry.forward(getattr(self.sizes, split).tokens)

    def grid(
        self, gates: Iterable[Gate], count: float, precision: Precision, split: str = "validation"
    ) -> float:
        """All gates on each of `count` examples."""
        tokens = [getattr(self.sizes, split).tokens]
        return count * least_for_grid(self.geometry, gates, tokens, precision == "fp32")

    def any_heads(self, most: int, sets: int, layers: int | None = None) -> list[Gate]:
        """Sets of so many heads of the lowest `layers`, of all by default."""
        layers = self.geometry.layers if layers is None else layers
        drawn = random_heads(layers, self.geometry.heads, most, sets, 0)
        return [Gate("zero", heads, "random", draw=draw) for draw, heads in enumerate(drawn)]


def of_task(task: str, folder: Path, geometry: Geometry, sizes: Sizes) -> Iterator[Part]:
    """The parts of one task, with all of its seeds, of the studies that take it in `folder`."""
    file, stages = folder / PARAMETER_FILE, read_yaml(folder / "dvc.yaml")["stages"]
    study = Study(task, file, geometry, sizes)
    if "harmful" in stages:
        own = section(Harmful, "harmful", file)
        yield HARMFUL, own.precision, harmful(study, own), 0
    for name, model, count in (
        ("word_order", WordOrder, word_order),
        ("matching", Matching, matching),
        ("pair_baselines", PairBaselines, pair_baselines),
    ):
        if name in stages and task in (own := section(model, name, file)).tasks:
            yield from count(study, own)


def harmful(study: Study, own: Harmful) -> float:
    """Single heads where `ablate` has none, prefixes, chosen sets, random sets, and maps."""
    total = study.sizes.validation.examples
    drawn = drawn_rows(total, own.examples, own.seed)
    scored = drawn_rows(total, own.scored, own.seed)
    ablate = section(Ablate, "ablate", study.file)
    nothing = np.array([], dtype=int)
    of_ablate = nothing
    if "zero" in ablate.modes and ablate.precision == own.precision:
        count = ablate.sizes_for(study.task, "zero").examples
        of_ablate = np.intersect1d(drawn_rows(total, count, ablate.seed), scored)
    sets, few = 2 * own.divisions, min(own.random_examples or total, len(scored))
    single = list(single_heads(study.geometry.layers, study.geometry.heads, "zero"))
    ranked = [study.any_heads(count, sets) for count in range(1, own.most + 1)]
    operations = 0.0
    for arm, known in ((TUNED, of_ablate), (TUNED_FROM_RANDOM, nothing)):
        choosing, missing = len(np.union1d(drawn, known)), len(np.setdiff1d(drawn, known))
        one = study.grid(single, missing, own.precision)
        one += study.grid([], choosing, own.precision) + study.forward("validation", choosing)
        for prefixes in zip(*ranked, strict=True):  # of one half of those that choose
            one += study.grid(prefixes, choosing / 2, own.precision)
        one += study.grid(study.any_heads(own.most, sets), len(scored), own.precision)
        one += study.grid(study.any_heads(own.most, own.draws), few, own.precision)
        operations += len(study.arms[arm]) * one
    return operations


def word_order(study: Study, own: WordOrder) -> Iterator[Part]:
    """Maps of intact and exchanged pairs, and heads off on both."""
    geometry, pairs = study.geometry, study.sizes.validation.examples
    maps = study.forward("train", study.of("train", own.find_examples))
    maps += study.forward("validation", study.of("validation", own.find_examples))
    seeds = study.arms[TUNED]
    operations = 2.0 * maps * (len(seeds) + len(study.arms[TUNED_FROM_RANDOM]))
    count = count_of(own.heads, geometry.layers * geometry.heads)
    (order,) = study.any_heads(count, 1)
    for seed in seeds:
        draws = len(shared_out(own.draws, seeds, seed))
        blocks = blocks_of(pairs, own.draw_examples, draws, own.seed)
        operations += study.grid([order], pairs, "fp32")
        for number, rows in enumerate(blocks):
            members = len(range(number, draws, len(blocks)))
            # Random heads are of the order heads' layers, as many of each, and so cost the same.
            operations += study.grid([order] * (1 + members), len(rows), "fp32")
    yield WORD_ORDER, "fp32", len(own.units) * operations, 0


def matching(study: Study, own: Matching) -> Iterator[Part]:
    """Maps of four arms; of both tuned ones families of gates, draws, candidates, the reader."""
    geometry, arms = study.geometry, study.arms
    size = geometry.layers, geometry.heads
    finding, every = study.of("train", own.find_examples), study.of("validation", own.examples)
    few = min(every, study.of("validation", own.draw_examples))
    maps = study.forward("train", finding) + study.forward("validation", every)
    operations = maps * (1.0 + len(arms[TUNED]) + 2 * len(arms[TUNED_FROM_RANDOM]))
    count = math.ceil(own.share * geometry.layers * geometry.heads)
    (lower,) = study.any_heads(count, 1, geometry.layers // 2)
    upper = [(layer, head) for layer in bands(size[0])["upper"] for head in range(size[1])]
    most = math.ceil(own.reading_share * len(upper))
    # Which of them are candidates is not known: so many, evenly spread.
    evenly = [upper[len(upper) * place // most] for place in range(most)]
    candidates = [Gate("zero", (head,), "head") for head in evenly]
    for seeds in arms.values():
        for seed in seeds:
            draws, kept = (
                draws_of(number, arms[TUNED], seed) for number in (own.draws, own.kept_draws)
            )
            on_all = gates_on_all(*size, lower.heads)
            on_few = gates_with_draws(*size, lower.heads, draws, kept, own.seed)
            operations += study.grid(on_all, every, own.precision)
            operations += study.grid(on_few, few, own.precision)
            operations += study.grid(candidates, finding, own.precision, "train")
            looks = 2 + len(draws[: own.reading_draws])
            operations += looks * study.forward("validation", few)
    yield MATCHING, own.precision, operations, 0


def pair_baselines(study: Study, own: PairBaselines) -> Iterator[Part]:
    """One tuning a seed of two towers of the encoder, and of an LSTM across the pair."""
    tuning = section(dict, "finetune", study.file) | load_task(study.task, study.file).finetune
    finetune = checked(Finetune, tuning, f"{study.file}: {study.task}")
    train, geometry = study.sizes.train, study.geometry
    examples = len(study.arms[TUNED]) * finetune.epochs * train.examples
    tokens = math.ceil((train.tokens - OF_A_PAIR) / 2) + OF_A_TEXT  # of one of the two texts
    for part, of_text in (
        (TOWERS, geometry.forward(tokens)),
        (LSTM, lstm_forward(tokens, geometry.hidden, own.lstm.size)),
    ):
        yield part, finetune.precision, float(PASSES_OF_A_STEP * examples * 2 * of_text), 0


def lstm_forward(tokens: int, words: int, size: int) -> int:
    """One text of a pair through `LstmAcross`, whose other text is as long.

    Args:
        words: size of the vectors that it reads.
        size: units of an LSTM in one direction.
    """
    states = 2 * size
    encoding, composition = (2 * 2 * 4 * size * (inputs + size) for inputs in (words, size))
    comparison = 2 * 4 * states * size
    alignment = 4 * tokens * states
    return tokens * (encoding + comparison + composition + alignment)


def of_stimuli(folder: Path, geometry: Geometry) -> Iterator[Part]:
    """Probes of all layers, and confusion, of every set of sentences and every encoder.

    Raises:
        InputError: the sentences are not made yet.
    """
    file = folder / PARAMETER_FILE
    if not (sets := sets_of(folder)):
        return
    arms = len(section(list[str], "encoder.arms", file))

    def forward(sentences: Iterable[Any]) -> int:
        return sum(geometry.forward(len(words) + OF_A_TEXT) for words in sentences)

    for name in sets.get("layer_probes", ()):
        own = section(LayerProbes, "layer_probes", file)
        asked = questions(_sentences(folder, name, "probes"), own.train, own.test, own.seed)
        taught = asked.taught.words
        # The scores of all probes on all states, and their gradients.
        states = len(state_table(geometry.layers))
        learnt = own.epochs * sum(map(len, taught)) * states * len(asked.probes)
        operations = forward([*taught, *asked.tested]) + 4 * learnt * geometry.hidden
        yield PROBES, "fp32", float(arms * operations), 0
    for name in sets.get("confusion", ()):
        if section(Stimuli, f"stimuli.{name}", file).recorded:
            continue  # its maps are there
        rows = _sentences(folder, name, "attention")
        operations = forward(rows["words"][rows["distractors"] > 0])
        yield CONFUSION, "fp32", float(arms * operations), 0


def sets_of(folder: Path) -> dict[str, list[str]]:
    """The sets of sentences that each study of them takes."""
    stages = read_yaml(folder / "dvc.yaml")["stages"]
    file = folder / PARAMETER_FILE
    models = {"layer_probes": LayerProbes, "confusion": Confusion}
    return {
        name: found
        for name, model in models.items()
        if name in stages and (found := section(model, name, file).sets)
    }


def _sentences(folder: Path, name: str, kind: str) -> pd.DataFrame:
    file = folder / f"work/stimuli/{name}/{kind}.parquet"
    if not file.is_file():
        raise InputError(f"{file}: not there yet; `dvc repro stimuli` makes it in a few seconds")
    return pd.read_parquet(file)


def pretraining(own: Pretrain) -> float:
    """Operations of making one encoder with its whole budget of tokens, padding counted."""
    geometry = Geometry(own.layers, own.heads, own.hidden, own.intermediate)
    # A masked token is asked for by one more projection and the product with the vocabulary.
    asked = own.masked * own.max_length * (geometry.square + 2 * own.hidden * own.vocabulary)
    text = geometry.forward(own.max_length) + asked
    return PASSES_OF_A_STEP * text * own.tokens / own.max_length
