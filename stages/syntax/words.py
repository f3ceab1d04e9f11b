"""What heads and offsets say of every word of a corpus (Clark et al. 2019, section 4.2).

For every head and direction: whether the word with the largest weight is the syntactic head, [CLS],
[SEP] and the word itself left out. A root has no head among the words, so that no prediction is
right, unless [CLS], or [CLS] and [SEP] together, stand for its head.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from pydantic import PositiveInt
from torch import Tensor

from stages.core.annotation.relations import relation_of
from stages.core.maps.words import from_words, membership, present, word_maps
from stages.core.recordings.recording import MapBatch, Recording, Texts
from stages.core.recordings.tokens import Special
from stages.core.stage.files import InputError
from stages.core.stage.settings import Resampled
from stages.syntax.tables import POSSESSIVE, POSSESSIVE_CLITIC

DIRECTIONS = ("dependent to head", "head to dependent")
# As the source's code has them, with either apostrophe.
CLITICS = ("'s", "s'", "\u2019s", "s\u2019")
ROOTS = {"none": (), "cls": (Special.CLS,), "cls_and_sep": (Special.CLS, Special.SEP)}
NO_HEAD, NOT_KNOWN = -1, -2


class Syntax(Resampled, section="syntax"):
    """The section `syntax` of `params.yaml`."""

    corpora: list[str]
    least_cases: PositiveInt
    offsets: PositiveInt
    punctuation: bool
    root: Literal["none", "cls", "cls_and_sep"]
    separators: list[str]
    from_pieces: Literal["mean", "first"]


@dataclass(frozen=True)
class Cases:
    """One row a word whose head is known: what each predictor says of it.

    `text` is its text's place in the corpus; `rooted` says whether it is a root. `hits` has a
    column a layer, head and direction, in this order; `offset_hits` one an offset.
    """

    relation: np.ndarray
    text: Int[np.ndarray, " case"]
    rooted: Bool[np.ndarray, " case"]
    hits: Bool[np.ndarray, "case candidate"]
    offset_hits: Bool[np.ndarray, "case offset"]


@dataclass(frozen=True)
class ToSeparators:
    """Of each text: what words give to [SEP], those that have a relation and all others.

    `having` and `lacking` are sums over words, for each head and direction; `words_having` and
    `words_lacking` count the words. In the direction from head to dependent a word has the relation
    if one of its dependents stands in it.
    """

    having: Float[np.ndarray, "text candidate"]
    lacking: Float[np.ndarray, "text candidate"]
    words_having: Float[np.ndarray, "text candidate"]
    words_lacking: Float[np.ndarray, "text candidate"]


@dataclass(frozen=True)
class WordBatch:
    """The words of some texts, between which attention is looked at.

    Attributes:
        there: which of them have tokens.
        heads: the place of each one's head, `NO_HEAD` for that of a root unless it has a place,
            `NOT_KNOWN` where nothing is known or the head was cut away.
        relations: by their names in Universal Dependencies, empty where none is known.
        clitic: which of them are followed by an 's.
    """

    parts: Float[Tensor, "text word token"]
    there: Bool[Tensor, "text word"]
    heads: Int[Tensor, "text word"]
    relations: np.ndarray
    clitic: Bool[np.ndarray, "text word"]

    @property
    def known(self) -> Bool[Tensor, "text word"]:
        return self.there & (self.heads != NOT_KNOWN)


def dependencies(words: list[dict], count: int) -> tuple[list[int], list[str], list[bool]]:
    """Head, relation and whether an 's follows, of the first `count` words, padded to `count`."""
    heads, relations, clitic = [], [], []
    for place, word in enumerate(words[:count]):
        known = bool(word["deprel"]) and word["head"] < count
        heads.append(max(word["head"], NO_HEAD) if known else NOT_KNOWN)
        relations.append(relation_of(word["deprel"]))
        after = words[place + 1 : min(place + 2, count)]
        clitic.append(bool(after) and after[0]["text"].lower() in CLITICS)
    missing = count - len(heads)
    return heads + [NOT_KNOWN] * missing, relations + [""] * missing, clitic + [False] * missing


def words_of(
    batch: MapBatch, recording: Recording, texts: Texts, root: Literal["none", "cls", "cls_and_sep"]
) -> WordBatch:
    """The words of a batch; where something stands for the root's head it is word 0."""
    rows = recording.tokens.iloc[batch.rows]
    rooted = root != "none"
    parts = membership(
        rows["word"].tolist(),
        batch.maps.shape[-1],
        batch.maps.device,
        rows["special"].tolist() if rooted else None,
        ROOTS[root],
    )
    there = present(parts)
    count = there.shape[1] - rooted
    known = [dependencies(texts.corpus["words"][row], count) for row in batch.rows]
    heads, relations, clitic = (np.array([line[part] for line in known]) for part in range(3))
    if rooted:
        heads = np.where(heads == NOT_KNOWN, NOT_KNOWN, heads + 1)
        heads, relations, clitic = (
            np.insert(table, 0, value, axis=1)
            for table, value in ((heads, NOT_KNOWN), (relations, ""), (clitic, False))
        )
    heads = torch.from_numpy(heads).to(there.device)
    lost = (heads >= 0) & ~there.gather(1, heads.clamp_min(0))
    return WordBatch(parts, there, heads.masked_fill(lost, NOT_KNOWN), relations, clitic)


def most_attended(
    maps: Float[Tensor, "text layer head word word"], there: Bool[Tensor, "text word"]
) -> Int[Tensor, "text layer head direction word"]:
    """For each word the other word with the largest weight, from it and to it.

    A word that has no other word with tokens beside it gets itself.
    """
    width = maps.shape[-1]
    other = ~torch.eye(width, dtype=torch.bool, device=maps.device) & there[:, None, :]
    allowed = other[:, None, None]
    from_word = maps.masked_fill(~allowed, -1.0).argmax(-1)
    to_word = maps.mT.masked_fill(~allowed, -1.0).argmax(-1)
    return torch.stack([from_word, to_word], dim=3)


def offset_list(furthest: int) -> list[int]:
    """The offsets of the baseline: -1, 1, -2, 2, ..."""
    return [sign * distance for distance in range(1, furthest + 1) for sign in (-1, 1)]


def place_of(candidate: int, recording: Recording) -> dict[str, int | str]:
    """Layer, head and direction of a column of `Cases.hits`."""
    head, direction = divmod(candidate, len(DIRECTIONS))
    layer, head = divmod(head, recording.heads)
    return {"layer": layer, "head": head, "direction": DIRECTIONS[direction]}


def cases_of(
    batch: MapBatch, words: WordBatch, parameters: Syntax
) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield the fields of `Cases` of the texts of a batch: of all words, then of possessors.

    Possessors come a second time, with what the 's behind them says in place of their own word.
    """
    predicted = most_attended(
        word_maps(batch.maps, words.parts, parameters.from_pieces), words.there
    )
    offsets = torch.tensor(offset_list(parameters.offsets), device=words.heads.device)
    place = torch.arange(words.heads.shape[1], device=words.heads.device)
    clitic = torch.from_numpy(words.clitic).to(place.device) & words.there.roll(-1, 1)
    rooted = words.heads == (0 if parameters.root != "none" else NO_HEAD)
    poss = torch.from_numpy(words.relations == POSSESSIVE).to(place.device)
    for name, counted, speaks in (
        ("", words.known, place.expand_as(words.heads)),
        (POSSESSIVE_CLITIC, words.known & poss, place + clitic.long()),
    ):
        said = predicted.gather(-1, speaks[:, None, None, None].expand_as(predicted))
        hits = (said == words.heads[:, None, None, None]).flatten(1, 3).mT[counted]
        offset_hits = ((words.heads - speaks)[..., None] == offsets) & ~rooted[..., None]
        chosen = counted.cpu().numpy()
        relations = words.relations[chosen] if not name else np.full(chosen.sum(), name)
        text = np.broadcast_to(batch.rows[:, None], chosen.shape)[chosen]
        parts = rooted[counted], hits, offset_hits[counted]
        yield relations.astype(object), text, *(part.cpu().numpy() for part in parts)


def separators_of(
    batch: MapBatch,
    words: WordBatch,
    relation: str,
    separators: Bool[Tensor, "text token"],
    parameters: Syntax,
) -> tuple[Float[np.ndarray, "text candidate"], ...]:
    """The fields of `ToSeparators` of the texts of a batch."""
    given = batch.maps @ separators.to(batch.maps)[:, None, None, :, None]
    given = from_words(given, words.parts, parameters.from_pieces)[..., 0].double()
    stands = torch.from_numpy(words.relations == relation).to(given.device) & words.there
    labelled = torch.from_numpy(words.relations != "").to(given.device) & words.there
    linked = stands & (words.heads >= 0)
    dependents = torch.zeros_like(words.heads)
    is_head = dependents.scatter_add(1, words.heads.clamp_min(0), linked.long()) > 0
    # A word that stands in the relation to a head that was cut away is neither.
    having = torch.stack([linked, is_head & labelled], 1).double()
    lacking = torch.stack([labelled & ~stands, labelled & ~is_head], 1).double()
    heads = given.shape[1] * given.shape[2]
    sums = (torch.einsum("tlhw,tdw->tlhd", given, some).flatten(1) for some in (having, lacking))
    counts = (some.sum(-1).repeat(1, heads) for some in (having, lacking))
    return tuple(part.cpu().numpy() for part in (*sums, *counts))


def read_words(
    recording: Recording, texts: Texts, parameters: Syntax
) -> tuple[Cases, dict[str, ToSeparators]]:
    """The cases of all texts, and by relation what words give to [SEP], in one pass.

    Raises:
        InputError: no word has a head and a relation.
    """
    cases: list[tuple[np.ndarray, ...]] = []
    given: dict[str, list] = {relation: [] for relation in parameters.separators}
    rows = []
    for batch in recording.batches():
        words = words_of(batch, recording, texts, parameters.root)
        cases += cases_of(batch, words, parameters)
        separators = torch.zeros(len(batch.rows), batch.maps.shape[-1], dtype=torch.bool)
        for place, kinds in enumerate(recording.tokens["special"].iloc[batch.rows]):
            separators[place, : len(kinds)] = torch.from_numpy(np.equal(kinds, Special.SEP))
        rows.append(batch.rows)
        for relation, parts in given.items():
            parts.append(separators_of(batch, words, relation, separators, parameters))
    joined = Cases(*(np.concatenate(part) for part in zip(*cases, strict=True)))
    if not len(joined.relation):
        raise InputError(
            f"{texts.folder}: no word has a head and a relation; `syntax.corpora` takes corpora "
            "with syntax"
        )
    order = np.argsort(np.concatenate(rows))
    return joined, {
        relation: ToSeparators(*(np.concatenate(part)[order] for part in zip(*parts, strict=True)))
        for relation, parts in given.items()
    }
