"""Prepare the examples of a task: written here with gold annotation, from the Hub, or files."""

from stages.core.stage.command import TaskOption, stage_command
from stages.core.stage.files import atomic
from stages.core.stage.places import examples_file
from stages.core.tasks.examples import validate, write_examples
from stages.core.tasks.task import load_task
from stages.core.written import write_task
from stages.prepare.sources import read_source


def main(task: TaskOption) -> None:
    """Write work/tasks/TASK/train.parquet and validation.parquet."""
    entry = load_task(task)
    read = write_task if entry.data.source == "written" else read_source
    frames = read(task, entry)
    labels = entry.outputs if entry.kind == "classification" else None
    with atomic(examples_file(task, "train").parent) as folder:
        folder.mkdir()
        for split, examples in frames.items():
            validate(examples, f"{task} {split}", labels, entry.label_names)
            write_examples(examples, folder / examples_file(task, split).name)


if __name__ == "__main__":
    stage_command(main)
