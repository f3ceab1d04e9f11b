"""What the stages of corpora measure, on oracle heads, for tests of findings and report."""

import contextlib
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

import stages.clusters.__main__ as clusters
import stages.coreference.__main__ as coreference
import stages.frames.__main__ as frames
import stages.gradients.tables as gradients
import stages.neurons.tables as neurons
import stages.pairs.__main__ as pairs
import stages.probes.__main__ as probes
import stages.surface.__main__ as surface
import stages.syntax.__main__ as syntax
from stages.core.intervals.intervals import LEVEL
from stages.core.maps.links import best_table, linked_weights, moved_share, weights_by_head
from stages.core.maps.vig_patterns import VIG_PATTERNS
from stages.core.maps.weight_gradients import (
    GRADIENT_COLUMNS,
    LAYER_RESAMPLED,
    MASKED,
    TOKEN_KINDS,
)
from stages.core.stage.tables import MeasuredTable
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

    _write_surface(folder, texts, recordings)

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
        _write_gradients(folder, task)


def _pairs(recording: OracleRecording, texts, measure: Callable) -> pd.DataFrame:
    tables = []
    for kind in pairs.PAIR_KINDS:
        (weights,) = linked_weights(recording, texts, [pairs.finder(texts, kind, "crossed")])
        table = measure(recording, *weights, *RESAMPLES)
        tables.append(table.assign(kind=kind, pairing="crossed"))
    return pd.concat(tables, ignore_index=True)


Drawn = tuple[pd.DataFrame, np.ndarray]


def _write_parts(
    folder: Path, declared: MeasuredTable, parts: Sequence[Drawn], **fields: str
) -> None:
    """Write tables with their resamples, one below the other."""
    with contextlib.chdir(folder):
        declared.write(*map(list, zip(*parts, strict=True)), **fields)


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
    for declared, parts in {
        surface.HEADS: [surface.heads_table(*pair, *rest) for pair in pairs_of],
        surface.STRONGEST: [surface.strongest_table(*pair, *rest) for pair in pairs_of],
        surface.SEP_HEADS: [surface.sep_table(one, values[0], own, *rest) for one, own in pairs_of],
    }.items():
        _write_parts(folder, declared, parts, corpus=CORPUS)
    empty = pd.DataFrame(columns=["layer", "kind", "encoder"])
    drawn = np.empty((len(LAYER_RESAMPLED), 0, RESAMPLES[0]))
    _write_parts(folder, MASKED, [(empty, drawn)], corpus=CORPUS)


def _write_clusters(folder: Path, recordings: list[OracleRecording], write: Write) -> None:
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
        heads.append(pd.DataFrame(recording.places | {"x": places[:, 0], "y": places[:, 1]}))
        tokens, layers = recording.lengths[rows], recording.places["layer"]
        facts, drawn = clusters.purity_table(sums, tokens, rows, layers, parameters)
        row = {"encoder": recording.name, **facts, "stress": stress, "texts": len(rows)}
        purities.append((pd.DataFrame([row]), drawn[None, None]))
    write(folder, f"clusters/{CORPUS}", pd.concat(heads, ignore_index=True))
    _write_parts(folder, clusters.PURITY, purities, corpus=CORPUS)


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
    names = ["strength", "without_position", "without_segment", "share_1", "share_4"]
    names += ["sign_consistency", "positive_within", "positive_across", "sep_to_cls"]
    parts = []
    for encoder in ("untuned", "random_weights"):
        rows = [
            {"encoder": encoder, "pattern": pattern, "measure": name, "heads": 3.0, "texts": 10}
            | {"value": value, "low": value - 0.1, "high": value + 0.1}
            for pattern in VIG_PATTERNS
            for name, value in zip(names, generator.uniform(0.4, 1, len(names)), strict=True)
        ]
        table = pd.DataFrame(rows)
        noise = generator.normal(scale=0.05, size=RESAMPLES[0])
        parts.append((table, table["value"].to_numpy()[None, :, None] + noise))
    _write_parts(folder, neurons.CHOSEN, parts, corpus=CORPUS)


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


def _write_gradients(folder: Path, task: str) -> None:
    tables = []
    for arm in ("tuned", "random_weights"):
        for kind in TOKEN_KINDS:
            columns = {"layer": np.arange(LAYERS), "kind": kind, "arm": arm, "texts": 10}
            for number, name in enumerate(GRADIENT_COLUMNS, 1):
                columns |= _around(name, np.full(LAYERS, number * (0.1 if kind == "sep" else 1.0)))
            tables.append(pd.DataFrame(columns))
    table = pd.concat(tables, ignore_index=True)
    noise = np.random.default_rng(3).normal(scale=0.01, size=RESAMPLES[0])
    drawn = [table[name].to_numpy()[:, None] + noise for name in LAYER_RESAMPLED]
    _write_parts(folder, gradients.TASKS, [(table, np.stack(drawn))], task=task)
