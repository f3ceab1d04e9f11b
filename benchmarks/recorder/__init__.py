"""What notes, inside `dvc repro`, where the time of every stage goes: see benchmarks/record.py.

DVC runs a stage's command by `$SHELL`, which is launcher.py here; Python's own start imports
sitecustomize.py of this folder. Both append lines of JSON, and neither changes what a stage does.
"""
