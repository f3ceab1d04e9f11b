"""Heads that find syntactic heads (Clark et al. 2019, section 4.2, Table 1)."""

import pandas as pd

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.kinds import Curves, Dots, Grid, HeadGrid
from stages.core.pages.titles import relation_in_words
from stages.core.tables import Value
from stages.core.verdicts.measures import Measures
from stages.syntax.tables import (
    ALL_LAYERS,
    ALL_RELATIONS,
    ALL_WORDS,
    BEST,
    HEADS,
    POSSESSIVE,
    POSSESSIVE_CLITIC,
    REPORTED,
    SEPARATORS,
)

# Accuracy of the head and of the offset in Clark et al. 2019, Table 1 (Stanford dependencies; their
# names: all, prep, det, pobj seen from the noun, nsubj, amod, dobj, nn, advmod, aux, auxpass, poss,
# ccomp, mark, prt).
PUBLISHED = {
    ALL_WORDS: (0.345, 0.263),
    "prep": (0.667, 0.618),
    "det": (0.943, 0.517),
    "case": (0.763, 0.346),
    "nsubj": (0.585, 0.455),
    "amod": (0.756, 0.683),
    "obj": (0.868, 0.400),
    "compound": (0.704, 0.702),
    "advmod": (0.488, 0.402),
    "aux": (0.811, 0.715),
    "aux:pass": (0.941, 0.825),
    POSSESSIVE_CLITIC: (0.805, 0.477),
    "ccomp": (0.488, 0.124),
    "mark": (0.507, 0.145),
    "compound:prt": (0.991, 0.914),
}
BEST_OF_ALL = BEST.where(within=ALL_LAYERS)
BEST_OF_LAYERS = BEST.where(relation=REPORTED).without(within=[ALL_LAYERS])
GAIN = Value("accuracy minus that of the best offset", "share", "+.1%")


def beside_published(measures: Measures) -> pd.DataFrame:
    """The best heads of all layers, with both accuracies that Clark et al. print."""
    rows = measures.rows(BEST_OF_ALL)
    pairs = rows["relation"].map(PUBLISHED)
    return rows.assign(published=pairs.str[0], published_offset=pairs.str[1])


def best_relations(measures: Measures) -> pd.DataFrame:
    """The relation in which each head is farthest above the best offset, in each corpus."""
    rows = measures.rows(HEADS.without(relation=[ALL_RELATIONS, ALL_WORDS]))
    rows = rows.assign(gain=rows["accuracy"] - rows["offset_accuracy"]).reset_index(drop=True)
    return rows.loc[rows.groupby(["data", "arm", "layer", "head"], sort=False)["gain"].idxmax()]


PAGE = Page(
    title="Syntax",
    summary="Which heads find the syntactic head of a word, against fixed offsets.",
    group="What heads know of language",
    order=23,
    studies=("C5", "C5b"),
    content=(
        Section(
            "C5: the best head of each relation",
            "A head is right if the word to which it attends most is the syntactic head; [CLS], "
            "[SEP] and the word itself are left out. The head, its direction and the best fixed "
            "offset are selected on one half of the texts and scored on the other, both ways. "
            f"'{ALL_RELATIONS}' counts the words that have a head in the text; '{ALL_WORDS}' adds "
            "punctuation and roots, as Clark et al. count them. In the row "
            f"'{POSSESSIVE_CLITIC}' the 's behind a possessor predicts for it, as in their code; "
            f"'{POSSESSIVE}' does without this. Relations have their names in Universal "
            "Dependencies. Clark et al. selected and scored heads of BERT-base on the same "
            "English news.",
            (
                Dots(
                    "syntax-relations",
                    "Accuracy of the best head, held out",
                    BEST_OF_ALL,
                    "score",
                    label=("relation",),
                    words=relation_in_words,
                    published={relation: head for relation, (head, _) in PUBLISHED.items()},
                    source="Clark et al., Table 1",
                    rival="rival",
                    rival_title="best offset",
                    gain="gain",
                    uncounted=(ALL_RELATIONS, ALL_WORDS, POSSESSIVE_CLITIC),
                ),
                Grid(
                    "syntax-relations",
                    "Every relation",
                    beside_published,
                    columns=(
                        *("data", "arm", "relation", "cases", "layer", "head", "direction"),
                        *("score", "score_low", "score_high", "published", "offset", "rival"),
                        *("published_offset", "gain", "gain_low", "gain_high", "same"),
                    ),
                    titles={
                        "cases": "words",
                        "score": "accuracy",
                        "rival": "accuracy of the best offset",
                        "published": "accuracy in Clark et al.",
                        "published_offset": "accuracy of the offset in Clark et al.",
                        "same": "same head in all halves",
                    },
                ),
            ),
        ),
        Section(
            "C5b: where a relation's head looks otherwise",
            "The share of attention that the best head of a relation gives to [SEP]. The head is "
            "selected on one half of the texts and measured on the other. In the direction from "
            "head to dependent a word has the relation if one of its dependents stands in it. "
            "Clark et al. (section 3.2) find that words without the relation look at [SEP].",
            (Grid("syntax-separators", "Attention to [SEP]", SEPARATORS),),
        ),
        Section(
            "Layer by layer",
            "The best head of each layer, held out.",
            (
                Curves(
                    "syntax-layers",
                    "Accuracy of each layer's best head",
                    BEST_OF_LAYERS,
                    "score",
                    panel=("relation", "data"),
                ),
            ),
        ),
        Section(
            "Every head",
            "Accuracy on all texts in the better direction. It is too high for a claim: the best "
            "of many heads is selected on the texts that score it.",
            (
                HeadGrid(
                    "syntax-heads",
                    "Accuracy of every head",
                    HEADS.where(relation=REPORTED, arm=["untuned", "recorded"]),
                    "accuracy",
                    panel=("relation",),
                ),
                Grid("syntax-heads", "Every head and relation", HEADS),
            ),
        ),
    ),
    head_columns=(
        HeadColumn(
            "gain of its best relation",
            best_relations,
            "gain",
            join="first",
            show={
                "relation": "best relation",
                "direction": "its direction",
                "accuracy": "its accuracy",
            },
            of=GAIN,
            text="The relation in which the head is farthest above the best fixed offset, on all "
            "texts; the best of many relations looks better than it is.",
        ),
    ),
)
