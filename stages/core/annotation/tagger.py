"""Parts of speech, syntax and features of plain text, by spaCy, trained on a treebank.

spaCy's own models are not in the package registry, so the stage `tagger` trains one on the treebank
that the user names.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from stages.core.annotation.treebank import NEGATIVE
from stages.core.corpora.store import word
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE

FACTS = "tagger.json"


class Tagger:
    """A trained pipeline that annotates sentences of words."""

    def __init__(self, pipeline: Any):
        self.pipeline = pipeline

    @staticmethod
    def is_trained(folder: Path) -> bool:
        """Whether the stage `tagger` was given a treebank."""
        facts = folder / FACTS
        return facts.is_file() and json.loads(facts.read_text(encoding="utf-8"))["trained"]

    @classmethod
    def load(cls, folder: Path) -> "Tagger":
        """Load what the stage `tagger` wrote.

        Raises:
            InputError: no treebank was named, or spaCy is not installed.
        """
        if not cls.is_trained(folder):
            raise InputError(
                f"{PARAMETER_FILE}: plain text needs a tagger, but `tagger.train` names no "
                "treebank; name a CoNLL-U file there"
            )
        return cls(required_spacy().load(folder / "pipeline"))

    def annotate(self, words: Sequence[str]) -> list[dict[str, Any]]:
        """lemma, upos, feats, head (-1 for a root), deprel and negation of a sentence's words."""
        from spacy.tokens import Doc

        document = self.pipeline(Doc(self.pipeline.vocab, words=list(words)))
        return [_annotation(token) for token in document]

    def annotate_texts(self, examples: pd.DataFrame) -> list[list[dict[str, Any]]]:
        """The words of `text_a` and `text_b` of every row, as a corpus has them."""
        found: list[list[dict[str, Any]]] = [[] for _ in range(len(examples))]
        for segment, column in enumerate(("text_a", "text_b")):
            if examples[column].isna().any():
                continue
            documents = self.pipeline.pipe(examples[column])
            for words, document in zip(found, documents, strict=True):
                tokens = [token for token in document if not token.is_space]
                places = {token.i: len(words) + n for n, token in enumerate(tokens)}
                words += [
                    word(token.text, token.idx, segment)
                    | _annotation(token)
                    | {"head": places.get(token.head.i, -1) if token.head.i != token.i else -1}
                    for token in tokens
                ]
        return found


def _annotation(token: Any) -> dict[str, Any]:
    feats = str(token.morph)
    root = token.head.i == token.i
    return {
        "lemma": token.lemma_ or token.text.lower(),
        "upos": token.pos_,
        "feats": feats,
        "head": -1 if root else token.head.i,
        "deprel": "root" if root else token.dep_,
        "negation": any(mark in feats.split("|") for mark in NEGATIVE),
    }


def required_spacy() -> Any:
    """The module spacy.

    Raises:
        InputError: it is not installed.
    """
    try:
        import spacy
    except ImportError:
        raise InputError(
            f"{PARAMETER_FILE}: `tagger` needs spaCy, which is not installed; run "
            "pip install -r requirements-text.txt"
        ) from None
    return spacy
