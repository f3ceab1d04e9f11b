"""What the card of a claim says of its fine-tunings, in words that no numbers contradict."""

from stages.core.pages.said import listed
from stages.core.verdicts.findings import Finding, Findings


def fine_tunings_in_words(finding: Finding, findings: Findings) -> str:
    """Of how many fine-tunings a claim is.

    `seeds` of a finding is the smallest number over the tasks that its measure took. That is exact
    where no task that decides was tuned more often; else it is a least number, and is called one.
    """
    least, decide = finding.seeds, finding.decided_on.split(", ")
    tuned = {
        name: len(seeds)
        for name, seeds in (findings.seeds | findings.questions).items()
        if name in decide
    }
    of_each = " of each task" if len(tuned) > 1 else ""
    if set(tuned.values()) == {least}:
        if least == 1:
            these = "these models, one a task" if of_each else "this one model"
            return f"1{of_each}: the interval is of {these}"
        return f"{least}{of_each}"
    there = [f"{number} on {name}" for name, number in tuned.items()]
    return f"at least {least}{of_each}" + (f"; trained were {listed(there)}" if there else "")
