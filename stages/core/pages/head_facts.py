"""What a study found of each head, for that head's page: `head_facts.py` in a room has `FACTS`."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from stages.core.verdicts.measures import Measures
from stages.core.verdicts.rooms import modules_of_rooms

PLACE = ["layer", "head"]


@dataclass(frozen=True)
class HeadFacts:
    """A table on the page of every head.

    `page` is the page that has the same of all heads, `order` the table's place. `text` says how to
    read it. `rows` gives the columns `layer` and `head` and what is shown, under the names that
    readers see; a head without a row lacks the table. It raises `NotMeasured` where the
    configuration lacks the measures. `said` makes of one head's rows a sentence for the top of its
    page, by a rule that no numbers can contradict.
    """

    page: str
    order: int
    title: str
    text: str
    rows: Callable[[Measures], pd.DataFrame]
    said: Callable[[pd.DataFrame], str] | None = None


def all_facts() -> list[HeadFacts]:
    """The tables of all rooms in the order of a head's page."""
    found = [fact for module in modules_of_rooms("head_facts.py").values() for fact in module.FACTS]
    for (room, _), module in modules_of_rooms("*page.py").items():
        if hasattr(module.PAGE, "head_facts"):  # declared
            found += module.PAGE.head_facts(room)
    return sorted(found, key=lambda fact: (fact.order, fact.title))


def runs_in_words(values: pd.Series) -> str:
    """The value of each fine-tuning where there are several, as "+0.5, -0.1"; else nothing."""
    return ", ".join(f"{value:+.2f}" for value in values) if len(values) > 1 else ""
