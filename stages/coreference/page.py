"""Heads that find antecedents (Clark et al. 2019, section 4.3, Table 2)."""

import pandas as pd

from stages.core.intervals.held_out import GAIN, SCORE
from stages.core.pages.page import Page, Section, Table, heads_figure
from stages.core.verdicts.measures import Measures, of_first_corpus, studied
from stages.coreference.tables import ALL_KINDS, BEST, HEADS

# Clark et al. 2019, Table 2: all, pronoun, proper, nominal.
PUBLISHED = pd.DataFrame(
    {
        "kind": ["all", "pronoun", "proper", "nominal"],
        "nearest": [0.27, 0.29, 0.29, 0.19],
        "head match": [0.52, 0.47, 0.67, 0.40],
        "rules": [0.69, 0.70, 0.77, 0.60],
        "best head": [0.65, 0.64, 0.73, 0.58],
    }
)


def sections(measures: Measures) -> list[Section]:
    rows = measures.frame(BEST)
    keys = ["corpus", "encoder", "kind"]
    rules = rows.pivot(index=keys, columns="rival", values="rival_value").reset_index()
    facts = [*keys, "layer", "head", "cases", *SCORE, "same"]
    best = rows.drop_duplicates(keys)[facts].rename(columns={"value": "best head"})
    table = best.merge(rules, on=keys)
    gains = rows[[*keys, "rival", *GAIN]]
    cells = studied(measures.frame(HEADS))
    return [
        Section(
            "C6: the antecedent of a mention",
            "The antecedent is the earlier mention to whose head word the mention's own head word "
            "attends most. Counted are mentions with an antecedent in the same window; heads and "
            "rules choose among the same candidates. The head is chosen on all mentions of one "
            "half of the texts and scored on the other, both ways. Claims are decided on natural "
            "text alone: the sentences written here follow a few templates, in which even random "
            "weights can do better than the nearest mention.",
            (
                Table(
                    "coreference",
                    "Share of mentions whose antecedent is found",
                    "The best head with its 95% interval over groups of texts; the rules beside "
                    "it: the nearest mention, the nearest with the same head word, a sieve (full "
                    "string, head word, number, gender and person, nearest).",
                    table,
                ),
                Table("coreference-gains", "The best head less each rule", "Held out.", gains),
                Table(
                    "coreference-published",
                    "Published",
                    "Clark et al., Table 2, in shares.",
                    PUBLISHED,
                ),
                heads_figure(
                    "coreference-heads",
                    "Accuracy of every head, by kind of mention",
                    "Layer x head, on all texts.",
                    cells.assign(panel=cells["corpus"] + ": " + cells["kind"]),
                    "accuracy",
                    "share of mentions",
                    panel="panel",
                    tooltip=["panel", "layer", "head", "accuracy", "cases"],
                ),
            ),
        )
    ]


def heads(measures: Measures) -> pd.DataFrame:
    """Accuracy on all mentions of the first corpus."""
    cells = of_first_corpus(measures.frame(HEADS))
    cells = cells[cells["kind"] == ALL_KINDS]
    return pd.DataFrame({"coreference": cells.set_index(["layer", "head"])["accuracy"]})


PAGE = Page(
    order=24,
    group="What heads know of language",
    title="Coreference",
    summary="Which heads link a mention to its antecedent, against rules.",
    studies=("C6",),
    sections=sections,
    heads=heads,
)
