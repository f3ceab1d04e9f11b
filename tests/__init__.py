"""Tests; what must be settled before the first module of `stages` is imported is settled here.

The package `stages` settles the environment for torch; workers of pytest share the cores, so that a
second thread of each would only wait for the first of another. In its modules, which are all
imported after this one, calls are checked by their annotations: shapes by jaxtyping, what stands
beside them by beartype.
"""

import os

import jaxtyping

if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import stages  # noqa: F401
import tests.annotations

jaxtyping.jaxtyped = tests.annotations.with_shapes
jaxtyping.install_import_hook("stages", "tests.annotations.checked")
