"""Sentences of the page follow from the numbers, and its figures are drawn."""

import pandas as pd
import pytest

import stages.reading.claims  # noqa: F401 - registers the measures
from stages.core.pages.page import Figure
from stages.core.questions.unanswerable import NAMES
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.estimates import Estimate
from stages.reading import tables
from stages.reading.attacks import CONTROLS, TO_PASSAGE
from stages.reading.page import PAGE, sections
from stages.reading.said import (
    figures,
    listed,
    said_of_attacks,
    said_of_cls,
    said_of_controls,
    said_of_costliest,
    said_of_head,
    said_of_intact,
    said_of_shuffles,
    said_of_trainings,
    said_of_unanswerable,
    side,
)
from tests.claims import found, write_drawn, write_rows
from tests.reading.rows import (
    choice,
    cls,
    from_random,
    reader,
    trainings,
    write_scores,
    write_shuffled,
)


def points(value: float, half: float = 2.0) -> Estimate:
    return Estimate(value, value - half, value + half, 100)


ABOVE, BELOW, NEAR, FLAT = points(10), points(-10), points(1), points(10, 0)
UNKNOWN = Estimate(10.0, float("nan"), float("nan"), 4)


@pytest.mark.parametrize(
    "estimate, place",
    [
        (ABOVE, "above"),
        (BELOW, "below"),
        (NEAR, "not shown"),
        (FLAT, "not shown"),  # without width nothing is shown
        (UNKNOWN, "not shown"),
        (points(2), "not shown"),  # an end on the bound
    ],
)
def test_on_which_side_of_nothing_an_interval_lies(estimate, place):
    assert side(estimate) == place


def test_figures_and_names():
    assert figures(ABOVE) == "+10.0 points, +8.0 to +12.0"
    assert figures(UNKNOWN, sign=False) == "10.0 points, without an interval"
    assert figures(Estimate(*3 * (float("nan"),), 0)) == "no value"
    assert [listed(names) for names in (["a"], ["a", "b"], ["a", "b", "c"])] == [
        "a",
        "a and b",
        "a, b and c",
    ]


def test_what_is_said_of_intact_questions():
    text = said_of_intact("one", {"random guess": ABOVE, "longest option": NEAR})
    assert "is above the random guess (+10.0 points" in text
    assert "is not shown to differ from the longest option (+1.0 points" in text
    assert "is below the longest" in said_of_intact("one", {"longest option": BELOW})
    beside = said_of_intact("one", {"random guess": ABOVE}, {"random guess": NEAR})
    assert beside == (
        "On one the reader is above the random guess (+10.0 points, +8.0 to +12.0); the one tuned "
        "from random weights is not shown to differ from the random guess (+1.0 points, -1.0 to "
        "+3.0)."
    )


def test_what_is_said_of_all_attacks_in_short():
    costs = {"x": ABOVE, "y": points(10.01), "z": BELOW, "n": NEAR}
    assert said_of_costliest("one", costs) == (
        "Against intact questions of one, accuracy is lower in 2 of 4 attacks, higher in 1; "
        "neither is shown in 1; the largest cost is that of x and y (10.0 points each)."
    )
    assert "lower in the only attack; the largest cost is that of x (10.0 points)" in (
        said_of_costliest("one", {"x": ABOVE})
    )
    assert said_of_costliest("one", {}) == ""
    assert said_of_costliest("one", {"x": Estimate(*3 * (float("nan"),), 0)}) == ""


def test_what_is_said_of_trainings_in_short():
    both = {tables.GUESS: ABOVE, tables.LONGEST: ABOVE}
    one = {tables.GUESS: ABOVE, tables.LONGEST: NEAR}
    assert said_of_unanswerable("one", {"P-Shuffle": both, "P-Remove": one}) == (
        "Of those trained on questions of one that nobody can answer, 1 of 2 readers (P-Shuffle) "
        "is shown to be above a guess and the longest option on intact ones."
    )
    only = said_of_unanswerable("one", {"P-Remove": one})
    assert "the only reader (P-Remove) is not shown to be above" in only
    assert "(a) is shown to be" in said_of_unanswerable("one", {"a": both})
    assert "both readers (a and b) are shown" in said_of_unanswerable("one", {"a": both, "b": both})
    assert "none of 2 readers are shown" in said_of_unanswerable("one", {"a": one, "b": one})
    assert said_of_unanswerable("one", {}) == ""


@pytest.mark.parametrize(
    "cost, words",
    [
        (ABOVE, "x costs 10.0 points, 8.0 to 12.0"),
        (BELOW, "x raises accuracy (10.0 points, 8.0 to 12.0)"),
        (NEAR, "x is not shown to change accuracy (-1.0 points, -3.0 to +1.0)"),
    ],
)
def test_what_is_said_of_an_attack(cost, words):
    assert said_of_attacks("one", {"x": cost}, {"x": ABOVE}) == f"On one {words}."
    assert said_of_attacks("one", {"x": cost}, {"x": BELOW}).endswith(", to below a guess.")
    near = said_of_attacks("one", {"x": cost}, {"x": NEAR})
    assert near.endswith("not shown to be above a guess.")


def test_what_is_said_of_controls():
    text = said_of_controls("one", {("x", "a"): ABOVE, ("x", "b"): BELOW, ("x", "c"): NEAR})
    assert "x costs more than a (+10.0" in text
    assert "x costs less than b (-10.0" in text
    assert "x is not shown to cost more or less than c (+1.0" in text


def test_what_is_said_of_trainings():
    over = {
        "P-Shuffle": {tables.GUESS: ABOVE, tables.LONGEST: ABOVE},
        "P-Remove": {tables.GUESS: ABOVE, tables.LONGEST: NEAR},
        "Q-Remove": {tables.GUESS: NEAR, tables.LONGEST: BELOW},
    }
    text = said_of_trainings("one", over, {"P": ABOVE, "Q": NEAR}, ABOVE)
    assert "shown to be above a guess and the longest option: P-Shuffle;" in text
    assert "not shown to be above both: P-Remove and Q-Remove;" in text
    assert "P shuffled is better than removed (+10.0" in text
    assert "Q shuffled is not shown to differ from removed" in text
    assert "shuffled passages cost 10.0 points, 8.0 to 12.0 against intact training" in text
    worse = said_of_trainings("one", over, {"PQ": BELOW}, BELOW)
    assert "PQ shuffled is worse than removed (-10.0" in worse
    assert "gain 10.0 points, 8.0 to 12.0" in worse
    assert "not shown to cost or gain +1.0" in said_of_trainings("one", over, {}, NEAR)
    assert "intact training" not in said_of_trainings("one", over, {}, None)


def test_what_is_said_of_shuffles():
    text = said_of_shuffles("one", 200, 50, 20, 7)
    assert "50 of 200 texts (25%) could not be shuffled so far" in text
    assert "20 of them of one word" in text and "In 7 questions" in text
    assert "of one word" not in said_of_shuffles("one", 200, 0, 0, 0)
    assert "In 0" not in said_of_shuffles("one", 200, 5, 1, 0)
    assert "no text" in said_of_shuffles("one", 0, 0, 0, 0)


def test_what_is_said_of_heads_and_of_cls():
    text = said_of_head("one", "x", "1-2", ABOVE, NEAR)
    assert "effect is smaller on the other half (+10.0" in text
    assert "not shown to be answered otherwise (+1.0" in text
    assert text.endswith("choose head 1-2.")
    other = said_of_head("one", "x", "1-2", BELOW, BELOW)
    assert "effect is larger" in other and "answered worse" in other
    assert "answered better" in said_of_head("one", "x", "1-2", FLAT, ABOVE)
    assert "not shown to change" in said_of_head("one", "x", "1-2", FLAT, ABOVE)
    text = said_of_cls("one", BELOW, ABOVE)
    assert "gives to appended words less than their share of the words (-10.0" in text
    assert "which is more than what it gives to as many at the end of the intact" in text
    assert "not shown to be more or less than their share" in said_of_cls("one", NEAR, NEAR)


@pytest.fixture
def project(measures):
    """A set with three seeds, and one that the reader has not learnt."""
    rows = [row for seed in (0, 1, 2) for row in reader(seed=seed)]
    write_scores(measures, rows + from_random() + trainings())
    write_scores(measures, reader(less=0.45), "two")
    for questions in ("one", "two"):
        write_shuffled(measures, questions)
    choices = [
        choice(value, change=change, outcome=outcome)
        for change, value in ((tables.EFFECT, 0.2), (tables.ATTACKED, 0.1))
        for outcome in tables.OUTCOMES_OF_HEADS
    ]
    places = [(layer, head) for layer in range(2) for head in range(3)]
    changes = {
        name: own
        for change in tables.CHANGES
        for name, own in ((change, 0.1), (f"{change}_low", 0.0), (f"{change}_high", 0.2))
    }
    head = {"reader": "tuned", "seed": 0, "attack": TO_PASSAGE, "examples": 60}
    rows = [head | {"layer": one, "head": other} | changes for one, other in places]
    rows[5] |= {tables.EFFECT: 0.3}
    bars = [
        cls(0.2, beyond, condition, part)
        for condition, beyond in ((TO_PASSAGE, 0.2), (tables.INTACT, 0.05))
        for part in tables.PARTS
    ]
    parts = {"reader": "tuned", "seed": 0, "condition": TO_PASSAGE, "part": tables.END}
    cells = [
        parts | {"layer": one, "head": other, "share": 0.1, "beyond": 0.0} for one, other in places
    ]
    for questions in ("one", "two"):
        write_drawn(measures, tables.CHOICES, choices, 0.01, questions=questions)
        write_rows(measures, tables.HEADS, rows, questions=questions)
        write_drawn(measures, tables.CLS, bars, 0.01, questions=questions)
        write_rows(measures, tables.CLS_HEADS, cells, questions=questions)
    return measures


def test_the_page_says_what_claims_say(project):
    every = sections(project)
    assert [section.title[:4] for section in every] == ["M1 a", "M3: ", "M2: ", "M2: ", "M2: "]
    figures_of = {
        item.name: item for section in every for item in section.items if isinstance(item, Figure)
    }
    attacks = figures_of["reading-attacks"].finding
    for attack in CONTROLS:
        one = found(project, "cost_of_attack", attack=attack).tasks["one"]
        words = f"{attack} costs {one.value:.1f} points, {one.low:.1f} to {one.high:.1f}"
        assert words in attacks
    # Below a guess is one attack's accuracy, and no set that was not learnt is spoken of.
    assert "to below a guess" in attacks
    assert "On two the reader" in attacks and "On two AddSent2Pas" not in attacks
    assert "says nothing under attack: two." in every[0].text
    beyond = found(project, "cost_beyond_controls", attack="AddAns2Opt-Shuffle").pooled
    assert f"costs more than AddAns2Opt (+{beyond.value:.1f}" in attacks
    shuffled = found(project, "training_over_training", reader="P-Shuffle", beside="P-Remove")
    assert f"P shuffled is better than removed (+{shuffled.pooled.value:.1f}" in (
        figures_of["reading-trainings"].finding
    )
    assert "(+20.0 points" in figures_of["reading-heads"].finding
    assert "head 1-2." in figures_of["reading-heads"].finding
    assert "(+15.0 points" in figures_of["reading-cls"].finding
    for item in figures_of.values():
        assert item.chart.to_dict()["data"] or item.chart.to_dict()["datasets"]


def test_the_page_says_in_short_what_was_found_on_the_first_set(project):
    learnt, attacks, trained = PAGE.in_short(project)
    assert learnt.startswith("On one the reader is above the random guess (+47.0 points")
    assert "the one tuned from random weights is above the random guess (+17.0 points" in learnt
    # By hand: 0.78 at the cut less 0.25 under the attack.
    assert "lower in all 3 attacks; the largest cost is that of AddAns2Opt-Shuffle (53.0" in attacks
    assert "all 6 readers" in trained
    # Without other trainings the heads are spoken of; of what was not learnt nothing is said.
    write_scores(project, reader())
    assert "All passages choose head 1-2." in PAGE.in_short(project)[2]
    write_scores(project, reader(less=0.45))
    assert len(PAGE.in_short(project)) == 1


def test_rules_and_dots_are_of_the_same_set(project):
    figure = next(item for item in sections(project)[0].items if isinstance(item, Figure))
    (rows,) = figure.chart.to_dict()["datasets"].values()
    rules = pd.DataFrame(rows).query("baseline.notna()")
    assert set(zip(rules["questions"], rules["baseline"], strict=True)) == {
        (questions, model)
        for questions in ("one", "two")
        for model in (tables.GUESS, tables.LONGEST)
    }
    dots = pd.DataFrame(rows).query("condition.notna()")
    assert dots.query("questions == 'one' and reader == 'tuned'")["condition"].iloc[0] == "intact"
    # Intact questions at the cut of an attack are no condition of their own in the figure.
    assert not dots.duplicated(["questions", "reader", "condition"]).any()


def test_sets_without_such_readers_are_not_drawn_among_trainings(project):
    figure = next(item for item in sections(project)[1].items if isinstance(item, Figure))
    (rows,) = figure.chart.to_dict()["datasets"].values()
    assert {row["questions"] for row in rows} == {"one"}
    trainings_shown = [row["training"] for row in rows if row.get("training")]
    assert trainings_shown == ["intact", *NAMES]


def test_no_head_of_what_was_not_learnt_is_spoken_of(project):
    for section in sections(project)[-2:]:
        assert "M2: " in section.title
        for item in section.items:
            if isinstance(item, Figure):
                assert "On two" not in item.finding and "two, " not in item.finding
                assert "two, " not in str(item.chart.to_dict())
            else:
                assert set(item.frame["questions"]) == {"one"}
    write_scores(project, reader(less=0.45))
    titles = [section.title for section in sections(project)]
    assert not [title for title in titles if "heads" in title or "[CLS]" in title]
    with pytest.raises(NotMeasured, match="on questions that were learnt"):
        PAGE.heads(project)


def test_every_head_has_a_column(project):
    table = PAGE.heads(project)
    assert table.loc[(1, 2)].tolist() == pytest.approx([30])
    assert list(table.columns) == [f"attack lessened: one, {TO_PASSAGE}"]


def test_without_trainings_and_heads_off_the_page_has_no_such_section(project):
    write_scores(project, reader())
    write_rows(project, tables.HEADS, [], questions="one")
    titles = [section.title for section in sections(project)]
    assert not [title for title in titles if "M3" in title or "heads" in title]
    assert len(titles) == 3


def test_without_tables_there_is_no_page(measures):
    write_scores(measures, reader())
    with pytest.raises(NotMeasured):
        sections(measures)
