"""Bars of claims, and their regions and published values in words."""

import pytest

from stages.core.verdicts.findings import Finding
from stages.report.bars import allows_for_choice, bar, published_in_words, region_in_words


def finding(**changes) -> Finding:
    content = {
        "study": "A",
        "paper": "paper",
        "section": "1",
        "statement": "so",
        "note": "",
        "kind": "number",
        "unit": "points",
        "measure": "anything",
        "arguments": {},
        "bounds": "interval",
        "seeds": None,
        "setting": {"source": {}, "here": {}, "departures": []},
        "control": None,
        "uncontrolled": "no random weights",
        "size": None,
        "power": None,
        "holds": {"above": 0},
        "verdict": "holds",
        "counted": "examples",
        "tasks": {},
        "published": {"where": "there", "value": 4.0},
        "value": 2.0,
        "low": 1.0,
        "high": 3.0,
        "n": 5,
    }
    return Finding(**(content | changes))


def test_a_bar_places_value_bound_and_published_on_one_scale():
    # From the bound 0 to the published 4, with 0.08 free at both ends.
    made = bar(finding())
    assert (made.low, made.value, made.high) == (0.29, 0.5, 0.71)
    assert made.region == (0.08, 1.0)
    assert made.published == 0.92


@pytest.mark.parametrize(
    ("tasks", "says"),
    [
        ({}, False),
        ({"one": (2.0, 1.0, 3.0), "two": (2.5, 1.0, 4.0)}, False),  # its own
        ({"one": (2.0, 1.5, 3.0), "two": (2.5, 1.0, 4.0)}, True),
        ({"one": (1.5, 1.0, 2.0), "two": (2.5, 1.5, 3.5)}, False),  # a mean, of none of them
        ({"one": (2.0, 1.5, 3.0), "two": (2.0, 1.0, 3.0)}, False),  # one of both is its own
    ],
)
def test_a_card_says_where_its_interval_is_not_that_of_the_task_that_decides(tasks, says):
    made = {
        name: {"value": value, "low": low, "high": high, "n": 5}
        for name, (value, low, high) in tasks.items()
    }
    assert allows_for_choice(finding(tasks=made)) is says


def test_a_bar_without_an_interval_has_none():
    made = bar(finding(low=None, high=None, published={"where": "there"}))
    assert (made.low, made.high, made.published) == (None, None, None)


@pytest.mark.parametrize(
    ("changes", "region", "published"),
    [
        ({}, "above 0", "+4.00"),
        ({"holds": {"below": 0}, "unit": "percent"}, "below 0%", "+4.00%"),
        ({"holds": {"above": 50}}, "above 50", "4.00"),  # no change, so it has no plus
        ({"holds": {"above": 0, "margin": 1}, "unit": "percent"}, "above -1%", "+4.00%"),
        (
            {
                "holds": {"above": 0.32, "below": 0.61},
                "unit": "share",
                "published": {"where": "there", "low": 0.32, "high": 0.61},
            },
            "above 32% and below 61%",
            "32.0% to 61.0%",
        ),
        ({"published": {"where": "there"}}, "above 0", ""),
        ({"unit": "nats"}, "above 0 nats", "+4.00 nats"),
        ({"unit": "grades", "holds": {"below": -0.5}}, "below -0.5 grades", "4.00 grades"),
        ({"unit": "count"}, "above 0", "4"),
    ],
)
def test_regions_and_published_values_in_words(changes, region, published):
    made = finding(**changes)
    assert (region_in_words(made), published_in_words(made)) == (region, published)
