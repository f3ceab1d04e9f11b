"""A whole `work/measures` of random numbers, as the stages write it, and its `params.yaml`."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import typer
from typer.testing import CliRunner

from stages.attend.tables import STATISTICS_OF_HEADS
from stages.code.stage import run_stage as sum_code
from stages.core.heads.gates import Gate, Mode, random_shares, single_heads, whole_layers
from stages.core.outcomes.effects import fixed_tables, random_tables
from stages.core.outcomes.outcomes import Outcomes, gate_table
from stages.core.tables import Table
from stages.core.tasks.tables import BASELINES, PREDICTIONS
from stages.core.tasks.task import Task
from stages.drift.tables import DRIFT
from stages.findings.command import app as findings
from stages.finetune.tables import PAIR_CLASSES, PAIR_PREDICTIONS, PAIR_SETTINGS
from stages.harmful import tables as harmful
from stages.harmful.choices import divide, rank
from stages.harmful.harm import (
    Harm,
    examples_table,
    halves_table,
    heads_table,
    saving_table,
    spread_table,
)
from stages.harmful.saving import Sizes
from stages.harmful.scores import Cut, score_table
from stages.importance import tables as importance
from stages.importance.cost import Geometry, cost_table
from stages.importance.gate_gradients import agreement_table, importance_table
from stages.layer_probes.tables import SCORES as LAYER_PROBES
from stages.matching import tables as matching
from stages.patterns import tables as patterns
from stages.patterns.labelled_maps import CLASSES
from stages.pretrain import tables as pretrain
from stages.report.command import app as report
from stages.word_order import tables as word_order
from tests.declared import write_declared
from tests.examples.planted import write_planted
from tests.layer_probes.rows import probe_rows
from tests.synthetic_reading import write_reading
from tests.synthetic_texts import write_text_measures
from tests.word_order import rows as word_order_rows

LAYERS, HEADS, EXAMPLES = 4, 3, 60
PLANTED = (2, 1)  # the head of the kept examples that attends to the token before
TASKS = ("relevance", "sentiment")
# Of each arm's predictions.
RIGHT = {"untuned": 0.5, "tuned_from_random": 0.6, "tuned": 0.9, "random_weights": 0.5}
PAIR_RIGHT = {"lstm": 0.7, "towers": 0.6}
PARAMETERS = """\
run:
  tasks: [relevance, sentiment]
  arms: [untuned, tuned_from_random, tuned, random_weights]
  seeds: [0]
  corpora: [sentences]
checkpoint: {source: package, package: tiny}
tasks:
  relevance:
    data: {source: written, train: 10, validation: 60, seed: 1}
    kind: classification
    labels: 5
    metrics: [accuracy, macro_f1]
  sentiment:
    data: {source: written, train: 10, validation: 60, seed: 1}
    kind: classification
    labels: [negative, positive]
    metrics: [accuracy]
  passages:
    data: {source: written, train: 10, validation: 100, seed: 1}
    kind: choice
    max_length: 128
readers: {tasks: [passages]}
pretrain: {encoders: [tiny]}
corpora: {sentences: {source: written, texts: 24}}
stimuli: {written: {source: written, train: 10, test: 10, sentences: 4, seed: 0}}
findings: {configuration: synthetic, resamples: 50, seed: 0}
"""


def write_measures(folder: Path) -> None:
    """Write `params.yaml` and `work/measures` into an empty folder."""
    (folder / "params.yaml").write_text(PARAMETERS, encoding="utf-8")
    generator = np.random.default_rng(0)
    for task in TASKS:
        labels = generator.integers(2, size=EXAMPLES).astype(float)
        predictions = [
            _predictions(generator, labels, right).assign(arm=arm, seed=0)
            for arm, right in RIGHT.items()
        ]
        write_declared(folder, PREDICTIONS, pd.concat(predictions), data=task)
        baselines = [
            _predictions(generator, labels, right).assign(model=model)
            for model, right in {"majority": 0.5, "bag_of_words": 0.5}.items()
        ]
        write_declared(folder, BASELINES, pd.concat(baselines), data=task)
        if task == "relevance":
            _write_pair_baselines(folder, task, labels)
        _write_ablate(folder, task, generator, labels)
        _write_maps(folder, task, generator)
        _write_importance(folder, task, generator)
        write_harmful(folder, task, generator)
    _write_word_order(folder)
    _write_matching(folder, TASKS[0], generator)
    write_text_measures(folder, TASKS, _write)
    _write_classifier(folder, generator)
    _write_layer_probes(folder, generator)
    write_planted(folder, TASKS[0], LAYERS, HEADS, PLANTED, drawn=2)
    write_reading(folder, LAYERS, HEADS)


def _write_layer_probes(folder: Path, generator: np.random.Generator) -> None:
    """Every probe, part and position, of the encoder and of random weights."""
    asked = [("main_auxiliary", part, 0) for part in ("test", "relative")]
    asked += [("subject_noun", part, 0) for part in ("test", "compound", "possessive")]
    asked += [("nth_token", "test", position) for position in range(2, 10)]
    rows = []
    for arm in ("untuned", "random_weights"):
        for probe, part, position in asked:
            levels = {"embeddings": 0.2, "words": 0.15, "chance": 0.1}
            levels |= {} if position else {"first": 0.3}
            layers = generator.uniform(0.2, 1, LAYERS).tolist()
            rows += probe_rows(probe, part, layers, position, arm, **levels)
    write_declared(folder, LAYER_PROBES, pd.DataFrame(rows), "written")


def _write_pair_baselines(folder: Path, task: str, labels: np.ndarray) -> None:
    """Other models of pairs, by draws of their own."""
    generator = np.random.default_rng(1)
    predictions = [
        _predictions(generator, labels, right).assign(arm=arm, seed=0)
        for arm, right in PAIR_RIGHT.items()
    ]
    write_declared(folder, PAIR_PREDICTIONS, pd.concat(predictions), data=task)
    settings = {"epochs": 3, "batch": 16, "learning_rate": 1e-4, "dropout": 0.0}
    settings = pd.DataFrame({"arm": list(PAIR_RIGHT), **settings, "precision": "fp32"})
    write_declared(folder, PAIR_SETTINGS, settings.assign(weights=1000), data=task)
    names = [str(number) for number in range(5)]
    classes = pd.DataFrame({"class": range(5), "name": names})
    write_declared(folder, PAIR_CLASSES, classes, data=task)
    write_pretraining(folder, generator)


def write_pretraining(folder: Path, generator: np.random.Generator) -> None:
    """The curve of an encoder that was made here, and its outcomes on forty texts."""
    steps = np.arange(5) * 500
    loss = np.array([8.0, 6.5, 5.5, 5.0, 4.8])
    curve = {"step": steps, "tokens": 2048 * steps, "loss": loss, "accuracy": 0.5 - loss / 16}
    write_declared(folder, pretrain.CURVE, pd.DataFrame(curve), data="tiny")
    places = pd.MultiIndex.from_product([steps, (1, 2), (1, 2)], names=["step", "layer", "head"])
    heads = places.to_frame(index=False)
    heads["tokens"] = 2048 * heads["step"]
    # The last head grows with the steps, for every kind.
    grown = 0.1 + heads["step"] / 4000 * (heads["layer"] * heads["head"] == 4)
    kinds = {kind: grown + generator.normal(0, 0.01, len(heads)) for kind in pretrain.KINDS}
    write_declared(folder, pretrain.HEADS, heads.assign(**kinds), data="tiny")
    noise = generator.normal(0, 5, 40)
    texts = {"text": range(40), "masked": 20, "loss": 100 + noise, "right": 6}
    unigram = {"unigram_loss": 130 + noise, "unigram_right": 1}
    write_declared(folder, pretrain.TEXTS, pd.DataFrame({**texts, **unigram}), data="tiny")
    facts = {"fact": ["steps", "setting: layers"], "content": ["2000", "4"]}
    write_declared(folder, pretrain.FACTS, pd.DataFrame(facts), data="tiny")


def _write_classifier(folder: Path, generator: np.random.Generator) -> None:
    """Two random starts on the folds; maps of the first corpus that were labelled."""
    label = generator.choice(CLASSES, 80)
    places = {"layer": np.arange(80) % 4, "head": np.arange(80) // 4 % 3}
    rights = zip(patterns.MODELS, (0.9, 0.8, 0.75, 0.7), strict=True)
    models = {
        name: np.where(generator.random(80) < right, label, CLASSES[0]) for name, right in rights
    }
    places |= {"map": range(80), "label": label} | models
    folds = pd.DataFrame(
        {
            "fold": np.arange(80) % 5,
            "checkpoint": np.where(np.arange(80) < 40, "one", "another"),
            "drawn_by": np.where(np.arange(80) < 60, "chance", "rough"),
            **places,
        }
    )
    starts = pd.concat([folds.assign(start=0), folds.assign(start=1)])
    write_declared(folder, patterns.FOLDS, starts, data="")
    scored = pd.DataFrame({"example": "1", "first": label, "second": label, **places})
    both = [
        scored.assign(start=start, rule=rule)
        for start in (0, 1)
        for rule in (patterns.ANY, patterns.SPECIAL)
    ]
    corpus = "sentences"
    write_declared(folder, patterns.OUTSIDE, pd.concat(both), data=corpus)
    corrected = pd.concat([_corrected(rule) for rule in (patterns.ANY, patterns.SPECIAL)])
    write_declared(
        folder, patterns.OUTSIDE_CORRECTED, corrected.assign(arm="recorded"), data=corpus
    )


def _corrected(rule: str) -> pd.DataFrame:
    share = {"share": 0.2, "corrected": 0.2, "labelled": 16}
    return pd.DataFrame({"pattern": CLASSES, "rule": rule, **share})


def build_reports(folder: Path) -> None:
    """Write measures into an empty folder, then findings and report, as the stages do."""
    write_measures(folder)
    root = Path(__file__).resolve().parents[1]
    for name in ("data", "dvc.yaml"):
        (folder / name).symlink_to(root / name)
    with contextlib.chdir(folder):
        sum_code()
    run_stage(folder, findings)
    run_stage(folder, report)


def run_stage(folder: Path, stage: typer.Typer) -> None:
    """Run a stage in a folder, within this process: importing takes longer than running."""
    with contextlib.chdir(folder):
        assert CliRunner().invoke(stage, [], catch_exceptions=False).exit_code == 0


def _write(folder: Path, name: str, table: pd.DataFrame) -> None:
    path = folder / "work" / "measures" / f"{name}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(path, index=False)


def _flipped(generator: np.random.Generator, labels: np.ndarray, right: float) -> np.ndarray:
    return np.where(generator.random(len(labels)) < right, labels, 1 - labels)


def _predictions(generator: np.random.Generator, labels: np.ndarray, right: float) -> pd.DataFrame:
    ids = [f"example-{row}" for row in range(len(labels))]
    return pd.DataFrame(
        {"id": ids, "label": labels, "prediction": _flipped(generator, labels, right)}
    )


def _write_ablate(
    folder: Path, task: str, generator: np.random.Generator, labels: np.ndarray
) -> None:
    modes = ("zero", "uniform", "mean")
    baseline = _flipped(generator, labels, 0.9)

    def outcomes(gates: Iterable[Gate]) -> Outcomes:
        table = gate_table(list(gates))
        gated = np.stack(
            [np.where(generator.random(EXAMPLES) < 0.95, baseline, 0.0) for _ in table.index]
        )
        return Outcomes(table, "accuracy", labels, baseline, gated)

    def fixed(modes: Sequence[Mode]) -> Iterator[Gate]:
        for mode in modes:
            yield from single_heads(LAYERS, HEADS, mode)
            yield from whole_layers(LAYERS, HEADS, mode)

    def shares(modes: Sequence[Mode]) -> Iterator[Gate]:
        for mode in modes:
            yield from random_shares(LAYERS, HEADS, mode, [0.1, 0.2, 0.5, 0.8, 1.0], 3, 0)

    effects: dict[Table, list[pd.DataFrame]] = {}
    for arm, fixed_modes, random_modes in (
        ("tuned", modes, modes),
        ("tuned_from_random", ("zero", "uniform"), ("zero",)),
    ):
        tables = fixed_tables(outcomes(fixed(fixed_modes)), 50, 20, 0, arm)
        tables |= random_tables(outcomes(shares(random_modes)), 50, 0)
        for table, rows in tables.items():
            effects.setdefault(table, []).append(rows.assign(seed=0, arm=arm))
    with contextlib.chdir(folder):
        for table, runs in effects.items():
            table.write(runs, data=task)


def _write_importance(folder: Path, task: str, generator: np.random.Generator) -> None:
    gradients, changes = generator.normal(size=(2, EXAMPLES, LAYERS, HEADS))
    labels = np.zeros(EXAMPLES)
    gated = generator.integers(2, size=(LAYERS * HEADS, EXAMPLES)).astype(float)
    outcomes = Outcomes(pd.DataFrame(index=range(len(gated))), "accuracy", labels, labels, gated)
    agreement = agreement_table(gradients, changes, outcomes, 50, 0)
    heads = importance_table(gradients, changes, 50, 0)
    lengths = generator.integers(4, 20, size=EXAMPLES)
    of_run = {"seed": 0, "arm": "tuned"}
    with contextlib.chdir(folder):
        importance.HEADS.write(heads, data=task, **of_run)
        importance.AGREEMENT.write(agreement.assign(examples=EXAMPLES), data=task, **of_run)
        costs = cost_table(Geometry(LAYERS, HEADS, 64, 256), lengths, 50, 0)
        importance.COSTS.write(costs, data=task)


def _write_word_order(folder: Path) -> None:
    """One task of pairs, words and pieces exchanged."""
    rows, units = word_order_rows, ("words", "pieces")
    for table, of_units in {
        word_order.GRADES: [rows.grades(unit, 5) for unit in units],
        word_order.MEANS: [rows.means(unit, 5) for unit in units],
        word_order.HEADS: [rows.heads(unit, LAYERS, HEADS) for unit in units],
        word_order.TEXTS: [pd.DataFrame([rows.texts(unit=unit)]) for unit in units],
        word_order.SCORES: [pd.DataFrame(rows.scores(unit=unit)) for unit in units],
        word_order.CHANGES: [pd.DataFrame(rows.changes(unit=unit)) for unit in units],
        word_order.RETURNS: [pd.DataFrame(rows.returns(unit=unit)) for unit in units],
    }.items():
        write_declared(folder, table, pd.concat(of_units, ignore_index=True), TASKS[0], width=0.02)


def _write_matching(folder: Path, task: str, generator: np.random.Generator) -> None:
    """Two heads that match, in every arm of a task of pairs."""
    layer, head = (place.ravel() for place in np.indices((LAYERS, HEADS)))
    heads, groups, ablated, reading = [], [], [], []
    sets = {
        matching.ALL: (matching.LOWER_HALF, matching.UPPER_HALF, matching.MATCHING, matching.REST),
        matching.DRAWS: (
            *(matching.MATCHING, matching.RANDOM),
            *(matching.REST, matching.REST_RANDOM),
        ),
    }
    for arm in RIGHT:
        keys = {"arm": arm, "seed": 0}
        score = generator.uniform(-0.1, 0.5, len(layer))
        shares = (*matching.SHARES, "shared", "beyond_terms", "beyond_even")
        table = pd.DataFrame(
            {"layer": layer, "head": head, "score": score, "training_score": score}
        )
        table["matches"] = (layer == 1) & (head < 2)
        table["reads"] = (layer == 3) & (head == 0)
        heads.append(table.assign(**dict.fromkeys(shares, 0.1), **keys, examples=EXAMPLES))
        before = generator.uniform(0, 0.2) if arm.startswith("tuned") else np.nan
        groups += [
            keys
            | {"group": group, "figure": figure, "heads": 2, "examples": EXAMPLES}
            | {"share": generator.uniform(0, 0.2), "before": before}
            for group in (matching.MATCHING, matching.STRONGEST, matching.OTHERS, matching.UPPER)
            for figure in matching.FIGURES
        ]
        if not arm.startswith("tuned"):
            continue
        for sample, some in sets.items():
            for name in some:
                effect = generator.uniform(-0.5, 0)
                row = keys | {"sample": sample, "ablated": name, "heads_ablated": 2, "draws": 1}
                row |= {"metric": "accuracy", "examples": EXAMPLES, "baseline": 0.9}
                ablated.append(row | {"effect": effect, "relative": effect})
        for name in (matching.NONE, matching.MATCHING, matching.RANDOM):
            share, entropy = generator.uniform(0.2, 1, 2)
            row = keys | {"ablated": name, "layer": 3, "head": 0, "share": share}
            reading.append(
                row | {"entropy": entropy, "loss": 0.3, "draws": 1, "examples": EXAMPLES}
            )
    write_declared(folder, matching.HEADS, pd.concat(heads), task)
    for table, rows in (
        (matching.GROUPS, groups),
        (matching.ABLATED, ablated),
        (matching.READING, reading),
    ):
        write_declared(folder, table, pd.DataFrame(rows), task, width=0.05)


def write_harmful(folder: Path, task: str, generator: np.random.Generator) -> None:
    """Three seeds of the tuned encoder, and one that began at random; head 1.2 hurts in all."""
    resampling = {"resamples": 50, "seed": 0}
    data = {"source": "written", "train": 1, "validation": 1, "seed": 0}
    kind = {"kind": "classification", "labels": 2, "metrics": ["accuracy"]}
    definition = Task.model_validate({"data": data} | kind)
    tables: dict[Table, list[pd.DataFrame]] = {}
    for arm, seed in (("tuned", 0), ("tuned", 1), ("tuned", 2), ("tuned_from_random", 0)):
        labels = generator.integers(2, size=EXAMPLES).astype(float)
        rows = np.arange(0, EXAMPLES, 2)
        sides = divide(np.arange(EXAMPLES) % 2 == 0, 2, seed)
        changes = generator.normal(size=(len(rows), LAYERS, HEADS))
        changes[:, 1, 2] -= 3
        chosen = rank(changes, sides[:, rows], 2)
        logits = generator.normal(size=(7, EXAMPLES, 2)).astype(np.float32)
        cut = Cut(
            labels,
            logits[0],
            sides,
            logits[1:5].reshape(2, 2, EXAMPLES, 2),
            rows,
            logits[5:, rows],
            1.1,
        )
        texts = {"id": [f"{row}" for row in range(EXAMPLES)], "text_a": "a dog", "text_b": None}
        attention = generator.uniform(size=(2, len(rows), LAYERS, HEADS))
        found = Harm(cut, pd.DataFrame(texts | {"label": labels}), rows, changes, chosen, attention)
        scores = score_table(cut, definition, 10, stream=[seed], **resampling)
        scores = scores.assign(heads_ablated=found.heads_ablated, chosen_on=len(rows))
        sizes = Sizes(LAYERS, HEADS, 64, 256)
        made = {
            harmful.SCORES: scores,
            harmful.HALVES: halves_table(found, np.ones(len(rows)), **resampling),
            harmful.HEADS: heads_table(found, **resampling),
            harmful.SPREAD: spread_table(cut, "classification", **resampling),
            harmful.EXAMPLES: examples_table(found, "classification", 3),
            harmful.SAVING: saving_table(found, sizes, np.array([8, 9])),
        }
        for declared, rows in made.items():
            tables.setdefault(declared, []).append(rows.assign(arm=arm, seed=seed))
    with contextlib.chdir(folder):
        for declared, runs in tables.items():
            declared.write(runs, data=task)


def _write_maps(folder: Path, task: str, generator: np.random.Generator) -> None:
    layer, head = (place.ravel() for place in np.indices((LAYERS, HEADS)))
    places = pd.DataFrame({"layer": layer, "head": head})
    cosine = generator.uniform(0.5, 1, len(places))
    measured = {"cropped": ("tuned", "tuned_from_random"), "padded": ("tuned",)}
    of_variants = [
        places.assign(cosine=cosine, examples=EXAMPLES, seed=0, variant=variant, arm=arm)
        for variant, arms in measured.items()
        for arm in arms
    ]
    write_declared(folder, DRIFT, pd.concat(of_variants), data=task)
    attended: list[pd.DataFrame] = []
    heads, shares, corrected, beyond = [], [], [], []
    for arm in ("untuned", "tuned", "random_weights"):
        statistics = [
            places.assign(
                statistic=name,
                mean=generator.uniform(0, 1, len(places)),
                standard_error=0.01,
                examples=EXAMPLES,
                arm=arm,
            )
            for name in ("cls", "sep", "previous", "next", "current", "entropy", "distance")
        ]
        attended += statistics
        for rule in ("any", "special"):
            counts = generator.multinomial(EXAMPLES, [0.2] * len(CLASSES), len(places))
            keys = {"rule": rule, "arm": arm, "seed": 0}
            heads += [
                places.assign(
                    pattern=name, maps=counts[:, n], share=counts[:, n] / EXAMPLES, **keys
                )
                for n, name in enumerate(CLASSES)
            ]
            share = counts.sum(0) / counts.sum()
            table = pd.DataFrame({"pattern": CLASSES, "share": share})
            shares.append(table.assign(examples=EXAMPLES, **keys))
        corrected.append(_corrected(patterns.ANY).assign(arm=arm, seed=0))
        weight = generator.uniform(size=len(places))
        beyond.append(places.assign(beyond=weight, examples=EXAMPLES, arm=arm, seed=0))
    for declared, tables in (
        (patterns.PATTERNS_OF_HEADS, heads),
        (patterns.SHARES, shares),
        (patterns.CORRECTED, corrected),
        (patterns.BEYOND, beyond),
    ):
        write_declared(folder, declared, pd.concat(tables), data=task, width=0.02)
    write_declared(folder, STATISTICS_OF_HEADS, pd.concat(attended).assign(seed=0), data=task)
