"""How fine-tuning changes the maps (Kovaleva et al. 2019, section 4.3, Figure 5)."""

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.kinds import Curves, Grid, HeadGrid
from stages.drift.tables import DRIFT

VARIANTS = {
    "cropped": "Padding is cut off before the maps are compared.",
    "padded": "Padding stays in the maps, as in the original. It adds rows that say little about "
    "the input.",
}
HOW = "Cosine between the maps before and after tuning; 1 means no change."

PAGE = Page(
    title="Change of maps by tuning",
    summary="Which heads and layers attend differently after fine-tuning.",
    group="What tuning does",
    order=5,
    studies=("K5",),
    content=tuple(
        Section(
            f"K5: maps before and after tuning, {variant}",
            f"{HOW} {text}",
            (
                HeadGrid(f"drift-{variant}", "Every head", DRIFT.where(variant=variant), "cosine"),
                Curves(f"drift-{variant}-layers", "Layers", DRIFT.where(variant=variant), "cosine"),
                Grid(f"drift-{variant}", "Every fine-tuning", DRIFT.where(variant=variant)),
            ),
        )
        for variant, text in VARIANTS.items()
    ),
    head_columns=(
        HeadColumn("cosine before/after tuning", DRIFT.where(variant="cropped"), "cosine"),
    ),
)
