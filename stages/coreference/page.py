"""Heads that find antecedents (Clark et al. 2019, section 4.3, Table 2)."""

import numpy as np
import pandas as pd

from stages.core.corpora.entries import load_corpus_entry
from stages.core.intervals.held_out import GAIN, SCORE
from stages.core.pages.page import Page, Section, Table, heads_figure
from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.verdicts.answers import some_rows
from stages.core.verdicts.measures import Measures, of_first_corpus, studied
from stages.coreference.said import said_of_best, said_of_heads, without_doubles
from stages.coreference.tables import ALL_KINDS, BEST, HEADS

PERCENT = POINTS = 100
OF_TEMPLATES = (
    ": the sentences written here follow a few templates, in which even random weights can do "
    "better than the nearest mention."
)
MOST_CORPORA = 3  # at the top of the page
BEST_HEAD = "best head"
# Clark et al. 2019, Table 2, in percent of the mentions, on OntoNotes with BERT-base.
PUBLISHED = pd.DataFrame(
    {
        "all": [27, 52, 69, 65],
        "pronoun": [29, 47, 70, 64],
        "proper": [29, 67, 77, 73],
        "nominal": [19, 40, 60, 58],
    },
    index=["nearest", "head match", "rules", BEST_HEAD],
)


def sections(measures: Measures) -> list[Section]:
    rows = _scored(measures)
    heads_rows = without_doubles(measures.frame(HEADS))
    cells = studied(heads_rows)
    written = any(load_corpus_entry(name).source == "written" for name in rows["corpus"].unique())
    return [
        Section(
            "C6: the antecedent of a mention",
            "The antecedent is the earlier mention to whose head word the mention's own head word "
            "attends most. Counted are mentions with an antecedent in the same window; heads and "
            "rules choose among the same candidates. The head is chosen on all mentions of one "
            "half of the texts and scored on the other, both ways. Claims are decided on natural "
            f"text alone{OF_TEMPLATES if written else '.'}",
            (
                Table(
                    "coreference",
                    "Share of mentions whose antecedent is found",
                    "In percent of the mentions: the best head with its 95% interval over groups "
                    "of texts, and the rules: the nearest mention, the nearest with the same head "
                    "word, a sieve (full string, head word, number, gender and person, nearest). "
                    "What the best head has more than a rule is in points, with the 95% interval "
                    "of the difference, held out. Published: Clark et al., Table 2, of BERT-base "
                    "on OntoNotes. Where all mentions are of one kind, it stands alone.",
                    scores(rows),
                    rows=40,
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
                    finding=said_of_heads(heads_rows),
                ),
            ),
        )
    ]


def in_short(measures: Measures) -> list[str]:
    return said_of_best(_scored(measures))[:MOST_CORPORA]


def _scored(measures: Measures) -> pd.DataFrame:
    """Rows with a held-out score: where one half of the texts has no mention there is none."""
    return some_rows(measures.frame(BEST).dropna(subset="value"))


def scores(rows: pd.DataFrame) -> pd.DataFrame:
    """One row a corpus, encoder, kind and finder: what it finds, beside what is published of it.

    Args:
        rows: one row a kind and rival, as the stage writes them.
    """
    keys = ["corpus", "encoder", "kind"]
    found = []
    for place, own in without_doubles(rows).groupby(keys, sort=False):
        best = own.iloc[0]
        # Where all mentions are of one kind the best head stands beside what is published of it.
        known = dict(zip(keys, place, strict=True)) | {"cases": best["cases"]}
        score = {
            f"{name}, %": PERCENT * best[column]
            for name, column in zip(("found", "low", "high"), SCORE, strict=True)
        }
        where = {"head chosen on all": f"{best['layer']}-{best['head']}", "same": best["same"]}
        found.append(known | {"by": BEST_HEAD} | score | where)
        for rule in own.to_dict("records"):
            gains = ("best head beyond it, points", "gain low", "gain high")
            gain = {name: POINTS * rule[column] for name, column in zip(gains, GAIN, strict=True)}
            said = {"by": rule["rival"], "found, %": PERCENT * rule["rival_value"]}
            found.append(known | said | gain | {"head chosen on all": "", "same": ""})
    table = pd.DataFrame(found)
    published = [
        PUBLISHED[kind].get(by, np.nan) if kind in PUBLISHED else np.nan
        for kind, by in zip(table["kind"], table["by"], strict=True)
    ]
    # Only an encoder's best head is what the source has a number of, not that of random weights.
    control = (table["encoder"] == RANDOM_WEIGHTS) & (table["by"] == BEST_HEAD)
    table["published, %"] = pd.Series(published, dtype=float).where(~control)
    first = [*keys, "by", "found, %", "low, %", "high, %", "published, %"]
    return table[[*first, *table.columns.drop(first)]]


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
    in_short=in_short,
)
