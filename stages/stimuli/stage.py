"""Write a set of stimuli: generated here, or read from the authors' release (Lin et al. 2019)."""

import os

import typer

from stages.core.stage.files import InputError
from stages.core.stimuli.entries import Stimuli, load_stimuli_entry
from stages.core.stimuli.store import write_stimuli
from stages.stimuli import grammar, release, written


def rows_of(entry: Stimuli) -> tuple[list[dict], list[dict]]:
    """The rows of `PROBES` and of `ATTENTION` of an entry.

    Raises:
        InputError: what it names is missing or damaged.
    """
    if entry.source == "release":
        return list(release.probe_rows(entry)), list(release.attention_rows(entry))
    return list(grammar.probe_rows(entry)), list(written.attention_rows(entry))


def run_stage(name: str | None = None) -> None:
    """Write work/stimuli/NAME: sentences for probes, and sentences whose attention is read."""
    # DVC says which stage it runs, as stimuli@NAME; in a command it would not quote the name.
    name = name or os.environ.get("DVC_STAGE", "").partition("@")[2]
    if not name:
        raise InputError("no set is named; add `--set NAME`, as in `stimuli` of params.yaml")
    probes, attention = rows_of(load_stimuli_entry(name))
    write_stimuli(name, probes, attention)
    typer.echo(f"{name}: {len(probes)} cases of probes, {len(attention)} sentences for attention")
