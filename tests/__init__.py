"""Tests; what must be settled before the first module of `stages` is imported is settled here.

The package `stages` settles the environment for torch. In its modules, which are all imported after
this one, annotations are checked at every call: shapes by jaxtyping, all others by beartype.
"""

from jaxtyping import install_import_hook

import stages  # noqa: F401
import tests.annotations  # noqa: F401

import os
if not os.environ.get("NOHOOK"): install_import_hook("stages", "tests.annotations.checked")
