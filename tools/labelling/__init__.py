"""The labelling tool: draws maps and labelling sheets, takes labels (data/patterns/GUIDELINE.md).

A command for whoever labels, not a stage: `python -m tools.labelling --help`.
"""
