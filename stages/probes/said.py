"""What the page says of its numbers; all are in percent of the words."""

import pandas as pd

from stages.core.pages.beside import Beside, each_corpus, first_corpus
from stages.core.pages.said import beside_control, compared, listed, measured, number
from stages.core.stage.tables import interval_names
from stages.core.verdicts.estimates import Estimate, difference_of
from stages.probes.tables import (
    ATTENTION,
    ATTENTION_AND_WORDS,
    DISTANCES_AND_WORDS,
    RIGHT_BRANCHING,
    SOUND,
)

PERCENT = 100
UAS = interval_names(value="uas")
# What a probe of the attention is held against, in words.
RIVALS = {
    ATTENTION: (RIGHT_BRANCHING, "taking the next word for it"),
    ATTENTION_AND_WORDS: (DISTANCES_AND_WORDS, "words and distances without attention"),
}
NAMES = {
    ATTENTION: "a probe of the attention of all heads",
    ATTENTION_AND_WORDS: "a probe of attention and words",
}


def said_of_first(rows: pd.DataFrame) -> list[str]:
    """What probes of the first corpus find, beside their rivals and random weights.

    Args:
        rows: of SCORES, with resamples.
    """
    found = first_corpus(_decisive(rows))
    said = [_against(found, probe) for probe in RIVALS]
    return [sentence for sentence in said if sentence]


def said_of_each(rows: pd.DataFrame) -> str:
    """The same of every corpus.

    Args:
        rows: of SCORES, with resamples.
    """
    said = [_against(one, probe) for one in each_corpus(_decisive(rows)) for probe in RIVALS]
    return " ".join(sentence for sentence in said if sentence)


def _decisive(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[~rows["punctuation"] & (rows["variant"] == SOUND)]


def _against(found: Beside, probe: str) -> str:
    """A sentence on a probe; "" where there is none of it."""
    own = _score(found.own, probe)
    if own is None:
        return ""
    rival, name = RIVALS[probe]
    others = []
    for other, called in (
        (_score(found.own, rival), name),
        (_score(found.control, probe), "the same with random weights"),
    ):
        if other is not None:
            gain = difference_of(own, other)
            value = number(other.value, ".1f")
            others.append(f"{compared(gain.low, gain.high)} {called} ({value}%)")
    behind = f": {listed(others)}" if others else ""
    alone = "" if len(found.control) else f"; {beside_control('')}"
    share = measured(own.value, own.low, own.high, ".1f", "percent")
    return (
        f"On {found.corpus}, {NAMES[probe]} finds the syntactic head of {share} of the words"
        f"{behind}{alone}."
    )


def _score(rows: pd.DataFrame, probe: str) -> Estimate | None:
    own = rows[rows["probe"] == probe].to_dict("records")
    return Estimate.of_row(own[0], UAS, 0).scaled(PERCENT) if own else None
