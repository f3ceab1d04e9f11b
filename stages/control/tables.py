"""What the stage `control` writes: of the encoder that began at random, as of the tuned one."""

from stages.core.maps.tables import OF_HEADS
from stages.core.outcomes.tables import (
    EFFECTS,
    HELD_OUT_EFFECTS,
    OF_CURVES,
    OF_GAPS,
    OF_GATES,
    OF_HELD_OUT,
    OF_MEANS,
)
from stages.core.stage.tables import MeasuredTable

# As the tables of the same names in stages/core/outcomes/tables.py.
GATES = MeasuredTable("control/{task}-{seed}", OF_GATES, resampled=EFFECTS)
MEANS = MeasuredTable("control/{task}-{seed}-means", OF_MEANS, resampled=EFFECTS)
HELD_OUT = MeasuredTable("control/{task}-{seed}-heldout", OF_HELD_OUT, resampled=HELD_OUT_EFFECTS)
CURVES = MeasuredTable("control/{task}-{seed}-curves", OF_CURVES, resampled=EFFECTS)
GAPS = MeasuredTable("control/{task}-{seed}-gaps", OF_GAPS, resampled=EFFECTS)
# One row a head: the cosine of its maps before and after tuning.
DRIFT = MeasuredTable("control/{task}-{seed}-drift", OF_HEADS)
