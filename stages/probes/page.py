"""Syntax in all heads together (Clark et al. 2019, section 5, Table 3)."""

import pandas as pd

from stages.core.pages.charts import dots
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.stage.arms import RANDOM_WEIGHTS, UNTUNED
from stages.core.verdicts.measures import Measures
from stages.probes.tables import SCORES, SOUND

# Clark et al. 2019, Table 3 (with GloVe vectors): UAS in percent.
PUBLISHED = pd.DataFrame(
    {
        "encoder": ["", "", RANDOM_WEIGHTS, UNTUNED, UNTUNED],
        "probe": [
            "right-branching",
            "distances and words",
            "attention and words",
            "attention",
            "attention and words",
        ],
        "uas": [0.26, 0.58, 0.30, 0.61, 0.77],
    }
)


def sections(measures: Measures) -> list[Section]:
    rows = measures.frame(SCORES)
    plain = rows[~rows["punctuation"]].rename(columns={"uas": "value"})
    variant = (" (" + plain["variant"] + ")").where(plain["variant"] != SOUND, "")
    plain = plain.assign(label=plain["corpus"] + ": " + plain["probe"] + variant)
    return [
        Section(
            "C7: dependency trees from attention",
            "p(i is the head of j) is an exponential of attention between them, in both "
            "directions, weighted by head; with words, the weights depend on the vectors of both. "
            "Trained on one half of the texts and scored on the other, both ways, or trained on "
            "the corpus that the setting probes.train_on names. The attention of each head is "
            "divided by its spread in what is trained on; linear probes are fitted to the maximum "
            "of their penalised likelihood, and 'converged' says whether a fit got there. "
            "Right-branching takes the next word for the head. All probes have the same word "
            "vectors: the checkpoint's embeddings, unless a file was given. In brackets what "
            "differs from the first of the setting probes.choices, on which claims are decided.",
            (
                Figure(
                    "probes",
                    "Unlabelled attachment score without punctuation",
                    "A dot with its 95% interval over groups of texts.",
                    dots(plain, "label", "share of words whose head is found", group="encoder"),
                ),
                Table("probes", "Every probe", "With and without punctuation.", rows),
                Table(
                    "probes-published", "Published", "Clark et al., Table 3, in shares.", PUBLISHED
                ),
            ),
        )
    ]


PAGE = Page(
    order=28,
    group="What heads know of language",
    title="Probes",
    summary="How much of a dependency tree is in the attention of all heads together.",
    studies=("C7",),
    sections=sections,
)
