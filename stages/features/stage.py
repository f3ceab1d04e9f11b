"""How tuning changes attention to parts of speech, negation and special tokens.

Kovaleva et al. 2019, section 4.4 (Figures 6 and 7), and the attention of [CLS] in the last layer
(section 4.5). The untuned and the tuned models of a task read the same validation examples.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Float32
from pydantic import PositiveInt

from stages.core.annotation.tagger import Tagger
from stages.core.annotation.word_kinds import (
    is_negation,
    is_noun,
    is_object,
    is_pronoun,
    is_punctuation,
    is_subject,
    is_verb,
)
from stages.core.encoder.batches import encode
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.intervals.groups import group_means, resampled_means
from stages.core.intervals.held_out import held_out
from stages.core.maps.accumulated import HeadValues
from stages.core.recordings.recording import StoredRecording
from stages.core.recordings.store import MapStore
from stages.core.recordings.tokens import Special, token_table
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import TASK_ARMS, TUNED, UNTUNED
from stages.core.stage.places import TAGGER, examples_file, maps_folder, model_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tables import drawn_of, estimate_columns
from stages.core.tasks.examples import drawn_rows, read_examples
from stages.core.tasks.task import load_task, seeds_of
from stages.features.matches import match_gains, match_table
from stages.features.tables import AGGREGATES, CHANGES, CLS, HEADS, MATCHES, RISES, SHARES

Words = list[dict]
# By kind of token and aggregate.
ByKind = dict[tuple[str, str], Float[np.ndarray, "head example"]]
OfLastLayer = dict[tuple[str, str], Float[np.ndarray, "last_layer_head example"]]
EARLY, LATE = slice(0, 1), slice(1, 2)  # halves of the layers


class Features(Resampled, section="features"):
    """The section `features` of `params.yaml`."""

    examples: PositiveInt | None


WORD_KINDS: dict[str, Callable[[dict], bool]] = {
    "noun": is_noun,
    "verb": is_verb,
    "pronoun": is_pronoun,
    "subject": is_subject,
    "object": is_object,
    "negation": is_negation,
    "punctuation": is_punctuation,
}
SPECIAL_KINDS = {"cls": Special.CLS, "sep": Special.SEP}
# The original's ways of finding a feature: any piece that is spelt like one of the feature's pieces
# in this text, and negation as a part of a word ("nothing" has "not").
BY_SPELLING, SUBSTRING = " by spelling", "negation as a substring"
NEGATION_PARTS = ("not", "n't", "no")


def token_kinds(
    words: Words, numbers: list[int], pieces: list[str], special: list[int]
) -> dict[str, Bool[np.ndarray, " token"]]:
    """Which tokens of a text have each kind; kinds that the text lacks are left out.

    The annotation of a word decides about its tokens, by their positions.
    """
    kinds = {name: np.equal(special, code) for name, code in SPECIAL_KINDS.items()}
    word_of_token = np.array(numbers)
    for name, test in WORD_KINDS.items():
        chosen = [number for number, word in enumerate(words) if test(word)]
        kinds[name] = np.isin(word_of_token, chosen)
        spelt = {piece for piece, has in zip(pieces, kinds[name], strict=True) if has}
        kinds[name + BY_SPELLING] = np.array([piece in spelt for piece in pieces])
    negated = [
        number
        for number, word in enumerate(words)
        if any(part in word["text"].lower() for part in NEGATION_PARTS)
    ]
    kinds[SUBSTRING] = np.isin(word_of_token, negated)
    return {name: tokens for name, tokens in kinds.items() if tokens.any()}


def received(
    maps: Float32[np.ndarray, "layer head query key"], tokens: Bool[np.ndarray, " key"]
) -> dict[str, Float[np.ndarray, "layer head"]]:
    """The attention to tokens of the kind: summed over queries, divided by the length.

    By the names of `AGGREGATES`: the largest of several tokens, and their sum.
    """
    return _aggregated(maps[..., tokens].mean(-2))


def cls_row(
    maps: Float32[np.ndarray, "layer head query key"],
    tokens: Bool[np.ndarray, " key"],
    cls: Bool[np.ndarray, " key"],
) -> dict[str, Float[np.ndarray, " head"]]:
    """The weights from [CLS] to tokens of the kind in the last layer, by head: largest, and sum."""
    (row,) = np.flatnonzero(cls)[:1]
    return _aggregated(maps[-1, :, row][:, tokens])


def _aggregated(shares: Float[np.ndarray, "*head token"]) -> dict[str, Float[np.ndarray, "*head"]]:
    return dict(zip(AGGREGATES, (shares.max(-1), shares.sum(-1)), strict=True))


def annotated(examples: pd.DataFrame) -> pd.DataFrame:
    """The examples with annotated words: given, else the tagger's, else none."""
    if examples["words"].map(len).any() or not Tagger.is_trained(TAGGER):
        return examples
    return examples.assign(words=Tagger.load(TAGGER).annotate_texts(examples))


def kind_shares(recording: StoredRecording, examples: pd.DataFrame) -> tuple[ByKind, OfLastLayer]:
    """Each kind's share of attention in every head, and its share from [CLS] in the last layer."""
    heads, count = recording.heads, len(examples)
    shares = {name: HeadValues(recording.layers * heads, count) for name in AGGREGATES}
    cls_shares = {name: HeadValues(heads, count) for name in AGGREGATES}
    for batch in recording.batches():
        for example, row in enumerate(batch.rows):
            length = batch.lengths[example]
            maps = batch.maps[example, ..., :length, :length].numpy()
            tokens = recording.tokens.iloc[row]
            kinds = token_kinds(
                examples["words"][row], tokens["word"], tokens["tokens"], tokens["special"]
            )
            for kind, chosen in kinds.items():
                for aggregate, values in received(maps, chosen).items():
                    shares[aggregate].add(kind, row, values.ravel())
                if "cls" in kinds:
                    for aggregate, values in cls_row(maps, chosen, kinds["cls"]).items():
                        cls_shares[aggregate].add(kind, row, values)
    return _by_kind(shares), _by_kind(cls_shares)


def _by_kind(values: dict[str, HeadValues]) -> ByKind:
    return {
        (kind, aggregate): of_heads
        for aggregate, kinds in values.items()
        for kind, of_heads in kinds.items()
    }


def share_table(shares: dict[str, ByKind], heads: int, resamples: int, seed: int) -> pd.DataFrame:
    """One row an arm, kind, aggregate and head: attention, and the change by tuning.

    Args:
        shares: of each arm, as `kind_shares` gives them; arms have the same examples.
    """
    tables = []
    before = shares[UNTUNED]
    for arm, kinds in shares.items():
        for (kind, aggregate), values in kinds.items():
            layer, head = np.divmod(np.arange(len(values)), heads)
            groups = np.arange(values.shape[1])
            columns = {"arm": arm, "kind": kind, "aggregate": aggregate}
            columns |= {"layer": layer, "head": head}
            columns |= estimate_columns("share", *group_means(values, groups, resamples, seed))
            changes = [np.full(len(values), np.nan)] * 3
            if arm == TUNED:
                change = values - before[kind, aggregate]
                changes = group_means(change, groups, resamples, seed)
            columns |= estimate_columns("change", *changes)
            examples = (~np.isnan(values[0])).sum()
            tables.append(pd.DataFrame(columns | {"examples": examples}))
    return pd.concat(tables, ignore_index=True)


def example_shares(shares: dict[str, ByKind], ids: pd.Series, heads: int) -> pd.DataFrame:
    """One row an arm, kind, aggregate and example that has the kind: the columns of `SHARES`."""
    return _of_examples(
        {(arm, *which): values for arm, kinds in shares.items() for which, values in kinds.items()},
        ("arm", "kind", "aggregate"),
        {"share": slice(None), "early": EARLY, "late": LATE},
        ids,
        heads,
    )


def example_changes(shares: dict[str, ByKind], ids: pd.Series, heads: int) -> pd.DataFrame:
    """One row a kind, aggregate and example that has the kind: the columns of `CHANGES`.

    `change` is absolute, those of the halves of the layers are signed.
    """
    change = {which: after - shares[UNTUNED][which] for which, after in shares[TUNED].items()}
    keys = ("kind", "aggregate")
    absolute = {which: np.abs(values) for which, values in change.items()}
    table = _of_examples(absolute, keys, {"change": slice(None)}, ids, heads)
    halves = {"early_change": EARLY, "late_change": LATE}
    table = table.merge(_of_examples(change, keys, halves, ids, heads), on=[*keys, "id"])
    return table.assign(arm=TUNED)


def _of_examples(
    values: dict[tuple[str, ...], Float[np.ndarray, "head example"]],
    keys: tuple[str, ...],
    means: dict[str, slice],
    ids: pd.Series,
    heads: int,
) -> pd.DataFrame:
    """One row a key and example: means over the heads of some layers.

    Args:
        means: by the name of a column: the layers, as a slice of two halves.
    """
    tables = []
    for which, of_heads in values.items():
        layers = of_heads.reshape(-1, heads, of_heads.shape[1])
        parts = np.array_split(layers, [len(layers) // 2])
        columns = {name: np.concatenate(parts[some]).mean((0, 1)) for name, some in means.items()}
        named = dict(zip(keys, which, strict=True))
        tables.append(pd.DataFrame({**named, "id": ids, **columns}).dropna())
    return pd.concat(tables, ignore_index=True)


def rise_table(shares: dict[str, ByKind], heads: int, resamples: int, seed: int) -> pd.DataFrame:
    """One row a kind and aggregate: the columns of `RISES`.

    One half of the examples selects the head in which the kind gains most by tuning; its gain is
    measured on the other half.
    """
    rows = []
    for (kind, aggregate), after in shares[TUNED].items():
        change = after - shares[UNTUNED][kind, aggregate]
        change = change[:, ~np.isnan(change).any(0)].T
        nothing = np.zeros((len(change), 1))
        choice = held_out(change, nothing, np.arange(len(change)), resamples, seed)
        layer, head = divmod(choice.best, heads)
        row = {"arm": TUNED, "kind": kind, "aggregate": aggregate, "layer": layer, "head": head}
        score = choice.score
        row |= estimate_columns("rise", score.value, score.low, score.high)
        row |= {drawn_of("rise"): score.drawn, "examples": choice.cases, "same": choice.same}
        rows.append(row)
    return pd.DataFrame(rows)


def cls_share_table(cls_shares: dict[str, ByKind], resamples: int, seed: int) -> pd.DataFrame:
    """One row an arm, kind and aggregate: the columns of `CLS`.

    Resamples draw the same examples for all kinds that all examples have.
    """
    tables = []
    for arm, kinds in cls_shares.items():
        for (kind, aggregate), values in kinds.items():
            shares = values.mean(0, keepdims=True)
            mean = resampled_means(shares, np.arange(shares.shape[1]), resamples, seed)
            columns = {"arm": arm, "kind": kind, "aggregate": aggregate}
            columns |= estimate_columns("share", mean.value, mean.low, mean.high, mean.drawn)
            tables.append(pd.DataFrame(columns | {"examples": int((~np.isnan(shares)).sum())}))
    return pd.concat(tables, ignore_index=True)


def run_stage(task: str, seed: int | None = None) -> None:
    """Measure attention to kinds of tokens before and after tuning on TASK.

    By default the models have the task's first seed.
    """
    seed = seeds_of(task, seed)[0]
    parameters = section(Features, "features")
    start(read_runtime(), parameters.seed)
    examples = annotated(read_examples(examples_file(task, "validation")))
    tokenizer = load_tokenizer(model_folder(task, UNTUNED, seed))
    max_length = load_task(task).max_length
    shares, cls_shares, gains = {}, {}, {}
    for arm in TASK_ARMS:
        store = MapStore(maps_folder(task, arm))
        rows = drawn_rows(len(store), parameters.examples, parameters.seed)
        chosen = [store.ids[row] for row in rows]
        drawn = examples.set_index("id").loc[chosen].reset_index()
        encoded = encode(tokenizer, drawn, max_length)
        tokens = token_table(tokenizer, drawn, encoded, max_length)
        recording = StoredRecording(arm, store, tokens)
        shares[arm], cls_shares[arm] = kind_shares(recording, drawn)
        gains[arm] = match_gains(recording)
    settings = (recording.heads, parameters.resamples, parameters.seed)
    keys = {"data": task, "seed": seed}
    HEADS.write(share_table(shares, *settings), **keys)
    SHARES.write(example_shares(shares, drawn["id"], recording.heads), **keys)
    CHANGES.write(example_changes(shares, drawn["id"], recording.heads), **keys)
    RISES.write(rise_table(shares, *settings), **keys)
    CLS.write(cls_share_table(cls_shares, *settings[1:]), **keys)
    MATCHES.write(match_table(gains, *settings), **keys)
