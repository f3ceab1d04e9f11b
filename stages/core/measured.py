"""Which studies a configuration measures: the others' measures may be left from an earlier run."""

from stages.core.stage.places import WORK

MEASURED = WORK / "measured.txt"  # the folders of measures that the pipeline writes, a line each
