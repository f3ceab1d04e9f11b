"""What the page puts together from the numbers of readers."""

import pytest

import stages.reading.claims  # noqa: F401 - registers the measures
from stages.core.pages.page import Figure
from stages.core.questions.unanswerable import NAMES, REMOVALS
from stages.core.stage.places import MEASURES
from stages.core.verdicts.answers import NotMeasured
from stages.reading import tables
from stages.reading.attacks import CONTROLS, TO_PASSAGE
from stages.reading.page import PAGE, by_training, costs, under_attack
from tests.claims import found, write_table
from tests.reading.rows import (
    GUESSED,
    INTACT,
    LONGEST,
    TRAINED,
    UNDER,
    choice,
    cls,
    from_random,
    reader,
    trainings,
    write_scores,
    write_shuffled,
)


@pytest.fixture
def project(measures):
    """A set with three seeds, and one that the reader has not learnt."""
    rows = [row for seed in (0, 1, 2) for row in reader(seed=seed)]
    write_scores(measures, rows + from_random() + trainings())
    write_scores(measures, reader(less=0.45), "two")
    places = [(layer, head) for layer in range(2) for head in range(3)]
    head = {
        "arm": "tuned",
        "attack": TO_PASSAGE,
        "examples": 60,
        **dict.fromkeys(tables.CHANGES, 0.1),
    }
    heads = [head | {"layer": layer, "head": number} for layer, number in places]
    heads[5] |= {tables.EFFECT: 0.3}
    choices = [
        choice(value, change=change, outcome=outcome)
        for change, value in ((tables.EFFECT, 0.2), (tables.ATTACKED, 0.1))
        for outcome in tables.OUTCOMES_OF_HEADS
    ]
    bars = [
        cls(0.2, beyond, condition, part)
        for condition, beyond in ((TO_PASSAGE, 0.2), (tables.INTACT, 0.05))
        for part in tables.PARTS
    ]
    cell = {
        "arm": "tuned",
        "condition": TO_PASSAGE,
        "part": tables.END,
        "share": 0.1,
        "beyond": 0.0,
    }
    cells = [cell | {"layer": layer, "head": number} for layer, number in places]
    for data in ("one", "two"):
        write_shuffled(measures, data)
        write_table(measures, tables.CHOICES, choices, 0.01, data)
        write_table(measures, tables.HEADS, heads, 0.05, data)
        write_table(measures, tables.CLS, bars, 0.01, data)
        write_table(measures, tables.CLS_HEADS, cells, data=data)
    return measures


def titles(measures) -> list[str]:
    return [section.title for section in PAGE.sections(measures)]


def test_accuracies_stand_beside_both_baselines(project):
    rows = under_attack(project).set_index(["data", "arm", "condition"])
    assert rows.index.is_unique
    conditions = {tables.INTACT, *UNDER, *REMOVALS}
    for data, arm in (("one", "tuned"), ("one", "tuned_from_random"), ("two", "tuned")):
        assert {keys[2] for keys in rows.index if keys[:2] == (data, arm)} == conditions
    # Intact is the whole passage, not that at the cut of an attack.
    row = rows.loc["one", "tuned", tables.INTACT]
    assert row[["accuracy", "longest"]].tolist() == pytest.approx([100 * INTACT, 100 * LONGEST])
    claim = found(project, "reader_over_baseline", model=tables.LONGEST).tasks["one"]
    gain = row[["gain", "gain_low", "gain_high"]].tolist()
    assert gain == pytest.approx([claim.value, claim.low, claim.high])
    guess = rows.loc["two", tables.GUESS, tables.GUESS]
    assert guess[["accuracy", "longest"]].tolist() == pytest.approx([100 * GUESSED, 100 * LONGEST])


def test_costs_are_those_of_the_claims_on_sets_that_were_learnt(project):
    rows = costs(project).set_index(["attack", "against", "arm"])
    assert rows.index.is_unique and set(rows["data"]) == {"one"}
    ends = ["cost", "cost_low", "cost_high"]
    for attack in CONTROLS:
        claim = found(project, "cost_of_attack", attack=attack)
        tuned = rows.loc[attack, "against intact", "tuned"]
        assert tuned[ends].tolist() == pytest.approx(
            [claim.pooled.value, claim.pooled.low, claim.pooled.high]
        )
        assert rows.loc[attack, "against intact", "tuned_from_random"]["cost"] == pytest.approx(0)
    claim = found(project, "cost_beyond_controls", attack="AddAns2Opt-Shuffle").tasks["one"]
    of_controls = rows.loc["AddAns2Opt-Shuffle"].query("arm == 'tuned' and cost < 20")
    assert of_controls["cost"].min() == pytest.approx(claim.value)


def test_trainings_are_shown_of_sets_that_have_them(project):
    rows = by_training(project)
    assert set(rows["data"]) == {"one"}
    accuracies = dict(zip(rows["training"], rows["accuracy"], strict=True))
    expected = {tables.INTACT: INTACT, **TRAINED, tables.GUESS: GUESSED}
    assert list(accuracies)[:-1] == [tables.INTACT, *NAMES]
    assert accuracies == pytest.approx({name: 100 * value for name, value in expected.items()})


def test_no_head_of_a_set_that_was_not_learnt_is_shown(project):
    assert [title[:3] for title in titles(project)] == ["M1 ", "M3:", "M2:", "M2:", "M2:"]
    for section in PAGE.sections(project)[-2:]:
        for item in section.items:
            if isinstance(item, Figure):
                assert "one" in str(item.chart.to_dict()) and "two" not in str(item.chart.to_dict())
            else:
                assert set(item.frame["data"]) == {"one"}
    write_scores(project, reader(less=0.45))
    assert not [title for title in titles(project) if "heads" in title or "[CLS]" in title]
    with pytest.raises(NotMeasured):
        PAGE.heads(project)


def test_every_head_has_a_column_and_the_largest_effect_a_dot(project):
    table = PAGE.heads(project)
    assert list(table.columns) == [f"{TO_PASSAGE}: cost that ablation saves, one"]
    assert table.loc[(1, 2)].tolist() == pytest.approx([0.3])
    items = [item for section in PAGE.sections(project) for item in section.items]
    figure = next(item for item in items if item.name == "reading-heads")
    (cells,) = figure.chart.to_dict()["datasets"].values()
    assert [(cell["layer"], cell["head"]) for cell in cells if cell["marked"]] == [(1, 2)]
    assert figure.finding.startswith("Highest: head 2 of layer 1 (+30.0%)")


def test_without_trainings_and_ablated_heads_the_page_has_no_such_section(project):
    write_scores(project, reader())
    for table in (tables.HEADS, tables.CHOICES):
        for data in ("one", "two"):
            (project.folder / table.path(data).relative_to(MEASURES)).unlink()
    assert not [title for title in titles(project) if "M3" in title or "heads" in title]
    assert len(titles(project)) == 3
