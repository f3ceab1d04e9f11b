"""Prose of pages as HTML: names between backticks as code, claims as links to their cards."""

import re
from collections.abc import Mapping
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from stages.core.pages.titles import heading_in_words, in_words

CODE = re.compile(r"`([^`\n]+)`")
# A setting by its key behind the word, as `draws` or matching.draws: page origins has its key.
SETTING = re.compile(r"\bsetting (?:`(?:\w+\.)*(\w+)`|(?:\w+\.)+(\w+))")
IN_FILE = re.compile(r"(`?)(?:\w+\.)+(\w+)\1 in `?params\.yaml`?")
# A key in brackets by itself, as in notes of claims.
KEY_ALONE = re.compile(r"\(`(?:(?:\w+\.)+(\w+)|([a-z]+(?:_[a-z]+)+))`\)")
COLUMN = re.compile(r"'([a-z0-9]+(?:_[a-z0-9]+)+)'")  # of a table, whose head has it in words


@pass_context
def prose(context: Context, text: Any) -> Markup:
    """Escape a text; names in backticks become code, ids of claims links, other names words.

    The templates give `claim_pages`: the page on which each claim stands.
    """
    return with_links(str(text), context.get("claim_pages", {}), context.get("root", ""))


def with_links(text: str, claim_pages: Mapping[str, str], root: str) -> Markup:
    """As `prose`, with what it takes from the templates."""
    html = CODE.sub(r"<code>\1</code>", str(escape(_in_words(_settings_in_words(text)))))
    if not claim_pages:
        return Markup(html)
    ids = "|".join(re.escape(name) for name in sorted(claim_pages, key=len, reverse=True))
    # Not inside of a longer word or id, and not what is already code.
    mentioned = re.compile(rf"(<code>.*?</code>)|(?<![\w-])({ids})(?![\w-])")

    def linked(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        name = match[2]
        return f'<a href="{root}pages/{claim_pages[name]}.html#{name}">{name}</a>'

    return Markup(mentioned.sub(linked, html))


def _settings_in_words(text: str) -> str:
    """Settings by the words of their keys: "(`draw_examples`)" is "(setting 'draw examples')"."""

    def said(match: re.Match[str]) -> str:
        return f"setting '{match[match.lastindex].replace('_', ' ')}'"

    text = IN_FILE.sub(lambda match: f"the {said(match)}", SETTING.sub(said, text))
    return KEY_ALONE.sub(lambda match: f"({said(match)})", text)


def _in_words(text: str) -> str:
    """The text in words, but for what stands in backticks; columns as their tables name them."""

    def said(part: str) -> str:
        return in_words(COLUMN.sub(lambda match: f"'{heading_in_words(match[1])}'", part))

    parts = re.split(r"(`[^`\n]+`)", text)
    return "".join(part if place % 2 else said(part) for place, part in enumerate(parts))


def argument_in_words(value: Any) -> str:
    """An argument of a measure: layers as "6 to 9", lists with commas, everything else as it is."""
    if isinstance(value, Mapping) and set(value) == {"first", "last"}:
        first, last = value["first"], value["last"]
        return f"{first}" if first == last else f"{first} to {last}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {argument_in_words(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(argument_in_words, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def place_in_source(section: str) -> str:
    """Where in its source a claim stands: a numbered section is called one."""
    if section == "of this project":
        return "a question of this project"
    return f"section {section}" if section[:1].isdigit() else section


def names_a_layer(text: str) -> bool:
    """Whether a text speaks of layers or heads by their number."""
    return bool(re.search(r"\b(?:layers?|heads?) \d|\b\d+-\d+\b", text))


def plain(text: Any) -> str:
    """The text for those who hear it: without backticks."""
    return CODE.sub(r"\1", _in_words(_settings_in_words(str(text))))
