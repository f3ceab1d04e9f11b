"""Syntax in all heads together (Clark et al. 2019, section 5, Table 3)."""

from collections.abc import Mapping

import pandas as pd

from stages.core.pages.declared import Page, Section
from stages.core.pages.kinds import Dots, Grid
from stages.core.stage.arms import RANDOM_WEIGHTS, UNTUNED
from stages.core.tables import Selection, estimate_columns
from stages.core.verdicts.estimates import Estimate, difference_of
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
WITHOUT_PUNCTUATION = SCORES.where(punctuation=False)


def beside_baselines(measures: Measures) -> pd.DataFrame:
    """The scores that claims are decided on; `gain` is the score minus that of the baseline."""
    return _with_gain(measures, WITHOUT_PUNCTUATION.where(variant=SOUND), BASELINES)


def beside_first_choices(measures: Measures) -> pd.DataFrame:
    """Scores with other choices; `gain` is the score minus that of the probe's first choices."""
    same_probe = {probe: probe for probe in (*BASELINES, *BASELINES.values())}
    return _with_gain(measures, WITHOUT_PUNCTUATION.without(variant=[SOUND]), same_probe)


def _with_gain(measures: Measures, wanted: Selection, rivals: Mapping[str, str]) -> pd.DataFrame:
    """The rows with the score of the rival (first choices) and the paired difference to it."""
    keys = ["data", "arm", "probe"]
    first = measures.rows(WITHOUT_PUNCTUATION.where(variant=SOUND), drawn=True)
    first = {tuple(row[key] for key in keys): row for row in first.to_dict("records")}
    rows = []
    for row in measures.rows(wanted, drawn=True).to_dict("records"):
        rival = first.get((row["data"], row["arm"], rivals.get(row["probe"])))
        if rival is not None:
            score, other = (Estimate.of_value(each, "uas", 0) for each in (row, rival))
            gain = difference_of(score, other)
            row |= estimate_columns("rival", other.value, other.low, other.high)
            row |= estimate_columns("gain", gain.value, gain.low, gain.high)
        rows.append(row)
    return pd.DataFrame(rows).drop(columns=SCORES.resampled)


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
