"""An encoder that is made: scores by hand, killed and resumed to the same bytes, kept, loaded."""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors import safe_open
from transformers import BertForMaskedLM

from stages.core import trainer
from stages.core.checkpoint_files import check, check_hashes
from stages.core.encoder.checkpoint import load_encoder, load_masked_lm
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.kept_encoders import FACTS_FILE, KEPT, fingerprint, read_facts
from stages.core.runtime.runtime import Runtime, read_runtime
from stages.core.stage.files import InputError
from stages.pretrain import training
from stages.pretrain.held_out import HeldOut, Score, answered, falls, shares, unigram
from stages.pretrain.make import make, prepare
from stages.pretrain.pairs import Masking
from stages.pretrain.stage import run_stage
from stages.pretrain.tables import CURVE, FACTS, TEXTS
from stages.pretrain.vocabulary import tokenizer_of
from tests.pretrain import small

CPU = torch.device("cpu")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which an encoder was made and kept."""
    folder = tmp_path_factory.mktemp("made")
    small.write(folder)
    with contextlib.chdir(folder):
        run_stage("tiny", keep=True)
    return folder


def test_the_unigram_baseline_is_that_of_counts() -> None:
    # Counts 4, 2, 1 and 0 of four entries, each once more: 5, 3, 2, 1 of 11.
    frequencies = shares(np.array([0, 0, 0, 0, 1, 1, 2]), 4)
    assert frequencies == pytest.approx(np.array([5, 3, 2, 1]) / 11)
    found = Score.of(*unigram(frequencies, np.array([0, 1, 3, 0])))
    expected = -(2 * math.log(5 / 11) + math.log(3 / 11) + math.log(1 / 11)) / 4
    assert found.loss == pytest.approx(expected)
    assert found.accuracy == 0.5
    assert found.masked == 4


def test_it_stops_once_as_many_measurements_as_patience_has_bring_no_lower_loss() -> None:
    assert list(falls([3, 2, 2.5, 2.1, 1.9, 2, 2], 2)) == [True] * 3 + [False] + [True] * 2 + [
        False
    ]
    assert all(falls([3, 2, 1], 1))


def test_the_head_that_reads_masked_tokens_alone_gives_the_loss_of_all() -> None:
    settings = small.settings(dropout=0)
    prepared = prepare(small.texts(), settings)
    tokenizer = tokenizer_of(prepared.vocabulary, True, settings.max_length)
    torch.manual_seed(0)
    model = training.fresh_model(settings, tokenizer, CPU).eval()
    batch = Masking(tokenizer, 0.3, 0)(prepared.learnt, range(12), 0)
    assert not batch["attention_mask"].all()
    logits, answers = answered(model, batch)
    own = torch.nn.functional.cross_entropy(logits, answers)
    assert own.item() == pytest.approx(model(**batch).loss.item(), rel=1e-5)


def test_scores_by_text_add_up_to_the_score() -> None:
    settings = small.settings(dropout=0)
    prepared = prepare(small.texts(), settings)
    tokenizer = tokenizer_of(prepared.vocabulary, True, settings.max_length)
    model = training.fresh_model(settings, tokenizer, CPU).train()
    held_out = HeldOut(prepared.held_out, Masking(tokenizer, 0.15, 1), 96, 0)
    frequencies = shares(prepared.learnt.tokens, len(tokenizer))
    table, score = held_out.by_text(model, CPU, frequencies), held_out.score(model, CPU)
    assert model.training
    assert set(table["text"]) <= set(range(settings.held_out))
    assert table["masked"].sum() == score.masked == len(held_out.answers)
    assert table["loss"].sum() / score.masked == pytest.approx(score.loss)
    assert table["right"].sum() / score.masked == pytest.approx(score.accuracy)


def test_an_encoder_reads_what_frequencies_cannot_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every text has one character alone, of eight: whoever reads the others knows the masked."""
    monkeypatch.chdir(tmp_path)
    same = [[one * 10, one * 10] for one in "天地玄黄宇宙洪荒"]
    lines = [json.dumps({"paragraphs": text}) for text in same * 6]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines), encoding="utf-8")
    changes = {"tokens": 384 * 100, "batch_tokens": 384, "dropout": 0, "evaluate_steps": 50}
    settings = small.settings(**changes, hidden=32, learning_rate=1e-2, held_out=16)
    runtime = Runtime(device="cpu", threads=1, checkpoint_steps=1000)
    make("tiny", settings, runtime, Path("made"))
    scores = json.loads((Path("made") / FACTS_FILE).read_text(encoding="utf-8"))["held_out"]
    assert scores["encoder"]["accuracy"] > 0.9
    assert scores["encoder"]["loss"] < 0.5
    assert scores["unigram"]["accuracy"] < 0.4
    assert scores["unigram"]["loss"] > 1.5


def test_killed_and_run_again_it_ends_with_the_same_bytes(made: Path, tmp_path: Path) -> None:
    small.write(tmp_path)
    command = [sys.executable, "-m", "stages", "pretrain", "--encoder", "tiny", "--keep"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.fspath(Path(__file__).parents[2])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 300
    while not list(tmp_path.glob("work/scratch/pretrain/tiny/*/checkpoint-15/complete")):
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < end, "no state after five minutes"
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (tmp_path / KEPT).exists()
    with contextlib.chdir(tmp_path):
        run_stage("tiny", keep=True)
    assert files(tmp_path / KEPT / "tiny") == files(made / KEPT / "tiny")
    assert not list(tmp_path.glob("work/scratch/pretrain/*"))


def test_a_run_that_stopped_is_not_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between its last state and its end, it takes that state as it is."""
    monkeypatch.chdir(tmp_path)
    small.write(tmp_path)
    settings = small.settings()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("stages.pretrain.make.save", interrupt)
        make("tiny", settings, read_runtime(), Path("made"))
    assert not Path("made").exists()
    with monkeypatch.context() as patch:
        patch.setattr(trainer.Trainer, "train", interrupt)
        make("tiny", settings, read_runtime(), Path("made"))
    assert json.loads((Path("made") / FACTS_FILE).read_text(encoding="utf-8"))["steps"] == 40


def interrupt(*unused: object, **others: object) -> None:
    raise KeyboardInterrupt


def test_what_is_kept_is_a_checkpoint_that_other_stages_load(made: Path) -> None:
    folder = made / KEPT / "tiny"
    facts = read_facts(folder)
    check(folder)
    loaded = {name: facts["sha256"][name] for name in facts["sha256"] if ".csv" not in name}
    check_hashes(folder, loaded)
    encoder, (head, lacking) = load_encoder(folder), load_masked_lm(folder)
    assert isinstance(head, BertForMaskedLM)
    assert not lacking
    assert {tensor.dtype for tensor in encoder.parameters()} == {torch.float32}
    assert {tensor.dtype for tensor in BertForMaskedLM.from_pretrained(folder).parameters()} == {
        torch.float32
    }
    tokenizer = load_tokenizer(folder)
    assert tokenizer.model_input_names == ["input_ids", "attention_mask", "token_type_ids"]
    assert tokenizer.tokenize("天日。") == ["天", "日", "。"]
    with safe_open(folder / "model.safetensors", "pt") as weights:
        assert {weights.get_slice(name).get_dtype() for name in weights.offset_keys()} == {"F16"}
    said = b"".join(files(folder).values())
    assert os.fsencode(made) not in said
    assert b"/home" not in said


def test_an_encoder_of_the_default_sizes_is_under_fifteen_megabytes(tmp_path: Path) -> None:
    from stages.pretrain.make import save

    settings = small.settings(
        layers=4, heads=8, hidden=256, intermediate=1024, max_length=128, batch_tokens=2048
    )
    pieces = {**prepare(small.texts(), small.settings()).vocabulary}
    pieces |= {chr(0x4E00 + number): len(pieces) + number for number in range(7000 - len(pieces))}
    tokenizer = tokenizer_of(pieces, lowercase=True, max_length=128)
    save(tmp_path, training.fresh_model(settings, tokenizer, CPU), tokenizer)
    assert sum(len(content) for content in files(tmp_path).values()) < 15e6


def test_its_making_is_brought_into_the_report(made: Path, tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(made / "data")
    with contextlib.chdir(tmp_path):
        run_stage("tiny")
        curve, texts, facts = (
            pd.read_parquet(table.path("tiny")) for table in (CURVE, TEXTS, FACTS)
        )
    assert curve["step"].tolist() == [0, 10, 20, 30, 40]
    assert curve["tokens"].tolist() == [0, 960, 1920, 2880, 3840]
    assert len(texts) == 6
    kept = read_facts(made / KEPT / "tiny")
    assert dict(zip(facts["fact"], facts["content"], strict=True))[
        "fingerprint of text and settings"
    ] == fingerprint(kept)
    assert texts["right"].sum() / texts["masked"].sum() == pytest.approx(
        kept["held_out"]["encoder"]["accuracy"], abs=1e-5
    )


def test_an_encoder_that_is_not_kept_or_is_another_is_refused(made: Path, tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path), pytest.raises(InputError, match="--encoder other --keep"):
        run_stage("other")
    folder = tmp_path / "tiny"
    folder.mkdir()
    for name, content in files(made / KEPT / "tiny").items():
        (folder / name).write_bytes(content)
    read_facts(folder)
    (folder / "curve.csv").write_text("step,loss,accuracy\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"curve\.csv is not the file"):
        read_facts(folder)


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"heads": 3}, "multiple of 3"), ({"batch_tokens": 23}, "less than one pair")],
)
def test_settings_that_do_not_fit_are_refused(changes: dict[str, int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        small.settings(**changes)
