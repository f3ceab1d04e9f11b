"""What the stage `control` writes: of the encoder that began at random, as of the tuned one."""

from stages.core.outcomes.tables import CONTROL_CURVES as CURVES
from stages.core.outcomes.tables import CONTROL_GAPS as GAPS
from stages.core.outcomes.tables import CONTROL_GATES as GATES
from stages.core.outcomes.tables import CONTROL_HELD_OUT as HELD_OUT
from stages.core.outcomes.tables import CONTROL_MEANS as MEANS

__all__ = ["CURVES", "GAPS", "GATES", "HELD_OUT", "MEANS"]
