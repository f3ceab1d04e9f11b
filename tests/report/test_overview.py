"""What the overview says at its top, on findings whose sentences are known by hand."""

from stages.core.verdicts.findings import Finding, Findings, NotShown
from stages.report.overview import (
    by_paper,
    by_reason,
    certainty,
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


ELSEWHERE_IN_WORDS = "In another setting (each claim says in what it differs from its source's)"
ELSEWHERE = {"source": {"layers": 12}, "here": {"layers": 6}, "departures": ["6 layers"]}


def test_the_headline_counts_published_claims_in_and_out_of_the_setting():
    claims = {
        "a": finding(verdict="holds"),
        "b": finding(verdict="fails"),
        "c": finding(verdict="holds", kind="words"),
        "d": finding(verdict="undecided", setting=ELSEWHERE),
        "own": finding(verdict="holds", kind="own"),
    }
    assert headline(findings(claims)) == [
        "4 published claims were measured here.",
        "In the setting of the source: 3, of which 2 hold and 1 fails.",
        f"{ELSEWHERE_IN_WORDS}: 1, which is undecided.",
    ]


def test_the_headline_of_one_claim_and_of_none():
    one = {"a": finding(verdict="not decidable here")}
    assert headline(findings(one)) == [
        "1 published claim was measured here.",
        "In the setting of the source: 1, which is not decidable here.",
        f"{ELSEWHERE_IN_WORDS}: none was measured.",
    ]
    only_own = {"own": finding(kind="own")}
    assert headline(findings(only_own)) == ["No published claim was measured here."]


def test_how_sure_the_published_claims_are_is_counted():
    beyond = {"value": 1, "low": 0.5, "high": 2, "n": 5}
    control = {"value": 0, "low": -1, "high": 1, "n": 5, "beyond": beyond}
    claims = {
        "a": finding(seeds=3, control=control),
        "b": finding(seeds=1),
        "c": finding(seeds=None),
        "own": finding(seeds=3, kind="own"),
    }
    assert certainty(findings(claims)) == [
        "An interval is over examples or texts, and over fine-tunings where there are several "
        "(1 claim); 1 claim is of one fine-tuning.",
        "Claims with a control: 1 of 3; others say why there is none.",
        "Each claim is judged by itself, without a correction for how many there are.",
    ]
    untuned = findings({"c": finding(seeds=None)})
    assert certainty(untuned)[0] == "An interval is over examples or texts."
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
        ("published number", "as the source", 1),
        ("published number", "another", 1),
        ("own question", "as the source", 1),
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
    assert seeds_in_words(made) == "one 3 (0, 1, 2); two 1 (7)"
    assert seeds_in_words(findings({})) == ""
    of_questions = findings({}, seeds={"one": [0]}, questions={"passages": [3, 4]})
    assert seeds_in_words(of_questions) == "one 1 (0); passages 2 (3, 4)"


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
