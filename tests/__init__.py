"""Tests; what must be settled before the first module of `stages` is imported is settled here.

The package `stages` settles the environment for torch. In its modules, which are all imported after
this one, calls are checked by their annotations: shapes by jaxtyping, what stands beside them by
beartype.
"""

import jaxtyping

import stages  # noqa: F401
import tests.annotations

jaxtyping.jaxtyped = tests.annotations.with_shapes
jaxtyping.install_import_hook("stages", "tests.annotations.checked")
