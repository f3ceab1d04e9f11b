"""How heads compute their patterns (Vig 2019, part two)."""

import re

import numpy as np
import pandas as pd

from stages.core.pages.page import Page, Section, Table, heads_figure
from stages.core.pages.titles import PATTERN_TITLES
from stages.core.verdicts.measures import Measures, of_first_corpus, studied
from stages.neurons.said import (
    ASKED,
    of_largest,
    said_of_few,
    said_of_removed,
    said_of_shares,
    said_without,
)
from stages.neurons.tables import CHOSEN, NEURONS, REMOVED, SHARE, STRENGTH, WITHOUT


def sections(measures: Measures) -> list[Section]:
    return [
        _neurons(measures.frame(NEURONS)),
        _chosen(measures.frame(CHOSEN)),
        _removed(measures.frame(REMOVED)),
    ]


def in_short(measures: Measures) -> list[str]:
    """How few neurons carry a score, and what is left of patterns without embeddings."""
    chosen, neurons = measures.frame(CHOSEN), int(measures.frame(NEURONS)["neurons"].max())
    said = [said_of_few(chosen, neurons), *(said_without(chosen, removed) for removed in ASKED)]
    return [sentence for sentence in said if sentence]


def heads(measures: Measures) -> pd.DataFrame:
    """Share of the largest neurons and constancy of signs, on the first corpus."""
    own = of_first_corpus(measures.frame(NEURONS)).set_index(["layer", "head"])
    labels = labels_of(own)
    return own[list(labels)].rename(columns=labels)


def _neurons(cells: pd.DataFrame) -> Section:
    own = studied(cells)
    panels = pd.concat(
        [
            own[["corpus", "layer", "head"]].assign(value=own[name], panel=label)
            for name, label in labels_of(own).items()
        ]
    )
    panels = panels.assign(panel=panels["corpus"] + ": " + panels["panel"])
    return Section(
        "V3: how few neurons carry a head's scores",
        "The score of a query and a key is the sum over neurons of query x key. Taken for each "
        "token and the one it attends to most, above the mean over all keys. Shares are of the "
        "parts' absolute values; signs are constant (1) where each neuron's part has the same "
        "sign at every token.",
        (
            heads_figure(
                "neurons-shares",
                "Share of the largest neurons, and how constant signs are",
                "Layer x head, of the encoder: of the parts of a score the share of the largest "
                "ones, and how constant their signs are.",
                panels,
                "value",
                "share",
                panel="panel",
                abreast=len(labels_of(own)),
                tooltip=["panel", "layer", "head", "value"],
                finding=said_of_shares(cells, labels_of(cells)),
            ),
            Table(
                "neurons-heads",
                "Every head",
                "Means over tokens and texts with 95% intervals.",
                cells,
            ),
        ),
    )


def _chosen(rows: pd.DataFrame) -> Section:
    """The measures of the heads that stand for a pattern; of shares only those of `labels_of`."""
    shares = labels_of(pd.DataFrame(columns=rows["measure"].unique()))
    titles = {
        STRENGTH: "strength",
        f"{WITHOUT}_position": "strength without position",
        f"{WITHOUT}_segment": "strength without segment",
        **shares,
        "positive_within": "positive products within a segment",
        "positive_across": "positive products across segments",
        "sep_to_cls": "from [SEP] to [CLS]",
    }
    known = rows[rows["measure"].isin(list(titles))]
    table = known.assign(
        measure=known["measure"].map(titles), pattern=known["pattern"].map(PATTERN_TITLES)
    )
    columns = ["corpus", "encoder", "pattern", "measure", "value", "low", "high", "heads", "texts"]
    return Section(
        "V3: heads that follow a pattern, on texts that did not choose them",
        "The heads that follow each pattern most on one half of the texts (as many as "
        "the setting neurons.pattern_heads says), measured on the other half, mean over divisions "
        "into halves. Rows of random weights are of the same places. These heads need not follow "
        "their pattern far: 'strength' says how far. Positive products are of queries and keys of "
        "two words at the head's largest neurons (setting neurons.few_neurons), with their biases.",
        (
            Table(
                "neurons-chosen",
                "Heads of each pattern",
                "With 95% intervals of choice and measurement together, over groups of texts.",
                table[columns],
            ),
        ),
    )


def _removed(rows: pd.DataFrame) -> Section:
    changes = studied(rows)
    # What is left of a pattern without either embedding stands side by side.
    places = [pd.factorize(changes[name])[0] for name in ("removed", "pattern", "corpus")]
    changes = changes.iloc[np.lexsort(places)]
    changes = changes.assign(
        panel=changes["corpus"]
        + ": "
        + changes["pattern"].map(PATTERN_TITLES)
        + " without "
        + changes["removed"]
    )
    return Section(
        "Without position or segment embeddings",
        "The mean embedding stands in for each position's (segment's) own. What is left of "
        "every pattern?",
        (
            heads_figure(
                "neurons-removed",
                "Change of strength",
                "Layer x head for each pattern, of the encoder; below 0 the head follows the "
                "pattern less far without the embedding.",
                changes,
                "change",
                "change of strength",
                panel="panel",
                abreast=changes["removed"].nunique(),
                tooltip=["panel", "layer", "head", "strength", "change"],
                diverging=True,
                finding=said_of_removed(rows),
            ),
            Table(
                "neurons-removed",
                "Every head and pattern",
                "Strengths, and their changes, with 95% intervals.",
                rows.assign(pattern=rows["pattern"].map(PATTERN_TITLES)),
            ),
        ),
    )


def labels_of(rows: pd.DataFrame) -> dict[str, str]:
    """The columns to show, with what readers call them: two shares at most, and the signs."""
    shares = re.compile(rf"{SHARE}_(\d+)")
    counts = sorted(int(match[1]) for match in map(shares.fullmatch, rows) if match)
    chosen = [count for count in (1, 4) if count in counts] or counts[-1:]
    names = {f"{SHARE}_{count}": of_largest(count) for count in chosen}
    return names | {"sign_consistency": "constant signs"}


PAGE = Page(
    order=30,
    group="Where heads look",
    title="Neurons",
    summary="How many neurons carry a head's scores, and what position and segment do.",
    studies=("V3",),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
