"""What tuning changes in attention to parts of speech, negation and special tokens.

Kovaleva et al. 2019, section 4.4 (Figures 6 and 7), and what [CLS] looks at in the last layer
(section 4.5): the untuned and the tuned models of a task on the same validation examples.
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
    is_subject,
    is_verb,
)
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tokenizer
from stages.core.intervals.groups import group_means
from stages.core.maps.accumulated import HeadValues
from stages.core.recordings.recording import StoredRecording
from stages.core.recordings.store import MapStore
from stages.core.recordings.tokens import Special, token_table
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import TASK_ARMS, TUNED, UNTUNED
from stages.core.stage.command import FirstSeedOption, TaskOption, stage_command
from stages.core.stage.places import TAGGER, examples_file, maps_folder, model_folder
from stages.core.stage.settings import Resampled, section
from stages.core.stage.tables import interval_columns
from stages.core.tasks.examples import drawn_rows, read_examples
from stages.core.tasks.task import load_task, seeds_of
from stages.features.tables import CLS, CONTRASTS, HEADS

Words = list[dict]
ByKind = dict[str, Float[np.ndarray, "head example"]]


class Features(Resampled):
    """The section `features` of `params.yaml`."""

    examples: PositiveInt | None


WORD_KINDS: dict[str, Callable[[dict], bool]] = {
    "noun": is_noun,
    "verb": is_verb,
    "pronoun": is_pronoun,
    "subject": is_subject,
    "object": is_object,
    "negation": is_negation,
}
SPECIAL_KINDS = {"cls": Special.CLS, "sep": Special.SEP}
# The original's ways of finding a feature: any piece that is spelt like one of the feature's pieces
# in this text, and negation as a part of a word ("nothing" has "not").
BY_SPELLING, SUBSTRING = " by spelling", "negation as a substring"
NEGATION_PARTS = ("not", "n't", "no")


def token_kinds(
    words: Words, numbers: list[int], pieces: list[str], special: list[int]
) -> dict[str, Bool[np.ndarray, " token"]]:
    """Which tokens of a text are of which kind; kinds that the text lacks are left out.

    A kind is found by position: the tokens of the words that are annotated with it.
    """
    kinds = {name: np.equal(special, code) for name, code in SPECIAL_KINDS.items()}
    place = np.array(numbers)
    for name, test in WORD_KINDS.items():
        chosen = [number for number, word in enumerate(words) if test(word)]
        kinds[name] = np.isin(place, chosen)
        spelt = {piece for piece, found in zip(pieces, kinds[name], strict=True) if found}
        kinds[name + BY_SPELLING] = np.array([piece in spelt for piece in pieces])
    negated = [
        number
        for number, word in enumerate(words)
        if any(part in word["text"].lower() for part in NEGATION_PARTS)
    ]
    kinds[SUBSTRING] = np.isin(place, negated)
    return {name: tokens for name, tokens in kinds.items() if tokens.any()}


def received(
    maps: Float32[np.ndarray, "layer head query key"], tokens: Bool[np.ndarray, " key"]
) -> Float[np.ndarray, "layer head"]:
    """Attention that a token of the kind gets: summed over queries and divided by the length.

    The largest, where the text has several of them.
    """
    return maps[..., tokens].mean(-2).max(-1)


def cls_row(
    maps: Float32[np.ndarray, "layer head query key"],
    tokens: Bool[np.ndarray, " key"],
    cls: Bool[np.ndarray, " key"],
) -> Float[np.ndarray, " head"]:
    """What [CLS] gives to the tokens of the kind in the last layer, by head."""
    return maps[-1][:, cls][..., tokens].sum(-1).mean(-1)


def annotated(examples: pd.DataFrame) -> pd.DataFrame:
    """The examples with words: their own, or the tagger's where there is one, or none."""
    if examples["words"].map(len).any() or not Tagger.is_trained(TAGGER):
        return examples
    return examples.assign(words=Tagger.load(TAGGER).annotate_texts(examples))


def kind_shares(
    recording: StoredRecording, examples: pd.DataFrame
) -> tuple[HeadValues, HeadValues]:
    """What every head gives to each kind, and what [CLS] gives to it in the last layer."""
    shares = HeadValues(recording.layers * recording.heads, len(examples))
    cls_shares = HeadValues(recording.heads, len(examples))
    for batch in recording.batches():
        for place, row in enumerate(batch.rows):
            length = batch.lengths[place]
            maps = batch.maps[place, ..., :length, :length].numpy()
            tokens = recording.tokens.iloc[row]
            kinds = token_kinds(
                examples["words"][row], tokens["word"], tokens["tokens"], tokens["special"]
            )
            for name, chosen in kinds.items():
                shares.add(name, row, received(maps, chosen).ravel())
                if "cls" in kinds:
                    cls_shares.add(name, row, cls_row(maps, chosen, kinds["cls"]))
    return shares, cls_shares


def share_table(shares: dict[str, ByKind], heads: int, resamples: int, seed: int) -> pd.DataFrame:
    """One row an arm, kind and head: attention, and the change by tuning, with intervals.

    Args:
        shares: of each arm, as `kind_shares` gives them; arms have the same examples.
    """
    tables = []
    before = shares[UNTUNED]
    for arm, kinds in shares.items():
        for kind, values in kinds.items():
            layer, head = np.divmod(np.arange(len(values)), heads)
            groups = np.arange(values.shape[1])
            columns = {"arm": arm, "kind": kind, "layer": layer, "head": head}
            for name, measured in (("", values), ("change", values - before[kind])):
                found = group_means(measured, groups, resamples, seed)
                columns |= interval_columns(name, *found, value="share")
            examples = (~np.isnan(values[0])).sum()
            tables.append(pd.DataFrame(columns | {"examples": examples}))
    return pd.concat(tables, ignore_index=True)


def contrast_table(shares: dict[str, ByKind], ids: pd.Series, heads: int) -> pd.DataFrame:
    """One row an example and kind: how much tuning changed what it gets.

    Returns:
        id, kind, `change` (absolute, mean over all heads), `early_change` and `late_change`
        (signed, mean over the heads of the lower and of the upper half of the layers); `share`,
        `early` and `late`: what it gets from the tuned encoder.
    """
    tables = []
    for kind, after in shares[TUNED].items():
        after = after.reshape(-1, heads, after.shape[1])
        change = after - shares[UNTUNED][kind].reshape(after.shape)
        middle = len(change) // 2
        tables.append(
            pd.DataFrame(
                {
                    "id": ids,
                    "kind": kind,
                    "change": np.abs(change).mean((0, 1)),
                    "early_change": change[:middle].mean((0, 1)),
                    "late_change": change[middle:].mean((0, 1)),
                    "share": after.mean((0, 1)),
                    "early": after[:middle].mean((0, 1)),
                    "late": after[middle:].mean((0, 1)),
                }
            ).dropna()
        )
    return pd.concat(tables, ignore_index=True)


def cls_table(cls_shares: dict[str, ByKind], resamples: int, seed: int) -> pd.DataFrame:
    """One row an arm and kind: what [CLS] gives to it in the last layer, mean over heads."""
    table = []
    for arm, kinds in cls_shares.items():
        for kind, values in kinds.items():
            measured = values.mean(0, keepdims=True)
            groups = np.arange(measured.shape[1])
            (mean,), (low,), (high,) = group_means(measured, groups, resamples, seed)
            table.append({"arm": arm, "kind": kind, "share": mean, "low": low, "high": high})
    return pd.DataFrame(table)


def main(task: TaskOption, seed: FirstSeedOption = None) -> None:
    """Measure attention to kinds of tokens before and after tuning on TASK."""
    seed = seeds_of(task, seed)[0]
    parameters = section(Features, "features")
    start(read_runtime(), parameters.seed)
    examples = annotated(read_examples(examples_file(task, "validation")))
    tokenizer = load_tokenizer(model_folder(task, UNTUNED, seed))
    max_length = load_task(task).max_length
    shares, cls_shares = {}, {}
    for arm in TASK_ARMS:
        store = MapStore(maps_folder(task, arm))
        rows = drawn_rows(len(store), parameters.examples, parameters.seed)
        chosen = [store.ids[row] for row in rows]
        drawn = examples.set_index("id").loc[chosen].reset_index()
        encoded = encode(tokenizer, drawn, max_length)
        tokens = token_table(tokenizer, drawn, encoded, max_length)
        recording = StoredRecording(arm, store, tokens)
        shares[arm], cls_shares[arm] = kind_shares(recording, drawn)
    settings = (parameters.resamples, parameters.seed)
    HEADS.write(share_table(shares, recording.heads, *settings), task=task)
    CONTRASTS.write(contrast_table(shares, drawn["id"], recording.heads), task=task)
    CLS.write(cls_table(cls_shares, *settings), task=task)


if __name__ == "__main__":
    stage_command(main)
