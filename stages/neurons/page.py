"""How heads compute their patterns (Vig 2019, part two)."""

import pandas as pd

from stages.core.pages.page import Page, Section, Table, heads_figure
from stages.core.verdicts.measures import Measures, of_first_corpus, studied

NEURONS = "neurons/{corpus}.parquet"
REMOVED = "neurons/{corpus}-removed.parquet"


def sections(measures: Measures) -> list[Section]:
    cells = measures.frame(NEURONS)
    own = studied(cells)
    shares = [name for name in own if name.startswith("share_") and name.count("_") == 1]
    panels = pd.concat(
        [
            own[["corpus", "layer", "head"]].assign(value=own[name], panel=label)
            for name, label in _labels(shares).items()
        ]
    )
    panels = panels.assign(panel=panels["corpus"] + ": " + panels["panel"])
    removed = measures.frame(REMOVED)
    changes = studied(removed)
    changes = changes.assign(
        panel=changes["corpus"] + ": " + changes["pattern"] + " without " + changes["removed"]
    )
    return [
        Section(
            "V3: how few neurons carry a head's scores",
            "The score of a query and a key is the sum over neurons of query x key. Taken for each "
            "token and the one it attends to most, above the mean over all keys. Shares are of the "
            "parts' absolute values; signs are constant (1) where each neuron's part has the same "
            "sign at every token.",
            (
                heads_figure(
                    "neurons-shares",
                    "Share of the largest neurons, and how constant signs are",
                    "Layer x head.",
                    panels,
                    "value",
                    "share",
                    panel="panel",
                    tooltip=["panel", "layer", "head", "value"],
                ),
                Table(
                    "neurons-heads",
                    "Every head",
                    "Means over tokens and texts with 95% intervals.",
                    cells,
                ),
            ),
        ),
        Section(
            "Without position or segment embeddings",
            "The mean embedding stands in for each position's (segment's) own. What is left of "
            "every pattern?",
            (
                heads_figure(
                    "neurons-removed",
                    "Change of strength",
                    "Layer x head for each pattern.",
                    changes,
                    "change",
                    "change of strength",
                    panel="panel",
                    tooltip=["panel", "layer", "head", "strength", "change"],
                    diverging=True,
                ),
                Table("neurons-removed", "Every head and pattern", "With 95% intervals.", removed),
            ),
        ),
    ]


def heads(measures: Measures) -> pd.DataFrame:
    """Share of the largest neurons and constancy of signs, on the first corpus."""
    own = of_first_corpus(measures.frame(NEURONS)).set_index(["layer", "head"])
    shares = [name for name in own if name.startswith("share_") and name.count("_") == 1]
    return own[list(_labels(shares))].rename(columns=_labels(shares))


def _labels(shares: list[str]) -> dict[str, str]:
    counts = sorted(int(name.removeprefix("share_")) for name in shares)
    chosen = [count for count in (1, 4) if count in counts] or counts[-1:]
    names = {f"share_{count}": f"{count} largest neurons" for count in chosen}
    return names | {"sign_consistency": "constant signs"}


PAGE = Page(
    order=30,
    title="Neurons",
    summary="How many neurons carry a head's scores, and what position and segment do.",
    studies=("V3",),
    sections=sections,
    heads=heads,
)
