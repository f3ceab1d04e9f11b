"""Measures that decide the claims of `data/claims.yaml`: one module for each stage they read.

A module registers its measures with `@measure` and the figures it adds to `reports/metrics.json`
with `@summary`. Every module of this package is loaded; a study is added by adding its module.
"""

import importlib
import pkgutil


def load() -> None:
    """Load every module of this package, so that its measures and summaries are registered."""
    for module in pkgutil.iter_modules(__path__):
        if module.name != "__main__":
            importlib.import_module(f"{__name__}.{module.name}")
