"""Reading the tables that stages measured, `work/measures/STAGE/KEY.parquet`, as one frame."""

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from stages.core.measured import MEASURED
from stages.core.questions.task import reader_seeds
from stages.core.stage.files import InputError, read_yaml
from stages.core.stage.places import MEASURES
from stages.core.stage.settings import PARAMETER_FILE, section
from stages.core.tables import Selection, Table
from stages.core.tasks.task import REGRESSION_METRICS, load_task, seeds_of
from stages.core.verdicts.answers import NotMeasured


class Measures:
    """The measures of one configuration.

    Args:
        folder: holds one folder a stage.
        tasks: task names in the order of `run.tasks`, each with its primary metric.
        arms: as `run.arms`.
        seeds: of each task's fine-tunings. Tables of several have a column `seed`.
        corpora: names of `corpora`, in their order.
        sets: names of `stimuli`; None: all that there are tables of.
        questions: sets of questions, with the seeds of the readers of each; None: all that there
            are tables of.
        measured: those folders alone; None: all. Others are of studies that are left out now.
        encoders: names of `pretrain.encoders`.

    Files of others than these are left alone: they are remains of an earlier run.
    """

    def __init__(
        self,
        folder: Path,
        tasks: dict[str, str],
        arms: list[str],
        seeds: dict[str, list[int]],
        corpora: Sequence[str] = (),
        measured: Sequence[str] | None = None,
        sets: Sequence[str] | None = None,
        questions: dict[str, list[int]] | None = None,
        encoders: Sequence[str] = (),
    ):
        self.folder = folder
        self.encoders = list(encoders)
        self.measured = measured
        self.primary = tasks
        self.seeds = seeds
        self._wanted = {
            "task": list(tasks),
            "arm": arms,
            "corpus": list(corpora),
        }
        if sets is not None:
            self._wanted["set"] = list(sets)
        self.questions = questions or {}
        self.read: set[str] = set()  # folders that tables were read of, until it is cleared
        self.kept: dict[Hashable, Any] = {}  # what was worked out of tables, by their `stamps`
        if questions is not None:
            self._wanted["questions"] = list(questions)

    @property
    def layers(self) -> int | None:
        """How many layers the encoder has, by the tables of heads; None where there are none."""
        wanted = {*self.tasks, *self.corpora, *self.sets, *self.questions}
        for path in sorted(self.folder.glob("*/*/*.parquet")):
            stage, data, _ = path.relative_to(self.folder).parts
            if data not in wanted or (self.measured is not None and stage not in self.measured):
                continue
            if "layer" in pq.read_schema(path).names and pq.read_metadata(path).num_rows:
                return int(_as_it_stands(path)["layer"].max()) + 1
        return None

    def deciding(self, task: str) -> str:
        """The metric that decides claims about a task: accuracy of classes, a score's correlation.

        Sources speak of accuracy also where the task's primary metric is another one.
        """
        primary = self.primary[task]
        return primary if primary in REGRESSION_METRICS else "accuracy"

    @property
    def tasks(self) -> list[str]:
        return list(self.primary)

    @property
    def corpora(self) -> list[str]:
        return self._wanted["corpus"]

    @property
    def sets(self) -> list[str]:
        return self._wanted.get("set", [])

    def of(
        self,
        tasks: Iterable[str],
        corpora: Iterable[str],
        sets: Iterable[str] = (),
        questions: Iterable[str] = (),
    ) -> "Measures":
        """The measures of some tasks, corpora, sets of stimuli and sets of questions alone."""
        names = list(tasks)
        primary, seeds = (
            {task: known[task] for task in names if task in known}
            for known in (self.primary, self.seeds)
        )
        wanted = (self._wanted["arm"], seeds, list(corpora), self.measured)
        readers = {name: self.questions[name] for name in questions}
        some = Measures(self.folder, primary, *wanted, list(sets), readers)
        some.read, some.kept = self.read, self.kept
        return some

    def rows(self, wanted: Table | Selection, drawn: bool = False) -> pd.DataFrame:
        """The rows of a declared table, all data sets one below the other in the settings' order.

        Args:
            drawn: whether columns of resamples are among them.

        Raises:
            NotMeasured: the stage was left out, or nothing has such a row.
            InputError: a file is damaged, or its table lacks declared columns.
        """
        selection = wanted if isinstance(wanted, Selection) else Selection(wanted)
        table = selection.table
        tables = []
        for path in self._files(table):
            rows = self._readable(path)
            if lacking := table.lacks(rows.columns):
                mend = f"run its stage anew: dvc repro -s -f {table.stage}"
                raise InputError(f"{path}: lacks the columns {', '.join(lacking)}; {mend}")
            tables.append(rows if drawn else rows.drop(columns=table.resampled, errors="ignore"))
        selected = selection.of(_joined(tables))
        if selected.empty:
            raise NotMeasured(f"`{table.stage}` has no row with {selection or 'any value'} here")
        return selected

    def _files(self, table: Table) -> list[Path]:
        """The files of a declared table, in the order of the data sets in the settings."""
        if self.measured is not None and table.stage not in self.measured:
            raise NotMeasured(f"`{table.stage}` is left out of this configuration")
        stage, _, name = table.file.partition("/")
        if "data" not in table.key_columns:
            files = list(self.folder.glob(f"{stage}/{name}.parquet"))
        else:
            by_data = {
                path.parent.name: path
                for path in sorted(self.folder.glob(f"{stage}/*/{name}.parquet"))
            }
            known = [*self.tasks, *self.corpora, *self.sets, *self.questions, *self.encoders]
            # All sets that there are tables of, if the settings name none.
            known += [] if "set" in self._wanted else by_data
            files = [by_data[data] for data in dict.fromkeys(known) if data in by_data]
        if not files:
            raise NotMeasured(f"`{stage}` has measured no task or corpus here")
        self.read.add(stage)
        return files

    @staticmethod
    def _readable(path: Path) -> pd.DataFrame:
        try:
            return _as_it_stands(path)
        except (OSError, ValueError) as error:
            raise InputError(
                f"{path}: not readable as Parquet ({error}); remove it and run `dvc repro`"
            ) from None

    def stamps(self, table: Table) -> tuple[tuple[Path, int, int], ...]:
        """The files that `rows` would read, each with its time and size, which a change changes.

        Raises:
            NotMeasured: there is no such file.
        """
        return tuple((path, *_stamp(path)) for path in self._files(table))


def _joined(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Tables one below the other; those without rows have no say in the types of columns."""
    return pd.concat([table for table in tables if len(table)] or tables, ignore_index=True)


def _as_it_stands(path: Path) -> pd.DataFrame:
    """A table, which nobody may change in place: claims read the same ones again and again."""
    return _read(path, *_stamp(path))


def _stamp(path: Path) -> tuple[int, int]:
    stands = path.stat()
    return stands.st_mtime_ns, stands.st_size


@lru_cache(maxsize=512)
def _read(path: Path, written: int, size: int) -> pd.DataFrame:
    return pd.read_parquet(path)


def open_measures(folder: Path = MEASURES, file: str | Path = PARAMETER_FILE) -> Measures:
    """The measures of the tasks, arms and seeds that the section `run` names, and of all corpora.

    And of the sets of questions that `readers` names, where there is such a section.

    Raises:
        InputError: a key of `run`, or a task that it names, is missing or wrong.
    """
    tasks = section(list[str], "run.tasks", file)
    measured = MEASURED.read_text(encoding="utf-8").split() if MEASURED.is_file() else None
    content = read_yaml(file)
    asked = section(list[str], "readers.tasks", file) if "readers" in content else []
    return Measures(
        folder,
        {task: load_task(task, file).metrics[0] for task in tasks},
        section(list[str], "run.arms", file),
        {task: seeds_of(task, file=file) for task in tasks},
        list(section(dict[str, Any], "corpora", file)),
        measured,
        list(content.get("stimuli") or {}),
        {name: list(reader_seeds(name, file=file)) for name in asked},
        (content.get("pretrain") or {}).get("encoders") or [],
    )
