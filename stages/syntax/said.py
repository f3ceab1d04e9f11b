"""What the page says of its numbers: best heads beside the best offset and random weights."""

from collections import Counter
from typing import Any

import pandas as pd

from stages.core.pages.beside import Beside, each_corpus, first_corpus
from stages.core.pages.said import (
    ABOVE,
    beside_control,
    compared,
    counted,
    extreme,
    head_name,
    interval,
    listed,
    measured,
    number,
    sides,
    some_of,
    tally,
)
from stages.core.pages.titles import relation_in_words
from stages.syntax.tables import ALL_LAYERS, ALL_RELATIONS, ALL_WORDS, POSSESSIVE_CLITIC

# What is no relation by itself: all of them together, and possessors counted another way.
TOGETHER = (ALL_RELATIONS, ALL_WORDS, POSSESSIVE_CLITIC)
PERCENT = 100


def said_in_short(rows: pd.DataFrame, published: tuple[float, float]) -> list[str]:
    """The first corpus in three sentences: how many relations, the clearest, and all words.

    Args:
        rows: as BEST.
        published: of all words the accuracy of the head and of the offset, in percent.
    """
    found = first_corpus(_of_all_layers(rows))
    return [_counted(found), _clearest(found), *_all_words(found, published)]


def said_of_relations(rows: pd.DataFrame) -> str:
    """The same of every corpus, without all words.

    Args:
        rows: as BEST.
    """
    found = each_corpus(_of_all_layers(rows))
    return " ".join(f"{_counted(one)} {_clearest(one)}" for one in found)


def _of_all_layers(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["within"] == ALL_LAYERS]


def _counted(found: Beside) -> str:
    control = _tally(found.control) if len(found.control) else ""
    return (
        f"On {found.corpus}, held out, the best head of a relation is {_tally(found.own)}; "
        f"{beside_control(control)}."
    )


def _tally(rows: pd.DataFrame) -> str:
    own = rows[~rows["relation"].isin(TOGETHER)]
    found = sides(own, low="gain_low", high="gain_high")
    return tally(found, "relation", ("above", "below"), bound="the best fixed offset")


def _clearest(found: Beside) -> str:
    """The relation on which a head gains most, of those where a gain is shown."""
    own = found.own[~found.own["relation"].isin(TOGETHER)]
    shown = own[sides(own, low="gain_low", high="gain_high") == ABOVE]
    if shown.empty:
        return "No head is shown to be above the best fixed offset."
    row = shown.loc[shown["gain_value"].idxmax()]
    control = found.control[found.control["relation"] == row["relation"]]
    with_random = number(control["value"].iloc[0], ".1%") if len(control) else ""
    gain = PERCENT * row[["gain_value", "gain_low", "gain_high"]].astype(float)
    return (
        f"The largest gain is that of {relation_in_words(row['relation'])}: "
        f"{measured(*row[['value', 'low', 'high']], '.1%')} of its words, where the offset finds "
        f"{number(row['rival_value'], '.1%')} ({number(gain.iloc[0], '+.1f')} points "
        f"{interval(*gain.iloc[1:], '.1f')}; {beside_control(with_random)})."
    )


def _all_words(found: Beside, published: tuple[float, float]) -> list[str]:
    """Whether one head finds the syntactic head of all words, beside what the source prints."""
    own = found.own[found.own["relation"] == ALL_WORDS].to_dict("records")
    if not own:
        return []
    (row,) = own
    head, offset = published
    return [
        f"Of all words, roots and punctuation among them, the best head finds "
        f"{number(row['value'], '.1%')}, {compared(row['gain_low'], row['gain_high'])} the "
        f"{number(row['rival_value'], '.1%')} of the best offset; Clark et al. print {head:.1f}% "
        f"and {offset:.1f}%, of BERT-base on English news."
    ]


def said_of_layers(points: pd.DataFrame) -> str:
    """In which layer the best head of each relation is most accurate, corpus by corpus.

    Args:
        points: rows of BEST within single layers, with their number as `place`.
    """
    said = []
    for found in each_corpus(points):
        best: dict[Any, list[str]] = {}
        relations = found.own[~found.own["relation"].isin(TOGETHER)]
        for relation, own in relations.groupby("relation", sort=False):
            names, _ = extreme(own.set_index("place")["value"], ".1%")
            if names:
                best.setdefault(tuple(names), []).append(str(relation))
        parts = [
            f"{some_of(layers, 'layer')} ({_listed_few(relations)})"
            for layers, relations in sorted(best.items())
        ]
        if parts:
            said.append(f"On {found.corpus}, accuracy is highest in {', '.join(parts)}.")
    return " ".join(said)


def said_of_heads(cells: pd.DataFrame) -> str:
    """Which head is the most accurate for most relations, corpus by corpus.

    Args:
        cells: as HEADS, of the encoder alone.
    """
    said = []
    for corpus, own in cells.groupby("corpus", sort=False):
        best: Counter[tuple[int, int]] = Counter()
        ties = 0
        for _, of_one in own.groupby("relation", sort=False):
            names, _ = extreme(of_one.set_index(["layer", "head"])["accuracy"], ".1%")
            if len(names) == 1:
                best[names[0]] += 1
            ties += len(names) > 1
        parts = []
        if best:
            most = max(best.values())
            leading = [head_name(*head) for head, count in best.items() if count == most]
            of_them = listed(leading) if len(leading) <= 3 else f"{len(leading)} heads"
            parts.append(
                f"{counted(len(best), 'head')} of {len(own.groupby(['layer', 'head']))} "
                f"{'is' if len(best) == 1 else 'are'} the most accurate for some relation, "
                f"{of_them} for {counted(most, 'relation')}{' each' * (len(leading) > 1)}"
            )
        if ties:
            parts.append(f"for {counted(ties, 'relation')} several heads are alike")
        if parts:
            said.append(f"On {corpus}, {'; '.join(parts)}.")
    return " ".join(said)


def _listed_few(names: list[str]) -> str:
    return listed(names) if len(names) <= 6 else f"{len(names)} relations"
