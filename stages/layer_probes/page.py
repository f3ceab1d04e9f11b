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
from stages.layer_probes.said import (
    said_beside_control,
    said_of_best,
    said_of_fall,
    said_of_positions,
)
from stages.layer_probes.tables import CHANCE, EMBEDDINGS, FIRST, LAYER, SCORES, WORD_EMBEDDINGS

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
    rows = _named(measures.frame(SCORES))
    # The best layer is told of the encoder; of random weights alone there is none.
    own = studied(rows)
    of_place = rows["probe"] == NTH_TOKEN
    whose = [*rows["encoder"].unique(), *LEVELS.values()]
    found = [
        _structure(rows[~of_place], own[own["probe"] != NTH_TOKEN], whose),
        _positions(rows[of_place], own[own["probe"] == NTH_TOKEN], whose),
    ]
    if not any(section.items for section in found):
        raise NotMeasured("no set has sentences for probes")
    return [*(section for section in found if section.items), _all(rows)]


def _named(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with a column `panel`: what is found, on which sentences, of which set."""
    rows = rows.assign(panel=[_panel(*place) for place in rows[PLACE[1:]].itertuples(index=False)])
    if rows["set"].nunique() > 1:
        rows = rows.assign(panel=rows["set"] + ": " + rows["panel"])
    return rows


def in_short(measures: Measures) -> list[str]:
    """Of the first set: where structure and positions are read, beside random weights."""
    rows = _named(measures.frame(SCORES))
    rows = rows[rows["set"] == rows["set"].iloc[0]]
    own, control = studied(rows), rows[rows["encoder"] == RANDOM_WEIGHTS]
    said = []
    # Sentences with a structure that the probe was not trained on; the first part where none has.
    structure = own[own["probe"] != NTH_TOKEN]
    for _, of_probe in structure.groupby("probe", sort=False):
        other = of_probe[of_probe["part"] != TEST]
        panel = (of_probe if other.empty else other)["panel"].iloc[0]
        mine, beside = (part[part["panel"] == panel] for part in (own, control))
        said.append(said_beside_control(mine, beside))
    place = own["probe"] == NTH_TOKEN
    if place.any():
        said.append(said_of_positions(own[place], control[control["probe"] == NTH_TOKEN]))
    return said


def _panel(probe: str, position: int, part: str) -> str:
    return f"{TITLES[probe]} {position}" if position else f"{TITLES[probe]}: {TITLES[part]}"


def _structure(rows: pd.DataFrame, own: pd.DataFrame, whose: list[str]) -> Section:
    return Section(
        "L1: the main auxiliary and the subject's noun",
        "A probe is one linear scorer a layer, trained on the states of a frozen encoder: it gives "
        "each word of a sentence a score, and the likeliest one is its answer. Content words of "
        "training and test are kept apart where sentences were written here. Lin et al. ask "
        "whether a probe that was trained without a structure (a clause on the subject, a "
        "compound, a possessor) goes on by what a word is in the sentence or by what comes first. "
        "'the first one' is who names the first auxiliary, or the first noun. Layers count from "
        "0; what stands at -1 are the embeddings with position. Intervals draw lexical items.",
        _figure(
            "layer-probes-structure",
            "How often the main auxiliary and the subject's noun are found, by layer",
            rows,
            whose,
            " ".join(said_of_best(panel) for _, panel in own.groupby("panel", sort=False)),
        ),
    )


def _positions(rows: pd.DataFrame, own: pd.DataFrame, whose: list[str]) -> Section:
    return Section(
        "L1: the n-th word",
        "The same, of a word that is known by its position alone, counted from 1. 'words alone' "
        "reads the words' embeddings through the norm, without position and segment: what it "
        "finds, it finds because some words stand in some places.",
        _figure(
            "layer-probes-positions",
            "How often the n-th word is found, by layer",
            rows,
            whose,
            " ".join(said_of_fall(panel) for _, panel in own.groupby("panel", sort=False)),
        ),
    )


def _figure(
    name: str, title: str, rows: pd.DataFrame, whose: list[str], seen: str
) -> tuple[Figure, ...]:
    """The figure of some probes, none where they have no rows.

    Args:
        whose: all lines that the page has, so that each has one colour in both figures.
    """
    if rows.empty:
        return ()
    lines = curves(
        _points(rows),
        "place",
        "layer",
        "share of sentences",
        group="whose",
        panel="panel",
        of_page=whose,
    )
    caption = (
        "The share of sentences in which a probe finds its word, layer by layer, with 95% "
        "intervals: of the encoder and of random weights, beside what is found by words or "
        "places alone."
    )
    return (Figure(name, title, caption, lines, finding=seen),)


def _points(rows: pd.DataFrame) -> pd.DataFrame:
    """The lines of the figure: encoders by layer, and levels at both ends."""
    rows = rows.rename(columns={"accuracy": "value"})
    columns = ["panel", "whose", "place", "value", "low", "high"]
    by_layer = rows[rows["state"].isin([LAYER, EMBEDDINGS])]
    by_layer = by_layer.assign(place=by_layer["layer"], whose=by_layer["encoder"])
    levels = rows[rows["state"].isin(LEVELS) & (rows["encoder"] != RANDOM_WEIGHTS)]
    ends = [
        levels.assign(place=place, whose=levels["state"].map(LEVELS))
        for place in (BEFORE, int(rows["layer"].max()))
    ]
    return pd.concat([by_layer, *ends], ignore_index=True)[columns]


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
    in_short=in_short,
)
