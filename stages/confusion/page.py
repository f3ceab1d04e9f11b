"""How much distractors confuse attention (Lin et al. 2019, section 4)."""

import pandas as pd

from stages.confusion.tables import CONDITIONS, EVERY_LAYER, HEADS, LEAST, MEAN
from stages.core.pages.charts import curves, dots
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.stage.arms import RANDOM_WEIGHTS
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
        "The source averages attention over heads (`mean of heads`), here also over layers. The "
        "`least confused head` is one for all conditions of a phenomenon, chosen on sentences of "
        "one half of the nouns and scored on those of the other, both ways; `best` is that on all. "
        "95% intervals draw nouns anew, not sentences. Random weights are the control. A modal "
        "shows no number: there an agreeing distractor says nothing.",
        (
            Figure(
                "confusion-conditions",
                "Confusion in every condition",
                f"{_seen_in_conditions(mean)} A dot with its 95% interval each, in bits.",
                dots(
                    mean.assign(
                        value=mean["confusion"], label=mean["set"] + ": " + mean["condition"]
                    ),
                    "label",
                    "bits of confusion",
                    group="encoder",
                ),
            ),
            Table(
                "confusion-conditions",
                "Every condition",
                "Bits, mean over layers. The examples stand for the condition; the `sentences` are "
                "others. `auxiliary`: whether it shows number (agreeing) or is a modal; `matching` "
                "of the `distractors` have the number of the subject, or the gender of the "
                "reflexive; `chance` is equal attention to all candidates.",
                shown[columns],
                rows=40,
            ),
        ),
    )


def _layers(rows: pd.DataFrame) -> Section:
    points = rows[(rows["layer"] != EVERY_LAYER) & rows["condition"].isin(list(EXAMPLES))]
    points = points.assign(
        value=points["confusion"],
        panel=points["set"] + ", " + points["encoder"],
    )
    figures = []
    for heads, kind, title, seen in (
        (MEAN, "layers", "mean over heads", _seen_in_layers),
        (LEAST, "least", "least confused head of each layer, held out", _seen_in_least),
    ):
        for phenomenon, own in points.groupby("phenomenon", sort=False):
            some = own[own["heads"] == heads]
            said = seen(rows[(rows["heads"] == heads) & (rows["phenomenon"] == phenomenon)])
            figures.append(
                Figure(
                    f"confusion-{kind}-{phenomenon}",
                    f"{str(phenomenon).capitalize()} by condition and layer: {title}",
                    f"{said} One line a condition; bits, with 95% intervals.",
                    curves(
                        some,
                        "layer",
                        "layer",
                        "bits of confusion",
                        group="condition",
                        panel="panel",
                    ),
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
                " ".join([*_seen_in_heads(cells), "Layer x head, in bits."]),
                cells,
                "beyond_chance",
                "bits beyond chance",
                panel="panel",
                tooltip=["panel", "layer", "head", "beyond_chance"],
                diverging=True,
            ),
            Table("confusion-heads", "Every head", "Bits beyond chance.", cells),
        ),
    )


def _own(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the encoder on the first set."""
    own = rows[rows["encoder"] != RANDOM_WEIGHTS]
    return own[own["set"] == own["set"].iloc[0]]


def _seen_in_conditions(mean: pd.DataFrame) -> str:
    """The most and the least confusing condition beyond chance, in words."""
    own = _own(mean)
    beyond = own["confusion"] - own["chance"]
    most, least = own.loc[beyond.idxmax()], own.loc[beyond.idxmin()]
    above = int((own["low"] > own["chance"]).sum())
    below = int((own["high"] < own["chance"]).sum())
    return (
        f"Beyond equal attention, {most['condition']} confuses most ({beyond.max():+.2f} bits) and "
        f"{least['condition']} least ({beyond.min():+.2f}); in {above} of {len(own)} conditions "
        f"the whole interval lies above equal attention, in {below} below it."
    )


def _seen_in_layers(rows: pd.DataFrame) -> str:
    """Where confusion of a phenomenon is highest and lowest, in words."""
    own = _own(rows[(rows["layer"] != EVERY_LAYER) & rows["condition"].isin(list(EXAMPLES))])
    bits = own.groupby("layer")["confusion"].mean()
    return (
        f"Mean over conditions, attention is most confused in layer {bits.idxmax()} "
        f"({bits.max():.2f} bits) and least in layer {bits.idxmin()} ({bits.min():.2f}), counted "
        "from 0."
    )


def _seen_in_least(rows: pd.DataFrame) -> str:
    """The least confused head of all layers for a phenomenon, in words."""
    own = _own(rows[(rows["layer"] == EVERY_LAYER) & rows["condition"].isin(list(EXAMPLES))])
    return (
        f"Of all layers, head {own['best'].iloc[0]} is least confused on all sentences; chosen "
        f"held out, such a head has {own['confusion'].min():.2f} to {own['confusion'].max():.2f} "
        "bits, by condition."
    )


def _seen_in_heads(cells: pd.DataFrame) -> list[str]:
    """How many heads prefer the right candidate, in words, for each phenomenon."""
    said = []
    for phenomenon, own in _own(cells).groupby("phenomenon", sort=False):
        below = int((own["beyond_chance"] < 0).sum())
        said.append(
            f"For {phenomenon}, {below} of {len(own)} heads give the right candidate more than "
            "equal attention would."
        )
    return said


PAGE = Page(
    order=31,
    group="What heads know of language",
    title="Confusion by distractors",
    summary="Whether attention finds the subject of an auxiliary, the antecedent of a reflexive.",
    studies=("L2",),
    sections=sections,
)
