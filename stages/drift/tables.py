"""Cosine of every head's maps before and after tuning (Kovaleva et al. 2019, section 4.3)."""

from stages.core.tables import Table, Value, count

# One row a fine-tuning, variant and head. `arm` is the model after tuning: `tuned` is compared with
# `untuned`, `tuned_from_random` (the control) with `random_weights`.
DRIFT = Table(
    "drift/cosines",
    keys="data seed arm variant layer head",
    values={
        "cosine": Value(
            "cosine of maps before and after tuning",
            bounds=(0, 1),  # no weight of a map is below 0
            interval=True,
            resampled=True,
        ),
        "examples": count("examples"),
    },
)
