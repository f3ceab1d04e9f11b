"""Heads that find syntactic heads (Clark et al. 2019, section 4.2, Table 1)."""

import altair
import numpy as np
import pandas as pd

from stages.core.pages.charts import curves, dots
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.pages.titles import relation_in_words
from stages.core.verdicts.answers import some_rows
from stages.core.verdicts.measures import Measures, of_first_corpus, studied
from stages.syntax.said import said_in_short, said_of_heads, said_of_layers, said_of_relations
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

PERCENT = 100
# Clark et al. 2019, Table 1 (Stanford dependencies): their name of the relation, and the accuracy
# of the head and of the offset in percent.
PUBLISHED = {
    ALL_WORDS: ("all", 34.5, 26.3),
    "prep": ("prep", 66.7, 61.8),
    "det": ("det", 94.3, 51.7),
    "case": ("pobj, the other way round", 76.3, 34.6),
    "nsubj": ("nsubj", 58.5, 45.5),
    "amod": ("amod", 75.6, 68.3),
    "obj": ("dobj", 86.8, 40.0),
    "compound": ("nn", 70.4, 70.2),
    "advmod": ("advmod", 48.8, 40.2),
    "aux": ("aux", 81.1, 71.5),
    "aux:pass": ("auxpass", 94.1, 82.5),
    POSSESSIVE_CLITIC: ("poss", 80.5, 47.7),
    "ccomp": ("ccomp", 48.8, 12.4),
    "mark": ("mark", 50.7, 14.5),
    "compound:prt": ("prt", 99.1, 91.4),
}
UNPUBLISHED = ("", np.nan, np.nan)
SOURCE, OFFSET = "Clark et al., Table 1", "best offset"
STEP = 9  # pixels from dot to dot of a relation
# The columns that readers see, and what they are called: what a row is of, its head, accuracies,
# the offset, and what the head gains on it.
SHOWN = {
    "corpus": "corpus",
    "encoder": "encoder",
    "relation": "relation",
    "cases": "words",
    "layer": "layer",
    "head": "head",
    "direction": "direction",
    "same": "same head in both halves",
    "value": "accuracy, %",
    "low": "accuracy low, %",
    "high": "accuracy high, %",
    "published": "accuracy published, %",
    "offset": "offset",
    "rival_value": "offset accuracy, %",
    "published_offset": "offset accuracy published, %",
    "gain_value": "gain, points",
    "gain_low": "gain low, points",
    "gain_high": "gain high, points",
    "published_gain": "gain published, points",
    "published_as": "published as",
}
SHARES = ("value", "low", "high", "rival_value", "rival_low", "rival_high")
SHARES += ("gain_value", "gain_low", "gain_high")


def sections(measures: Measures) -> list[Section]:
    rows = some_rows(measures.frame(BEST))
    return [_relations(rows), _separators(measures), _layers(rows), _heads(measures)]


def in_short(measures: Measures) -> list[str]:
    """How many relations a head finds better than an offset, the clearest of them, all words."""
    return said_in_short(measures.frame(BEST), PUBLISHED[ALL_WORDS][1:])


def heads(measures: Measures) -> pd.DataFrame:
    """The relation that each head gains most on over the best offset, on the first corpus."""
    cells = of_first_corpus(measures.frame(HEADS))
    cells = cells[~cells["relation"].isin([ALL_RELATIONS, ALL_WORDS])]
    gain = cells["accuracy"] - cells["offset_accuracy"]
    places = gain.groupby([cells["layer"], cells["head"]]).idxmax()
    best = cells.loc[places].set_index(["layer", "head"])
    columns = {"best relation": "relation", "its accuracy": "accuracy", "direction": "direction"}
    return pd.DataFrame({name: best[column] for name, column in columns.items()})


def _relations(rows: pd.DataFrame) -> Section:
    table = beside_published(rows[rows["within"] == ALL_LAYERS])
    return Section(
        "C5: the best head of each relation",
        "How often the word that a head attends to most is the syntactic head, [CLS], [SEP] and "
        "the word itself left out. The head and its direction, and the fixed offset it is held "
        "against, are chosen on one half of the texts and scored on the other, both ways; "
        "intervals draw whole documents (what was written together) anew. "
        f"'{ALL_RELATIONS}' are the words that have a head in the text, with punctuation only "
        f"where the setting syntax.punctuation asks for it; '{ALL_WORDS}' are all, as Clark et al. "
        "count them: punctuation too, and roots, for which no word is right unless the setting "
        "syntax.root lets special tokens stand for their heads. In the row "
        f"'{POSSESSIVE_CLITIC}' what the 's behind a possessor says counts in place of what the "
        f"possessor says, as in their code; '{POSSESSIVE}' is without that. Relations have their "
        "names in Universal Dependencies, also where a treebank has Stanford's: dobj is obj, and "
        "pobj, the same link seen from the noun, is case. Layer, head and offset are the best on "
        "all texts. Random weights are the control. Published: Clark et al. (Table 1), of "
        "BERT-base on English news, chosen and scored on the same text, with other names of "
        "relations.",
        (
            Figure(
                "syntax-relations",
                "Accuracy of the best head, held out",
                "A dot with its 95% interval for each relation, of the best head and of random "
                "weights; beside them the best fixed offset, and what Clark et al. print.",
                dots(
                    marks(table), "label", "words whose head is found, %", group="whose"
                ).properties(height=altair.Step(STEP)),
                finding=said_of_relations(rows),
            ),
            Table(
                "syntax-relations",
                "Every relation",
                "Own and published accuracies in percent, gains over the best offset in points. "
                "What the relations are stands in words beside the dots above.",
                table[list(SHOWN)].rename(columns=SHOWN),
            ),
        ),
    )


def beside_published(rows: pd.DataFrame) -> pd.DataFrame:
    """Accuracies in percent, with those that Clark et al. print of the same relation."""
    names, heads, offsets = zip(
        *(PUBLISHED.get(name, UNPUBLISHED) for name in rows["relation"]), strict=True
    )
    table = rows.assign(published_as=names, published=heads, published_offset=offsets)
    table[list(SHARES)] *= PERCENT
    return table.assign(published_gain=table["published"] - table["published_offset"])


def marks(table: pd.DataFrame) -> pd.DataFrame:
    """Dots of each relation: the encoder's head and the control's, the offset, the published one.

    Args:
        table: as of `beside_published`.
    """
    table = table.assign(label=_labels(table))
    # The offset is the same for every encoder: that of the first stands for all.
    once = table.drop_duplicates("label")
    rival = {"value": once["rival_value"], "low": once["rival_low"], "high": once["rival_high"]}
    known = once[once["published"].notna()]
    published = {name: known["published"] for name in ("value", "low", "high")}
    parts = [
        table.assign(whose=table["encoder"]),
        once.assign(whose=OFFSET, **rival),
        known.assign(whose=SOURCE, **published),
    ]
    return pd.concat(parts, ignore_index=True)[["label", "whose", "value", "low", "high"]]


def _labels(rows: pd.DataFrame) -> pd.Series:
    """Relations with their words; the corpus stands before them where there are several."""
    labels = rows["relation"].map(relation_in_words)
    return rows["corpus"] + ": " + labels if rows["corpus"].nunique() > 1 else labels


def _separators(measures: Measures) -> Section:
    rows = measures.frame(SEPARATORS)
    return Section(
        "C5b: where a relation's head looks otherwise",
        "What the best head of a relation gives to [SEP] from words that have the relation "
        "('having'), from all other words ('lacking'), and the difference of both ('gain'): shares "
        "of their attention. The head is chosen by how often it finds syntactic heads on one half "
        "of the texts and measured on the other, both ways. In the direction from head to "
        "dependent a word has the relation if one of its dependents stands in it. Clark et al. "
        "(section 3.2) find that such words look mostly at [SEP] when there is no relation.",
        (
            Table(
                "syntax-separators",
                "What the best heads give to [SEP]",
                "Shares of attention with their 95% intervals; 'layer' and 'head' are the best on "
                "all texts, and 'same' says whether all halves chose the same.",
                rows[["corpus", *SEPARATORS.columns]],
            ),
        ),
    )


def _layers(rows: pd.DataFrame) -> Section:
    layers = rows[rows["within"] != ALL_LAYERS]
    layers = layers[layers["relation"].isin(REPORTED)]
    points = layers.assign(panel=_labels(layers))
    points = points.assign(
        place=points["within"].str.removeprefix("layer ").astype(int),
        whose=points["encoder"],
    )
    return Section(
        "Layer by layer",
        "The best head of each layer, held out.",
        (
            Figure(
                "syntax-layers",
                "Accuracy of each layer's best head",
                "One panel a relation, with 95% intervals.",
                curves(points, "place", "layer", "share of words", group="whose", panel="panel"),
                finding=said_of_layers(points),
            ),
        ),
    )


def _heads(measures: Measures) -> Section:
    cells = studied(measures.frame(HEADS))
    some = cells[cells["relation"].isin(REPORTED)]
    some = some.assign(panel=_labels(some))
    return Section(
        "Every head",
        "Accuracy on all texts in the better direction: good for a picture, too good for a claim, "
        "as the best of many heads is chosen on the same texts.",
        (
            heads_figure(
                "syntax-heads",
                "Accuracy of every head",
                "Layer x head for each relation, of the encoder.",
                some,
                "accuracy",
                "share of words",
                panel="panel",
                tooltip=["panel", "layer", "head", "accuracy", "direction", "offset_accuracy"],
                finding=said_of_heads(some),
            ),
            Table("syntax-heads", "Every head and relation", "Shares.", cells),
        ),
    )


PAGE = Page(
    order=23,
    group="What heads know of language",
    title="Syntax",
    summary="Which heads find the syntactic head of a word, against fixed offsets.",
    studies=("C5", "C5b"),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
