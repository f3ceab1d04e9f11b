"""The making of an encoder by masked language modelling, beside a unigram baseline."""

import pandas as pd

from stages.core.intervals.groups import group_ratio
from stages.core.pages.declared import Page, Section
from stages.core.pages.kinds import Curves, Dots, Grid
from stages.core.tables import Value, estimate_columns
from stages.core.verdicts.measures import Measures
from stages.pretrain.tables import CURVE, FACTS, HEADS, KINDS, LOSS, SHARE, TEXTS

RESAMPLES = 1000
UNIGRAM = "unigram baseline"
SCORES = {
    "loss": Value("mean loss of masked tokens", **LOSS, interval=True),
    "unigram_loss": Value("mean loss of the unigram baseline", **LOSS, interval=True),
    "difference": Value("encoder minus unigram baseline", "nats", "+.2f", interval=True),
    "accuracy": Value("accuracy on masked tokens", **SHARE, interval=True),
    "unigram_accuracy": Value("accuracy of the unigram baseline", **SHARE, interval=True),
}
TO_KIND = Value("share of attention", **SHARE)


def unigram_comparison(measures: Measures) -> pd.DataFrame:
    """One row an encoder: the values of `SCORES` with intervals over texts; counts."""
    rows = []
    for encoder, texts in measures.rows(TEXTS).groupby("data", sort=False):
        sums = {
            "loss": texts["loss"],
            "unigram_loss": texts["unigram_loss"],
            "difference": texts["loss"] - texts["unigram_loss"],
            "accuracy": texts["right"],
            "unigram_accuracy": texts["unigram_right"],
        }
        row = {"data": encoder, "masked": int(texts["masked"].sum()), "texts": len(texts)}
        for column, values in sums.items():
            mean = group_ratio(
                values.to_numpy(dtype=float),
                texts["masked"].to_numpy(dtype=float),
                texts["text"].to_numpy(),
                RESAMPLES,
                0,
            )
            row |= estimate_columns(column, mean.value, mean.low, mean.high)
        rows.append(row)
    return pd.DataFrame(rows)


def curve_and_level(measures: Measures) -> pd.DataFrame:
    """The points of `CURVE`, and the loss of the unigram baseline at every step.

    Returns:
        Columns `data`, `reader`, `step` and `loss`.
    """
    curve = measures.rows(CURVE).assign(reader="encoder")
    levels = unigram_comparison(measures).set_index("data")["unigram_loss"]
    level = curve.assign(reader=UNIGRAM, loss=curve["data"].map(levels))
    return pd.concat([curve, level], ignore_index=True)[["data", "reader", "step", "loss"]]


def head_courses(measures: Measures) -> pd.DataFrame:
    """The head that gives most to each kind at the last step, at every measurement.

    Returns:
        Columns `data`, `kind` (in words), `layer`, `head`, `step`, `tokens` and `share`.
    """
    tables = []
    for _, heads in measures.rows(HEADS).groupby("data", sort=False):
        last = heads[heads["step"] == heads["step"].max()]
        for kind in KINDS:
            if last[kind].isna().all():
                continue
            best = last.loc[last[kind].idxmax()]
            course = heads[(heads["layer"] == best["layer"]) & (heads["head"] == best["head"])]
            tables.append(course.assign(kind=HEADS.values[kind].title, share=course[kind]))
    columns = ["data", "kind", "layer", "head", "step", "tokens", "share"]
    return pd.concat(tables, ignore_index=True)[columns]


PAGE = Page(
    title="Making the encoder",
    summary="The loss of an encoder that was made here, beside a unigram baseline.",
    group="Models and tasks",
    order=0,
    studies=(),
    content=(
        Section(
            "How it was made",
            "A BERT made here from plain text by masked words alone, without a loss of the next "
            "sentence. The unigram baseline knows the frequencies of tokens and reads nothing. "
            "Losses are of text that the encoder did not learn. Scores are of the weights in half "
            "precision, as they are stored.",
            (
                Curves(
                    "pretrain-curve",
                    "Loss on held-out text during training",
                    curve_and_level,
                    "loss",
                    of=CURVE.values["loss"],
                    x="step",
                    x_title="step",
                    line="reader",
                    levels=(UNIGRAM,),
                ),
                Dots(
                    "pretrain-scores",
                    "Loss beside the unigram baseline",
                    unigram_comparison,
                    "loss",
                    "Intervals resample texts.",
                    of=SCORES["loss"],
                    rival="unigram_loss",
                    rival_title=UNIGRAM,
                    gain="difference",
                ),
                Grid(
                    "pretrain-scores",
                    "Masked tokens of held-out text",
                    unigram_comparison,
                    caption="The unigram baseline always names the most frequent token.",
                    values=SCORES,
                ),
                Grid("pretrain-curve", "Every measurement", CURVE),
                Curves(
                    "pretrain-heads",
                    "How heads came about",
                    head_courses,
                    "share",
                    "The head that gives most to a kind of token at the end, selected and shown on "
                    "the same 100 held-out pairs. Step 0 has random weights.",
                    of=TO_KIND,
                    x="step",
                    x_title="step",
                    line="kind",
                ),
                Grid(
                    "pretrain-heads",
                    "The heads that give most at the end",
                    head_courses,
                    values=HEADS.values | {"share": TO_KIND},
                ),
                Grid("pretrain-facts", "Text, settings and libraries", FACTS),
            ),
        ),
    ),
)
