"""The pages of all rooms: a room's own is `page.py`, a further one is `NAME_page.py`."""

import pandas as pd

from stages.core.pages.page import Page
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.rooms import modules_of_rooms

OWN = "page"


def pages() -> dict[str, Page]:
    """All pages by name (the room's, or that of a further page), in the order of the report."""
    found = {
        room if name == OWN else name.removesuffix(f"_{OWN}"): module.PAGE
        for (room, name), module in modules_of_rooms("*page.py").items()
    }
    return dict(sorted(found.items(), key=lambda item: (item[1].order, item[0])))


def head_column(page: str, column: str, measures: Measures) -> pd.Series:
    """A column of another room's page with a value for each head, indexed by layer and head.

    Raises:
        NotMeasured: this configuration lacks what that page needs.
    """
    return pages()[page].heads(measures)[column]
