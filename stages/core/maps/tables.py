"""Tables of how alike each head's maps are before and after tuning, which two rooms write."""

from stages.core.stage.tables import MeasuredTable, interval_names

# One row a head (`stages.core.maps.similarity.cosines_by_head`).
OF_HEADS = ("layer", "head", *interval_names(value="cosine"), "count")

# Of the tuned encoder, one row a seed, variant and head.
TUNED_HEADS = MeasuredTable("drift/{task}", (*OF_HEADS, "variant", "seed"), resampled=("cosine",))
# The same of the encoder that began at random, padding cropped, which the stage `control` writes.
RANDOM_HEADS = MeasuredTable("control/{task}-drift", (*OF_HEADS, "seed"), resampled=("cosine",))
