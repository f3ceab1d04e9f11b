"""Hand-made rows of the tables of this room."""

from typing import Any

from stages.core.questions.unanswerable import REMOVALS
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.verdicts.measures import Measures
from stages.reading import tables
from stages.reading.attacks import CONTROLS, TO_PASSAGE
from tests.claims import write_drawn, write_rows

HALF = 0.02
# Of a tuned reader: intact 0.8 with the whole passage, 0.78 at the cut of an attack.
INTACT, AT_CUT = 0.8, 0.78
UNDER = {
    TO_PASSAGE: 0.4,
    "AddSent2Opt-Shuffle": 0.3,
    "AddAns2Opt-Shuffle": 0.25,
    "Sent2Opt-Shuffle": 0.7,
    "Ans2Opt-Shuffle": 0.5,
    "AddSent2Opt": 0.6,
    "AddAns2Opt": 0.35,
}
# Of the questions told apart all is 0.05 higher, but for this control, and its attack more.
APART, ANSWER_APART = 0.05, 0.45
TRAINED = {
    "P-Shuffle": 0.7,
    "Q-Shuffle": 0.75,
    "PQ-Shuffle": 0.6,
    "P-Remove": 0.5,
    "Q-Remove": 0.65,
    "PQ-Remove": 0.45,
}
GUESSED, LONGEST = 0.33, 0.4


def score(
    value: float,
    condition: str = tables.INTACT,
    at: str = tables.WHOLE,
    reader: str = TUNED,
    seed: int = 0,
    among: str = tables.ALL,
) -> dict[str, Any]:
    """A row of SCORES."""
    place = {"reader": reader, "seed": seed, "condition": condition, "at": at, "among": among}
    limits = {"value": value, "low": value - HALF, "high": value + HALF}
    return place | limits | {"examples": 100, "passages": 50}


def reader(name: str = TUNED, seed: int = 0, less: float = 0.0) -> list[dict[str, Any]]:
    """All rows of a reader of answerable questions, each value lower by so much."""
    rows = [score(INTACT - less, reader=name, seed=seed)]
    rows += [score(0.5 - less, removed, reader=name, seed=seed) for removed in REMOVALS]
    for at, controls in CONTROLS.items():
        values = {tables.INTACT: AT_CUT} | {own: UNDER[own] for own in (at, *controls)}
        for condition, value in values.items():
            own = {"condition": condition, "at": at, "reader": name, "seed": seed}
            rows.append(score(value - less, **own))
            for control in controls:
                apart = value + APART
                if control == "Ans2Opt-Shuffle":
                    apart = ANSWER_APART if condition == control else value + 2 * APART
                if condition in (at, control):
                    rows.append(score(apart - less, among=control, **own))
    return rows


def from_random(seed: int = 0, intact: float = 0.5) -> list[dict[str, Any]]:
    """A reader whom nothing misleads."""
    rows = reader(TUNED_FROM_RANDOM, seed)
    return [row | {name: intact for name in ("value", "low", "high")} for row in rows]


def trainings(seed: int = 0) -> list[dict[str, Any]]:
    """Readers of unanswerable questions."""
    return [score(value, reader=name, seed=seed) for name, value in TRAINED.items()]


def baselines() -> list[dict[str, Any]]:
    values = {tables.GUESS: GUESSED, tables.LONGEST: LONGEST}
    sizes = {"examples": 100, "passages": 50}
    return [
        {"model": name, "value": value, "low": value - HALF, "high": value + HALF, **sizes}
        for name, value in values.items()
    ]


def choice(
    value: float,
    attack: str = TO_PASSAGE,
    change: str = tables.EFFECT,
    outcome: str = tables.PROBABILITY,
    name: str = TUNED,
    seed: int = 0,
) -> dict[str, Any]:
    """A row of CHOICES: head 2 of layer 1."""
    row = {"reader": name, "seed": seed, "attack": attack, "outcome": outcome, "change": change}
    row |= {"layer": 1, "head": 2, "cases": 60, "groups": 30, "same": True}
    for prefix, own in (("", value), ("rival_", 0.0), ("gain_", value)):
        row |= {f"{prefix}value": own, f"{prefix}low": own - HALF, f"{prefix}high": own + HALF}
    return row


def cls(
    share: float, beyond: float, condition: str, part: str = tables.END, name: str = TUNED
) -> dict[str, Any]:
    """A row of CLS."""
    row = {"reader": name, "seed": 0, "condition": condition, "part": part, "tokens": 0.2}
    for figure, value in (("share", share), ("beyond", beyond)):
        row |= {figure: value, f"{figure}_low": value - HALF, f"{figure}_high": value + HALF}
    return row | {"examples": 60}


def write_scores(
    measures: Measures, rows: list[dict[str, Any]], questions: str = "one", spread: float = 0.01
) -> None:
    """Scores of a set of questions, and the baselines, drawn alike."""
    write_drawn(measures, tables.SCORES, rows, spread, questions=questions)
    write_drawn(measures, tables.BASELINES, baselines(), spread / 2, questions=questions)


def write_shuffled(measures: Measures, questions: str = "one") -> None:
    """Degrees of shuffling of every attack and control."""
    rows = []
    for at, controls in CONTROLS.items():
        for condition in (at, *controls):
            texts = 200 if condition.endswith("Shuffle") else 0
            row = {"condition": condition, "at": at, "texts": texts, "left": texts // 10}
            row |= {"one_word": texts // 20, "mean": 0.9 if texts else float("nan")}
            row |= {"least": 0.65 if texts else float("nan"), "examples": 100}
            rows.append(row | {"same_as_right": 7 * (condition == "Ans2Opt-Shuffle"), "cut": 3})
    write_rows(measures, tables.SHUFFLED, rows, questions=questions)
