"""What the stages of corpora measure, on oracle heads, for tests of findings and report."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

import stages.clusters.__main__ as clusters
import stages.coreference.__main__ as coreference
import stages.frames.__main__ as frames
import stages.pairs.__main__ as pairs
import stages.probes.__main__ as probes
import stages.surface.__main__ as surface
import stages.syntax.__main__ as syntax
from stages.core.intervals.intervals import LEVEL
from stages.core.maps.links import best_table, linked_weights, moved_share, weights_by_head
from stages.core.maps.vig_patterns import VIG_PATTERNS
from stages.core.maps.weight_gradients import GRADIENT_COLUMNS, TOKEN_KINDS
from stages.patterns.labelled_maps import CLASSES
from tests.oracle import HEADS, LAYERS, OracleRecording, oracle_corpus, oracle_texts

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

    surfaces = surface.Surface(
        **settings, punctuation=["."], gradient_texts=None, masked=0.15, batch=4
    )
    write(
        folder, f"surface/{CORPUS}", both(lambda one: surface.surface_table(one, texts, surfaces))
    )
    write(folder, f"surface/{CORPUS}-masked", pd.DataFrame(columns=["layer", "kind", "encoder"]))

    trees = syntax.Syntax(
        **settings, least_cases=5, offsets=5, punctuation=False, from_pieces="mean"
    )
    cases = {one.name: syntax.all_cases(one, texts, trees) for one in recordings}
    for suffix, measure in {"": syntax.best_heads, "-heads": syntax.every_head}.items():
        table = both(lambda one, measure=measure: measure(cases[one.name], one, trees))
        write(folder, f"syntax/{CORPUS}{suffix}", table)

    mentions = coreference.Coreference(**settings)
    for part, suffix in enumerate(("", "-heads")):
        table = both(
            lambda one, part=part: coreference.antecedent_tables(one, texts, mentions)[part]
        )
        write(folder, f"coreference/{CORPUS}{suffix}", table)

    links = {
        one.name: linked_weights(
            one, texts, [lambda row, tokens: frames.frame_links(corpus["frames"][row], tokens)]
        )[0]
        for one in recordings
    }
    for suffix, measure in {"": weights_by_head, "-best": best_table}.items():
        table = both(lambda one, measure=measure: measure(one, *links[one.name], *RESAMPLES))
        write(folder, f"frames/{CORPUS}{suffix}", table)
    for suffix, measure in {"": weights_by_head, "-best": moved_share}.items():
        table = both(lambda one, measure=measure: _pairs(one, texts, measure))
        write(folder, f"pairs/{CORPUS}{suffix}", table)

    trained = probes.Probes(
        **settings, vectors=None, root=True, epochs=2, batch=8, learning_rate=0.3
    )
    write(folder, f"probes/{CORPUS}", both(lambda one: probes.probe_scores(one, texts, trained)))
    _write_clusters(folder, recordings, write)
    _write_neurons(folder, write)
    _write_text_patterns(folder, write)
    for task in tasks:
        _write_features(folder, task, write)
        _write_gradients(folder, task, write)


def _pairs(recording: OracleRecording, texts, measure: Callable) -> pd.DataFrame:
    tables = []
    for kind in pairs.PAIR_KINDS:
        (weights,) = linked_weights(recording, texts, [pairs.finder(texts, kind, "crossed")])
        table = measure(recording, *weights, *RESAMPLES)
        tables.append(table.assign(kind=kind, pairing="crossed"))
    return pd.concat(tables, ignore_index=True)


def _write_clusters(folder: Path, recordings: list[OracleRecording], write: Write) -> None:
    parameters = clusters.Clusters(
        corpora=[], texts=None, neighbours=2, permutations=50, starts=1, seed=0
    )
    heads, layers = [], []
    for recording in recordings:
        distances = clusters.divergences(recording, np.arange(4))
        places, stress = clusters.scaled(distances, 1, 0)
        heads.append(pd.DataFrame(recording.places | {"x": places[:, 0], "y": places[:, 1]}))
        facts = clusters.purity_table(distances, recording.places["layer"], parameters)
        layers.append({"encoder": recording.name, **facts, "stress": stress, "texts": 4})
    write(folder, f"clusters/{CORPUS}", pd.concat(heads, ignore_index=True))
    write(folder, f"clusters/{CORPUS}-purity", pd.DataFrame(layers))


def _places(encoder: str | None = "untuned") -> dict:
    layer, head = (place.ravel() for place in np.indices((LAYERS, HEADS)))
    places = {"layer": layer, "head": head}
    return places if encoder is None else {"encoder": encoder} | places


def _around(name: str, values: np.ndarray, mean: str = "") -> dict:
    """A value with limits: `mean` is its column, `name` begins those of the limits."""
    half = (1 - LEVEL) / 2
    return {mean or name: values, f"{name}_low": values - half, f"{name}_high": values + half}


def _write_neurons(folder: Path, write: Write) -> None:
    generator = np.random.default_rng(1)
    count = LAYERS * HEADS
    columns = {"neurons": 8}
    for name in ("share_1", "share_4", "sign_consistency"):
        columns |= _around(name, generator.uniform(0, 1, count))
    write(folder, f"neurons/{CORPUS}", pd.DataFrame(_places() | columns))
    tables = []
    for removed in ("position", "segment"):
        for pattern in VIG_PATTERNS:
            strength = generator.uniform(0, 1, count)
            columns = {"removed": removed, "pattern": pattern}
            columns |= _around("strength", strength) | _around("change", -strength / 2)
            tables.append(pd.DataFrame(_places() | columns))
    write(folder, f"neurons/{CORPUS}-removed", pd.concat(tables, ignore_index=True))


def _write_text_patterns(folder: Path, write: Write) -> None:
    generator = np.random.default_rng(2)
    heads, tables = [], []
    for encoder, rule in product(("untuned", "random_weights"), ("any", "special")):
        shares = generator.dirichlet(np.ones(len(CLASSES)), LAYERS * HEADS)
        place = {"encoder": encoder, "rule": rule}
        for code, name in enumerate(CLASSES):
            columns = _places() | place | {"pattern": name, "share": shares[:, code]}
            heads.append(pd.DataFrame(columns))
        mean = shares.mean(0)
        limits = {"low": mean - 0.01, "high": mean + 0.01, "texts": 10}
        tables.append(pd.DataFrame({"pattern": CLASSES, "share": mean, **limits, **place}))
    write(folder, f"text_patterns/{CORPUS}", pd.concat(heads, ignore_index=True))
    table = pd.concat(tables, ignore_index=True)
    write(folder, f"text_patterns/{CORPUS}-shares", table)
    path = folder / "work" / "measures" / f"text_patterns/{CORPUS}-shares-resampled.npy"
    np.save(path, table["share"].to_numpy()[None, :, None] + generator.normal(size=(1, 1, 50)))
    beyond = {"beyond": 0.5, "low": 0.4, "high": 0.6, "texts": 10}
    write(folder, f"text_patterns/{CORPUS}-beyond", pd.DataFrame(_places() | beyond))


def _write_features(folder: Path, task: str, write: Write) -> None:
    generator = np.random.default_rng(len(task))
    heads, contrasts, rows = [], [], []
    for kind in ("cls", "sep", "noun", "verb"):
        for arm in ("untuned", "tuned", "random_weights"):
            columns = {"arm": arm, "kind": kind, "examples": 10}
            for name, mean in (("share", ""), ("change", "change_share")):
                values = generator.uniform(0, 0.5, LAYERS * HEADS)
                columns |= _around(name, values, mean)
            heads.append(pd.DataFrame(_places(None) | columns))
            share = generator.uniform(0, 1)
            facts = {"arm": arm, "kind": kind, "share": share}
            rows.append(facts | {"low": share - 0.1, "high": share + 0.1})
        change = generator.uniform(0, 0.5, 10)
        ids = [f"x{row}" for row in range(10)]
        facts = {"id": ids, "kind": kind, "change": change}
        facts |= {"early_change": change, "late_change": -change}
        facts |= {"share": change, "early": 2 * change, "late": change}
        contrasts.append(pd.DataFrame(facts))
    write(folder, f"features/{task}", pd.concat(heads, ignore_index=True))
    write(folder, f"features/{task}-contrast", pd.concat(contrasts, ignore_index=True))
    write(folder, f"features/{task}-cls", pd.DataFrame(rows))


def _write_gradients(folder: Path, task: str, write: Write) -> None:
    tables = []
    for arm in ("tuned", "random_weights"):
        for kind in TOKEN_KINDS:
            columns = {"layer": np.arange(LAYERS), "kind": kind, "arm": arm}
            for number, name in enumerate(GRADIENT_COLUMNS, 1):
                columns |= _around(name, np.full(LAYERS, number * (0.1 if kind == "sep" else 1.0)))
            tables.append(pd.DataFrame(columns))
    write(folder, f"gradients/{task}", pd.concat(tables, ignore_index=True))
