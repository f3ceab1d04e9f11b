"""How much distractors confuse attention (Lin et al. 2019, section 4)."""

from functools import partial
from itertools import product

import pandas as pd

from stages.confusion.tables import CONDITIONS, EVERY_LAYER, HEADS, LEAST, MEAN, NAMES
from stages.core.pages.declared import Page, Section
from stages.core.pages.joined import joined
from stages.core.pages.kinds import Curves, Dots, Grid, HeadGrid
from stages.core.stimuli.store import AGREEMENT, REFLEXIVE
from stages.core.tables import Value, interval_of
from stages.core.verdicts.measures import Measures

# The conditions of the source, each with a sentence like theirs.
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
OTHERS = tuple(name for name in NAMES.values() if name not in EXAMPLES)
OF_LAYERS = CONDITIONS.where(condition=list(EXAMPLES)).without(layer=[EVERY_LAYER])
HEAD_TITLES = {MEAN: "mean over heads", LEAST: "least confused head, held out"}
FILES = {MEAN: "layers", LEAST: "least"}


def beyond_equal_attention(
    measures: Measures, heads: tuple[str, ...] = (MEAN, LEAST)
) -> pd.DataFrame:
    """One row a condition and kind of heads, over layers: confusion minus equal attention's."""
    rows = joined(measures, CONDITIONS.where(layer=EVERY_LAYER, heads=heads), "confusion")
    for column in ("confusion", *interval_of("confusion")):
        rows[column.replace("confusion", "beyond")] = rows[column] - rows["chance"]
    return rows.assign(example=rows["condition"].map(EXAMPLES).fillna(""))


PAGE = Page(
    title="Confusion by distractors",
    summary="Whether attention finds the subject of an auxiliary, the antecedent of a reflexive.",
    group="What heads know of language",
    order=31,
    studies=("L2",),
    content=(
        Section(
            "L2: confusion by condition",
            "An auxiliary attends to its subject and to other noun phrases, the distractors; a "
            "reflexive attends to its antecedent and to others. Confusion is minus the binary "
            "logarithm of the right candidate's share of this attention. Equal attention gives 1 "
            "bit with one distractor and 1.58 bits with two; the figures show confusion minus "
            "this. Above 0 distractors get more than their share. The source averages attention "
            "over heads; here confusion is averaged over layers as well. The least confused head "
            "is one head for all conditions of a phenomenon, selected on sentences with one half "
            "of the nouns and scored on those with the other half. Intervals resample nouns, not "
            "sentences. A modal shows no number, so an agreeing distractor says nothing there; "
            "the sentences below the figures do not count conditions with a modal.",
            (
                *(
                    Dots(
                        f"confusion-conditions{suffix}",
                        f"Confusion beyond equal attention: {HEAD_TITLES[heads]}",
                        partial(beyond_equal_attention, heads=(heads,)),
                        "beyond",
                        label=("condition",),
                        of=Value("confusion minus that of equal attention", "bits", "+.2f"),
                        uncounted=OTHERS,
                    )
                    for heads, suffix in ((MEAN, ""), (LEAST, "-least"))
                ),
                Grid(
                    "confusion-conditions",
                    "Every condition",
                    beyond_equal_attention,
                    caption="Bits, mean over layers. Each example stands for its condition; the "
                    "measured sentences are others. Agreeing auxiliaries show number, modals do "
                    "not. Distractors agree in the number of the subject or the gender of the "
                    "reflexive.",
                    columns=(
                        *("data", "arm", "phenomenon", "condition", "example", "auxiliary"),
                        *("distractors", "matching", "heads", "best", "confusion"),
                        *(*interval_of("confusion"), "chance", "sentences"),
                    ),
                    titles={
                        "matching": "distractors that agree",
                        "best": "least confused head on all sentences",
                        "chance": "confusion of equal attention",
                    },
                    height=40,
                ),
            ),
        ),
        Section(
            "L2: confusion by layer",
            "Conditions of agreement have an auxiliary that shows number. The least confused head "
            "is selected in each layer.",
            tuple(
                Curves(
                    f"confusion-{FILES[heads]}-{phenomenon}",
                    f"{phenomenon.capitalize()} by condition and layer: {HEAD_TITLES[heads]}",
                    OF_LAYERS.where(heads=heads, phenomenon=phenomenon),
                    "confusion",
                    line="condition",
                    panel=("data", "arm"),
                )
                for heads, phenomenon in product((MEAN, LEAST), (AGREEMENT, REFLEXIVE))
            ),
        ),
        Section(
            "L2: every head",
            "Mean over conditions, minus that of equal attention. Below 0 a head prefers the right "
            "candidate. The best of many heads looks good by chance, so claims use the held-out "
            "head.",
            (
                HeadGrid(
                    "confusion-heads",
                    "Confusion of every head beyond equal attention",
                    HEADS,
                    "beyond_chance",
                    panel=("phenomenon",),
                ),
                Grid("confusion-heads", "Every head", HEADS),
            ),
        ),
    ),
)
