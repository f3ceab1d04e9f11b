"""Without a repository of git, as of a ZIP, commands say `git init`."""

from pathlib import Path

import pytest

from stages.core.stage.files import InputError
from tools.kills import main as kills
from tools.lock import complaints
from tools.repository import clone_to, require_repository


def test_a_folder_in_a_repository_will_do(tmp_path):
    (tmp_path / ".git").touch()  # a file in a worktree
    (tmp_path / "configurations/mine").mkdir(parents=True)
    require_repository(tmp_path / "configurations/mine")


def test_a_folder_without_one_is_refused_with_the_mend(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call in (
        lambda: require_repository(Path()),
        lambda: clone_to(tmp_path, tmp_path / "clone"),
        lambda: kills(Path("configurations/quick"), 1, 0),
        lambda: complaints(tmp_path, {"none": ""}),
    ):
        with pytest.raises(InputError, match="no repository of git, .* run `git init` in its root"):
            call()
    assert list(tmp_path.iterdir()) == []


def test_what_git_says_of_a_clone_is_passed_on(tmp_path):
    (tmp_path / ".git").mkdir()
    with pytest.raises(InputError, match=r"git clone .* failed: fatal: .*repository"):
        clone_to(tmp_path, tmp_path / "clone")
