"""The command of every stage: `python -m stages NAME`.

The options of a stage are the parameters of its `run_stage`, read from the source, so that `--help`
imports no library that takes seconds. A room with further commands, or without a stage, defines
them in its `command.py`.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from stages.core.stage import arms
from stages.core.stage.command import COMMAND_FILE, ROOT, command_files, stage_command


def _task_arm(name: str) -> str:
    if name not in arms.TASK_ARMS:
        raise typer.BadParameter(f"{name!r} is none of {', '.join(arms.TASK_ARMS)}")
    return name


# By the parameter of `run_stage`.
OPTIONS = {
    "task": typer.Option(help="A task of `tasks` in params.yaml."),
    "corpus": typer.Option(help="A corpus of `corpora` in params.yaml."),
    "stimuli_set": typer.Option("--set", help="An entry of `stimuli` in params.yaml."),
    # Of fresh weights, dropout and order: `run.seeds`, or the task's own (core/tasks/task.py).
    "seed": typer.Option(help="One seed of the task; by default every seed that the stage takes."),
    "arm": typer.Option(help=f"One arm alone; by default all. {arms.ARM_HELP}"),
    # Typer takes no list of literals.
    "arms": typer.Option(
        "--arm",
        parser=_task_arm,
        metavar=f"[{'|'.join(arms.TASK_ARMS)}]",
        help=f"{arms.ARM_HELP} May be given several times; by default all.",
    ),
    "encoder": typer.Option(help="A folder of data/pretrained."),
    "keep": typer.Option(help="Make it by the section `pretrain`, which takes hours."),
}


class Stages(TyperGroup):
    """A group that reads a command when it is asked for."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict(sorted(command_files().items()))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name; None if there is none."""
        if cmd_name not in self.commands:
            return None
        file = self.commands[cmd_name]
        if file.name == COMMAND_FILE:
            room = _module(file).app
        else:
            room = typer.Typer(add_completion=False)
            room.command()(stage_function(file))
        command = get_command(room)
        command.name = cmd_name
        return command


def stage_function(file: Path) -> Callable[..., None]:
    """A function with the options and the help of a stage, which runs it.

    Args:
        file: defines `run_stage`; relative to the root.
    """
    body = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
    (stage,) = (node for node in body if getattr(node, "name", None) == "run_stage")
    parameters = stage.args.args
    required = len(parameters) - len(stage.args.defaults)
    defaults = [inspect.Parameter.empty] * required
    defaults += map(ast.literal_eval, stage.args.defaults)

    def run_stage(**options: Any) -> None:
        _module(file).run_stage(**options)

    run_stage.__signature__ = inspect.Signature(
        [
            inspect.Parameter(
                parameter.arg,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=Annotated[
                    eval(ast.unparse(parameter.annotation), vars(arms)),
                    OPTIONS.get(parameter.arg, typer.Option()),
                ],
            )
            for parameter, default in zip(parameters, defaults, strict=True)
        ]
    )
    run_stage.__doc__ = re.split(r"\n\n(?:Args|Raises):", ast.get_docstring(stage) or "")[0]
    return run_stage


def _module(file: Path) -> Any:
    return importlib.import_module(".".join(file.with_suffix("").parts))


app = typer.Typer(cls=Stages, add_completion=False, no_args_is_help=True)


@app.callback()
def stages() -> None:
    """Run one stage of the pipeline, as `dvc.yaml` does, or another command of this project."""


if __name__ == "__main__":
    stage_command(app)
