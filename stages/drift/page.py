"""How fine-tuning changes the maps (Kovaleva et al. 2019, section 4.3, Figure 5)."""

import pandas as pd

from stages.core.maps.tables import TUNED_HEADS
from stages.core.pages.page import Page, Section, Table
from stages.core.pages.shared_figures import cosines_over_seeds, similarity_figure
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures, of_arm
from stages.drift.said import said_of_heads, said_of_last_layers, said_of_layers

VARIANTS = {
    "cropped": "The padding is cut off before the maps are compared.",
    "padded": "The padding stays in the maps, as in the original: it adds rows that say little "
    "about the input.",
}


def sections(measures: Measures) -> list[Section]:
    cosines, control = of_arm(measures.frame(TUNED_HEADS), TUNED), _control(measures)
    return [
        # The control's maps are compared without padding alone.
        _section(
            cosines[cosines["variant"] == variant],
            variant,
            text,
            control if variant == "cropped" else None,
        )
        for variant, text in VARIANTS.items()
        if (cosines["variant"] == variant).any()
    ]


def in_short(measures: Measures) -> list[str]:
    cosines = of_arm(measures.frame(TUNED_HEADS), TUNED)
    cells = cosines_over_seeds(cosines[cosines["variant"] == cosines["variant"].iloc[0]])
    control = _control(measures) if cosines["variant"].iloc[0] == "cropped" else None
    said = [said_of_last_layers(cells, control), said_of_heads(cells, control)]
    if cells["task"].nunique() == 1:
        said += said_of_layers(cells, control)
    return [sentence for sentence in said if sentence]


def _control(measures: Measures) -> pd.DataFrame | None:
    """The cosines of the encoder that was tuned from random weights, where there are any."""
    try:
        return cosines_over_seeds(of_arm(measures.frame(TUNED_HEADS), TUNED_FROM_RANDOM))
    except NotMeasured:
        return None


def heads(measures: Measures) -> pd.DataFrame:
    """Cosine of each head's maps before and after tuning, mean over the tasks."""
    cosines = of_arm(measures.frame(TUNED_HEADS), TUNED)
    cosines = cosines_over_seeds(cosines[cosines["variant"] == "cropped"])
    mean = cosines.groupby(["layer", "head"])["cosine"].mean()
    return mean.rename("cosine before/after tuning").to_frame()


def _section(rows: pd.DataFrame, variant: str, text: str, control: pd.DataFrame | None) -> Section:
    name = f"drift-{variant}"
    table = rows[["task", "seed", "layer", "head", "cosine", "low", "high", "count"]]
    cells = cosines_over_seeds(rows)
    layers = cells.groupby(["task", "layer"], sort=False)["cosine"].mean().reset_index()
    return Section(
        f"K5: maps before and after tuning, {variant}",
        "Cosine between each head's flattened attention maps in the untuned and the tuned "
        f"encoder, mean over the validation examples; 1 is no change. {text} Of a task that was "
        "tuned with several seeds the figure shows their mean, with an interval over examples and "
        "seeds.",
        (
            similarity_figure(
                name,
                f"Similarity of maps before and after tuning ({variant})",
                cells,
                finding=" ".join([*said_of_layers(cells, control), said_of_heads(cells, control)]),
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
    in_short=in_short,
)
