"""What the stages of corpora measure, on oracle heads, for tests of findings and report."""

import contextlib
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

import stages.boundaries.stage as boundaries
import stages.clusters.stage as clusters
import stages.confusion.stage as confusion
import stages.coreference.stage as coreference
import stages.features.stage as features
import stages.frames.stage as frames
import stages.gradients.tables as gradients
import stages.neurons.tables as neurons
import stages.pairs.stage as pairs
import stages.probes.stage as probes
import stages.surface.stage as surface
import stages.syntax.stage as syntax
from stages.core.maps.gradient_tables import GRADIENT_COLUMNS, MASKED, TOKEN_KINDS
from stages.core.maps.vig_patterns import VIG_PATTERNS
from stages.core.recordings.recording import Texts
from stages.core.tables import estimate_columns
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.tables import TEXT_BEYOND, TEXT_HEADS, TEXT_SHARES
from stages.probes.models import Choices
from stages.probes.settings import Probes
from stages.probes.tables import SCORES
from stages.syntax.words import read_words
from tests.declared import write_declared
from tests.oracle import HEADS, LAYERS, OracleRecording, oracle_corpus, oracle_texts
from tests.stimuli_oracle import StimuliRecording, written_stimuli
from tests.unsegmented import boundary_tables

CORPUS = "sentences"
RESAMPLES = (50, 0)
Write = Callable[[Path, str, pd.DataFrame], None]


def write_text_measures(folder: Path, tasks: tuple[str, ...], write: Write) -> None:
    """Measures of one corpus of oracle sentences, and of features and gradients of tasks."""
    corpus = oracle_corpus(24)
    texts = oracle_texts(corpus, folder)
    recordings = [OracleRecording(corpus, name) for name in texts.encoders]
    settings = {"corpora": [], "resamples": RESAMPLES[0], "seed": RESAMPLES[1]}

    def both(measure: Callable[[OracleRecording], pd.DataFrame]) -> pd.DataFrame:
        return pd.concat([measure(recording) for recording in recordings], ignore_index=True)

    _write_surface(folder, texts, recordings)

    with contextlib.chdir(folder):
        _write_words(recordings, texts, settings)
        _write_links(recordings, texts, settings)
        unsegmented = boundaries.Boundaries(**settings, unions=[2, 5], compared=3, penalty=1.0)
        boundaries.write_boundaries(boundary_tables(folder, 24, unsegmented), CORPUS)
    _write_probes(folder, texts, recordings, settings)
    _write_clusters(folder, recordings)
    _write_neurons(folder)
    _write_text_patterns(folder)
    _write_confusion(folder)
    for task in tasks:
        _write_features(folder, task)
        _write_gradients(folder, task)


def _write_words(recordings: list[OracleRecording], texts: Texts, settings: dict) -> None:
    """What `syntax` and `coreference` write."""
    trees = syntax.Syntax(
        **settings,
        least_cases=5,
        offsets=5,
        punctuation=False,
        root="none",
        separators=["obj", "case"],
        from_pieces="mean",
    )
    best, every, separators = [], [], []
    for one in recordings:
        cases, given = read_words(one, texts, trees)
        best.append(syntax.best_heads(cases, one, texts, trees))
        every.append(syntax.every_head(cases, one, trees))
        separators.append(syntax.to_separators(cases, given, one, texts, trees))
    syntax.HEADS.write(every, data=CORPUS)
    syntax.BEST.write(best, data=CORPUS)
    syntax.SEPARATORS.write(separators, data=CORPUS)
    mentions = coreference.Coreference(**settings)
    tables = [coreference.antecedent_tables(one, texts, mentions) for one in recordings]
    best, every = zip(*tables, strict=True)
    coreference.BEST.write(best, data=CORPUS)
    coreference.HEADS.write(every, data=CORPUS)


def _write_links(recordings: list[OracleRecording], texts: Texts, settings: dict) -> None:
    """What `frames` and `pairs` write."""
    weights = [frames.frame_weights(one, texts) for one in recordings]
    best = [
        frames.best_linking(one, own, *RESAMPLES)
        for one, own in zip(recordings, weights, strict=True)
    ]
    frames.BEST.write(best, data=CORPUS)
    heads = [
        frames.weights_by_head(one, own, *RESAMPLES)
        for one, own in zip(recordings, weights, strict=True)
    ]
    frames.HEADS.write(heads, data=CORPUS)
    linking = pairs.Pairs(**settings, candidates=0.2, diagonal=0.5)
    parts = [part for one in recordings for part in pairs.pair_tables(one, texts, linking)]
    heads, best, candidates = zip(*parts, strict=True)
    pairs.HEADS.write(heads, data=CORPUS)
    pairs.BEST.write(best, data=CORPUS)
    pairs.CANDIDATES.write(candidates, data=CORPUS)


Drawn = tuple[pd.DataFrame, np.ndarray]


def _write_surface(folder: Path, texts, recordings: list[OracleRecording]) -> None:
    parameters = surface.Surface(
        corpora=[],
        punctuation=["."],
        sep_share=0.5,
        gradient_texts=None,
        masked=0.15,
        batch=4,
        resamples=RESAMPLES[0],
        seed=RESAMPLES[1],
    )
    values = [surface.surface_values(one, texts, ["."]) for one in recordings]
    pairs_of = list(zip(recordings, values, strict=True))
    rest = (texts.groups, parameters)
    heads = [surface.statistics_table(*pair, *rest) for pair in pairs_of]
    strongest = [surface.strongest_table(*pair, *rest) for pair in pairs_of]
    separators = [surface.sep_table(one, values[0], own, *rest) for one, own in pairs_of]
    with contextlib.chdir(folder):
        surface.HEADS.write(heads, data=CORPUS)
        surface.STRONGEST.write(strongest, data=CORPUS)
        surface.SEP_HEADS.write(separators, data=CORPUS)
        MASKED.write([], data=CORPUS)


def _write_probes(
    folder: Path, texts: Texts, recordings: list[OracleRecording], settings: dict
) -> None:
    sound = Choices(root="cls", words="aligned", distances="linear")
    parameters = Probes(
        **settings,
        train_on=None,
        vectors=None,
        vector_size=1,
        choices=[sound],
        penalty=1.0,
        iterations=5,
    )
    tables = [
        probes.probe_scores(probes.Source(one, texts), None, parameters) for one in recordings
    ]
    with contextlib.chdir(folder):
        SCORES.write(tables, data=CORPUS)


def _write_clusters(folder: Path, recordings: list[OracleRecording]) -> None:
    parameters = clusters.Clusters(
        corpora=[],
        texts=None,
        neighbours=2,
        permutations=50,
        starts=1,
        resamples=RESAMPLES[0],
        seed=RESAMPLES[1],
    )
    rows = np.arange(6)
    heads, purities = [], []
    for recording in recordings:
        sums = clusters.text_divergences(recording, rows)
        places, stress = clusters.scaled(sums.mean(0), 1, 0)
        heads.append(pd.DataFrame(recording.head_keys | {"x": places[:, 0], "y": places[:, 1]}))
        tokens, layers = recording.lengths[rows], recording.head_keys["layer"]
        purity = clusters.purity_table(sums, tokens, rows, layers, parameters)
        purities.append({"arm": recording.name, **purity, "stress": stress, "texts": len(rows)})
    with contextlib.chdir(folder):
        clusters.HEADS.write(heads, data=CORPUS)
        clusters.PURITY.write(pd.DataFrame(purities), data=CORPUS)


def _places(encoder: str | None = "untuned") -> dict:
    layer, head = (place.ravel() for place in np.indices((LAYERS, HEADS)))
    places = {"layer": layer, "head": head}
    return places if encoder is None else {"encoder": encoder} | places


def _write_neurons(folder: Path) -> None:
    generator = np.random.default_rng(1)
    heads = pd.DataFrame(_places(None)).assign(neurons=8)
    for name in ("share_1", "share_4", "sign_consistency"):
        values = generator.uniform(0, 1, len(heads))
        heads = heads.assign(**estimate_columns(name, values, values - 0.01, values + 0.01))
    write_declared(folder, neurons.NEURONS, heads.assign(arm="untuned"), CORPUS)
    tables = []
    for removed, pattern in product(("position", "segment"), VIG_PATTERNS):
        strength = generator.uniform(0, 1, len(heads))
        columns = {"arm": "untuned", "removed": removed, "pattern": pattern}
        columns |= {"strength": strength, "change": -strength / 2}
        tables.append(pd.DataFrame(_places(None) | columns))
    write_declared(folder, neurons.REMOVED, pd.concat(tables, ignore_index=True), CORPUS)
    names = ["strength", "without_position", "without_segment", "share_1", "share_4"]
    names += ["sign_consistency", "positive_within", "positive_across", "sep_to_cls"]
    rows = [
        {"arm": arm, "pattern": pattern, "measure": name, "score": generator.uniform(0.4, 1)}
        for arm, pattern, name in product(("untuned", "random_weights"), VIG_PATTERNS, names)
    ]
    chosen = pd.DataFrame(rows).assign(heads=3.0, texts=10)
    write_declared(folder, neurons.CHOSEN, chosen, CORPUS, width=0.1)


def _write_text_patterns(folder: Path) -> None:
    generator = np.random.default_rng(2)
    heads, tables = [], []
    for arm, rule in product(("untuned", "random_weights"), ("any", "special")):
        shares = generator.dirichlet(np.ones(len(CLASSES)), LAYERS * HEADS)
        keys = {"arm": arm, "rule": rule}
        for code, name in enumerate(CLASSES):
            columns = _places() | keys | {"pattern": name, "share": shares[:, code], "maps": 1}
            heads.append(pd.DataFrame(columns).drop(columns="encoder", errors="ignore"))
        mean = shares.mean(0)
        tables.append(pd.DataFrame({"pattern": CLASSES, "share": mean, "examples": 10, **keys}))
    write_declared(folder, TEXT_HEADS, pd.concat(heads), data=CORPUS)
    write_declared(folder, TEXT_SHARES, pd.concat(tables), data=CORPUS)
    beyond = pd.DataFrame(_places()).drop(columns="encoder", errors="ignore")
    beyond = beyond.assign(beyond=0.5, examples=10, arm="untuned")
    write_declared(folder, TEXT_BEYOND, beyond, data=CORPUS)


def _write_confusion(folder: Path) -> None:
    stimuli = written_stimuli(4)
    parameters = confusion.Confusion(sets=[], resamples=RESAMPLES[0], seed=RESAMPLES[1])
    conditions, heads = zip(
        *(
            confusion.confusion_tables(StimuliRecording(stimuli, arm), stimuli, parameters)
            for arm in ("untuned", "random_weights")
        ),
        strict=True,
    )
    with contextlib.chdir(folder):
        confusion.CONDITIONS.write(conditions, data="written")
        confusion.HEADS.write(heads, data="written")


def _write_features(folder: Path, task: str) -> None:
    generator = np.random.default_rng(len(task))
    whose = product(("untuned", "tuned", "random_weights"), ("cls", "sep", "noun", "verb"))
    shares: dict[str, dict] = {}
    of_cls: dict[str, dict] = {}
    for arm, kind in whose:
        for aggregate in features.AGGREGATES:
            values = generator.uniform(0, 0.5, (LAYERS * HEADS, 10))
            shares.setdefault(arm, {})[kind, aggregate] = values
            of_cls.setdefault(arm, {})[kind, aggregate] = values[-HEADS:]
    ids = pd.Series([f"x{row}" for row in range(10)])
    with contextlib.chdir(folder):
        keys = {"data": task, "seed": 0}
        features.HEADS.write(features.share_table(shares, HEADS, *RESAMPLES), **keys)
        features.SHARES.write(features.example_shares(shares, ids, HEADS), **keys)
        features.CHANGES.write(features.example_changes(shares, ids, HEADS), **keys)
        features.RISES.write(features.rise_table(shares, HEADS, *RESAMPLES), **keys)
        features.CLS.write(features.cls_share_table(of_cls, *RESAMPLES), **keys)
        gains = {arm: of_arm["cls", "sum"] for arm, of_arm in shares.items()}
        features.MATCHES.write(features.match_table(gains, HEADS, *RESAMPLES), **keys)


def _write_gradients(folder: Path, task: str) -> None:
    rows = [
        {"arm": arm, "layer": layer, "kind": kind, "texts": 10}
        | {
            name: number * (0.1 if kind == "sep" else 1.0)
            for number, name in enumerate(GRADIENT_COLUMNS, 1)
        }
        for arm, kind, layer in product(("tuned", "random_weights"), TOKEN_KINDS, range(LAYERS))
    ]
    write_declared(folder, gradients.TASKS, pd.DataFrame(rows).assign(seed=0), task)
