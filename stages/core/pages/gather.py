"""The pages of all rooms: the first page of a room is `page.py`, a further one `NAME_page.py`."""

import pandas as pd

from stages.core.pages.declared import HeadFacts, Page
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


def all_facts() -> list[HeadFacts]:
    """The tables of all rooms in the order of a head's page."""
    facts = [fact for name, page in pages().items() for fact in page.head_facts(name)]
    return sorted(facts, key=lambda fact: (fact.order, fact.title))


def head_column(page: str, column: str, measures: Measures) -> pd.Series:
    """A column of another room's page with a value for each head, indexed by layer and head.

    Raises:
        NotMeasured: this configuration lacks what that page needs.
    """
    return pages()[page].heads(measures)[column]
