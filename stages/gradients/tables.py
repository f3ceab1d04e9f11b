"""The table of the stage `gradients`."""

from stages.core.maps.gradient_tables import LAYER_COLUMNS, LAYER_RESAMPLED
from stages.core.stage.tables import MeasuredTable

# One row an arm, layer and kind of token: gradients of the loss of a task.
TASKS = MeasuredTable("gradients/{task}", (*LAYER_COLUMNS, "arm"), resampled=LAYER_RESAMPLED)
