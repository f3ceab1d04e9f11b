"""What the stage `control` writes: of the encoder that began at random, as of the tuned one."""

from stages.core.maps.tables import OF_HEADS
from stages.core.outcomes.tables import OF_GATES, OF_HELD_OUT, OF_MEANS
from stages.core.stage.tables import MeasuredTable

# One row a seed and gate, each of one head.
GATES = MeasuredTable("control/{task}", (*OF_GATES, "seed"))
# One row a seed and mode: the mean over all heads.
MEANS = MeasuredTable("control/{task}-means", (*OF_MEANS, "seed"))
# One row a seed, mode and which head was picked: the best, the worst.
HELD_OUT = MeasuredTable("control/{task}-heldout", (*OF_HELD_OUT, "seed"))
# One row a seed and head: the cosine of its maps before and after tuning.
DRIFT = MeasuredTable("control/{task}-drift", (*OF_HEADS, "seed"))
