"""How annotations are checked while tests run: what fits a shape, a class, and a number.

`tests/__init__.py` lets jaxtyping put `checked` before every function of `stages`.
"""

import numpy as np
import typer
from beartype import BeartypeConf, FrozenDict, beartype

# Typer's own context is of a class above the one that it asks a command to name.
CONTEXT = {typer.Context: object}
# A number of NumPy will do where Python's own is asked for, and a whole one for any.
NUMBERS = {int: int | np.integer, float: float | int | np.floating | np.integer}
checked = beartype(conf=BeartypeConf(hint_overrides=FrozenDict(NUMBERS | CONTEXT)))
