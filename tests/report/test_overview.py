"""What the overview says at its top, on findings whose sentences are known by hand."""

import pytest

from stages.core.verdicts.findings import Finding, Findings, NotShown
from stages.report.overview import (
    by_paper,
    by_reason,
    certainty,
    fine_tunings_in_words,
    headline,
    not_learnt_in_words,
    paper_tallies,
    seeds_in_words,
    tallies,
)
from tests.report.test_bars import finding


def findings(claims: dict[str, Finding], **changes) -> Findings:
    content = {
        "configuration": "made",
        "level": 0.95,
        "checkpoint": {"source": "package", "package": "tiny"},
        "models": ["tiny"],
        "tasks": {},
        "seeds": {},
        "claims": claims,
        "not_shown": {},
    }
    return Findings(**(content | changes))


ELSEWHERE = {"source": {"layers": 12}, "here": {"layers": 6}, "departures": ["6 layers"]}
BOTH = {"source": {}, "here": {}, "departures": ["6 layers", "both"]}


def test_the_headline_counts_published_claims_in_and_out_of_the_setting():
    claims = {
        "a": finding(verdict="holds"),
        "b": finding(verdict="fails"),
        "c": finding(verdict="holds", kind="words"),
        "d": finding(verdict="undecided", setting=ELSEWHERE),
        "e": finding(verdict="undecided", setting=BOTH),
        "own": finding(verdict="holds", kind="own", setting=ELSEWHERE),
    }
    assert headline(findings(claims)) == [
        "5 published claims were measured here: 2 hold, 1 fails and 2 are undecided.",
        "3 of them were measured in the setting of their sources: 2 hold and 1 fails.",
        "Departures from the sources' settings, of which a claim can have several: 6 layers "
        "(2 claims) and single texts as well as pairs of texts (1 claim).",
    ]


def test_the_headline_of_one_claim_and_of_none():
    one = {"a": finding(verdict="not decidable here")}
    assert headline(findings(one)) == [
        "1 published claim was measured here: 1 is not decidable here.",
        "It was measured in the setting of its source.",
    ]
    other = {"a": finding(verdict="holds", setting=ELSEWHERE)}
    assert headline(findings(other))[1:] == [
        "It was not measured in exactly the setting of its source; the verdict speaks of the model "
        "and the text named above.",
        "Departure from the setting of its source: 6 layers (1 claim).",
    ]
    two = {name: finding(verdict="holds", setting=ELSEWHERE) for name in "ab"}
    assert headline(findings(two)) == [
        "2 published claims were measured here: 2 hold.",
        "None was measured in exactly the setting of its source; the verdicts speak of the model "
        "and the text named above.",
        "Departure from the sources' settings: 6 layers (2 claims).",
    ]
    mixed = two | {"c": finding(verdict="fails")}
    assert headline(findings(mixed))[1] == (
        "1 of them was measured in the setting of its source: 1 fails."
    )
    only_own = {"own": finding(kind="own")}
    assert headline(findings(only_own)) == ["No published claim was measured here."]


def test_how_sure_the_published_claims_are_is_counted():
    beyond = {"value": 1, "low": 0.5, "high": 2, "n": 5}
    control = {"value": 0, "low": -1, "high": 1, "n": 5, "beyond": beyond}
    claims = {
        "a": finding(seeds=3, control=control),
        "b": finding(seeds=1),
        "c": finding(seeds=None, verdict="fails"),
        "own": finding(seeds=3, kind="own"),
    }
    control_is = "control (the same measured on random weights, or on an encoder tuned from them)."
    assert certainty(findings(claims)) == [
        "Intervals are over examples or texts, and over fine-tunings where there are several. 1 "
        "claim rests on several fine-tunings of every task involved, 1 on a single fine-tuning of "
        "some task and 1 on the model as it came, without a fine-tuning here.",
        f"1 of 3 claims has a {control_is} Of the 2 that hold, 1 also passes its "
        "control, which holding requires and 1 has none and says why.",
        "Each claim is judged by itself, without a correction for how many there are.",
    ]
    between = finding(control=control, holds={"above": 0, "below": 9})  # for which none counts
    for one, ends in (
        (between, "The one that holds is of a range, which needs no control."),
        (
            finding(control=control),
            "The one that holds also passes its control, which holding requires.",
        ),
        (finding(), "The one that holds has none, and says why."),
    ):
        said = certainty(findings({"a": one}))[1]
        has = "no" if one.control is None else "a"
        assert said == f"The only claim has {has} {control_is} {ends}"
    assert certainty(findings({"a": between, "b": between}))[1] == (
        f"Both claims have a {control_is} Of the 2 that hold, 2 are of a range, which needs no "
        "control."
    )
    bare = {name: finding(verdict="fails") for name in "abc"}
    assert certainty(findings(bare))[1] == f"None of 3 claims has a {control_is}"
    untuned = findings({"c": finding(seeds=None, verdict="fails")})
    assert certainty(untuned)[0].endswith(
        "several. 1 claim rests on the model as it came, without a fine-tuning here."
    )
    assert certainty(untuned)[1] == f"The only claim has no {control_is}"
    assert certainty(findings({"own": finding(kind="own")})) == []


def test_every_claim_is_in_one_tally_of_each_kind():
    claims = {
        "a": finding(verdict="holds", paper="first"),
        "b": finding(verdict="fails", paper="second", setting=ELSEWHERE),
        "own": finding(verdict="fails", paper="second", kind="own"),
    }
    made = findings(claims)
    by_kind = [(row.of, row.setting, sum(row.counts.values())) for row in tallies(made)]
    assert by_kind == [
        ("published number", "the source's setting", 1),
        ("published number", "another setting", 1),
        ("question of this project, not published", "", 1),
    ]
    of_papers = [(row.of, row.counts["holds"], row.counts["fails"]) for row in paper_tallies(made)]
    assert of_papers == [("first", 1, 0), ("second", 0, 1), ("Questions of this project", 0, 1)]
    assert list(by_paper(made)["second"]) == ["b"]


def test_what_was_not_measured_stands_below_its_reason_most_first():
    def missing(reason: str) -> NotShown:
        shared = {"study": "A", "paper": "p", "section": "1", "statement": "so", "kind": "words"}
        return NotShown(**shared, reason=reason, published={"where": "there"})

    made = findings(
        {},
        not_shown={
            "a": missing("Not measured in this configuration: no corpus has mentions."),
            "b": missing("Needs a decoder."),
            "c": missing("Needs a decoder."),
        },
    )
    assert {reason: list(some) for reason, some in by_reason(made).items()} == {
        "Needs a decoder.": ["b", "c"],
        "No corpus has mentions.": ["a"],
    }


def test_seeds_are_counted_for_each_task():
    made = findings({}, seeds={"one": [0, 1, 2], "two": [7]})
    assert seeds_in_words(made) == "one: 3 (seeds 0, 1, 2); two: 1 (seed 7)"
    assert seeds_in_words(findings({})) == ""
    of_questions = findings({}, seeds={"one": [0]}, questions={"passages": [3, 4]})
    assert seeds_in_words(of_questions) == "one: 1 (seed 0); passages: 2 (seeds 3, 4)"


def test_only_what_was_not_learnt_is_spoken_of():
    counts = (
        ". No claim about the tuned encoder or its heads counts {}: tune longer, with another "
        "learning rate or with more examples."
    )
    known = {"questions": {"dream": [0]}, "tasks": {"a": "accuracy", "b": "accuracy"}}
    assert not_learnt_in_words(findings({}, **known)) == ""
    said = "On a the tuned encoder is no better than the majority class" + counts.format("this")
    assert not_learnt_in_words(findings({}, not_learnt=["a"], **known)) == said
    said = "On dream the reader is no better than a guess or the longest option"
    said += counts.format("this")
    assert not_learnt_in_words(findings({}, not_learnt=["dream"], **known)) == said
    said = (
        "On a and b the tuned encoder is no better than the majority class, and on dream the "
        "reader is no better than a guess or the longest option" + counts.format("these")
    )
    assert not_learnt_in_words(findings({}, not_learnt=["a", "b", "dream"], **known)) == said


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
