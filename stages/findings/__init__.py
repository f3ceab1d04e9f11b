"""Measures that decide the claims of `data/claims.yaml`: one module for each stage they read.

A module registers its measures with `@measure` and the figures it adds to `reports/metrics.json`
with `@summary`. Every module of this package is loaded; a study is added by adding its module.
"""
