"""A corpus of toy sentences, and maps of heads that do one thing: their scores are known."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from stages.core.corpora.store import corpus_frame, word
from stages.core.recordings.recording import Texts
from stages.core.recordings.tokens import Special
from tests.toy_maps import ToyRecording

LAYERS, HEADS = 4, 3
# Layer and head, of unlike numbers, so that neither the two nor their axes can be mixed up. Other
# heads attend by chance.
SYNTAX, PREVIOUS, NEXT = (2, 1), (0, 1), (3, 2)
ANTECEDENT, SEP, UNIFORM = (1, 2), (2, 0), (1, 0)
NOUNS = ("dog", "cat", "teacher", "river")
ADJECTIVES = ("big", "old")
# Word, part of speech, relation; heads are found by `tree`.
Parsed = list[tuple[str, str, str, int]]


def tree(generator: np.random.Generator) -> Parsed:
    """A sentence: the (big) dog sees the (old) cat . it sleeps ."""
    words: Parsed = []

    def phrase(relation: str, verb: int) -> None:
        adjectives = [str(a) for a in ADJECTIVES if generator.random() < 0.5]
        head = len(words) + 1 + len(adjectives)
        words.append(("the", "DET", "det", head))
        words.extend((adjective, "ADJ", "amod", head) for adjective in adjectives)
        words.append((str(generator.choice(NOUNS)), "NOUN", relation, verb))

    phrase("nsubj", -2)
    verb = len(words)
    words[-1] = (*words[-1][:3], verb)
    words.append(("sees", "VERB", "root", -1))
    phrase("obj", verb)
    words.append((".", "PUNCT", "punct", verb))
    sleeps = len(words) + 1
    words.append(("it", "PRON", "nsubj", sleeps))
    words.append(("sleeps", "VERB", "root", -1))
    words.append((".", "PUNCT", "punct", sleeps))
    return words


def oracle_row(number: int, parsed: Parsed) -> dict:
    """The sentence as a row of a corpus: "it" is the first noun, the verb has its object."""
    text, words = "", []
    for form, upos, relation, head in parsed:
        words.append(word(form, len(text), upos=upos, deprel=relation, head=head))
        text += f"{form} "
    nouns = [place for place, entry in enumerate(parsed) if entry[1] == "NOUN"]
    pronoun = next(place for place, entry in enumerate(parsed) if entry[1] == "PRON")
    verb = next(place for place, entry in enumerate(parsed) if entry[0] == "sees")
    mentions = [
        {"segment": 0, "first": a, "last": b, "head": b, "cluster": cluster, "kind": kind}
        for a, b, cluster, kind in (
            (0, nouns[0], 0, "nominal"),
            (verb + 1, nouns[1], 1, "nominal"),
            (pronoun, pronoun, 0, "pronoun"),
        )
    ]
    frame = {"frame": "see", "element": "obj", "target_first": verb, "target_last": verb}
    return {
        "id": f"text-{number}",
        "group": f"group-{number // 2}",
        "text_a": text.rstrip(),
        "words": words,
        "mentions": mentions,
        "frames": [frame | {"first": verb + 1, "last": nouns[1]}],
    }


def oracle_corpus(count: int, seed: int = 0) -> pd.DataFrame:
    """`count` sentences, two a group."""
    generator = np.random.default_rng(seed)
    return corpus_frame(oracle_row(number, tree(generator)) for number in range(count))


class OracleRecording(ToyRecording):
    """Maps of the heads above; a word is one token, "teacher" two."""

    def __init__(self, corpus: pd.DataFrame, name: str = "untuned", seed: int = 0):
        self.name, self.corpus, self.seed = name, corpus, seed
        self.layers, self.heads = LAYERS, HEADS
        self.tokens = pd.DataFrame([self._tokens(row) for _, row in corpus.iterrows()])

    def _tokens(self, row: pd.Series) -> dict:
        pieces, numbers = ["[CLS]"], [-1]
        for number, entry in enumerate(row["words"]):
            parts = ["teach", "##er"] if entry["text"] == "teacher" else [entry["text"]]
            pieces += parts
            numbers += [number] * len(parts)
        special = [Special.NONE] * (len(pieces) + 1)
        special[0], special[-1] = Special.CLS, Special.SEP
        return {
            "id": row["id"],
            "tokens": [*pieces, "[SEP]"],
            "segments": [0] * (len(pieces) + 1),
            "word": [*numbers, -1],
            "special": special,
        }

    def _maps(self, row: int) -> np.ndarray:
        numbers = np.array(self.tokens["word"][row])
        length = len(numbers)
        generator = np.random.default_rng([self.seed, row])
        maps = generator.dirichlet(np.ones(length), (self.layers, self.heads, length))
        if self.name == "random_weights":
            return maps.astype(np.float32)
        words = self.corpus["words"][row]
        heads = [entry["head"] for entry in words]
        maps[SYNTAX] = _to_words(numbers, heads)
        maps[PREVIOUS] = np.eye(length, k=-1)
        maps[PREVIOUS][0, 0] = 1
        maps[NEXT] = np.eye(length, k=1)
        maps[NEXT][-1, -1] = 1
        antecedents = list(range(len(words)))
        for mention in self.corpus["mentions"][row]:
            if mention["kind"] == "pronoun":
                antecedents[mention["head"]] = self.corpus["mentions"][row][0]["head"]
        maps[ANTECEDENT] = _to_words(numbers, antecedents)
        maps[SEP] = np.eye(length)[[-1] * length]
        maps[UNIFORM] = 1 / length
        return maps.astype(np.float32)


def _to_words(numbers: np.ndarray, goals: Sequence[int]) -> np.ndarray:
    """Each token attends to the pieces of its word's goal alike, to [CLS] where there is none."""
    maps = np.zeros((len(numbers), len(numbers)))
    for token, number in enumerate(numbers):
        goal = goals[number] if number >= 0 else -1
        chosen = np.flatnonzero(numbers == goal) if goal >= 0 else [0]
        maps[token, chosen] = 1 / len(chosen)
    return maps


def oracle_texts(corpus: pd.DataFrame, folder) -> Texts:
    """The corpus as stages get it."""
    return Texts(corpus, folder, 64, ["untuned", "random_weights"])
