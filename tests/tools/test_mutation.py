"""Which changes are drawn, and which tests are run on them; Cosmic Ray itself is not needed."""

from pathlib import Path

from tools.mutation import ROOT, chosen_tests, drawn, modules


def test_code_that_measures_is_changed_and_code_that_shows_or_reads_is_not():
    found = {path.as_posix() for path in modules()}
    assert {
        "stages/core/intervals/intervals.py",
        "stages/core/verdicts/estimates.py",
        "stages/ablate/claims.py",
        "stages/syntax/stage.py",
    } <= found
    for left_out in ("core/pages/charts.py", "ablate/page.py", "findings/__init__.py", "api.py"):
        assert (ROOT / "stages" / left_out).exists()
        assert f"stages/{left_out}" not in found


def test_a_change_is_tried_on_the_chosen_tests_its_room_and_on_those_that_import_it():
    claims = chosen_tests(Path("stages/ablate/claims.py"))
    assert claims == ["tests/ablate"]
    gates = chosen_tests(Path("stages/core/heads/gates.py"))
    assert gates[0] == "tests/core/heads"
    assert "tests/core/grid/test_grid.py" in gates
    assert not any(path.startswith(("tests/core/heads/", "tests/integration")) for path in gates)
    assert chosen_tests(Path("stages/core/fan_out.py")) == ["tests/core/test_fan_out.py"]
    assert chosen_tests(Path("stages/api.py"))[0] == "tests/test_api.py"


def test_every_module_that_is_changed_has_tests():
    assert [path for path in modules() if not chosen_tests(path)] == []
    assert chosen_tests(Path("stages/core/annotation/word_kinds.py")) == [
        "tests/core/annotation",
        "tests/features",
        "tests/pairs",
        "tests/pairs/test_stage.py",
    ]


def test_places_are_drawn_alike_however_many_changes_each_has():
    """A sum can be changed to ten others, a condition to one: both are one place."""
    sites = [("sum", change) for change in range(10)] + [("condition", 0), ("number", 0)]
    every = drawn(sites, 5, seed=0)
    assert sorted(place for place, _ in every) == ["condition", "number", "sum"]
    first = [drawn(sites, 1, seed)[0] for seed in range(300)]
    counts = {place: sum(found == place for found, _ in first) for place, _ in every}
    assert all(70 < count < 130 for count in counts.values())
    assert len({change for place, change in first if place == "sum"}) > 5
    assert drawn(sites, 2, 7) == drawn(sites, 2, 7)
