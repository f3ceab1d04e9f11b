"""Syntax in all heads together (Clark et al. 2019, section 5, Table 3)."""

import pandas as pd

from stages.core.pages.declared import Page, Section
from stages.core.pages.joined import with_rival
from stages.core.pages.kinds import Dots, Grid
from stages.core.stage.arms import RANDOM_WEIGHTS, UNTUNED
from stages.core.verdicts.measures import Measures
from stages.probes.tables import (
    ATTENTION,
    ATTENTION_AND_WORDS,
    DISTANCES_AND_WORDS,
    RIGHT_BRANCHING,
    SCORES,
    SOUND,
)

# Unlabelled attachment scores in Clark et al. 2019, Table 3 (with GloVe vectors). A probe that
# reads no attention has one score for the encoder and for random weights.
PUBLISHED = {
    (UNTUNED, RIGHT_BRANCHING): 0.26,
    (UNTUNED, DISTANCES_AND_WORDS): 0.58,
    (UNTUNED, ATTENTION): 0.61,
    (UNTUNED, ATTENTION_AND_WORDS): 0.77,
    (RANDOM_WEIGHTS, RIGHT_BRANCHING): 0.26,
    (RANDOM_WEIGHTS, DISTANCES_AND_WORDS): 0.58,
    (RANDOM_WEIGHTS, ATTENTION_AND_WORDS): 0.30,
}
# The probe without attention that each probe of attention is compared with.
BASELINES = {ATTENTION: RIGHT_BRANCHING, ATTENTION_AND_WORDS: DISTANCES_AND_WORDS}
DECISIVE = SCORES.where(punctuation=False, variant=SOUND)
KEYS = ["data", "arm", "probe"]


def beside_baselines(measures: Measures) -> pd.DataFrame:
    """The scores that claims are decided on; the rival is the baseline."""
    rows = measures.rows(DECISIVE, drawn=True)
    baselines = [rows[rows["probe"] == name].assign(probe=of) for of, name in BASELINES.items()]
    return with_rival(rows, pd.concat(baselines), "uas", KEYS)


def beside_first_choices(measures: Measures) -> pd.DataFrame:
    """The scores with other choices; the rival is the same probe with the first choices."""
    others = measures.rows(SCORES.where(punctuation=False).without(variant=[SOUND]), drawn=True)
    return with_rival(others, measures.rows(DECISIVE, drawn=True), "uas", KEYS)


def beside_published(measures: Measures) -> pd.DataFrame:
    """Every score, with the published one if it is without punctuation and of the first choices."""
    rows = measures.rows(SCORES)
    places = rows.set_index(["arm", "probe"]).index
    published = pd.Series(places.map(PUBLISHED), rows.index, dtype=float)
    alike = (rows["variant"] == SOUND) & ~rows["punctuation"]
    return rows.assign(published=published.where(alike))


UAS = SCORES.values["uas"]
PAGE = Page(
    title="Probes",
    summary="How much of a dependency tree is in the attention of all heads together.",
    group="What heads know of language",
    order=28,
    studies=("C7",),
    content=(
        Section(
            "C7: dependency trees from attention",
            "A probe predicts the syntactic head of each word from the attention of all heads "
            "between the two words, in both directions. With words, the weight of a head depends "
            "on the vectors of both words. A probe is trained on one half of the texts and scored "
            "on the other, both ways; or it is trained on the corpus that the setting "
            "probes.train_on names. The attention of each head is divided by its spread in the "
            "training texts. Linear probes are fitted to the maximum of their penalised "
            "likelihood. Right-branching takes the next word for the head. All probes have the "
            "same word vectors: the checkpoint's embeddings, unless a file was given.",
            (
                Dots(
                    "probes",
                    "Unlabelled attachment score without punctuation",
                    beside_baselines,
                    "uas",
                    "Attention is compared with right-branching, attention and words with "
                    "distances and words. Clark et al. scored BERT-base, untuned, on English news.",
                    of=UAS,
                    label=("probe",),
                    published={
                        probe: score for (arm, probe), score in PUBLISHED.items() if arm == UNTUNED
                    },
                    source="Clark et al., untuned",
                    rival_title="baseline",
                    gain="gain",
                    uncounted=(RIGHT_BRANCHING, DISTANCES_AND_WORDS),
                ),
                Dots(
                    "probes-choices",
                    "The same with other choices",
                    beside_first_choices,
                    "uas",
                    "A row names the choices that differ from the first of probes.choices.",
                    of=UAS,
                    label=("probe", "variant"),
                    rival="rival",
                    rival_title="first choices",
                    gain="gain",
                ),
                Grid(
                    "probes",
                    "Every probe",
                    beside_published,
                    caption="Clark et al. (Table 3) leave punctuation out. A variant names the "
                    "choices that differ from the first; claims are decided on the first.",
                    columns=(
                        *("data", "arm", "probe", "variant", "punctuation"),
                        *("uas", "uas_low", "uas_high", "published", "words", "sentences"),
                        *("groups", "steps", "converged"),
                    ),
                    titles={
                        "uas": UAS.title,
                        "uas_low": f"{UAS.title}, low",
                        "uas_high": f"{UAS.title}, high",
                        "published": "score in Clark et al.",
                        "groups": "groups of texts",
                    },
                ),
            ),
        ),
    ),
)
