"""Give every claim its verdict: `reports/findings.json` and `reports/metrics.json`."""

import json
import subprocess
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

import stages.findings
from stages.core.corpora.entries import load_corpus_entry
from stages.core.intervals.intervals import LEVEL
from stages.core.stage.arms import RECORDED
from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError, atomic
from stages.core.stage.settings import section
from stages.core.tasks.task import load_task
from stages.core.verdicts.answers import Answer, NotMeasured
from stages.core.verdicts.claims import (
    SUMMARIES,
    ClaimsFile,
    Settings,
    answer,
    read_claims,
    source_setting,
)
from stages.core.verdicts.findings import (
    FINDINGS_FILE,
    Finding,
    Findings,
    NotShown,
    judged,
    parse_findings,
    read_findings,
    rounded,
)
from stages.core.verdicts.learnt import not_learnt
from stages.core.verdicts.measures import Measures, open_measures
from stages.core.verdicts.region import Verdict
from stages.core.verdicts.setting import (
    Setting,
    arm_of,
    merged,
    setting_of_corpus,
    setting_of_task,
)
from stages.findings.check import differences, ledger_differences, mismatches

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
        seeds=measures.seeds,
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
    """Work every verdict out again, compare with other findings; exit with 1 on what is wrong.

    Wrong is: a verdict that does not follow from the figures beside it, in either file; a region,
    measure or published value that is not that of data/claims.yaml; a value outside of the
    committed interval; another region; a claim that has no verdict any more.
    """
    now = read_findings(rebuilt)
    before = committed_findings(against, rebuilt)
    for name in ("configuration", "checkpoint", "tasks", "seeds"):
        if getattr(before, name) != getattr(now, name):
            typer.echo(
                f"note: `{name}` differs, so verdicts may too: {getattr(before, name)} in "
                f"{against}, {getattr(now, name)} in {rebuilt}"
            )
    found = [
        *mismatches(before, against),
        *mismatches(now, str(rebuilt)),
        *ledger_differences(now, read_claims(), str(rebuilt)),
        *differences(before, now),
    ]
    for difference in found:
        typer.echo(
            f"{'WRONG' if difference.fails else 'note:'} {difference.claim}: {difference.words}"
        )
    wrong = len({difference.claim for difference in found if difference.fails})
    typer.echo(
        f"{len(now.claims)} claims, {wrong} wrong or beyond their interval against {against}"
    )
    raise typer.Exit(1 if wrong else 0)


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
                here = setting_here(found, measures, settings)
                source = source_setting(claim, content)
                claims[claim.id] = judged(claim, paper.cited, found, source, here)
                continue
            except NotMeasured as error:
                reason = f"Not measured in this configuration: {error}."
        shared = claim.model_dump(include={"study", "section", "statement", "kind"})
        not_shown[claim.id] = NotShown(
            **shared, paper=paper.cited, published=claim.published, reason=reason
        )
    return claims, not_shown


def setting_here(found: Answer, measures: Measures, settings: Settings) -> Setting:
    """What the tasks or corpora that decide a claim are, and the encoder."""
    names = found.decided_on.split(", ") if found.decided_on else list(found.tasks)
    corpora = list(section(dict[str, Any], "corpora"))
    data = [
        setting_of_corpus(load_corpus_entry(name))
        if name in corpora
        else setting_of_task(name, load_task(name))
        for name in names
        if name in corpora or name in measures.tasks
    ]
    own = Setting(training=settings.training, layers=measures.layers, arm=arm_of(found.arm))
    if found.arm == RECORDED:
        own = Setting()
    return merged(data).with_changes(own) if data else own


def metrics(findings: Findings, measures: Measures) -> dict[str, Any]:
    """What `dvc metrics` shows: verdicts, values of claims, and the summary of every stage."""
    table: dict[str, Any] = {
        "verdicts": {name: findings.count(name) for name in get_args(Verdict)},
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
