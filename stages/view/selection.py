"""Which layers and heads the page has, and whether it can carry them."""

import re

from stages.core.stage.files import InputError
from stages.core.viewer.rounding import CHARACTERS

MOST_MEGABYTES = 20  # of maps, queries and keys; browsers still open such a page in a second


def numbers_of(option: str, named: str | None, count: int, what: str) -> list[int]:
    """The layers or heads that an option names, in order; all of them where it is not given.

    Args:
        named: as `0-2,5`.
        count: how many there are.

    Raises:
        InputError: it names none, or one that is not there.
    """
    if named is None:
        return list(range(count))
    found: set[int] = set()
    for part in named.split(","):
        ends = re.fullmatch(r"\s*(\d+)(?:\s*-\s*(\d+))?\s*", part)
        if ends is None:
            raise InputError(f"{option} {named}: write numbers from 0 as 0-2,5")
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if last < first or last >= count:
            raise InputError(
                f"{option} {named}: there are {what} 0 to {count - 1}, and a range goes up"
            )
        found.update(range(first, last + 1))
    return sorted(found)


def characters(layers: int, heads: int, tokens: int, size: int, models: int = 1) -> int:
    """How long the maps, queries and keys in a page are."""
    return CHARACTERS * models * layers * heads * tokens * (tokens + 2 * size)


def require_room(layers: int, heads: int, tokens: int, size: int, models: int) -> None:
    """Check that a page can carry what is asked for.

    Args:
        size: width of a head.

    Raises:
        InputError: it would be too large; the message says what would do.
    """
    most = MOST_MEGABYTES * 1_000_000
    if characters(layers, heads, tokens, size, models) <= most:
        return
    fewer = max(1, most // characters(1, heads, tokens, size, models))
    fits = characters(fewer, heads, tokens, size, models) <= most
    mend = f"--layers 0-{fewer - 1}" if fits else "one layer and few heads by --layers and --heads"
    shorter = max(
        count for count in range(tokens) if characters(layers, heads, count, size, models) <= most
    )
    megabytes = characters(layers, heads, tokens, size, models) / 1e6
    raise InputError(
        f"{tokens} tokens in {layers} layers of {heads} heads"
        f"{' of two models' if models > 1 else ''} make a page of {megabytes:.0f} MB, above the "
        f"limit of {MOST_MEGABYTES}; show fewer layers ({mend}), or at most {shorter} tokens"
    )
