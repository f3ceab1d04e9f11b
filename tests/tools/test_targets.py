"""No command removes what a user has at the place that they name: every command with a path.

A new command with a path is listed here: under `WRITTEN` where it writes there, else under `READ`.
"""

import importlib
import inspect
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from stages.core.recording_writer import maps_target
from stages.core.recordings.layout import FORMAT
from stages.core.stage.command import COMMAND_FILE, command_files
from stages.core.stage.files import InputError, read_yaml
from stages.pretrain.stage import run_stage as pretrain
from stages.report.stage import plots
from tests.patterns.test_outside import store_of
from tests.tools.test_convert import PARSE, write_arrays, write_attentions
from tests.tools.test_convert import maps as maps_of
from tools import mutation, new
from tools.configurations import require_names
from tools.labelling.targets import sheets_folder
from tools.pipeline import ROOT

ROOMS = [ROOT / file for file in command_files().values() if file.name == COMMAND_FILE]
PLACES = ("tools", "stages", "benchmarks")
LABELS = ROOT / "data/patterns"
SENTINEL = "of the user"


def modules() -> list[str]:
    """The modules that are commands."""
    files = [file for place in PLACES for file in sorted((ROOT / place).rglob("*.py"))]
    return [
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for file in files
        if file in ROOMS or "\n    stage_command(" in file.read_text(encoding="utf-8")
    ]


def words_of(module: str) -> str:
    """The name of a module as the lists below have it."""
    return re.sub(r"\.(__main__|command)$", "", module)


def functions(module: str) -> Iterator[tuple[str, Callable]]:
    """The commands of a module, each with its words."""
    loaded = importlib.import_module(module)
    name = words_of(module)
    if isinstance(app := getattr(loaded, "app", None), typer.Typer):
        for command in app.registered_commands:
            alone = len(app.registered_commands) == 1 and not app.registered_callback
            yield name if alone else f"{name} {command.callback.__name__}", command.callback
        if app.registered_callback:
            yield name, app.registered_callback.callback
    else:
        yield name, loaded.main


def has_path(annotation: object) -> bool:
    """Whether a type is a path, or made of some."""
    return annotation is Path or any(map(has_path, get_args(annotation)))


def of_paths() -> set[str]:
    """Every path that some command takes: its words and the parameter's name."""
    return {
        f"{words} {parameter}"
        for module in modules()
        for words, function in functions(module)
        for parameter in inspect.signature(function).parameters
        if has_path(get_type_hints(function)[parameter])
    }


READ = {
    "benchmarks calibration configuration",
    "benchmarks rebuild configuration",
    "benchmarks rebuild folder",  # a clone, in which `dvc repro` goes on
    "benchmarks tuning configuration",
    "stages.findings check rebuilt",
    "stages.report compare folders",
    "tools.balance source",
    "tools.convert attentions source",
    "tools.convert dodrio source",
    "tools.cut model",
    "tools.estimate folder",
    "tools.labelling compare first",
    "tools.labelling compare folder",
    "tools.labelling compare second",
    "tools.labelling draw checkpoint",
    "tools.labelling draw classifier",
    "tools.labelling draw work",
    "tools.labelling figure folder",
    "tools.labelling finish annotators",
    "tools.labelling finish decisions",
    "tools.labelling outside recording",
    "tools.labelling parts folder",
    "tools.labelling parts recording",
    "tools.labelling sheets closer",
    "tools.labelling sheets folder",
    "tools.gate folders",
    "tools.gate work",
    "tools.lock folders",
    "tools.new train",
    "tools.new validation",
}
SHEETS = ["--folder", str(LABELS)]
# A folder, a file, or a file of that name in a folder; and the words with which the command would
# write there. INPUT is a folder of what it may read.
WRITTEN: dict[str, tuple[str, list[str]]] = {
    "benchmarks rebuild into": ("folder", ["--into", "TARGET"]),
    "stages.report compare output": ("file", [str(ROOT), "--output", "TARGET"]),
    "stages.view output": ("file", ["a", "--checkpoint", "INPUT/model", "--output", "TARGET"]),
    "tools.balance target": ("file", ["INPUT/rows.tsv", "TARGET", "--label", "label"]),
    "tools.configurations folder": ("in params.yaml", ["TARGET"]),
    "tools.convert attentions target": ("folder", ["INPUT/given", "TARGET"]),
    "tools.convert dodrio target": ("folder", ["INPUT/dodrio", "TARGET"]),
    "tools.cut output": ("folder", ["INPUT/model", "TARGET", "--heads", "0.0"]),
    "tools.kills folder": ("folder", ["TARGET"]),
    "tools.labelling agree folder": ("in agreement.json", ["--folder", "TARGET"]),
    "tools.labelling compare out": (
        "folder",
        [*[str(LABELS / "dodrio/labels.csv")] * 2, "TARGET", *SHEETS],
    ),
    "tools.labelling draw folder": ("in maps.npz", ["--folder", "TARGET"]),
    "tools.labelling figure path": ("file", ["0", "TARGET", *SHEETS]),
    "tools.labelling finish folder": ("in labels.csv", ["a.csv", "b.csv", "--folder", "TARGET"]),
    "tools.labelling outside folder": ("in maps.csv", ["INPUT/recording", "TARGET"]),
    "tools.labelling parts out": ("in 1/mine.txt", ["TARGET", *SHEETS]),
    "tools.labelling sheets out": ("folder", ["TARGET", *SHEETS, "--start-at", "5200"]),
}


def test_every_path_that_a_command_takes_is_listed():
    assert of_paths() == READ | WRITTEN.keys()
    assert not READ & WRITTEN.keys()


@pytest.fixture(scope="module")
def given(tmp_path_factory, tiny_checkpoints) -> Path:
    """What commands read: a checkpoint, rows, attention in two forms, and a folder of maps."""
    folder = tmp_path_factory.mktemp("given")
    shutil.copytree(tiny_checkpoints["bert"], folder / "model")
    (folder / "rows.tsv").write_text("text\tlabel\na\tyes\nb\tno\n", encoding="utf-8")
    for name in ("given", "dodrio"):
        (folder / name).mkdir()
    write_attentions(folder / "given")
    write_arrays(folder / "dodrio", maps_of(5))
    parses = f'{{"6": {str(PARSE).replace("None", "null")}}}'.replace("'", '"')
    (folder / "dodrio/sst2-dependencies.json").write_text(parses, encoding="utf-8")
    store_of(folder / "recording")
    return folder


def invoke(words: str, arguments: list[str]) -> BaseException | None:
    """What ends a command."""
    module = next(name for name in modules() if words_of(name) == words.split()[0])
    loaded = importlib.import_module(module)
    app = getattr(loaded, "app", None)
    if not isinstance(app, typer.Typer):
        app = typer.Typer()
        app.command()(loaded.main)
    return CliRunner().invoke(app, [*words.split()[1:], *arguments]).exception


def everything(folder: Path) -> dict[str, str]:
    """Each path below a folder, with its content or where its link goes."""
    return {
        str(path.relative_to(folder)): os.readlink(path)
        if path.is_symlink()
        else path.read_text(encoding="utf-8")
        if path.is_file()
        else ""
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("through", ["itself", "a link"])
@pytest.mark.parametrize("other", [False, True], ids=["its kind", "the other kind"])
def test_what_a_user_has_at_a_target_stays(written, through, other, given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words, _ = written.rsplit(" ", 1)
    kind, arguments = WRITTEN[written]
    (tmp_path / "stages").mkdir()  # as of a project, in which a configuration stands
    mine = tmp_path / "configurations/mine"
    is_file = (kind == "file") != other
    name = kind.removeprefix("in ") if kind.startswith("in ") else "mine.txt"
    file = mine if is_file else mine / name
    file.parent.mkdir(parents=True)
    file.write_text(SENTINEL, encoding="utf-8")
    target = mine
    if through == "a link":
        target = mine.with_name("link")
        target.symlink_to(mine)
    before = everything(tmp_path)
    places = {"TARGET": str(target), "INPUT": str(given)}
    arguments = [re.sub("TARGET|INPUT", lambda name: places[name[0]], one) for one in arguments]
    ended = invoke(words, arguments)
    assert isinstance(ended, InputError), ended
    assert str(target) in str(ended)
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    ("words", "source", "marked"),
    [
        ("tools.convert attentions", "given", "store.json"),
        ("tools.convert dodrio", "dodrio", "store.json"),
        ("tools.cut", "model", "config.json"),
        ("tools.labelling outside", "recording", "store.json"),
    ],
)
@pytest.mark.parametrize("place", [".", "inside", ".."])
def test_a_source_is_no_target(words, source, marked, place, given, tmp_path):
    """Nor is a folder in it or around it, whatever marks it carries; through a link, too."""
    read = shutil.copytree(given / source, tmp_path / "around" / source)
    (read / marked).touch()
    (tmp_path / "around" / marked).touch()
    (tmp_path / "link").symlink_to(read)
    before = everything_in_bytes(tmp_path)
    heads = ["--heads", "0.0"] if words == "tools.cut" else []
    target = tmp_path / "link" / place if place != ".." else tmp_path / "around"
    if words == "tools.labelling outside" and place == "..":
        return  # a file beside what is read is written over nothing
    ended = invoke(words, [str(read), str(target), *heads])
    assert isinstance(ended, InputError) and "is read, or lies in it or around it" in str(ended)
    assert everything_in_bytes(tmp_path) == before


def everything_in_bytes(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_rows_are_not_drawn_over_their_source_nor_over_a_device(given):
    rows = given / "rows.tsv"
    for target in (rows, given / "given/../rows.tsv"):
        assert "is read" in str(
            invoke("tools.balance", [str(rows), str(target), "--label", "label"])
        )
    ended = invoke("tools.balance", [str(rows), "/dev/null", "--label", "label"])
    assert "/dev/null is a device" in str(ended)
    assert rows.read_text(encoding="utf-8") == "text\tlabel\na\tyes\nb\tno\n"


def test_maps_take_the_place_of_maps_alone_and_of_nothing(given, tmp_path):
    words, source, target = "tools.convert attentions", str(given / "given"), tmp_path / "maps"
    target.mkdir()
    for _ in range(2):
        assert invoke(words, [source, str(target)]) is None
    (target / "notes.md").write_text(SENTINEL)
    assert "notes.md, which belongs to no folder of maps" in str(
        invoke(words, [source, str(target)])
    )
    assert (target / "notes.md").read_text() == SENTINEL


def theirs(folder: Path, name: str) -> None:
    (folder / name).mkdir()
    (folder / name / "mine.txt").write_text(SENTINEL)


def linked(folder: Path, name: str) -> None:
    (folder / name).symlink_to(folder.parent)


KINDS = {
    "maps": (maps_target, "store.json", json.dumps(FORMAT), "maps-00000.f16"),
    "sheets": (sheets_folder, "labels.csv", "map,label,doubt\n7,,\n", "sheet-0007.png"),
    "parts": (sheets_folder, "labels.csv", "map,any,special,sure\n7,,,\n", "sheet-0007.png"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("put", [theirs, linked])
def test_a_folder_is_known_by_content(kind, put, tmp_path):
    """Neither the names of its files, nor a folder or a link of that name, make it one of ours."""
    ask, marked, content, other = KINDS[kind]
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / marked).write_text(content)
    (mine / other).touch()
    assert ask(mine) == mine
    for text in ('{"shop": "attention-maps"}', "label\ncat\n", "", "map,label,doubt\nRome,,\n"):
        (mine / marked).write_text(text)
        with pytest.raises(InputError, match=f"{marked},? (which is not that of|has labels)"):
            ask(mine)
    (mine / marked).write_text(content)
    (mine / other).unlink()
    put(mine, other)
    with pytest.raises(InputError, match=f"{other}, which belongs to no folder of"):
        ask(mine)


def test_settings_of_another_program_are_no_kept_encoder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = Path("data/pretrained/chinese/settings.json")
    file.parent.mkdir(parents=True)
    file.write_text('{"theme": "dark"}')
    with pytest.raises(InputError, match=r"settings\.json, which is not that of a kept encoder"):
        pretrain("chinese", keep=True)
    shutil.copy(ROOT / file, file)
    with pytest.raises(InputError, match="`?pretrain|params"):  # past the folder
        pretrain("chinese", keep=True)


def test_a_page_takes_the_place_of_a_page(given, tmp_path):
    page = tmp_path / "page.html"
    for _ in range(2):
        words = ["some text", "--checkpoint", str(given / "model"), "--output", str(page)]
        assert invoke("stages.view", words) is None
    assert invoke("stages.report compare", [str(ROOT), "--output", str(page)])
    for _ in range(2):
        words = [str(ROOT), "--output", str(tmp_path / "comparison.html")]
        assert invoke("stages.report compare", words) is None


def test_sheets_that_nobody_filled_in_are_drawn_again_and_labels_stay(tmp_path):
    words, out = "tools.labelling sheets", tmp_path / "sheets"
    arguments = [str(out), *SHEETS, "--start-at", "5205"]
    for _ in range(2):
        assert invoke(words, arguments) is None
    table = pd.read_csv(out / "labels.csv", dtype=str, keep_default_na=False)
    table.assign(label="V").to_csv(out / "labels.csv", index=False)
    before = everything_in_bytes(out)
    assert "labels.csv has labels" in str(invoke(words, arguments))
    assert everything_in_bytes(out) == before


def test_plots_are_not_written_over_another_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text(SENTINEL)
    for words in (["-o", "site"], ["--out=site"], ["-osite"]):
        with pytest.raises(InputError, match=r"index\.html is there already"):
            plots(["show", *words])


def test_names_that_lead_elsewhere_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="letters, digits and _ - only"):
        pretrain("../../mine", keep=True)
    with pytest.raises(InputError, match="letters, digits and _ only"):
        new.main("../mine", Path("a.tsv"), Path("b.tsv"), "text", "label")


def test_a_draw_of_changes_that_was_tried_for_hours_stays(tmp_path, monkeypatch):
    (tmp_path / "session.sqlite").write_text(SENTINEL)
    monkeypatch.setattr(mutation, "FOLDER", tmp_path)
    with pytest.raises(InputError, match="is there already; remove it"):
        mutation.draw()
    assert (tmp_path / "session.sqlite").read_text() == SENTINEL


def test_a_new_configuration_leaves_a_folder_as_it_is_that_is_none(tmp_path, monkeypatch):
    (tmp_path / "stages").mkdir()
    monkeypatch.setattr(new, "ROOT", tmp_path)
    folder = tmp_path / "configurations/mine"
    folder.mkdir(parents=True)
    (folder / "dvc.yaml").write_text(SENTINEL)
    rows = tmp_path / "rows.tsv"
    rows.write_text("text\tlabel\na\tyes\nb\tno\n")
    with pytest.raises(InputError, match=r"dvc\.yaml is there already"):
        new.main("mine", rows, rows, "text", "label")
    assert everything(folder) == {"dvc.yaml": SENTINEL}


@pytest.mark.parametrize("name", ["../../mine", "a/b", "a b", "", ".."])
@pytest.mark.parametrize(
    "key", ["run.tasks", "matching.tasks", "corpora", "stimuli", "pretrain.encoders"]
)
def test_names_of_stages_are_refused_before_dvc_can_empty_a_folder(name, key):
    section, _, within = key.partition(".")
    values = {within: [name]} if within else {name: {"source": "written"}}
    pipeline = read_yaml(ROOT / "dvc.yaml")
    with pytest.raises(InputError, match=re.escape(f"mine.yaml: `{key}` {name!r}: a name has")):
        require_names({section: values}, pipeline, "mine.yaml")
    require_names({section: {within: ["plain_1"]} if within else {"plain_1": {}}}, pipeline, "a")
