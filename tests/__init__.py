"""Tests; what must be settled before the first module of `stages` is imported is settled here.

The package `stages` settles the environment for torch; workers of pytest share the cores, so that a
second thread of each would only wait for the first of another. Tests start hundreds of processes,
which keep what Python compiles for each other, also where a container tells them not to. In the
package's modules, which are all imported after this one, calls are checked by their annotations:
shapes by jaxtyping, what stands beside them by beartype.
"""

import os
import sys

import jaxtyping

if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    sys.dont_write_bytecode = False

import stages  # noqa: F401
import tests.annotations

jaxtyping.jaxtyped = tests.annotations.with_shapes
jaxtyping.install_import_hook("stages", "tests.annotations.checked")
