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
from tqdm import tqdm
from transformers import AutoModel, AutoTokenizer

from stages.core.encoder.batches import encode
from stages.core.stage.files import InputError
from stages.patterns.labelled_maps import CLASSES, PART
from stages.patterns.map_file import Map
from stages.patterns.network import PatternClassifier
from tools.labelling.balance import choose, fold_of_heads, shuffled_guesses
from tools.labelling.guesses import guess

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
        """A folder TASK/ARM-SEED of `work/models`."""
        arm, seed = folder.name.rsplit("-", 1)
        return cls(folder.parent.name, arm, int(seed), folder)


@dataclass(frozen=True)
class DrawSettings:
    """Settings of one draw."""

    encoder: str  # name of the encoder whose weights, tuned or not, all models hold
    count: int = 520  # maps to draw
    folds: int = 5  # groups of heads and sentences
    per_fold: int = 16  # items of each task in each fold
    shortest: int = 8  # tokens, with [CLS] and [SEP]
    longest: int = 72  # tokens, to which longer items are cut
    seed: int = 2019
    by: DrawnBy = DrawnBy.ROUGH  # balanced draws aim at `SHARES`
    classes: Sequence[str] = CLASSES  # those that a balanced draw is for


# The table that a first draw adds to.
NONE_BEFORE = pd.DataFrame(columns=[*PLACE, "fold", "encoder"])


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
        tokens = tokenizer.convert_ids_to_tokens(batch.inputs["input_ids"][0].tolist())
        for layer, probabilities in enumerate(attentions):
            guesses = guess(probabilities[0], classifier)
            for head, weights in enumerate(probabilities[0].numpy()):
                yield (
                    {
                        **items.iloc[row].to_dict(),
                        "layer": layer,
                        "head": head,
                        "length": length,
                        "tokens": " ".join(tokens),
                        "checkpoint": checkpoint,
                        "guess": guesses[head],
                    },
                    weights,
                )


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
    settings: DrawSettings,
    before: pd.DataFrame = NONE_BEFORE,
    classifier: PatternClassifier | None = None,
) -> tuple[pd.DataFrame, list[Map]]:
    """Draw `settings.count` maps of validation examples, or fewer where there are no more.

    Args:
        tasks: folder of the prepared tasks, `work/tasks`.
        models: each task's examples go through all of its models.
        before: maps drawn earlier. Sentences keep their folds, and so do the heads of an encoder
            that is among them; the numbers go on.
        classifier: guesses the classes where the draw goes by `maps` or `heads`.

    Returns:
        The table of the maps (`maps.csv`) and the maps.
    """
    if "encoder" not in before:
        raise InputError("maps.csv: no column `encoder`; it names the encoder of each map")
    items = items_of_tasks(tasks, models, settings, sentence_folds(before))
    table, maps = all_candidates(items, models, settings, classifier)
    allowed = not_drawn(in_own_fold(table, settings, before), before)
    chosen = chosen_rows(allowed, settings)
    result = table.loc[chosen].drop(columns="guess").reset_index(drop=True)
    result["drawn_by"] = settings.by.value
    result.insert(0, "map", np.arange(len(result)) + len(before))
    return result, [maps[row] for row in chosen]


def items_of_tasks(
    tasks: Path, models: list[Model], settings: DrawSettings, used: dict[str, int]
) -> dict[str, pd.DataFrame]:
    """Draw the items of every task that a model was made for, as `draw_items` does."""
    items: dict[str, pd.DataFrame] = {}
    for task in dict.fromkeys(model.task for model in models):
        path = tasks / task / "validation.parquet"
        if not path.exists():
            raise InputError(f"{path}: no such file; run `dvc repro prepare` first")
        examples = pd.read_parquet(path, columns=["id", "text_a", "text_b"])
        items[task] = draw_items(examples, settings.folds, settings.per_fold, used, settings.seed)
    return items


def all_candidates(
    items: dict[str, pd.DataFrame],
    models: list[Model],
    settings: DrawSettings,
    classifier: PatternClassifier | None,
) -> tuple[pd.DataFrame, list[Map]]:
    """The maps of every model on its task's items, and a table of them with a row each."""
    rows: list[dict] = []
    maps: list[Map] = []
    for model in models:
        if not model.folder.exists():
            raise InputError(f"{model.folder}: no such folder; run `dvc repro finetune` first")
        source = {"task": model.task, "arm": model.arm, "seed": model.seed}
        for row, weights in candidate_maps(
            items[model.task], model.folder, settings.shortest, settings.longest, classifier
        ):
            rows.append({**source, **row, "encoder": settings.encoder})
            maps.append(weights)
    return pd.DataFrame(rows), maps


def in_own_fold(table: pd.DataFrame, settings: DrawSettings, before: pd.DataFrame) -> pd.DataFrame:
    """The candidates whose head and sentences are of one fold."""
    known = before[before["encoder"] == settings.encoder]
    if known.empty:
        fold_of = fold_of_heads(table, settings.folds)
    else:
        fold_of = known.groupby(["layer", "head"])["fold"].first().to_dict()
    heads = zip(table["layer"], table["head"], strict=True)
    return table[table["fold"] == [fold_of.get(head) for head in heads]]


def not_drawn(table: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    """The candidates without those drawn earlier."""
    drawn = set(map(tuple, before[PLACE].to_numpy().tolist()))
    places = table[PLACE].fillna("").to_numpy().tolist()  # as the table is read back
    return table[np.array([tuple(place) not in drawn for place in places], dtype=bool)]


def chosen_rows(table: pd.DataFrame, settings: DrawSettings) -> list[int]:
    """The index labels of the candidates that are drawn."""
    if settings.by is DrawnBy.CHANCE:
        generator = np.random.default_rng(settings.seed)
        count = min(settings.count, len(table))
        return table.index[generator.choice(len(table), count, replace=False)].tolist()
    if settings.by is DrawnBy.HEADS:
        table = shuffled_guesses(table, settings.seed)
    return choose(table, settings.folds, settings.count, settings.seed, settings.classes)
