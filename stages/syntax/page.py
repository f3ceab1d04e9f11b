"""Heads that find syntactic heads (Clark et al. 2019, section 4.2, Table 1)."""

import pandas as pd

from stages.core.pages.charts import curves, dots
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.verdicts.measures import Measures, of_first_corpus, studied
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

# Clark et al. 2019, Table 1 (Stanford dependencies): accuracy of the head and of the offset, which
# they print in percent.
PUBLISHED = {
    ALL_WORDS: ("all", 0.345, 0.263),
    "prep": ("prep", 0.667, 0.618),
    "det": ("det", 0.943, 0.517),
    "case": ("pobj, the other way round", 0.763, 0.346),
    "nsubj": ("nsubj", 0.585, 0.455),
    "amod": ("amod", 0.756, 0.683),
    "obj": ("dobj", 0.868, 0.400),
    "compound": ("nn", 0.704, 0.702),
    "advmod": ("advmod", 0.488, 0.402),
    "aux": ("aux", 0.811, 0.715),
    "aux:pass": ("auxpass", 0.941, 0.825),
    POSSESSIVE_CLITIC: ("poss", 0.805, 0.477),
    "ccomp": ("ccomp", 0.488, 0.124),
    "mark": ("mark", 0.507, 0.145),
    "compound:prt": ("prt", 0.991, 0.914),
}


def sections(measures: Measures) -> list[Section]:
    rows = measures.frame(BEST)
    return [_relations(rows), _separators(measures), _layers(rows), _heads(measures)]


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
    best = rows[rows["within"] == ALL_LAYERS]
    table = best.assign(
        published=[PUBLISHED.get(name, ("", None, None))[1] for name in best["relation"]],
        published_offset=[PUBLISHED.get(name, ("", None, None))[2] for name in best["relation"]],
        published_as=[PUBLISHED.get(name, ("",))[0] for name in best["relation"]],
    )
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
        "pobj, the same link seen from the noun, is case. 'layer', 'head' and "
        "'offset' are the best on all texts; 'same' says whether both halves chose the same head. "
        "Random weights are the control. Published: Clark et al. (Table 1), as shares, chosen and "
        "scored on the same text, with other names of relations.",
        (
            Figure(
                "syntax-relations",
                "Accuracy of the best head, held out",
                "A dot with its 95% interval for each relation.",
                dots(
                    table.assign(label=table["corpus"] + ": " + table["relation"]),
                    "label",
                    "share of words whose head is found",
                    group="encoder",
                ),
            ),
            Table(
                "syntax-relations",
                "Every relation",
                "Accuracies and gains are shares.",
                _shown(table),
            ),
        ),
    )


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the columns that readers see, by their names."""
    shown = table.rename(
        columns={"value": "accuracy", "rival_value": "offset_accuracy", "gain_value": "gain"}
    )
    columns = [
        "corpus",
        "encoder",
        "relation",
        "cases",
        "layer",
        "head",
        "direction",
        "accuracy",
        "low",
        "high",
        "offset",
        "offset_accuracy",
        "gain",
        "gain_low",
        "gain_high",
        "same",
        "published_as",
        "published",
        "published_offset",
    ]
    return shown[columns]


def _separators(measures: Measures) -> Section:
    rows = measures.frame(SEPARATORS)
    columns = [name for name in SEPARATORS.columns if name in rows]
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
                rows[["corpus", *columns]],
            ),
        ),
    )


def _layers(rows: pd.DataFrame) -> Section:
    layers = rows[rows["within"] != ALL_LAYERS]
    layers = layers[layers["relation"].isin(REPORTED)]
    points = layers.assign(panel=layers["corpus"] + ": " + layers["relation"])
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
                curves(points, "place", "layer", "accuracy", group="whose", panel="panel"),
            ),
        ),
    )


def _heads(measures: Measures) -> Section:
    cells = studied(measures.frame(HEADS))
    some = cells[cells["relation"].isin(REPORTED)]
    some = some.assign(panel=some["corpus"] + ": " + some["relation"])
    return Section(
        "Every head",
        "Accuracy on all texts in the better direction: good for a picture, too good for a claim, "
        "as the best of many heads is chosen on the same texts.",
        (
            heads_figure(
                "syntax-heads",
                "Accuracy of every head",
                "Layer x head for each relation.",
                some,
                "accuracy",
                "share of words",
                panel="panel",
                tooltip=["panel", "layer", "head", "accuracy", "direction", "offset_accuracy"],
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
)
