"""The corpus written for this project: texts of all its tasks with their gold annotation.

Frame elements are those of syntax: a verb, and each phrase that is its subject or object (FrameNet
itself is not free to be carried along).
"""

import numpy as np
import pandas as pd

from stages.core.corpora.entries import FramenetCorpus, WrittenCorpus
from stages.core.corpora.store import corpus_frame
from stages.core.written import DRAW
from stages.core.written.lexicon import ANY, Lexicon

CORE_RELATIONS = ("nsubj", "obj", "iobj")
LIMITS = FramenetCorpus(source="framenet", path="")


def read(name: str, entry: WrittenCorpus) -> pd.DataFrame:
    """Draw texts, as many from each task, none of them twice.

    Where pairs are asked for, tasks of single texts give none. Words and templates are those of
    both splits, as no encoder is tuned on a corpus.
    """
    lexicon = Lexicon(ANY)
    rows: dict[str, dict] = {}
    draws = {
        task: np.random.default_rng([entry.seed, *task.encode()])
        for task in DRAW
        if not entry.pairs or task != "sentiment"
    }
    number = 0
    while len(rows) < entry.texts:
        number += 1
        for task, generator in draws.items():
            for row in DRAW[task](generator, lexicon):
                for text in [row] if entry.pairs else _texts(row):
                    key = f"{text['text_a']}\n{text['text_b'] or ''}"
                    text = text | {"group": f"{task}-{number}", "frames": _frames(text)}
                    rows.setdefault(key, text)
    kept = list(rows.values())[: entry.texts]
    return corpus_frame({**row, "id": f"{name}-{place:05d}"} for place, row in enumerate(kept))


def _texts(row: dict) -> list[dict]:
    """The two texts of a pair, each by itself."""
    texts = []
    for segment, text in enumerate((row["text_a"], row["text_b"])):
        if text is None:
            continue
        places = [place for place, word in enumerate(row["words"]) if word["segment"] == segment]
        first = places[0]
        words = [
            {**row["words"][place], "segment": 0, "head": _shifted(row["words"][place], first)}
            for place in places
        ]
        mentions = [
            {
                **mention,
                "segment": 0,
                **{key: mention[key] - first for key in ("first", "last", "head")},
            }
            for mention in row["mentions"]
            if mention["segment"] == segment
        ]
        texts.append({"text_a": text, "text_b": None, "words": words, "mentions": mentions})
    return texts


def _shifted(word: dict, first: int) -> int:
    return word["head"] - first if word["head"] >= 0 else -1


def _frames(text: dict) -> list[dict]:
    """Verbs with their short core arguments, as far apart as Kovaleva et al. 2019 ask for."""
    words = text["words"]
    if len(words) > LIMITS.longest_sentence:
        return []
    found = []
    for place, word in enumerate(words):
        verb = word["head"]
        if word["deprel"] not in CORE_RELATIONS or verb < 0 or words[verb]["upos"] != "VERB":
            continue
        inside = [other for other in range(len(words)) if _below(words, other, place)]
        span = {"first": inside[0], "last": inside[-1]}
        whole = len(inside) == span["last"] - span["first"] + 1
        distance = min(abs(other - verb) for other in inside)
        if whole and len(inside) <= LIMITS.longest_element and distance >= LIMITS.least_distance:
            target = {"target_first": verb, "target_last": verb}
            found.append(
                {"frame": words[verb]["lemma"], "element": word["deprel"], **target, **span}
            )
    return found


def _below(words: list[dict], place: int, top: int) -> bool:
    """Whether a word is `top` or depends on it, directly or not."""
    while place >= 0:
        if place == top:
            return True
        place = words[place]["head"]
    return False
