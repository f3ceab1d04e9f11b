"""What each layer knows of a word's place in the sentence (Lin, Tan, Frank 2019, section 3)."""

import pandas as pd

from stages.core.pages.charts import curves
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.stage.arms import RANDOM_WEIGHTS
from stages.core.stimuli.store import (
    COMPOUND,
    MAIN_AUXILIARY,
    NTH_TOKEN,
    POSSESSIVE,
    RELATIVE,
    SUBJECT_NOUN,
    TEST,
)
from stages.core.verdicts.measures import Measures, NotMeasured, studied
from stages.layer_probes.tables import CHANCE, EMBEDDINGS, FIRST, LAYER, SCORES, WORD_EMBEDDINGS

PERCENT = 100
BEFORE = -1  # where the embeddings stand in a figure
TITLES = {
    MAIN_AUXILIARY: "main auxiliary",
    SUBJECT_NOUN: "subject noun",
    NTH_TOKEN: "word",
    TEST: "sentences like those learnt on",
    RELATIVE: "relative clause on the subject",
    COMPOUND: "compound",
    POSSESSIVE: "possessor",
}
# Lines that are the same at every layer, with what readers call them.
LEVELS = {WORD_EMBEDDINGS: "words alone", FIRST: "the first one", CHANCE: "any word"}
PLACE = ["set", "probe", "position", "part"]


def sections(measures: Measures) -> list[Section]:
    rows = measures.frame(SCORES)
    rows = rows.assign(panel=[_panel(*place) for place in rows[PLACE[1:]].itertuples(index=False)])
    if rows["set"].nunique() > 1:
        rows = rows.assign(panel=rows["set"] + ": " + rows["panel"])
    # The best layer is told of the encoder; of random weights alone there is none.
    own = studied(rows)
    of_place = rows["probe"] == NTH_TOKEN
    found = [
        _structure(rows[~of_place], own[own["probe"] != NTH_TOKEN]),
        _positions(rows[of_place], own[own["probe"] == NTH_TOKEN]),
    ]
    if not any(section.items for section in found):
        raise NotMeasured("no set has sentences for probes")
    return [*(section for section in found if section.items), _all(rows)]


def _panel(probe: str, position: int, part: str) -> str:
    return f"{TITLES[probe]} {position}" if position else f"{TITLES[probe]}: {TITLES[part]}"


def _structure(rows: pd.DataFrame, own: pd.DataFrame) -> Section:
    return _section(
        "L1: the main auxiliary and the subject's noun",
        "A probe is one linear scorer a layer, trained on the states of a frozen encoder: it gives "
        "each word of a sentence a score, and the likeliest one is its answer. Content words of "
        "training and test are kept apart where sentences were written here. Lin et al. ask "
        "whether a probe that was trained without a structure (a clause on the subject, a "
        "compound, a possessor) goes on by what a word is in the sentence or by what comes first. "
        "'the first one' is who names the first auxiliary, or the first noun. Layers count from "
        "0; what stands at -1 are the embeddings with position. Intervals draw lexical items.",
        "layer-probes-structure",
        rows,
        " ".join(_best_sentence(panel) for _, panel in own.groupby("panel", sort=False)),
    )


def _positions(rows: pd.DataFrame, own: pd.DataFrame) -> Section:
    return _section(
        "L1: the n-th word",
        "The same, of a word that is known by its position alone, counted from 1. 'words alone' "
        "reads the words' embeddings through the norm, without position and segment: what it "
        "finds, it finds because some words stand in some places.",
        "layer-probes-positions",
        rows,
        " ".join(_fall_sentence(panel) for _, panel in own.groupby("panel", sort=False)),
    )


def _section(title: str, text: str, name: str, rows: pd.DataFrame, seen: str) -> Section:
    if rows.empty:
        return Section(title, text, ())
    return Section(
        title,
        text,
        (
            Figure(
                name,
                "Accuracy by layer",
                f"With 95% intervals. {seen}",
                curves(
                    _points(rows),
                    "place",
                    "layer",
                    "share of sentences",
                    group="of",
                    panel="panel",
                ),
            ),
        ),
    )


def _points(rows: pd.DataFrame) -> pd.DataFrame:
    """The lines of the figure: encoders by layer, and levels at both ends."""
    rows = rows.rename(columns={"accuracy": "value"})
    columns = ["panel", "of", "place", "value", "low", "high"]
    by_layer = rows[rows["state"].isin([LAYER, EMBEDDINGS])]
    by_layer = by_layer.assign(place=by_layer["layer"], of=by_layer["encoder"])
    levels = rows[rows["state"].isin(LEVELS) & (rows["encoder"] != RANDOM_WEIGHTS)]
    ends = [
        levels.assign(place=place, of=levels["state"].map(LEVELS))
        for place in (BEFORE, int(rows["layer"].max()))
    ]
    return pd.concat([by_layer, *ends], ignore_index=True)[columns]


def _best_sentence(rows: pd.DataFrame) -> str:
    """What is seen in a panel: the best layer, and whether it is beyond who names the first one."""
    best = _best(rows)
    said = f"{_name(rows)}: {_where(rows)} ({_percent(best)}"
    first = rows[rows["state"] == FIRST]
    if first.empty:
        return said + ")."
    (row,) = first.to_dict("records")
    if best["low"] > row["high"]:
        side = "above"
    else:
        side = "below" if best["high"] < row["low"] else "not told apart from"
    return f"{said}), {side} the first one ({_percent(row)})."


def _fall_sentence(rows: pd.DataFrame) -> str:
    """What is seen in a panel: the best layer, and what is left in the highest."""
    best, layers = _best(rows), rows[rows["state"] == LAYER]
    top = layers.loc[layers["layer"].idxmax()]
    return f"{_name(rows)}: {_where(rows)} ({_percent(best)}), {_percent(top)} in the highest."


def _best(rows: pd.DataFrame) -> pd.Series:
    """The row of the layer with the highest accuracy, the lowest of several."""
    layers = rows[rows["state"] == LAYER]
    return layers.loc[layers["accuracy"].idxmax()]


def _where(rows: pd.DataFrame) -> str:
    """The layers that are best, in words; where several are alike, none of them stands out."""
    layers = rows[rows["state"] == LAYER]
    alike = sorted(layers.loc[layers["accuracy"] == layers["accuracy"].max(), "layer"])
    if len(alike) == 1:
        return f"best in layer {alike[0]}"
    if len(alike) == len(layers):
        return "alike in every layer"
    return f"best in layers {', '.join(map(str, alike[:-1]))} and {alike[-1]} alike"


def _name(rows: pd.DataFrame) -> str:
    name = str(rows["panel"].iloc[0])
    return name[0].upper() + name[1:]


def _percent(row: pd.Series | dict) -> str:
    return f"{PERCENT * row['accuracy']:.0f}%"


def _all(rows: pd.DataFrame) -> Section:
    return Section(
        "Every probe",
        "All of the above as numbers. 'position' is n of the n-th word, 0 of other probes; 'part' "
        "are the sentences tested on. Where 'state' is no layer (embeddings with position, words "
        "alone, who names the first one, any word), 'layer' is -1. A probe that is "
        "right as often at all layers of an encoder of random weights reads what the embeddings "
        "have: word and position.",
        (
            Table(
                "layer-probes",
                "Accuracy of every probe",
                "Shares of sentences with 95% intervals; 'items' are the lexical items that these "
                "draw.",
                rows[["set", *SCORES.columns]],
            ),
        ),
    )


PAGE = Page(
    order=10,
    group="What heads know of language",
    title="Layer probes",
    summary="In which layers a word's role and its position can be read, by linear probes.",
    studies=("L1",),
    sections=sections,
)
