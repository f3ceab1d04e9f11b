"""The table of the stage `gradients`."""

from stages.core.maps.gradient_tables import GRADIENT_VALUES
from stages.core.tables import Table

# One row an arm, layer and kind of token: gradients of the loss of a task, of the first
# fine-tuning.
TASKS = Table("gradients/layers", keys="data seed arm layer kind", values=GRADIENT_VALUES)
