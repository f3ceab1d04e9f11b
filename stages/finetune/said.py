"""What the scores of tasks say, in sentences that follow by rules."""

import pandas as pd

from stages.core.pages.said import ABOVE, BELOW, NOT_SHOWN, listed, number, side
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, TUNED_FROM_RANDOM, UNTUNED

ARMS = (UNTUNED, TUNED_FROM_RANDOM, TUNED, RANDOM_WEIGHTS)
NO_ENCODER = "the best simple baseline"
OTHERS = {
    UNTUNED: "the untuned encoder",
    TUNED_FROM_RANDOM: "the encoder tuned from random weights",
    NO_ENCODER: NO_ENCODER,
}


def best_baselines(table: pd.DataFrame) -> dict[str, str]:
    """Of each task the model without an encoder whose value is highest."""
    others = table[~table["model"].isin(ARMS) & table["value"].notna()]
    best = others.loc[others.groupby("task", sort=False)["value"].idxmax()]
    return dict(zip(best["task"], best["model"], strict=True))


def with_best_baseline(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of arms, and of each task the best model without an encoder as one more."""
    arms = table[table["model"].isin(ARMS)]
    best = pd.Series(best_baselines(table), dtype=object)
    others = table[table["model"] == table["task"].map(best)]
    return pd.concat([arms, others.assign(model=NO_ENCODER)], ignore_index=True)


def said_of_gains(table: pd.DataFrame) -> list[str]:
    """On which tasks the tuned encoder is above each other model.

    Args:
        table: one row a task and other model (`over`): low and high of the difference.
    """
    said = []
    for other, name in OTHERS.items():
        places: dict[str, list[str]] = {ABOVE: [], BELOW: [], NOT_SHOWN: []}
        for row in table[table["over"] == other].itertuples():
            places[side(row.low, row.high)].append(row.task)
        parts = [
            f"{words} on {listed(places[place])}"
            for place, words in (
                (ABOVE, "above it"),
                (BELOW, "below it"),
                (NOT_SHOWN, "neither is shown to be above"),
            )
            if places[place]
        ]
        if parts:
            said.append(f"The tuned encoder beside {name}: {', '.join(parts)}.")
    return said


def said_of_scores(table: pd.DataFrame) -> str:
    """What the tuned encoder has on each task, and the others beside it, in points."""
    rows = with_best_baseline(table).set_index(["model", "task"])["value"]
    parts = []
    for model, task in rows.index:
        if model != TUNED:
            continue
        beside = [
            f"{name.removeprefix('the ')} {number(rows[other, task], '.1f')}"
            for other, name in OTHERS.items()
            if (other, task) in rows.index
        ]
        others = f" ({', '.join(beside)})" if beside else ""
        parts.append(f"{task} {number(rows[TUNED, task], '.1f')}{others}")
    return f"Points of the tuned encoder: {'; '.join(parts)}." if parts else ""


def said_of_confusions(table: pd.DataFrame) -> str:
    """Which class is most often taken for another.

    Args:
        table: label, predicted and examples, one row for every two classes.
    """
    wrong = table[table["label"] != table["predicted"]]
    total, right = int(table["examples"].sum()), int(table["examples"].sum())
    right -= int(wrong["examples"].sum())
    if not total:
        return ""
    said = f"{right:,} of {total:,} are told right ({right / total:.0%})."
    most = wrong["examples"].max() if len(wrong) else 0
    if not most:
        return said
    worst = wrong[wrong["examples"] == most]
    pairs = [
        f"{label} for {predicted}"
        for label, predicted in zip(worst["label"], worst["predicted"], strict=True)
    ]
    return f"{said} Most often {listed(pairs)} ({most:,}{' each' if len(pairs) > 1 else ''})."
