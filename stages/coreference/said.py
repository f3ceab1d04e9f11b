"""What the numbers of heads that find antecedents say, in sentences that follow by rules."""

import pandas as pd

from stages.core.pages.beside import each_corpus
from stages.core.pages.said import ABOVE, BELOW, NOT_SHOWN, listed, number, side, top_heads
from stages.coreference.tables import ALL_KINDS

RIVALS = {
    "nearest": "the nearest mention",
    "head match": "the nearest with the same head word",
    "rules": "the sieve of rules",
}
WORDS = {ABOVE: "more than", BELOW: "less than", NOT_SHOWN: "not shown to differ from"}


def without_doubles(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows without those of all mentions where one kind has them all: they say the same twice.

    Args:
        rows: with corpus, encoder, kind and cases.
    """
    kinds = rows[rows["kind"] != ALL_KINDS]
    whole = kinds.groupby(["corpus", "encoder"])["cases"].max()
    places = zip(rows["corpus"], rows["encoder"], strict=True)
    largest = pd.Series([whole.get(place, -1) for place in places], index=rows.index)
    return rows[(rows["kind"] != ALL_KINDS) | (rows["cases"] != largest)]


def said_of_best(rows: pd.DataFrame) -> list[str]:
    """For each corpus a sentence on the best head for all mentions, beside rules and the control.

    Args:
        rows: one row a kind and rival, as the stage writes them.
    """
    said = []
    for corpus in each_corpus(rows[rows["kind"] == ALL_KINDS]):
        own = corpus.own.to_dict("records")
        control = corpus.control["value"]
        beside = f" (random weights: {number(control.iloc[0], '.1%')})" if len(control) else ""
        parts = []
        for place, words in WORDS.items():
            rivals = [
                f"{RIVALS.get(row['rival'], row['rival'])} ({number(row['rival_value'], '.1%')})"
                for row in own
                if side(row["gain_low"], row["gain_high"]) == place
            ]
            if rivals:
                parts.append(f"{words} {listed(rivals)}")
        said.append(
            f"{corpus.corpus}: the best head, chosen held out, finds "
            f"{number(own[0]['value'], '.1%')} of the antecedents{beside}, {listed(parts)}."
        )
    return said


def said_of_heads(cells: pd.DataFrame) -> str:
    """The head that finds most antecedents of each kind, on all texts, beside random weights."""
    parts = []
    for corpus in each_corpus(cells):
        for kind, own in corpus.own.groupby("kind", sort=False):
            control = corpus.control[corpus.control["kind"] == kind]
            beside = f"; random weights: {number(control['accuracy'].max(), '.2f')}"
            parts.append(
                f"{corpus.corpus}, {kind} mentions: {top_heads(own, 'accuracy', '.2f')}"
                f"{beside if len(control) else ''}"
            )
    return f"Best on the texts that chose it: {'. '.join(parts)}." if parts else ""
