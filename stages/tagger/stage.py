"""Train spaCy on a treebank, to annotate text that has no annotation.

Without a treebank (`tagger.train: null`) the stage says so, and the stages after it leave out what
needs annotation. A corpus that cannot do without it (LitBank) ends with an error.
"""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveInt
from tqdm import tqdm

from stages.core.annotation.tagger import FACTS, required_spacy
from stages.core.annotation.treebank import sentence_row, sentences
from stages.core.corpora.annotation import require_words
from stages.core.stage.files import InputError, atomic
from stages.core.stage.places import TAGGER
from stages.core.stage.settings import PARAMETER_FILE, Parameters, section

COMPONENTS = ("morphologizer", "trainable_lemmatizer", "parser")
SCORES = {
    "pos_acc": "upos",
    "morph_acc": "feats",
    "lemma_acc": "lemma",
    "dep_uas": "uas",
    "dep_las": "las",
}


class TaggerSettings(Parameters, section="tagger"):
    """The section `tagger` of `params.yaml`."""

    train: str | None
    test: str | None
    language: str
    sentences: PositiveInt | None
    epochs: PositiveInt
    seed: NonNegativeInt


def examples_of(pipeline: Any, sentences: pd.Series) -> list[Any]:
    """spaCy's training examples of annotated sentences."""
    from spacy.tokens import Doc
    from spacy.training import Example

    examples = []
    for words in sentences:
        forms = [word["text"] for word in words]
        heads = [word["head"] if word["head"] >= 0 else place for place, word in enumerate(words)]
        gold = Doc(
            pipeline.vocab,
            words=forms,
            pos=[word["upos"] for word in words],
            morphs=[word["feats"] for word in words],
            lemmas=[word["lemma"] for word in words],
            heads=heads,
            deps=["ROOT" if word["head"] < 0 else word["deprel"] for word in words],
        )
        examples.append(Example(Doc(pipeline.vocab, words=forms), gold))
    return examples


def blank(language: str) -> Any:
    """spaCy's pipeline of a language without components: it cuts text into words, no more.

    Raises:
        InputError: spaCy has no such language, or lacks a library that it cuts words with.
    """
    try:
        return required_spacy().blank(language)
    except ImportError as error:
        raise InputError(
            f"{PARAMETER_FILE}: `tagger.language` is {language!r}, which spaCy has no words for "
            f"({error}); name a language by its code, as en or zh, or xx for any that writes spaces"
        ) from None


def train(sentences: pd.Series, settings: TaggerSettings) -> Any:
    """A pipeline of spaCy's own components with their default settings, trained from nothing."""
    spacy = required_spacy()
    spacy.util.fix_random_seed(settings.seed)
    pipeline = blank(settings.language)
    for component in COMPONENTS:
        pipeline.add_pipe(component)
    examples = examples_of(pipeline, sentences)
    optimizer = pipeline.initialize(lambda: examples)
    generator = random.Random(settings.seed)
    with tqdm(total=settings.epochs * len(examples), desc="tagger", unit="sentence") as progress:
        for _ in range(settings.epochs):
            generator.shuffle(examples)
            for batch in spacy.util.minibatch(examples, spacy.util.compounding(32.0, 256.0, 1.01)):
                pipeline.update(batch, sgd=optimizer, drop=0.1)
                progress.update(len(batch))
    return pipeline


def read(path: str, key: str) -> pd.Series:
    """The sentences' words of a treebank.

    Raises:
        InputError: the file is missing, is no treebank, or its words are withheld.
    """
    if not Path(path).is_file():
        raise InputError(f"{PARAMETER_FILE}: `tagger.{key}` is {path}, which is not there")
    found = [sentence_row(sentence, group)["words"] for sentence, group in sentences(Path(path))]
    require_words((word["text"] for words in found for word in words), path)
    return pd.Series(found)


def run_stage() -> None:
    """Write work/tagger: the trained pipeline and its scores, or a note that there is none."""
    settings = section(TaggerSettings, "tagger")
    facts: dict[str, Any] = {"trained": settings.train is not None}
    with atomic(TAGGER) as folder:
        folder.mkdir()
        if settings.train is not None:
            sentences = read(settings.train, "train")
            if settings.sentences is not None:
                drawn = np.random.default_rng(settings.seed).permutation(len(sentences))
                sentences = sentences.iloc[np.sort(drawn[: settings.sentences])]
            pipeline = train(sentences, settings)
            if settings.test is not None:
                scores = pipeline.evaluate(examples_of(pipeline, read(settings.test, "test")))
                facts["scores"] = {name: round(scores[key], 4) for key, name in SCORES.items()}
            pipeline.to_disk(folder / "pipeline")
        (folder / FACTS).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
