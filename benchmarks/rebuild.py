"""`dvc repro` with a recorder in every stage, and what its record says of each stage's time.

DVC runs a stage's command by `$SHELL`, here recorder/launcher.py; Python's start imports
recorder/sitecustomize.py. Neither changes what a stage does.

The record is a folder of three files of JSON lines, to which every `dvc repro` adds: `repros`
(begin and end of DVC), `commands` (of the shell that runs a stage's command) and `processes` (of
every process of Python that ended by itself). Times are seconds of the machine's own clock.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from stages.core.stage.files import InputError
from stages.core.stage.targets import target_folder
from tools.repository import clone_to

RECORD = Path("work/rebuild")  # in the clone; a folder for each configuration
RECORDER = Path(__file__).parent / "recorder"
ALL, BEFORE, NOTHING = "everything", "before the first stage", "DVC with nothing to do"
PARTS = ["dvc", "python", "compute"]
NO_COMMAND = {"python": 0.0, "compute": 0.0, "cpu": 0.0, "runs": 1}


def clone(folder: Path) -> None:
    """Clone the repository of this folder, as it was committed, into a new one.

    Raises:
        InputError: there is something already, or git cannot.
    """
    target_folder(folder, "clone (`--folder` takes one that is there)")
    clone_to(Path(), folder)


def run(folder: Path, configuration: Path, targets: list[str], environment: dict[str, str]) -> Path:
    """Run `dvc repro` of a configuration in a clone, with a recorder; the folder of its record.

    Args:
        targets: stages of DVC; none: all.
        environment: the variables of the stages.

    Raises:
        InputError: a stage failed, or was interrupted; what is known of it is in the record.
    """
    place = folder / configuration
    if not (place / "dvc.yaml").exists():
        raise InputError(f"{place} has no dvc.yaml: it is no configuration")
    record = folder / RECORD / name_of(configuration)
    status = repro(place, record, targets, environment)
    if status:
        raise InputError(
            f"dvc repro in {place} ended with status {status}; run it again with --folder {folder}"
        )
    return record


def name_of(configuration: Path) -> str:
    """A configuration's name in the names of files."""
    return "default" if configuration == Path(".") else configuration.name


def repro(folder: Path, record: Path, words: list[str], environment: dict[str, str]) -> int:
    """Run `dvc repro` in a folder and add to the record; interrupted, it can be called again.

    Args:
        words: further arguments, targets above all.
        environment: the variables of the stages.

    Returns:
        DVC's exit status.
    """
    record.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    shell = record / "sh"  # by this name a stage knows it as no process that starts others
    launcher = (RECORDER / "launcher.py").read_text(encoding="utf-8")
    shell.write_text(f"#!{sys.executable} -IS\n{launcher}", encoding="utf-8")
    shell.chmod(0o755)
    path = [str(RECORDER), *filter(None, [environment.get("PYTHONPATH")])]
    added = {
        "SHELL": str(shell),
        "PYTHONPATH": os.pathsep.join(path),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", "")]),
        "REBUILD_RECORD": str(record.resolve()),
        "REBUILD_REPRO": repr(begin),
    }
    kept = signal.signal(signal.SIGINT, lambda *unused: None)  # DVC ends, and its end is noted
    try:
        command = [sys.executable, "-m", "dvc", "repro", *words]
        status = subprocess.run(command, cwd=folder, env=environment | added).returncode
    finally:
        signal.signal(signal.SIGINT, kept)
    line = {"repro": repr(begin), "begin": begin, "end": time.monotonic(), "status": status}
    with (record / "repros.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")
    return status


def table(record: Path) -> pd.DataFrame:
    """Where the time of every stage went, the longest first.

    Of a stage that was interrupted and run again, all runs count. What DVC does between two
    commands is the part of the one before. The rows add up to the first one, which is all that
    `dvc repro` took whenever it ran a stage; one that found nothing to do is the last row, apart.

    Returns:
        stage, seconds, dvc, python (start, imports and end of the command's own process), compute
        (all else; what further processes take is in it), cpu (seconds of all processes together),
        megabytes (peaks of processes that live at the same time, added up) and runs.

    Raises:
        InputError: no stage of the record has ended.
    """
    repros, processes = read(record, "repros"), read(record, "processes")
    commands = ended(read(record, "commands"), repros)
    if commands.empty:
        raise InputError(f"{record} has no stage that ended")
    rows = [
        row for _, group in commands.groupby("repro") for row in parts(group, repros, processes)
    ]
    sums = pd.DataFrame(rows).groupby("stage", sort=False).sum().reset_index()
    sums.insert(1, "seconds", sums[PARTS].sum(axis=1))
    sums = sums.sort_values("seconds", ascending=False)
    whole = (
        sums.sum(numeric_only=True).to_frame().T.assign(stage=ALL, runs=commands["repro"].nunique())
    )
    found = pd.concat([whole, sums, idle(repros, commands)], ignore_index=True)
    of_stages = processes.groupby(["repro", "stage"])
    peaks = of_stages[["begin", "end", "peak"]].apply(together).groupby("stage").max() / 1e6
    peaks[ALL] = peaks.max()
    found["megabytes"] = found["stage"].map(peaks)
    return found


def read(record: Path, name: str) -> pd.DataFrame:
    """One of the three files of a record; without its last line where that was not finished."""
    file = record / f"{name}.jsonl"
    columns = {
        "repros": ["repro", "begin", "end", "status"],
        "commands": ["stage", "repro", "begin", "end", "cpu", "status"],
        "processes": ["stage", "repro", "first", "begin", "imports", "end", "cpu", "peak"],
    }[name]
    lines = file.read_text(encoding="utf-8").split("\n")[:-1] if file.exists() else []
    table = pd.DataFrame([json.loads(line) for line in lines])
    return table.reindex(columns=list(dict.fromkeys([*columns, *table.columns])))


def ended(commands: pd.DataFrame, repros: pd.DataFrame) -> pd.DataFrame:
    """One row a command that ran, in order.

    One whose end is not known, since its shell was killed, ends where the next event is known; if
    none is, it is left out.
    """
    commands = commands.sort_values(["begin", "end"]).drop_duplicates(["repro", "begin"])
    following = commands.groupby("repro")["begin"].shift(-1)
    last = commands["repro"].map(repros.set_index("repro")["end"])
    ends = commands["end"].fillna(following).fillna(last)
    return commands.assign(end=ends, cpu=commands["cpu"].fillna(0)).dropna(subset="end")


def parts(
    commands: pd.DataFrame, repros: pd.DataFrame, processes: pd.DataFrame
) -> Iterator[dict[str, str | float]]:
    """What each command of one `dvc repro` took: stage, `PARTS`, cpu, runs."""
    name = commands["repro"].iloc[0]
    first = processes[(processes["repro"] == name) & processes["first"].eq(True)]
    known = repros.loc[repros["repro"] == name, "end"]
    until = known.iloc[0] if len(known) else commands["end"].iloc[-1]  # DVC itself was killed
    yield {"stage": BEFORE, "dvc": commands["begin"].iloc[0] - float(name)} | NO_COMMAND
    following = [*commands["begin"].iloc[1:], until]
    for command, after in zip(commands.itertuples(), following, strict=True):
        inner = first[(first["begin"] >= command.begin) & (first["end"] <= command.end)]
        seconds, python = command.end - command.begin, 0.0
        if len(inner):  # else it was killed
            python = seconds - (inner["end"] - inner["begin"] - inner["imports"]).sum()
        yield {
            "stage": command.stage,
            "dvc": after - command.end,
            "python": python,
            "compute": seconds - python,
            "cpu": command.cpu,
            "runs": 1,
        }


def idle(repros: pd.DataFrame, commands: pd.DataFrame) -> pd.DataFrame:
    """The row of the last `dvc repro` that ran nothing and was content, if there is one."""
    empty = repros[~repros["repro"].isin(commands["repro"]) & (repros["status"] == 0)].tail(1)
    seconds = empty["end"] - empty["begin"]
    return pd.DataFrame({"stage": NOTHING, "seconds": seconds, "dvc": seconds, "runs": 1})


def together(lives: pd.DataFrame) -> float:
    """The largest sum of `peak` over processes that live at one moment (begin, end)."""
    moments = [(begin, peak) for begin, peak in zip(lives["begin"], lives["peak"], strict=True)]
    moments += [(end, -peak) for end, peak in zip(lives["end"], lives["peak"], strict=True)]
    return float(max(itertools.accumulate(change for _, change in sorted(moments))))
