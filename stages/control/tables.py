"""What the stage `control` writes: of the encoder that began at random, as of the tuned one."""

from stages.core.maps.tables import OF_HEADS
from stages.core.outcomes.tables import CONTROL_CURVES as CURVES
from stages.core.outcomes.tables import CONTROL_GAPS as GAPS
from stages.core.outcomes.tables import CONTROL_GATES as GATES
from stages.core.outcomes.tables import CONTROL_HELD_OUT as HELD_OUT
from stages.core.outcomes.tables import CONTROL_MEANS as MEANS
from stages.core.stage.tables import MeasuredTable

__all__ = ["CURVES", "DRIFT", "GAPS", "GATES", "HELD_OUT", "MEANS"]

# One row a head: the cosine of its maps before and after tuning.
DRIFT = MeasuredTable("control/{task}-{seed}-drift", OF_HEADS)
