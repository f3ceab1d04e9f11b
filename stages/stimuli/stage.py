"""Write a set of stimuli: those of this project, or the authors' release (Lin et al. 2019).

Where the attention of its sentences was recorded elsewhere, its maps come along.
"""

import os

import typer

from stages.core.stage.files import InputError
from stages.core.stimuli.entries import Stimuli, load_stimuli_entry
from stages.core.stimuli.store import STIMULI, write_stimuli
from stages.stimuli import release, written
from stages.stimuli.recorded import copy_maps, sound_folder


def rows_of(entry: Stimuli) -> tuple[list[dict], list[dict]]:
    """The rows of `PROBES` and of `ATTENTION` of an entry.

    Of attention recorded elsewhere nobody has the states that probes read: it has none of theirs.

    Raises:
        InputError: what it names is missing or damaged.
    """
    source = release if entry.source == "release" else written
    probes = [] if entry.recorded else list(source.probe_rows(entry))
    return probes, list(source.attention_rows(entry))


def run_stage(stimuli_set: str | None = None) -> None:
    """Write work/stimuli/SET: sentences for probes, and sentences whose attention is read."""
    # DVC says which stage it runs, as stimuli@NAME; in a command it would not quote the name.
    stimuli_set = stimuli_set or os.environ.get("DVC_STAGE", "").partition("@")[2]
    if not stimuli_set:
        raise InputError("no set is named; add `--set NAME`, as in `stimuli` of params.yaml")
    entry = load_stimuli_entry(stimuli_set)
    maps = sound_folder(stimuli_set, entry.recorded) if entry.recorded else None
    probes, attention = rows_of(entry)
    write_stimuli(stimuli_set, probes, attention)
    if maps:
        copy_maps(maps, STIMULI / stimuli_set / "maps")
    typer.echo(
        f"{stimuli_set}: {len(probes)} cases of probes, {len(attention)} sentences for attention"
    )
