"""What cards of claims say of fine-tunings, where the smallest number is exact and where not."""

import pytest

from stages.report.claim_cards import fine_tunings_in_words
from tests.report.test_bars import finding
from tests.report.test_overview import findings


@pytest.mark.parametrize(
    ("decided_on", "least", "said"),
    [
        ("thrice", 3, "3"),
        ("once", 1, "1: the interval is of this one model"),
        ("asked", 2, "2"),
        ("thrice, again", 3, "3 of each task"),
        ("once, single", 1, "1 of each task: the interval is of these models, one a task"),
        ("thrice", 1, "at least 1; trained were 3 on thrice"),  # another task had one alone
        ("thrice, once", 1, "at least 1 of each task; trained were 3 on thrice and 1 on once"),
        ("untold", 1, "at least 1"),
    ],
)
def test_a_smallest_number_is_called_exact_only_where_it_is(decided_on, least, said):
    seeds = {"thrice": [0, 1, 2], "again": [0, 1, 2], "once": [0], "single": [5]}
    made = findings({}, seeds=seeds, questions={"asked": [0, 1]})
    assert fine_tunings_in_words(finding(decided_on=decided_on, seeds=least), made) == said
