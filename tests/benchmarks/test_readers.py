"""The benchmark of readers on a tiny encoder: both sides compute the same, one pads less."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import BrokenBarrierError

import pytest
import torch

from benchmarks import readers
from benchmarks.at_once import at_once
from benchmarks.results import CAPTIONS
from stages.core.runtime.runtime import Runtime
from stages.core.stage.files import InputError
from tests.finetune.toy_questions import Project

REPOSITORY = Path(__file__).parents[2]
RUNTIME = Runtime(device="cpu", threads=1)


@pytest.fixture
def configuration(tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a task of written questions, of three options and of four."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(REPOSITORY / "data")
    project = Project(tiny_bert)
    data = {"source": "written", "train": 40, "validation": 1, "seed": 0}
    toy = project.parameters["tasks"]["toy"] | {"data": data, "max_length": 64}
    project.change("tasks", toy=toy)
    project.change("finetune", batch=4, pass_tokens=700)
    return tmp_path


def test_sides_score_alike_and_take_turns(configuration: Path) -> None:
    torch.manual_seed(0)
    table = readers.compare(configuration, "toy", 4, 2, RUNTIME).set_index("side")
    assert list(table.index) == [readers.OWN, readers.ALONE, readers.PLAIN]
    assert table.loc[readers.OWN, "ratio"] == 1
    assert (table["seconds"] > 0).all() and (table["difference"] < 1e-5).all()
    assert 0 <= table.loc[readers.OWN, "padding"] <= table.loc[readers.PLAIN, "padding"] < 1
    assert "readers" in CAPTIONS


def sleeper(seconds: float, folder: Path) -> Callable[[], None]:
    """Sleeps, and leaves a file that says when it began."""
    if seconds < 0:
        raise ValueError("no time")

    def sleep() -> None:
        (folder / f"{os.getpid()}-{time.monotonic()}").touch()
        time.sleep(seconds)

    return sleep


def test_processes_run_at_once_whenever_they_are_asked(tmp_path: Path) -> None:
    with at_once(sleeper, (0.3, tmp_path), 2) as run:
        assert list(tmp_path.iterdir()) == []
        for round_ in (1, 2):
            began = time.monotonic()
            run()
            assert time.monotonic() - began >= 0.3
            names = [file.name.split("-") for file in tmp_path.iterdir()]
            assert len(names) == 2 * round_
    assert len({name for name, _ in names}) == 2
    moments = sorted(float(moment) for _, moment in names)
    # Each begins before one that began with it could have ended.
    assert moments[1] - moments[0] < 0.3 and moments[3] - moments[2] < 0.3


def test_a_process_that_cannot_get_ready_is_not_waited_for(tmp_path: Path) -> None:
    with pytest.raises(BrokenBarrierError), at_once(sleeper, (-1.0, tmp_path), 1):
        pass


def test_an_encoder_of_the_configuration_is_found_from_elsewhere(
    configuration: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (configuration / "encoder").symlink_to(tiny_bert)
    settings = configuration / "params.yaml"
    settings.write_text(settings.read_text().replace(str(tiny_bert), "encoder"))
    elsewhere = configuration / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert readers.prepared(configuration, "toy", 1, RUNTIME).model.config.model_type == "bert"


def test_what_cannot_be_compared(configuration: Path) -> None:
    with pytest.raises(InputError, match="ask for fewer steps"):
        readers.compare(configuration, "toy", 40, 1, RUNTIME)
