"""What the stage `control` writes: of the encoder that began at random, as of the tuned one."""

from stages.core.maps.tables import OF_HEADS
from stages.core.outcomes.tables import OF_GATES, OF_HELD_OUT, OF_MEANS
from stages.core.stage.tables import MeasuredTable

# One row a gate, each of one head.
GATES = MeasuredTable("control/{task}-{seed}", OF_GATES)
# One row a mode: the mean over all heads.
MEANS = MeasuredTable("control/{task}-{seed}-means", OF_MEANS)
# One row a mode and which head was picked: the best, the worst.
HELD_OUT = MeasuredTable("control/{task}-{seed}-heldout", OF_HELD_OUT)
# One row a head: the cosine of its maps before and after tuning.
DRIFT = MeasuredTable("control/{task}-{seed}-drift", OF_HEADS)
