import pytest

from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError
from stages.core.stage.settings import Parameters, section


class Study(Parameters):
    batch: int
    names: list[str] = []


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(
        "good: {batch: 4, names: [a]}\nbad: {batch: four, size: 1}\n"
        "empty: {}\ntasks: {one: {batch: 1}}\n"
    )
    return path


def test_sections_and_nested_sections(file):
    assert section(Study, "good", file) == Study(batch=4, names=["a"])
    assert section(Study, "tasks.one", file).batch == 1


def test_errors_name_file_key_and_mend(file):
    with pytest.raises(InputError) as bad:
        section(Study, "bad", file)
    lines = str(bad.value).splitlines()
    assert any("`bad`, key `size`: unknown key; remove it" in line for line in lines)
    assert any("key `batch`" in line and "'four'" in line for line in lines)
    assert all("params.yaml" in line for line in lines)
    with pytest.raises(InputError, match="key `batch`: this key is missing; add it"):
        section(Study, "empty", file)
    with pytest.raises(InputError, match="`tasks.two` is missing: tasks has one; add `two` there"):
        section(Study, "tasks.two", file)


def test_a_stage_ends_with_one_message(monkeypatch, capsys):
    def main() -> None:
        raise InputError("params.yaml: `x` is wrong; mend it")

    monkeypatch.setattr("sys.argv", ["stage"])
    with pytest.raises(SystemExit) as end:
        stage_command(main)
    assert end.value.code == 2
    assert capsys.readouterr().err == "error: params.yaml: `x` is wrong; mend it\n"
