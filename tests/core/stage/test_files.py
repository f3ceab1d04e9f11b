import pytest

from stages.core.stage.files import InputError, atomic, read_yaml


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "deep" / "result.txt"
    with pytest.raises(RuntimeError), atomic(target) as partial:
        partial.write_text("half")
        raise RuntimeError
    assert list(target.parent.iterdir()) == []
    with atomic(target) as partial:
        partial.write_text("whole")
        assert not target.exists()
    assert target.read_text() == "whole"


def test_a_folder_replaces_the_old_one_and_leftovers_of_a_kill(tmp_path):
    target = tmp_path / "result"
    target.mkdir()
    (target / "old").write_text("old")
    leftover = tmp_path / ".result.partial"
    leftover.mkdir()
    (leftover / "half").write_text("half")
    with atomic(target) as partial:
        partial.mkdir()
        (partial / "new").write_text("new")
    assert [path.name for path in target.iterdir()] == ["new"]
    assert not leftover.exists()


def test_a_file_replaces_no_folder_and_a_folder_no_file(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/old").write_text("old")
    (tmp_path / "file").write_text("old")
    refused = pytest.raises(InputError, match="folder is a folder, which stays")
    with refused, atomic(tmp_path / "folder") as partial:
        partial.write_text("new")
    refused = pytest.raises(InputError, match="file is a file, which stays")
    with refused, atomic(tmp_path / "file") as partial:
        partial.mkdir()
    assert (tmp_path / "folder/old").read_text() == (tmp_path / "file").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_numbers_are_read_as_dvc_reads_them(tmp_path):
    file = tmp_path / "params.yaml"
    file.write_text("a: 2e-5\nb: 1e-05\nc: 2.0e-5\n")
    assert read_yaml(file) == {"a": 2e-5, "b": 1e-5, "c": 2e-5}


def test_yaml_is_read_as_it_stands_in_the_file(tmp_path):
    file = tmp_path / "params.yaml"
    file.write_text("a: [1]\n")
    read_yaml(file)["a"].append(2)
    assert read_yaml(file) == {"a": [1]}
    file.write_text("a: [3]\n")
    assert read_yaml(file) == {"a": [3]}


def test_missing_or_broken_yaml_is_named(tmp_path):
    with pytest.raises(InputError, match="absent.yaml: no such file"):
        read_yaml(tmp_path / "absent.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [1,\n")
    with pytest.raises(InputError, match="broken.yaml: not valid YAML"):
        read_yaml(broken)
