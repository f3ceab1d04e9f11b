"""The card of a claim: its bar, on which intervals and regions lie, and its numbers in words."""

from dataclasses import dataclass

from stages.core.verdicts.claims import Unit
from stages.core.verdicts.findings import Finding

MARGIN = 0.08  # of the bar's length, left free at both ends
DIGITS: dict[Unit, str] = {
    "points": "{:.2f}",
    "percent": "{:.2f}%",
    "share": "{:.1%}",
    "F1": "{:.3f}",
    "count": "{:g}",
    "cosine": "{:.4f}",
    "nats": "{:.2f} nats",
    "grades": "{:.2f} grades",
    "ratio": "{:.2f}",
    "correlation": "{:.2f}",
}
# How a bound is printed: its factor and sign.
BOUNDS: dict[Unit, tuple[int, str]] = {
    "percent": (1, "%"),
    "share": (100, "%"),
    "nats": (1, " nats"),
    "grades": (1, " grades"),
}


@dataclass(frozen=True)
class Bar:
    """Positions along a bar of length 1; None for what is not known."""

    value: float | None
    low: float | None
    high: float | None
    region: tuple[float, float]
    published: float | None
    published_range: tuple[float, float] | None
    control: float | None


def allows_for_choice(finding: Finding) -> bool:
    """Whether the interval is of the task that decides, but not that task's own.

    Which task is the smallest or largest is known from its value alone: the claim's interval allows
    for that, so the same value has another interval beside the other tasks.
    """
    deciding = [one for one in finding.tasks.values() if one.value == finding.value]
    ends = finding.low, finding.high
    return bool(deciding) and all((one.low, one.high) != ends for one in deciding)


def bar(finding: Finding) -> Bar:
    """Scale the claim's numbers so that all of them fit on the bar."""
    published = finding.published
    bounds = (finding.holds.lower, finding.holds.upper)
    finite = [bound for bound in bounds if abs(bound) != float("inf")]
    numbers = [finding.value, finding.low, finding.high]
    numbers += [published.value, published.low, published.high, *finite]
    control = None if finding.control is None else finding.control.value
    numbers.append(control)
    known = [number for number in numbers if number is not None]
    start, end = min(known), max(known)
    length = (end - start) or 1.0

    def place(number: float | None) -> float | None:
        if number is None:
            return None
        return round(MARGIN + (1 - 2 * MARGIN) * (number - start) / length, 4)

    reported = None
    if published.low is not None and published.high is not None:
        reported = (place(published.low), place(published.high))
    return Bar(
        place(finding.value),
        place(finding.low),
        place(finding.high),
        tuple(min(1.0, max(0.0, place(bound))) for bound in bounds),
        place(published.value),
        reported,
        place(control),
    )


def shown(number: float | None, unit: Unit, signed: bool = False) -> str:
    """A number in its unit, as the pages print it.

    Args:
        signed: whether it is a change, so that what is above 0 has a plus.
    """
    if number is None:
        return "not known"
    text = DIGITS[unit].format(number)
    if not any(digit in text for digit in "123456789"):  # what reads as 0 has no sign
        return text.lstrip("-")
    return f"+{text}" if signed and number > 0 else text


def is_signed(finding: Finding) -> bool:
    """Whether a claim's numbers are changes: those that it asks to be above or below 0."""
    return finding.unit != "count" and 0 in (finding.holds.above, finding.holds.below)


def region_in_words(finding: Finding) -> str:
    """The region, as "above 0" or "above 32% and below 61%"."""
    lower, upper = finding.holds.lower, finding.holds.upper
    scale, sign = BOUNDS.get(finding.unit, (1, ""))
    parts = [
        f"{word} {round(scale * bound, 4):g}{sign}"
        for word, bound in (("above", lower), ("below", upper))
        if abs(bound) != float("inf")
    ]
    return " and ".join(parts)


def published_in_words(finding: Finding) -> str:
    """The source's value or range; empty where it gives words only."""
    published = finding.published
    if published.low is not None and published.high is not None:
        low, high = (
            shown(part, finding.unit, is_signed(finding))
            for part in (published.low, published.high)
        )
        return f"{low} to {high}"
    if published.value is None:
        return ""
    return shown(published.value, finding.unit, is_signed(finding))
