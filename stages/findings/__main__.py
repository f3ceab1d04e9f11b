"""Give every claim its verdict: `reports/findings.json` and `reports/metrics.json`."""

import json
import subprocess
from pathlib import Path
from typing import Annotated, Any

import typer

import stages.findings
from stages.core.corpora.entries import load_corpus_entry
from stages.core.intervals.intervals import LEVEL
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError, atomic
from stages.core.stage.settings import section
from stages.core.verdicts.claims import SUMMARIES, ClaimsFile, Settings, answer, read_claims
from stages.core.verdicts.estimates import NotMeasured
from stages.core.verdicts.findings import (
    FINDINGS_FILE,
    Finding,
    Findings,
    NotShown,
    flips,
    judged,
    parse_findings,
    read_findings,
    rounded,
)
from stages.core.verdicts.learnt import not_learnt
from stages.core.verdicts.measures import Measures, open_measures

METRICS_FILE = Path("reports/metrics.json")

app = typer.Typer(add_completion=False)


@app.callback(invoke_without_command=True)
def build(context: typer.Context) -> None:
    """Decide every claim of data/claims.yaml from work/measures; write findings and metrics."""
    if context.invoked_subcommand:
        return
    stages.findings.load()
    settings = section(Settings, "findings")
    measures = open_measures()
    claims, not_shown = decide(read_claims(), measures, settings)
    findings = Findings(
        configuration=settings.configuration,
        level=LEVEL,
        checkpoint=section(dict[str, Any], "checkpoint"),
        tasks=measures.primary,
        seeds=section(list[int], "run.seeds"),
        recorded=recorded_models(list(section(dict[str, Any], "corpora"))),
        not_learnt=not_learnt(measures),
        claims=claims,
        not_shown=not_shown,
    )
    write_json(FINDINGS_FILE, findings.model_dump())
    write_json(METRICS_FILE, metrics(findings, measures))


def recorded_models(corpora: list[str]) -> dict[str, str]:
    """The corpora whose attention was recorded elsewhere, each with the model that it is of."""
    entries = {name: load_corpus_entry(name) for name in corpora}
    return {name: entry.model for name, entry in entries.items() if entry.source == "recorded"}


@app.command()
def check(
    against: Annotated[str, typer.Option(help="A findings.json, or a revision of git.")],
    rebuilt: Annotated[Path, typer.Option(help="The findings to check.")] = FINDINGS_FILE,
) -> None:
    """Exit with 1, naming the claim, when a verdict flipped beyond its committed interval.

    That is: the verdict changed, and the rebuilt value lies outside of the committed interval; or
    the claim has no verdict any more.
    """
    now = read_findings(rebuilt)
    before = committed_findings(against, rebuilt)
    for name in ("configuration", "checkpoint", "tasks", "seeds"):
        if getattr(before, name) != getattr(now, name):
            typer.echo(
                f"note: `{name}` differs, so verdicts may too: {getattr(before, name)} in "
                f"{against}, {getattr(now, name)} in {rebuilt}"
            )
    changes = list(flips(before, now))
    for name, flipped, words in changes:
        typer.echo(f"{'FLIPPED' if flipped else 'moved'} {name}: {words}")
    flipped = sum(flipped for _, flipped, _ in changes)
    typer.echo(f"{len(now.claims)} claims, {flipped} verdicts flipped against {against}")
    raise typer.Exit(1 if flipped else 0)


def decide(
    content: ClaimsFile, measures: Measures, settings: Settings
) -> tuple[dict[str, Finding], dict[str, NotShown]]:
    """Every claim with its verdict, or with the reason why it has none."""
    claims, not_shown = {}, {}
    for claim in content.claims:
        paper, reason = content.papers[claim.paper], claim.absent
        if not reason:
            try:
                found = answer(claim, paper, measures, settings)
                claims[claim.id] = judged(claim, paper.cited, found)
                continue
            except NotMeasured as error:
                reason = f"Not measured in this configuration: {error}."
        shared = claim.model_dump(include={"study", "section", "statement"})
        not_shown[claim.id] = NotShown(
            **shared, paper=paper.cited, published=claim.published, reason=reason
        )
    return claims, not_shown


def metrics(findings: Findings, measures: Measures) -> dict[str, Any]:
    """What `dvc metrics` shows: verdicts, values of claims, and the summary of every stage."""
    table: dict[str, Any] = {
        "verdicts": {name: findings.count(name) for name in ("holds", "fails", "undecided")},
        "claims": {name: finding.value for name, finding in findings.claims.items()},
    }
    for name, summary in SUMMARIES.items():
        try:
            table[name] = all_rounded(summary(measures))
        except NotMeasured:
            continue
    return table


def all_rounded(figures: Any) -> Any:
    """Round every number of nested figures."""
    if isinstance(figures, dict):
        return {key: all_rounded(value) for key, value in figures.items()}
    return rounded(figures) if isinstance(figures, float) else figures


def committed_findings(against: str, rebuilt: Path) -> Findings:
    """Read findings from a file or, at the path of `rebuilt`, from a revision of git.

    Raises:
        InputError: it is neither.
    """
    if Path(against).is_file():
        return read_findings(Path(against))
    shown = subprocess.run(
        ["git", "show", f"{against}:./{rebuilt}"], capture_output=True, text=True, check=False
    )
    if shown.returncode:
        raise InputError(
            f"--against {against}: neither a file nor a revision of git that has {rebuilt} "
            f"({shown.stderr.strip()})"
        )
    return parse_findings(shown.stdout, f"{against}:{rebuilt}")


def write_json(path: Path, content: Any) -> None:
    """Write JSON in the order given, one value a line."""
    with atomic(path) as partial:
        partial.write_text(json.dumps(content, indent=2, allow_nan=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    stage_command(app)
