"""Drawing the maps to be labelled, so that whole folds are honest and every class is there.

Each fold has heads and sentences of its own, so cross-validation can use every map while no head
and no sentence stands on both sides. Which maps are drawn may be balanced by a guess of their
class (`balance`); the guess is never released and no annotator sees it.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor
from tqdm import tqdm
from transformers import AutoModel, AutoTokenizer

from stages.core.encoder.batches import encode
from stages.core.stage.files import InputError
from stages.patterns.features import FEATURES, NEAR, features
from stages.patterns.labelled_maps import CLASSES, PART, Map
from stages.patterns.network import PatternClassifier
from stages.patterns.views import BRIGHTEST
from tools.labelling.balance import choose, fold_of_heads, shuffled_guesses

# An item joins this many examples of its task, for lengths from short to long.
PARTS = (1, 1, 2, 3, 4)

# What tells one candidate from all others.
# Texts, not examples: a validation set of another size gives other texts the same ids.
PLACE = ["checkpoint", "task", "arm", "seed", "text_a", "text_b", "layer", "head"]


class DrawnBy(StrEnum):
    """How maps are drawn."""

    CHANCE = "chance"  # as frequent as the classes are
    ROUGH = "rough"  # balanced over the classes by a rough guess from plain features
    MAPS = "maps"  # balanced by a classifier's guess of each map: what it confuses is over-drawn
    HEADS = "heads"  # balanced by its guesses for a head's maps; which of them is left to chance


@dataclass(frozen=True)
class Model:
    """A checkpoint through which a task's examples go, and where it comes from."""

    task: str
    arm: str
    seed: int
    folder: Path

    @classmethod
    def of_pipeline(cls, folder: Path) -> "Model":
        """A folder TASK-ARM-SEED of `work/models`."""
        task, arm, seed = folder.name.rsplit("-", 2)
        return cls(task, arm, int(seed), folder)


def draw_items(
    examples: pd.DataFrame, folds: int, per_fold: int, used: dict[str, int], seed: int
) -> pd.DataFrame:
    """Draw texts for every fold: one to four examples joined, no sentence in two folds.

    Args:
        examples: frame with id, text_a, text_b.
        used: the fold of every sentence drawn so far; grows.

    Returns:
        One row an item: example (ids), fold, text_a, text_b (None for single sentences).
    """
    order = np.random.default_rng(seed).permutation(len(examples)).tolist()
    texts_of = [
        [text for text in pair if isinstance(text, str)]
        for pair in zip(examples["text_a"], examples["text_b"], strict=True)
    ]
    rows: list[dict] = []
    for number in range(folds * per_fold):
        fold, chosen = number % folds, []
        while len(chosen) < PARTS[number // folds % len(PARTS)]:
            fitting = (
                row for row in order if all(used.get(text, fold) == fold for text in texts_of[row])
            )
            row = next(fitting, None)
            if row is None:
                raise InputError(
                    f"{len(examples)} examples are too few for {folds * per_fold} items"
                )
            order.remove(row)
            used.update(dict.fromkeys(texts_of[row], fold))
            chosen.append(examples.iloc[row])
        single = not isinstance(chosen[0]["text_b"], str)
        rows.append(
            {
                "example": PART.join(row["id"] for row in chosen),
                "fold": fold,
                "text_a": PART.join(row["text_a"] for row in chosen),
                "text_b": None if single else PART.join(row["text_b"] for row in chosen),
            }
        )
    return pd.DataFrame(rows)


def candidate_maps(
    items: pd.DataFrame,
    folder: Path,
    shortest: int,
    longest: int,
    classifier: PatternClassifier | None,
) -> Iterator[tuple[dict, Map]]:
    """Every head's map of every item under the checkpoint in `folder`, with where it comes from.

    The encoder need not be one that the pipeline can turn heads off in: all that is asked of it is
    that it gives out its attention.
    """
    encoder = AutoModel.from_pretrained(
        folder, attn_implementation="eager", dtype=torch.float32, use_safetensors=True
    ).eval()
    texts = items.assign(
        text_a=items["text_a"].str.replace(PART, " "), text_b=items["text_b"].str.replace(PART, " ")
    )
    tokenizer = AutoTokenizer.from_pretrained(folder)
    encoded = encode(tokenizer, texts, longest)
    checkpoint = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()[:16]
    for batch in tqdm(encoded.batches(1), desc=folder.name, total=len(items), unit="text"):
        row, length = int(batch.rows[0]), int(batch.lengths[0])
        if length < shortest:
            continue
        with torch.inference_mode():
            attentions = encoder(**batch.inputs, output_attentions=True).attentions
        ids = batch.inputs["input_ids"][0].tolist()
        separators = [k for k, token in enumerate(ids) if token == tokenizer.sep_token_id]
        for layer, probabilities in enumerate(attentions):
            guesses = guess(probabilities[0], classifier)
            for head, weights in enumerate(probabilities[0].numpy()):
                yield (
                    {
                        **items.iloc[row].to_dict(),
                        "layer": layer,
                        "head": head,
                        "length": length,
                        "separators": " ".join(map(str, separators)),
                        "checkpoint": checkpoint,
                        "guess": guesses[head],
                    },
                    weights,
                )


def guess(maps: Float[Tensor, "map query key"], classifier: PatternClassifier | None) -> list[str]:
    """A rough class of each map, only to balance the draw.

    Where there is no classifier yet, by thresholds on `features`.
    """
    if classifier is not None:
        return [CLASSES[code] for code in classifier.probabilities(maps).argmax(1).tolist()]
    table = pd.DataFrame(features(maps).numpy(), columns=list(FEATURES))
    table["spread"] = [_spread(weights) for weights in maps.numpy()]
    return [_rough_class(row) for row in table.to_dict("records")]


def _rough_class(plain: dict[str, float]) -> str:
    banded = plain["band_of_rest"] > 0.3 or plain["diagonal_variance"] > 0.33
    if plain["block_of_rest"] > 0.26 and not banded and plain["spread"] > 0.9:
        return "block"
    if banded and (plain["diagonal"] > 0.14 or plain["diagonal_variance"] > 0.33):
        return "vertical+diagonal" if plain["strongest_column"] > 0.18 else "diagonal"
    stripes = plain["strong_columns"] > 0.33 or plain["column_variance"] > 0.6
    return "vertical" if stripes and plain["band_of_rest"] < 0.15 else "heterogeneous"


def _spread(weights: Map) -> float:
    """How much a picture shows beside the sink and the diagonal, in bright cells per row."""
    others = weights.copy()
    others[:, weights.mean(0).argmax()] = 0
    offsets = np.abs(np.subtract.outer(np.arange(len(weights)), np.arange(len(weights))))
    return float(others[offsets > NEAR].sum() / np.quantile(weights, BRIGHTEST) / len(weights))


def sentence_folds(table: pd.DataFrame) -> dict[str, int]:
    """The fold of every sentence in a table of drawn maps."""
    return {
        sentence: fold
        for column in ("text_a", "text_b")
        for text, fold in zip(table[column], table["fold"], strict=True)
        for sentence in text.split(PART)
    }


def draw(
    tasks: Path,
    models: list[Model],
    encoder: str,
    count: int,
    folds: int,
    per_fold: int,
    shortest: int,
    longest: int,
    seed: int,
    before: pd.DataFrame | None = None,
    by: DrawnBy = DrawnBy.ROUGH,
    classifier: PatternClassifier | None = None,
    classes: Sequence[str] = CLASSES,
) -> tuple[pd.DataFrame, list[Map]]:
    """Draw `count` maps of validation examples, or fewer where there are no more.

    Args:
        tasks: folder of the prepared tasks, `work/tasks`.
        models: each task's examples go through all of its models.
        encoder: name of the encoder whose weights, tuned or not, all models hold.
        per_fold: items of each task in each fold.
        shortest, longest: tokens, with [CLS] and [SEP]; longer items are cut.
        before: maps drawn earlier. Sentences keep their folds, and so do the heads of an encoder
            that is among them; the numbers go on.
        by: what the draw goes by; balanced draws aim at `SHARES`.
        classifier: guesses the classes for `maps` and `heads`.
        classes: the classes that a balanced draw is for.

    Returns:
        The table of the maps (`maps.csv`) and the maps.
    """
    used = {} if before is None else sentence_folds(before)
    items: dict[str, pd.DataFrame] = {}
    rows: list[dict] = []
    maps: list[Map] = []
    for model in models:
        if model.task not in items:
            path = tasks / model.task / "validation.parquet"
            if not path.exists():
                raise InputError(f"{path}: no such file; run `dvc repro prepare` first")
            examples = pd.read_parquet(path, columns=["id", "text_a", "text_b"])
            items[model.task] = draw_items(examples, folds, per_fold, used, seed)
        if not model.folder.exists():
            raise InputError(f"{model.folder}: no such folder; run `dvc repro finetune` first")
        source = {"task": model.task, "arm": model.arm, "seed": model.seed}
        candidates = candidate_maps(items[model.task], model.folder, shortest, longest, classifier)
        for row, weights in candidates:
            rows.append({**source, **row, "encoder": encoder})
            maps.append(weights)
    table = pd.DataFrame(rows)
    if before is not None and "encoder" not in before:
        raise InputError("maps.csv: no column `encoder`; it names the encoder of each map")
    mine = None if before is None else before[before["encoder"] == encoder]
    if mine is None or mine.empty:
        fold_of = fold_of_heads(table, folds)
    else:
        fold_of = mine.groupby(["layer", "head"])["fold"].first().to_dict()
    heads = zip(table["layer"], table["head"], strict=True)
    own = table[table["fold"] == [fold_of.get(head) for head in heads]]
    if before is not None:
        drawn = set(map(tuple, before[PLACE].to_numpy().tolist()))
        places = own[PLACE].fillna("").to_numpy().tolist()  # as the table is read back
        own = own[[tuple(place) not in drawn for place in places]]
    if by is DrawnBy.CHANCE:
        generator = np.random.default_rng(seed)
        chosen = own.index[generator.choice(len(own), min(count, len(own)), replace=False)]
    else:
        guessed = shuffled_guesses(own, seed) if by is DrawnBy.HEADS else own
        chosen = choose(guessed, folds, count, seed, classes)
    result = table.loc[chosen].drop(columns="guess").reset_index(drop=True)
    result["drawn_by"] = by.value
    result.insert(0, "map", np.arange(len(result)) + (0 if before is None else len(before)))
    return result, [maps[k] for k in chosen]
