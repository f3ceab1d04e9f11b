"""Charts in words: what their axes, legends, panels and marks say for names that are no words."""

from typing import Any

from stages.core.pages.titles import heading_in_words, in_words


def labelled(made: Any) -> Any:
    """A Vega-Lite specification, or a part, with `titles.NAMES` in words wherever they stand.

    Values, orders and domains change alike, and so do the columns that data and encodings name;
    a channel or tooltip without a title gets its column's name as one, in words.
    """
    if isinstance(made, list):
        return [labelled(part) for part in made]
    if isinstance(made, str):
        return in_words(made)
    if not isinstance(made, dict):
        return made
    changed = {in_words(key): labelled(part) for key, part in made.items()}
    name = made.get("field")
    if isinstance(name, str) and "type" in made and "title" not in made:
        title = heading_in_words(name)
        if title != name:
            changed["title"] = title
    return changed
