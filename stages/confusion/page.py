"""How much distractors confuse attention (Lin et al. 2019, section 4)."""

import pandas as pd

from stages.confusion.said import (
    on_first_set,
    said_of_chance,
    said_of_conditions,
    said_of_control,
    said_of_heads,
    said_of_layers,
    said_of_least,
)
from stages.confusion.tables import CONDITIONS, EVERY_LAYER, HEADS, LEAST, MEAN
from stages.core.pages.charts import curves, dots
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.verdicts.measures import Measures

EXAMPLES = {
    "A1": "the cat near your dog does sleep",
    "A2": "the cat near your dogs does sleep",
    "A3": "the cat that can comfort your dog does sleep",
    "A4": "the cat that can comfort your dogs does sleep",
    "R1": "the lord could comfort the wizard by himself",
    "R2": "the lord could comfort the witch by himself",
    "R3": "the lord that can hurt the wizard could comfort himself",
    "R4": "the lord that can hurt the witch could comfort himself",
    "R5": "the lord that can hurt the prince could comfort the wizard by himself",
    "R6, R7": "the lord that can hurt the prince could comfort the witch by himself",
    "R8": "the lord that can hurt the princess could comfort the witch by himself",
}


def sections(measures: Measures) -> list[Section]:
    rows = measures.frame(CONDITIONS)
    return [_conditions(rows), _layers(rows), _heads(measures.frame(HEADS), rows)]


def in_short(measures: Measures) -> list[str]:
    rows = measures.frame(CONDITIONS)
    # Conditions of a modal say nothing of number: those of the source alone.
    left_out = not rows["condition"].isin(list(EXAMPLES)).all()
    rows = rows[rows["condition"].isin(list(EXAMPLES))]
    mean = rows[(rows["layer"] == EVERY_LAYER) & (rows["heads"] == MEAN)]
    said = (
        said_of_chance(mean),
        said_of_conditions(mean),
        said_of_least(rows[rows["heads"] == LEAST]),
    )
    found = [on_first_set(mean, sentence) for sentence in said if sentence]
    if left_out and found:
        found[0] += " Conditions of a modal are left out."
    return found


def _conditions(rows: pd.DataFrame) -> Section:
    every = rows[rows["layer"] == EVERY_LAYER]
    mean = every[every["heads"] == MEAN]
    shown = every.assign(example=every["condition"].map(EXAMPLES).fillna(""))
    columns = ["set", "encoder", "phenomenon", "condition", "example", "auxiliary", "distractors"]
    columns += ["matching", "heads", "best", "confusion", "low", "high", "chance", "sentences"]
    return Section(
        "L2: confusion by condition",
        "Of the attention that the auxiliary gives to its subject and to other noun phrases, or a "
        "reflexive to its antecedent and to others, the right one has a share; confusion is minus "
        "its binary logarithm. Equal attention is 1 bit with one distractor and 1.58 with two. "
        "The source averages attention over heads (mean of heads), here also over layers. The "
        "least confused head is one for all conditions of a phenomenon, chosen on sentences of "
        "one half of the nouns and scored on those of the other, both ways; best is that on all. "
        f"95% intervals draw nouns anew, not sentences. {said_of_control(rows)} A modal "
        f"shows no number: there an agreeing distractor says nothing. {_examples_of(rows)}",
        (
            Figure(
                "confusion-conditions",
                "Confusion in every condition",
                "A dot with its 95% interval each, in bits; mean over heads and layers.",
                dots(
                    mean.assign(
                        value=mean["confusion"], label=mean["set"] + ": " + mean["condition"]
                    ),
                    "label",
                    "bits of confusion",
                    group="encoder",
                ),
                finding=on_first_set(
                    mean,
                    " ".join(filter(None, (said_of_conditions(mean), said_of_chance(mean)))),
                ),
            ),
            Table(
                "confusion-conditions",
                "Every condition",
                "Bits, mean over layers. The examples stand for the condition; the sentences are "
                "others. Auxiliary: whether it shows number (agreeing) or is a modal; matching: "
                "how many of the distractors have the number of the subject, or the gender of the "
                "reflexive; chance is equal attention to all candidates.",
                shown[columns],
                rows=40,
            ),
        ),
    )


def _examples_of(rows: pd.DataFrame) -> str:
    """A sentence for each condition of the source that was measured."""
    known = set(rows["condition"])
    said = [f"{name} “{one}”" for name, one in EXAMPLES.items() if name in known]
    return f"Sentences of the conditions are like these: {'; '.join(said)}." if said else ""


def _layers(rows: pd.DataFrame) -> Section:
    points = rows[(rows["layer"] != EVERY_LAYER) & rows["condition"].isin(list(EXAMPLES))]
    points = points.assign(
        value=points["confusion"],
        panel=points["set"] + ", " + points["encoder"],
    )
    figures = []
    for heads, kind, title, seen in (
        (MEAN, "layers", "mean over heads", said_of_layers),
        (LEAST, "least", "least confused head of each layer, held out", said_of_least),
    ):
        for phenomenon, own in points.groupby("phenomenon", sort=False):
            some = own[own["heads"] == heads]
            every = rows["condition"].isin(list(EXAMPLES)) & (rows["phenomenon"] == phenomenon)
            of_kind = rows[every & (rows["heads"] == heads)]
            figures.append(
                Figure(
                    f"confusion-{kind}-{phenomenon}",
                    f"{str(phenomenon).capitalize()} by condition and layer: {title}",
                    "One line a condition; bits, with 95% intervals.",
                    curves(
                        some,
                        "layer",
                        "layer",
                        "bits of confusion",
                        group="condition",
                        panel="panel",
                    ),
                    finding=on_first_set(of_kind, seen(of_kind)),
                )
            )
    return Section(
        "L2: confusion by layer",
        "Of agreement the conditions with an auxiliary that shows number.",
        tuple(figures),
    )


def _heads(cells: pd.DataFrame, rows: pd.DataFrame) -> Section:
    cells = cells.assign(panel=cells["set"] + ", " + cells["encoder"] + ": " + cells["phenomenon"])
    return Section(
        "L2: every head",
        "Mean over conditions, less that of equal attention: below 0 a head prefers the right "
        "candidate. The best of many heads looks good by chance: claims take the held-out one.",
        (
            heads_figure(
                "confusion-heads",
                "Confusion of every head beyond equal attention",
                "Layer x head for each set, encoder and phenomenon, in bits; white is equal "
                "attention.",
                cells,
                "beyond_chance",
                "bits beyond chance",
                panel="panel",
                tooltip=["panel", "layer", "head", "beyond_chance"],
                diverging=True,
                finding=on_first_set(cells, said_of_heads(cells)),
            ),
            Table("confusion-heads", "Every head", "Bits beyond chance.", cells),
        ),
    )


PAGE = Page(
    order=31,
    group="What heads know of language",
    title="Confusion by distractors",
    summary="Whether attention finds the subject of an auxiliary, the antecedent of a reflexive.",
    studies=("L2",),
    sections=sections,
    in_short=in_short,
)
