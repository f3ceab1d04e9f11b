"""The layers in which a word's role and position can be read (Lin, Tan, Frank 2019, section 3)."""

from functools import partial

import pandas as pd

from stages.core.pages.declared import Page, Section
from stages.core.pages.joined import joined
from stages.core.pages.kinds import Curves, Grid
from stages.core.stimuli.store import (
    COMPOUND,
    MAIN_AUXILIARY,
    NTH_TOKEN,
    POSSESSIVE,
    RELATIVE,
    SUBJECT_NOUN,
    TEST,
)
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.of_data import studied_rows
from stages.layer_probes.tables import CHANCE, EMBEDDINGS, FIRST, LAYER, SCORES, WORD_EMBEDDINGS

BEFORE = -1  # where the embeddings stand in a figure
TITLES = {
    MAIN_AUXILIARY: "main auxiliary",
    SUBJECT_NOUN: "subject noun",
    NTH_TOKEN: "word",
    TEST: "sentences like the training sentences",
    RELATIVE: "relative clause on the subject",
    COMPOUND: "compound",
    POSSESSIVE: "possessor",
}
# Lines that are the same at every layer, with their names for readers.
LEVELS = {WORD_EMBEDDINGS: "words alone", FIRST: "the first one", CHANCE: "any word"}


def probe_lines(measures: Measures, probe: str) -> pd.DataFrame:
    """The points of a probe's figure: each arm by layer, and each level at both ends.

    Returns:
        The accuracies with columns `asked` (the word and the test sentences), `line` and `layer`.
    """
    rows = joined(measures, SCORES.where(probe=probe), "accuracy")
    asked = rows["position"].astype(str) if probe == NTH_TOKEN else rows["part"].map(TITLES)
    rows = rows.assign(asked=TITLES[probe] + (" " if probe == NTH_TOKEN else ": ") + asked)
    by_layer = rows[rows["state"].isin([LAYER, EMBEDDINGS])]
    levels = studied_rows(rows)
    levels = levels[levels["state"].isin(LEVELS)]
    ends = [
        levels.assign(layer=layer, line=levels["state"].map(LEVELS))
        for layer in (BEFORE, int(rows["layer"].max()))
    ]
    return pd.concat([by_layer.assign(line=by_layer["arm"]), *ends], ignore_index=True)


def probe_curves(probe: str, name: str, title: str) -> Curves:
    """The accuracy of a probe by layer, a panel for each kind of test sentences or position."""
    return Curves(
        f"layer-probes-{name}",
        title,
        partial(probe_lines, probe=probe),
        "accuracy",
        "The share of sentences in which a probe finds its word.",
        of=SCORES.values["accuracy"],
        line="line",
        panel=("asked", "data"),
        levels=tuple(LEVELS.values()),
    )


PAGE = Page(
    title="Layer probes",
    summary="In which layers a word's role and its position can be read, by linear probes.",
    group="What heads know of language",
    order=10,
    studies=("L1",),
    content=(
        Section(
            "L1: the main auxiliary and the subject's noun",
            "A probe is one linear scorer for each layer, trained on the states of a frozen "
            "encoder. It gives each word of a sentence a score; the word with the highest score is "
            "its answer. Training and test sentences that were written here share no content "
            "words. Lin et al. train a probe without a structure (a clause on the subject, a "
            "compound, a possessor) and test it on sentences with this structure. They ask whether "
            "it relies on a word's role or on what comes first. The line 'the first one' always "
            "answers with the first auxiliary, or the first noun. Layers count from 0; the "
            "embeddings with position stand at -1. Intervals resample lexical items.",
            (
                probe_curves(MAIN_AUXILIARY, "auxiliary", "The main auxiliary, by layer"),
                probe_curves(SUBJECT_NOUN, "noun", "The subject's noun, by layer"),
            ),
        ),
        Section(
            "L1: the n-th word",
            "These probes find a word by its position alone, counted from 1. The line 'words "
            "alone' reads the words' embeddings through the norm, without position and segment. It "
            "is right if some words stand in some positions more often than in others.",
            (probe_curves(NTH_TOKEN, "positions", "The n-th word, by layer"),),
        ),
        Section(
            "Every probe",
            "Position is n of the n-th word, and 0 of other probes; part names the test sentences. "
            "Layer is -1 if the state is no layer. If a probe is equally accurate at all layers of "
            "random weights, it reads word and position, which the embeddings have.",
            (Grid("layer-probes", "Accuracy of every probe", SCORES),),
        ),
    ),
)
