"""Hand-made rows of the tables of this room."""

from typing import Any

from stages.core.questions.unanswerable import REMOVALS
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.places import MEASURES
from stages.core.verdicts.measures import Measures
from stages.reading import tables
from stages.reading.attacks import CONTROLS, TO_PASSAGE
from tests.claims import write_table

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
    arm: str = TUNED,
    seed: int = 0,
    among: str = tables.ALL,
) -> dict[str, Any]:
    """A row of SCORES."""
    keys = {"seed": seed, "arm": arm, "condition": condition, "at": at, "among": among}
    return keys | {"accuracy": value, "examples": 100, "passages": 50}


def reader(arm: str = TUNED, seed: int = 0, less: float = 0.0) -> list[dict[str, Any]]:
    """All rows of a reader of answerable questions, each value lower by so much."""
    rows = [score(INTACT - less, arm=arm, seed=seed)]
    rows += [score(0.5 - less, removed, arm=arm, seed=seed) for removed in REMOVALS]
    for at, controls in CONTROLS.items():
        values = {tables.INTACT: AT_CUT} | {name: UNDER[name] for name in (at, *controls)}
        for condition, value in values.items():
            keys = {"condition": condition, "at": at, "arm": arm, "seed": seed}
            rows.append(score(value - less, **keys))
            for control in controls:
                apart = value + APART
                if control == "Ans2Opt-Shuffle":
                    apart = ANSWER_APART if condition == control else value + 2 * APART
                if condition in (at, control):
                    rows.append(score(apart - less, among=control, **keys))
    return rows


def from_random(seed: int = 0, intact: float = 0.5) -> list[dict[str, Any]]:
    """A reader whom nothing misleads."""
    return [row | {"accuracy": intact} for row in reader(TUNED_FROM_RANDOM, seed)]


def trainings(seed: int = 0) -> list[dict[str, Any]]:
    """Readers of unanswerable questions."""
    return [score(value, arm=name, seed=seed) for name, value in TRAINED.items()]


def baselines() -> list[dict[str, Any]]:
    values = {tables.GUESS: GUESSED, tables.LONGEST: LONGEST}
    sizes = {"examples": 100, "passages": 50}
    return [{"model": name, "accuracy": value} | sizes for name, value in values.items()]


def choice(
    value: float,
    attack: str = TO_PASSAGE,
    change: str = tables.EFFECT,
    outcome: str = tables.PROBABILITY,
    arm: str = TUNED,
    seed: int = 0,
) -> dict[str, Any]:
    """A row of CHOICES: head 2 of layer 1."""
    row = {"arm": arm, "seed": seed, "attack": attack, "outcome": outcome, "change": change}
    row |= {"layer": 1, "head": 2, "cases": 60, "groups": 30, "same": True}
    return row | {"score": value, "rival": 0.0, "gain": value}


def cls(
    share: float, beyond: float, condition: str, part: str = tables.END, arm: str = TUNED
) -> dict[str, Any]:
    """A row of CLS."""
    row = {"arm": arm, "condition": condition, "part": part, "tokens": 0.2, "examples": 60}
    return row | {"share": share, "beyond": beyond}


def write_scores(
    measures: Measures, rows: list[dict[str, Any]], data: str = "one", spread: float = 0.01
) -> None:
    """Scores of a set of questions in place of earlier ones, and the baselines, drawn alike."""
    for table, of_table, width in (
        (tables.SCORES, rows, spread),
        (tables.BASELINES, baselines(), spread / 2),
    ):
        (measures.folder / table.path(data).relative_to(MEASURES)).unlink(missing_ok=True)
        write_table(measures, table, of_table, width, data)


def write_shuffled(measures: Measures, data: str = "one") -> None:
    """Degrees of shuffling of every attack and control."""
    rows = []
    for at, controls in CONTROLS.items():
        for condition in (at, *controls):
            texts = 200 if condition.endswith("Shuffle") else 0
            row = {"condition": condition, "at": at, "texts": texts, "left": texts // 10}
            row |= {"one_word": texts // 20, "mean_degree": 0.9 if texts else float("nan")}
            row |= {"smallest_degree": 0.65 if texts else float("nan"), "examples": 100}
            rows.append(row | {"same_as_right": 7 * (condition == "Ans2Opt-Shuffle"), "cut": 3})
    write_table(measures, tables.SHUFFLED, rows, data=data)
