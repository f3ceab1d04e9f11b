"""Whether a report is whole: links lead to files, nothing is empty, no sentence has a gap."""

import json
import re
from html import unescape
from pathlib import Path

import pandas as pd
from ruamel.yaml import YAML

# What stands in a sentence where a number or name is missing.
GAPS = re.compile(r"\b(nan|NaN|None(?! (of|was|were) )|inf|0 of 0|no value)\b")
DRAWN = re.compile(
    r'<script type="application/json" id="([^"]*)-specification">(.*?)</script>', re.S
)
SECTION = re.compile(r'<section aria-labelledby="section-\d+">(.*?)</section>', re.S)
LINK = re.compile(r'(?:src|href)="([^"]*)"')
TABLE = re.compile(r"<table.*?</table>", re.S)


def complaints(folder: Path) -> list[str]:
    """All that is wrong with the report in `folder/reports`, in words."""
    reports, site = folder / "reports", folder / "reports/site"
    pages = [site / "index.html", *sorted((site / "pages").glob("*.html"))]
    found = [f"no {page.name}" for page in pages if not page.is_file()]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        found += [f"{page.name}: {words}" for words in (*broken(page, text), *gaps(text))]
        found += [f"{page.name}: {words}" for words in empty(text)]
    for kind in (site / "figures", site / "tables", reports / "plots"):
        for file in kind.glob("*.csv"):
            if pd.read_csv(file).empty:
                found.append(f"{kind.name}/{file.name} has no row")
    return [*found, *unnamed(folder)]


def broken(page: Path, text: str) -> list[str]:
    """Local links that lead to no file."""
    links = {unescape(link).partition("#")[0] for link in LINK.findall(text)}
    local = {link for link in links if link and not re.match(r"[a-z]+:", link)}
    return [f"{link} is not there" for link in sorted(local) if not (page.parent / link).exists()]


def empty(text: str) -> list[str]:
    """Figures without rows, sections without figures and tables, and tables without rows."""
    found = []
    for name, specification in DRAWN.findall(text):
        tables = json.loads(specification).get("datasets", {}).values()
        if not any(one["count"] for one in tables if "zero" not in one["columns"]):
            found.append(f"the figure {name} draws nothing")
    for section in SECTION.findall(text):
        if "<figure" not in section and '<div class="table"' not in section:
            found.append(f"a section of nothing: {section[:100]}")
    found += [f"an empty table: {one[:200]}" for one in TABLE.findall(text) if "<td" not in one]
    return found


def gaps(text: str) -> list[str]:
    """Sentences in which a number or name is missing; scripts and cells of tables are none."""
    for part in (r"<script.*?</script>", r"<style.*?</style>", r"<td.*?</td>"):
        text = re.sub(part, " ", text, flags=re.S)
    said = unescape(re.sub(r"<[^>]*>", " ", text))
    return [said[max(0, one.start() - 80) : one.end() + 40] for one in GAPS.finditer(said)]


def unnamed(folder: Path) -> list[str]:
    """Claims of the ledger that findings neither decide nor give a reason for."""
    ledger = YAML(typ="safe").load(folder / "data/claims.yaml")["claims"]
    findings = json.loads((folder / "reports/findings.json").read_text(encoding="utf-8"))
    known = {*findings["claims"], *findings["not_shown"]}
    return [f"{claim['id']} is missing" for claim in ledger if claim["id"] not in known]
