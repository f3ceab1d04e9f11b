"""Where a checkpoint is found, and which folders are refused."""

import json
import shutil
from pathlib import Path

import pytest

from stages.core import checkpoint_source
from stages.core.checkpoint_files import sha256_of
from stages.core.checkpoint_source import Checkpoint, locate, named_checkpoint, pinned
from stages.core.kept_encoders import FACTS_FILE, KEPT, fingerprint, hashes
from stages.core.stage.files import InputError
from stages.core.stage.settings import checked


def folder_checkpoint(path: Path, **more: str) -> Checkpoint:
    return checked(Checkpoint, {"source": "folder", "path": str(path), **more}, "checkpoint")


def weights_sha256(folder: Path) -> str:
    return sha256_of([folder / "model.safetensors"])


def package_checkpoint(package: str, sha256: str, path: str = "model") -> Checkpoint:
    entry = {"source": "package", "package": package, "path": path, "sha256": sha256}
    return checked(Checkpoint, entry, "checkpoint")


def test_every_family_is_found(any_checkpoint: Path) -> None:
    assert locate(folder_checkpoint(any_checkpoint)) == any_checkpoint


def test_a_package_is_found_without_importing_it(
    tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "packaged_encoder"
    shutil.copytree(tiny_bert, package / "model")
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "inner").mkdir()
    (package / "inner/weights").symlink_to(package / "model")
    monkeypatch.syspath_prepend(tmp_path)
    sha256 = weights_sha256(tiny_bert)
    assert locate(package_checkpoint("packaged_encoder", sha256)) == package / "model"
    inner = package_checkpoint("packaged_encoder.inner", sha256, "weights")
    assert locate(inner) == package / "inner/weights"
    with pytest.raises(InputError, match=r"packaged_encoder\.other is not installed"):
        locate(package_checkpoint("packaged_encoder.other", sha256))
    with pytest.raises(InputError, match="no folder 'weights'"):
        locate(package_checkpoint("packaged_encoder", sha256, "weights"))


def test_an_option_names_a_folder_or_a_model_of_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    for named in ("there", "there/mistyped", "no/such/folder", "nothing", "/there/b"):
        assert named_checkpoint(named) == folder_checkpoint(named)
    found = named_checkpoint("someone/encoder"), named_checkpoint("someone/encoder@v1")
    assert [(model.id, model.revision) for model in found] == [
        ("someone/encoder", "main"),
        ("someone/encoder", "v1"),
    ]


def test_a_model_of_the_hub_is_pinned_to_its_commit(
    tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = "0123456789" * 4
    asked = []

    def download(name: str, revision: str, allow_patterns: list[str]) -> str:
        asked.append((name, revision, allow_patterns))
        return str(shutil.copytree(tiny_bert, tmp_path / commit))

    monkeypatch.setattr(checkpoint_source, "snapshot_download", download)
    model = pinned(named_checkpoint("someone/encoder"))
    assert (model.id, model.revision) == ("someone/encoder", commit)
    assert pinned(model) == model  # asks nobody
    assert asked == [("someone/encoder", "main", ["config.json"])]


@pytest.mark.parametrize("package", ["no_such_package_at_all", "no_such_package.inner"])
def test_a_package_that_is_not_installed(package: str) -> None:
    with pytest.raises(InputError, match="is not installed; install it"):
        locate(package_checkpoint(package, "0" * 64))


def test_a_wrong_hash(tiny_bert: Path) -> None:
    with pytest.raises(InputError, match="SHA-256") as refusal:
        locate(folder_checkpoint(tiny_bert, sha256="0" * 64))
    assert weights_sha256(tiny_bert) in str(refusal.value)
    assert locate(folder_checkpoint(tiny_bert, sha256=weights_sha256(tiny_bert))) == tiny_bert


@pytest.mark.parametrize("family", ["gpt2", "t5", None])
def test_a_model_that_is_no_encoder(tiny_bert_copy: Path, family: str | None) -> None:
    settings = json.loads((tiny_bert_copy / "config.json").read_text())
    settings["model_type"] = family
    (tiny_bert_copy / "config.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match="not a BERT-like encoder") as refusal:
        locate(folder_checkpoint(tiny_bert_copy))
    assert repr(family) in str(refusal.value)
    assert "roberta" in str(refusal.value)


@pytest.mark.parametrize(
    ("missing", "complaint"),
    [
        ("config.json", "no config.json; name the folder"),
        ("model.safetensors", "no model.safetensors .*convert once"),
        ("tokenizer.json", "no tokenizer .*copy the tokenizer files"),
    ],
)
def test_a_folder_that_lacks_a_file(tiny_bert_copy: Path, missing: str, complaint: str) -> None:
    (tiny_bert_copy / missing).unlink()
    (tiny_bert_copy / "pytorch_model.bin").touch()
    with pytest.raises(InputError, match=complaint):
        locate(folder_checkpoint(tiny_bert_copy))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        locate(folder_checkpoint(tmp_path / "nowhere"))


def test_a_damaged_config(tiny_bert_copy: Path) -> None:
    (tiny_bert_copy / "config.json").write_text("{")
    with pytest.raises(InputError, match="not a JSON object"):
        locate(folder_checkpoint(tiny_bert_copy))


def test_an_unreachable_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **settings: object) -> None:
        raise ConnectionError("no route")

    monkeypatch.setattr(checkpoint_source, "snapshot_download", fail)
    entry = {"source": "hub", "id": "a/b", "revision": "main"}
    with pytest.raises(InputError, match="the Hub cannot be reached .*no route.*HF_ENDPOINT"):
        locate(checked(Checkpoint, entry, "checkpoint"))


def keep(checkpoint: Path, name: str, seed: int) -> str:
    """Keep a checkpoint as if it was made with the seed; what `checkpoint.id` calls it."""
    shutil.copytree(checkpoint, KEPT / name)
    facts = {"text": {"sha256": "1" * 64}, "settings": {"seed": seed}}
    facts["sha256"] = hashes(KEPT / name)
    (KEPT / name / FACTS_FILE).write_text(json.dumps(facts))
    return f"{name}@{fingerprint(facts)}"


def test_an_encoder_that_was_made_here_is_taken_by_its_making(
    tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own, other = keep(tiny_bert, "own", 1), keep(tiny_bert, "other", 2)
    assert own.split("@")[1] != other.split("@")[1]
    for made in (own, other):
        entry = {"source": "pretrain", "id": made, "sha256": weights_sha256(tiny_bert)}
        assert locate(checked(Checkpoint, entry, "checkpoint")) == KEPT / made.split("@")[0]
    remade = {"source": "pretrain", "id": own.replace("own", "other")}
    with pytest.raises(InputError, match=f"it is {other}; name that in `checkpoint.id`"):
        locate(checked(Checkpoint, remade, "checkpoint"))
    missing = {"source": "pretrain", "id": own.replace("own", "third")}
    with pytest.raises(InputError, match="make it .*--encoder third --keep"):
        locate(checked(Checkpoint, missing, "checkpoint"))
    with pytest.raises(InputError, match="checkpoint"):
        checked(Checkpoint, {"source": "pretrain", "id": "own"}, "checkpoint")
    (KEPT / "own" / "vocab.txt").write_text("other")
    with pytest.raises(InputError, match="is not the file that settings.json has the SHA-256 of"):
        locate(checked(Checkpoint, {"source": "pretrain", "id": own}, "checkpoint"))
