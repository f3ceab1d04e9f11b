"""The command `check`: findings against their figures, the ledger, a commit and the measures."""

import contextlib
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path

import typer

from stages.core.measured import MEASURED
from stages.core.stage.files import InputError
from stages.core.stage.places import MEASURES
from stages.core.stage.settings import PARAMETER_FILE, section
from stages.core.verdicts.claims import ClaimsFile, Settings, read_claims
from stages.core.verdicts.findings import (
    FINDINGS_FILE,
    Findings,
    Repeated,
    parse_findings,
    read_findings,
)
from stages.core.verdicts.measures import open_measures
from stages.findings.check import Difference, ledger_differences, mismatches
from stages.findings.compared import differences, run_differences
from stages.findings.stage import decided


def check(against: str, rebuilt: Path, turned: list[str]) -> bool:
    """Work every verdict out again, compare with other findings, and say what is wrong.

    Args:
        against: a findings.json, or a revision of git.
        rebuilt: the findings to check.
        turned: claims whose verdict may differ from the other's while their value stays inside.

    Returns:
        Whether nothing is.

    Raises:
        InputError: a file cannot be read, or a claim of `turned` is none of data/claims.yaml.
    """
    ledger = read_claims()
    if unknown := sorted(set(turned) - {claim.id for claim in ledger.claims}):
        raise InputError(f"--turned {unknown[0]}: data/claims.yaml has no such claim")
    try:
        now, before = read_findings(rebuilt), committed_findings(against, rebuilt)
    except Repeated as error:
        typer.echo(f"WRONG {error}")
        return False
    found = all_differences(before, now, ledger, (against, str(rebuilt)), turned)
    found += _of_measures(before, now, rebuilt)
    for difference in dict.fromkeys(found):
        typer.echo(
            f"{'WRONG' if difference.fails else 'note:'} {difference.claim}: {difference.words}"
        )
    wrong = len({difference.claim for difference in found if difference.fails})
    typer.echo(
        f"{len(now.claims)} claims, {wrong} wrong or beyond their interval against {against}"
    )
    return not wrong


def all_differences(
    before: Findings,
    now: Findings,
    ledger: ClaimsFile,
    names: tuple[str, str],
    turned: Collection[str] = (),
) -> list[Difference]:
    """What is wrong with findings, and what differs from others, without the measures.

    Args:
        names: what the two are called.
    """
    return [
        *mismatches(before, names[0]),
        *mismatches(now, names[1]),
        *ledger_differences(now, ledger, names[1]),
        *run_differences(before, now, names[0]),
        *differences(before, now, names[0], turned=turned),
    ]


def _of_measures(before: Findings, now: Findings, rebuilt: Path) -> Iterator[Difference]:
    """What the measures of the findings' configuration say otherwise, where they are at hand."""
    folder = rebuilt.parent.parent if rebuilt.parent.name == FINDINGS_FILE.parent.name else Path()
    with contextlib.chdir(folder):
        if reason := _not_at_hand(before, now):
            typer.echo(f"note: not decided again from measures: {reason}")
            return
        decided_again = decided(open_measures())
    name = str(folder / MEASURES)
    yield from run_differences(decided_again, now, name)
    yield from differences(decided_again, now, name, exact=True)


def _not_at_hand(before: Findings, now: Findings) -> str:
    """Why claims cannot be decided again in this folder; empty where they can."""
    if not Path(PARAMETER_FILE).is_file() or not any(MEASURES.glob("*/*")):
        return f"{Path.cwd()} has none; run `dvc repro` or `dvc pull` there"
    here = section(Settings, "findings").configuration
    if here != now.configuration:
        return f"those of {Path.cwd()} are of {here}, the findings of {now.configuration}"
    read = {name for one in (before, now) for claim in one.claims.values() for name in claim.read}
    if MEASURED.is_file():  # what the pipeline does not write was not read
        read &= set(MEASURED.read_text(encoding="utf-8").split())
    lacking = sorted(name for name in read if not any((MEASURES / name).glob("*")))
    return f"{MEASURES} lacks {', '.join(lacking)}" if lacking else ""


def committed_findings(against: str, rebuilt: Path) -> Findings:
    """Read findings from a file or, at the path of `rebuilt` or the usual one, from a revision.

    Raises:
        InputError: it is neither.
    """
    if Path(against).is_file():
        return read_findings(Path(against))
    for path in (rebuilt, FINDINGS_FILE):  # what lies elsewhere is held against the latter
        shown = subprocess.run(
            ["git", "show", f"{against}:./{path}"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if not shown.returncode:
            return parse_findings(shown.stdout, f"{against}:{path}")
    raise InputError(
        f"--against {against}: neither a file nor a revision of git that has {rebuilt} or "
        f"{FINDINGS_FILE} ({shown.stderr.strip()})"
    )
