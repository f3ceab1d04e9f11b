"""What a head's page shows of where it looks on tasks."""

import pandas as pd

from stages.attend.page import TITLES
from stages.attend.tables import HEADS
from stages.core.pages.head_facts import HeadFacts
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, UNTUNED
from stages.core.verdicts.measures import Measures

ARMS = [UNTUNED, TUNED, RANDOM_WEIGHTS]


def rows(measures: Measures) -> pd.DataFrame:
    """One row a head and statistic, one column an arm: the mean over the tasks."""
    table = measures.frame(HEADS)
    keys = ["layer", "head", "statistic"]
    means = table.groupby([*keys, "arm"], sort=False)["mean"].mean().unstack("arm")
    shown = means[[arm for arm in ARMS if arm in means]].reset_index()
    shown["statistic"] = shown["statistic"].map(lambda name: TITLES.get(name, name))
    return shown.rename(columns={"statistic": "on average over tasks"})


FACTS = (
    HeadFacts(
        "attend",
        9,
        "Where it looks on tasks",
        "Shares of its attention (entropies in nats), mean over tokens, examples and tasks.",
        rows,
    ),
)
