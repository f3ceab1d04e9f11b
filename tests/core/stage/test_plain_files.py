"""Only regular files of a folder are copied, and no link out of it is followed."""

import os
from pathlib import Path

import pytest

from stages.core.stage.files import InputError
from stages.core.stage.plain_files import copy_plain


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file, beside a file that is nobody's business."""
    (tmp_path / "secret").write_text("key")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file").write_text("content")
    return tmp_path / "mine"


def test_named_files_are_copied(folder, tmp_path):
    (folder / "other").write_text("not named")
    copy_plain(folder, ["file"], tmp_path / "copy")
    assert [file.name for file in (tmp_path / "copy").iterdir()] == ["file"]
    assert (tmp_path / "copy/file").read_text() == "content"


def test_links_pipes_and_folders_are_refused(folder, tmp_path):
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "inside").symlink_to(folder / "file")
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "broken").symlink_to(folder / "nothing")
    (folder / "down").mkdir()
    os.mkfifo(folder / "pipe")
    for name, complaint in {
        "link": "it is a link",
        "inside": "it is a link",
        "loop": "it is a link",
        "broken": "it is a link",
        "down": "it is no regular file",
        "pipe": "it is no regular file",
        "nothing": "no such file",
    }.items():
        with pytest.raises(InputError, match=rf"mine/{name}: {complaint}"):
            copy_plain(folder, ["file", name], tmp_path / "copy")
        assert not (tmp_path / "copy").exists()


def test_links_of_the_hub_s_cache_are_files(folder, tmp_path):
    model = tmp_path / "models--me--mine"
    snapshot = model / "snapshots/abc/below"
    snapshot.mkdir(parents=True)
    (model / "blobs").mkdir()
    (model / "blobs/123").write_text("content")
    (snapshot / "file").symlink_to("../../../blobs/123")
    copy_plain(snapshot, ["file"], tmp_path / "copy")
    assert not (tmp_path / "copy/file").is_symlink()
    assert (tmp_path / "copy/file").read_text() == "content"
    # A link out of the cache, and one by way of it.
    (snapshot / "out").symlink_to(tmp_path / "secret")
    (model / "blobs/456").symlink_to(tmp_path / "secret")
    (snapshot / "over").symlink_to("../../../blobs/456")
    for name in ("out", "over"):
        with pytest.raises(InputError, match="it is a link"):
            copy_plain(snapshot, [name], tmp_path / "again")
