"""What the stage `drift` writes beside the heads' cosines (`stages.core.maps.tables`)."""

from stages.core.stage.tables import MeasuredTable

# One row a seed, variant and example: how much its maps change in the last layers, and before them.
CONTRASTS = MeasuredTable(
    "drift/{task}-contrast", ("id", "last", "earlier", "contrast", "variant", "seed")
)
