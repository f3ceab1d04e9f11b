"""How an encoder that this project made itself came about: its curve, beside frequencies alone."""

import pandas as pd

from stages.core.intervals.groups import group_ratio
from stages.core.pages.charts import curves
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.pages.said import MOST_NAMES
from stages.core.verdicts.answers import some_rows
from stages.core.verdicts.measures import Measures
from stages.pretrain.tables import CURVE, FACTS, HEADS, KINDS, TEXTS

POINTS = 100  # points in a share of 1
RESAMPLES = 1000
# What a head gives its attention to, of `KINDS`, as the report says it.
PLACES = {
    "previous": "the token before",
    "next": "the token behind",
    "itself": "the token itself",
    "cls": "[CLS]",
    "sep": "[SEP]",
    "equal": "equal tokens of the other part, beyond chance",
}
READERS = {"encoder": ("loss", "right"), "frequencies": ("unigram_loss", "unigram_right")}


def sections(measures: Measures) -> list[Section]:
    curve, scored = measures.frame(CURVE), scores(some_rows(measures.frame(TEXTS)))
    figure = Figure(
        "pretrain-curve",
        "Loss on held-out text while the encoder was made",
        "Mean loss in nats on masked tokens of texts that were never learnt, against the tokens "
        "read so far, in millions. The level line is who knows how frequent tokens are and reads "
        "nothing.",
        curves(
            lines(curve, scored),
            "tokens",
            "millions of tokens",
            "loss, nats",
            group="reader",
            panel="encoder",
        ),
        finding=" ".join(
            curve_said(name, own)
            for name, own in lines(curve, scored).groupby("encoder", sort=False)
        ),
    )
    course = followed(some_rows(measures.frame(HEADS)))
    courses = Figure(
        "pretrain-heads",
        "How heads came about",
        "Mean share of the attention, in percent, that tokens of 100 held-out pairs give to a kind "
        "of place, against the tokens read so far, in millions: of every kind the one head that "
        "gives most to it at the end, which is chosen and shown on the same pairs. What stands at "
        "0 are random weights.",
        curves(
            course.assign(tokens=course["tokens"] / 1e6, low=course["value"], high=course["value"]),
            "tokens",
            "millions of tokens",
            "share of attention, %",
            group="to",
            panel="encoder",
        ),
        finding=" ".join(course_said(one) for one in by_encoder(course)),
    )
    return [
        Section(
            "How it was made",
            "A BERT made here from plain text by masked words alone, without a loss of the next "
            "sentence; the scores are of the weights as they are kept, halved in precision.",
            (
                figure,
                Table(
                    "pretrain-scores",
                    "Masked tokens of held-out text",
                    "Share of right answers (accuracy, points) and mean loss (nats) on as many "
                    "masked tokens of as many texts, with the 95% bootstrap interval over "
                    "texts: of the encoder and of its frequencies alone, which always name "
                    "the most frequent token.",
                    scored,
                ),
                Table(
                    "pretrain-curve",
                    "The curve",
                    "Each measurement while it was made: tokens read, which count padding, mean "
                    "loss in nats, and accuracy as a share.",
                    curve[["encoder", "step", "tokens", "loss", "accuracy"]],
                ),
                courses,
                Table(
                    "pretrain-heads",
                    "The heads that come to give most, from the first step to the last",
                    "Of every kind of place the head that gives most to it "
                    "when the encoder is finished, and its share in percent at each measurement.",
                    course,
                ),
                Table(
                    "pretrain-facts",
                    "What it was made of and with",
                    "Its text, its settings (section pretrain of params.yaml) and the libraries.",
                    measures.frame(FACTS)[["encoder", "what", "value"]],
                ),
            ),
        )
    ]


def in_short(measures: Measures) -> list[str]:
    """How each encoder stands beside frequencies alone."""
    scored = scores(some_rows(measures.frame(TEXTS)))
    return [said(str(name), own) for name, own in scored.groupby("made", sort=False)][:MOST_NAMES]


def scores(texts: pd.DataFrame) -> pd.DataFrame:
    """One row an encoder, reader and measure: value, low, high; masked tokens and texts."""
    rows = []
    for name, of_one in texts.groupby("encoder", sort=False):
        masked = of_one["masked"].to_numpy(dtype=float)
        groups = of_one["text"].to_numpy()
        for reader, (loss, right) in READERS.items():
            for what, column, factor in (("accuracy", right, POINTS), ("loss", loss, 1)):
                sums = factor * of_one[column].to_numpy(dtype=float)
                found = group_ratio(sums, masked, groups, RESAMPLES, 0)
                rows.append(
                    {
                        "made": name,
                        "reader": reader,
                        "measure": what,
                        "value": found.value,
                        "low": found.low,
                        "high": found.high,
                        "masked": int(masked.sum()),
                        "texts": len(of_one),
                    }
                )
    return pd.DataFrame(rows)


def said(name: str, scored: pd.DataFrame) -> str:
    """How an encoder stands beside frequencies alone, in words, by two separate intervals."""
    value = scored.set_index(["measure", "reader"])["value"]
    low = scored.set_index(["measure", "reader"])["low"]
    high = scored.set_index(["measure", "reader"])["high"]
    if high["loss", "encoder"] < low["loss", "frequencies"]:
        judged = "has left the plateau of frequent tokens"
    elif low["loss", "encoder"] > high["loss", "frequencies"]:
        judged = "knows less than how frequent tokens are"
    else:
        judged = "is not shown to have left the plateau of frequent tokens"
    return (
        f"{name} {judged}: {value['accuracy', 'encoder']:.1f}% of the masked tokens are "
        f"right, where the most frequent token would be right on "
        f"{value['accuracy', 'frequencies']:.1f}%; its loss is {value['loss', 'encoder']:.2f} "
        f"nats, that of frequencies {value['loss', 'frequencies']:.2f}."
    )


def lines(curve: pd.DataFrame, scored: pd.DataFrame) -> pd.DataFrame:
    """Points of the curve of each encoder, and of the level line of its baseline."""
    loss = scored[(scored["measure"] == "loss") & (scored["reader"] == "frequencies")]
    level = curve["encoder"].map(loss.set_index("made")["value"])
    one = curve.assign(reader=curve["encoder"], value=curve["loss"])
    other = curve.assign(reader=curve["encoder"] + ", frequencies alone", value=level)
    both = pd.concat([one, other], ignore_index=True)
    both["tokens"] = both["tokens"] / 1e6
    return both.assign(low=both["value"], high=both["value"])


def curve_said(name: str, drawn: pd.DataFrame) -> str:
    """From where to where the loss goes, and since when it is below that of frequencies.

    Args:
        drawn: as of `lines`, of one encoder.
    """
    own = drawn[drawn["reader"] == name].sort_values("tokens")
    level = drawn.loc[drawn["reader"] != name, "value"].iloc[0]
    first, last = own["value"].iloc[0], own["value"].iloc[-1]
    above = (own["value"] >= level).to_numpy()
    below = f"it is below the {level:.2f} of frequencies alone from"
    if above[-1]:
        said = f"it does not end below the {level:.2f} of frequencies alone"
    elif not above.any():
        said = f"{below} the first measurement on"
    else:
        since = own["tokens"].iloc[int(above.nonzero()[0][-1]) + 1]
        said = f"{below} {since:.1f} million tokens on"
    return f"{name}: the loss goes from {first:.2f} to {last:.2f} nats; {said}."


def followed(heads: pd.DataFrame) -> pd.DataFrame:
    """The head of each kind that gives most to it at the last step, at every measurement.

    Values are shares of attention in percent.
    """
    rows = []
    for name, of_one in heads.groupby("encoder", sort=False):
        last = of_one[of_one["step"] == of_one["step"].max()]
        for kind in KINDS:
            if last[kind].isna().all():
                continue
            best = last.loc[last[kind].idxmax()]
            own = of_one[(of_one["layer"] == best["layer"]) & (of_one["head"] == best["head"])]
            rows.append(
                own[["tokens", "layer", "head"]].assign(
                    encoder=name, to=PLACES[kind], value=POINTS * own[kind]
                )
            )
    course = pd.concat(rows, ignore_index=True)
    return course[["encoder", "to", "layer", "head", "tokens", "value"]]


def by_encoder(course: pd.DataFrame) -> list[pd.DataFrame]:
    """The rows of each encoder."""
    return [of_one for _, of_one in course.groupby("encoder", sort=False)]


def course_said(course: pd.DataFrame) -> str:
    """Where the heads of one encoder began and ended, and when they were half-way, in words."""
    said = []
    for to, own in course.groupby("to", sort=False):
        own = own.sort_values("tokens")
        first, last = own["value"].iloc[0], own["value"].iloc[-1]
        grown = own["value"] - first >= (last - first) / 2
        half = own["tokens"][grown].iloc[0] / 1e6
        when = f", half of it by {half:.1f} million tokens" if last > first else ""
        place = f"layer {own['layer'].iloc[0]}, head {own['head'].iloc[0]}"
        said.append(f"{to} ({place}): {first:.1f}% to {last:.1f}%{when}")
    return f"{course['encoder'].iloc[0]}: " + "; ".join(said) + "."


PAGE = Page(
    order=0,
    group="Models and tasks",
    title="Making the encoder",
    summary="The loss of an encoder that was made here, beside the frequencies of its tokens.",
    studies=(),
    sections=sections,
    in_short=in_short,
)
