"""The table of how alike each head's maps are before and after tuning."""

from stages.core.stage.tables import MeasuredTable, interval_names

# One row a head (`stages.core.maps.similarity.cosines_by_head`).
OF_HEADS = ("layer", "head", *interval_names(value="cosine"), "count")

# One row a seed, arm, variant and head. The arm is the model after tuning: `tuned` is compared with
# `untuned`, and `tuned_from_random`, cropped alone, with `random_weights`.
TUNED_HEADS = MeasuredTable(
    "drift/{task}", (*OF_HEADS, "variant", "arm", "seed"), resampled=("cosine",)
)
