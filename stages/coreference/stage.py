"""Which heads find antecedents (Clark et al. 2019, section 4.3, Table 2).

A mention's antecedent is the earlier mention to whose head word its own head word attends most.
Beside the heads stand the nearest mention, the nearest with the same head word, and a sieve of
rules; all choose among the same candidates.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor

from stages.core.intervals.held_out import held_out
from stages.core.maps.words import membership, present, word_maps
from stages.core.recordings.recording import MapBatch, Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.files import InputError
from stages.core.stage.settings import Resampled, section
from stages.coreference.rules import MENTION_KINDS, RULES, Mention, mentions_of, rule_choice
from stages.coreference.tables import ALL_KINDS, BEST, HEADS


class Coreference(Resampled, section="coreference"):
    """The section `coreference` of `params.yaml`."""

    corpora: list[str]


def anaphors(
    mentions: list[Mention],
) -> Iterator[tuple[Mention, list[Mention]]]:
    """Mentions with an antecedent, each with its candidates: the earlier mentions, nearest last.

    Candidates around or inside of the mention, or with the same head word, are none.
    """
    for place, mention in enumerate(mentions):
        candidates = [
            other
            for other in mentions[:place]
            if other.last < mention.first and other.head != mention.head
        ]
        if any(other.cluster == mention.cluster for other in candidates):
            yield mention, candidates


def choices(
    maps: Float[Tensor, "head word word"], mention: Mention, candidates: list[Mention]
) -> np.ndarray:
    """The candidate that each head attends to most, from the mention's head word.

    Of candidates that get the same weight it is the nearest.
    """
    nearest_first = [candidate.head for candidate in reversed(candidates)]
    chosen = maps[:, mention.head, nearest_first].argmax(-1).cpu().numpy()
    return len(candidates) - 1 - chosen


def antecedent_cases(
    batch: MapBatch, recording: Recording, texts: Texts
) -> Iterator[tuple[dict, np.ndarray, np.ndarray]]:
    """Yield each case of a batch: its facts, whether each head is right, whether each rule is."""
    rows = recording.tokens.iloc[batch.rows]
    parts = membership(rows["word"].tolist(), batch.maps.shape[-1], batch.maps.device)
    there = present(parts).cpu().numpy()
    maps = word_maps(batch.maps, parts).flatten(1, 2)
    for place, row in enumerate(batch.rows):
        words = texts.corpus["words"][row]
        mentions = mentions_of(words, texts.corpus["mentions"][row])
        # What `max_length` cut away is not there for the rules either.
        mentions = [
            mention
            for mention in mentions
            if mention.last < there.shape[1]
            and there[place, mention.first : mention.last + 1].all()
        ]
        for mention, candidates in anaphors(mentions):
            right = np.array([other.cluster == mention.cluster for other in candidates])
            chosen = choices(maps[place], mention, candidates)
            ruled = np.array([right[rule_choice(rule, mention, candidates)] for rule in RULES])
            yield {"kind": mention.kind, "group": texts.groups[row]}, right[chosen], ruled


def antecedent_tables(
    recording: Recording, texts: Texts, parameters: Coreference
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of `BEST` and of `HEADS`.

    The head is chosen on mentions of all kinds, as the paper's is, and scored on each kind.
    """
    cases = [
        case for batch in recording.batches() for case in antecedent_cases(batch, recording, texts)
    ]
    if not cases:
        raise InputError(
            f"{texts.folder}: no mention has an antecedent; `coreference.corpora` takes corpora "
            "with mentions"
        )
    facts = pd.DataFrame([case[0] for case in cases])
    hits, ruled = (np.stack([case[part] for case in cases]) for part in (1, 2))
    best, every = [], []
    for kind in (ALL_KINDS, *MENTION_KINDS):
        counted = (
            np.ones(len(facts), bool) if kind == ALL_KINDS else (facts["kind"] == kind).to_numpy()
        )
        if not counted.any():
            continue
        for number, rule in enumerate(RULES):
            choice = held_out(
                hits,
                ruled[:, number : number + 1],
                facts["group"].to_numpy(),
                parameters.resamples,
                parameters.seed,
                scored=counted,
            )
            best.append(
                {
                    "arm": recording.name,
                    "kind": kind,
                    "rule": rule,
                    "layer": choice.best // recording.heads,
                    "head": choice.best % recording.heads,
                    **choice.row(),
                }
            )
        columns = {"kind": kind, "accuracy": hits[counted].mean(0), "cases": int(counted.sum())}
        every.append(pd.DataFrame(recording.head_keys | columns))
    return pd.DataFrame(best), pd.concat(every, ignore_index=True)


def run_stage(corpus: str) -> None:
    """Find the head that links mentions to their antecedents in the texts of CORPUS."""
    parameters = section(Coreference, "coreference")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    with torch.inference_mode():
        tables = [antecedent_tables(item, texts, parameters) for item in texts.recordings(device)]
    best, every = zip(*tables, strict=True)
    BEST.write(best, data=corpus)
    HEADS.write(every, data=corpus)
