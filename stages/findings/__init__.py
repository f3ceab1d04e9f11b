"""The verdict of every claim of `data/claims.yaml`, and the figures of `reports/metrics.json`.

What a claim measures stands in `claims.py` of the study's room, which registers its measures with
`@measure` and its figures with `@summary`. Every room's file is loaded.
"""

from stages.core.verdicts.rooms import modules_of_rooms


def load() -> None:
    """Load the claims of every room, so that their measures and summaries are registered."""
    modules_of_rooms("claims.py")
