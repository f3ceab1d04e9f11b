"""How annotations are checked while tests run: what fits a shape, a class, and a number.

`tests/__init__.py` has jaxtyping's hook put `checked` before the functions of `stages`, and
`with_shapes` before the hook's own decorator: of a function without a shape it would find nothing,
and cost the tests half as long again.
"""

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import jaxtyping
import numpy as np
from beartype import BeartypeConf, FrozenDict, beartype

Checked = TypeVar("Checked", bound=Callable)
# A number of NumPy will do where Python's own is asked for, and a whole one for any.
NUMBERS = {int: int | np.integer, float: float | int | np.floating | np.integer}
checked = beartype(conf=BeartypeConf(hint_overrides=FrozenDict(NUMBERS)))
_jaxtyped = jaxtyping.jaxtyped


def with_shapes(*, typechecker: Callable) -> Callable[[Checked], Checked]:
    """As `jaxtyping.jaxtyped`, of what has shapes; other functions and classes stay as they are."""

    def decorate(function: Checked) -> Checked:
        annotations = getattr(function, "__annotations__", {}).values()
        if not any(map(_has_shape, annotations)):
            return function
        return _jaxtyped(typechecker=typechecker)(function)

    return decorate


def _has_shape(annotation: Any) -> bool:
    own = isinstance(annotation, type) and issubclass(annotation, jaxtyping.AbstractArray)
    return own or any(map(_has_shape, get_args(annotation)))
