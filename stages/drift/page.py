"""How fine-tuning changes the maps (Kovaleva et al. 2019, section 4.3, Figure 5)."""

import pandas as pd

from stages.core.maps.tables import TUNED_HEADS
from stages.core.pages.page import Page, Section, Table
from stages.core.pages.shared_figures import similarity_figure
from stages.core.verdicts.estimates import rows_over_seeds
from stages.core.verdicts.measures import Measures

VARIANTS = {
    "cropped": "The padding is cut off before the maps are compared.",
    "padded": "The padding stays in the maps, as in the original: it adds rows that say little "
    "about the input.",
}


def sections(measures: Measures) -> list[Section]:
    cosines = measures.frame(TUNED_HEADS)
    return [
        _section(cosines[cosines["variant"] == variant], variant, text)
        for variant, text in VARIANTS.items()
        if (cosines["variant"] == variant).any()
    ]


def heads(measures: Measures) -> pd.DataFrame:
    """Cosine of each head's maps before and after tuning, mean over the tasks."""
    cosines = measures.frame(TUNED_HEADS)
    cosines = _over_seeds(cosines[cosines["variant"] == "cropped"])
    mean = cosines.groupby(["layer", "head"])["cosine"].mean()
    return mean.rename("cosine before/after tuning").to_frame()


def _over_seeds(cells: pd.DataFrame) -> pd.DataFrame:
    return rows_over_seeds(cells, ["task", "layer", "head"], [("cosine", "low", "high")])


def _section(rows: pd.DataFrame, variant: str, text: str) -> Section:
    name = f"drift-{variant}"
    table = rows[["task", "seed", "layer", "head", "cosine", "low", "high", "count"]]
    cells = _over_seeds(rows)
    layers = cells.groupby(["task", "layer"], sort=False)["cosine"].mean().reset_index()
    return Section(
        f"K5: maps before and after tuning, {variant}",
        "Cosine between each head's flattened attention maps in the untuned and the tuned "
        f"encoder, mean over the validation examples; 1 is no change. {text} Of a task that was "
        "tuned with several seeds the figure shows their mean, with an interval over examples and "
        "seeds.",
        (
            similarity_figure(
                name, f"Similarity of maps before and after tuning ({variant})", cells
            ),
            Table(
                f"{name}-layers",
                "Mean of each layer",
                "Mean cosine over the layer's heads.",
                layers.pivot(index="task", columns="layer", values="cosine")
                .loc[layers["task"].unique()]
                .add_prefix("layer ")
                .reset_index(),
            ),
            Table(name, "Every head", "Mean cosine with its 95% interval over examples.", table),
        ),
    )


PAGE = Page(
    order=5,
    group="What tuning does",
    title="Change of maps by tuning",
    summary="Which heads and layers attend differently after fine-tuning.",
    studies=("K5",),
    sections=sections,
    heads=heads,
)
