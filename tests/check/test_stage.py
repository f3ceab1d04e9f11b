"""Settings that cannot be kept to are all found before anything runs."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from stages.check.stage import CHECKED, complaints, on_project_alone, run_stage, sections
from stages.core.measured import MEASURED
from stages.core.stage.files import InputError, read_yaml
from tools.configurations import contents
from tools.pipeline import ROOT

Change = Callable[[dict], object]


@pytest.fixture
def change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Change], None]:
    """Puts the project's settings, with a change, into the current folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "dvc.yaml", tmp_path)

    def apply(change: Change) -> None:
        parameters = read_yaml(ROOT / "params.yaml")
        change(parameters)
        with Path("params.yaml").open("w") as stream:
            YAML().dump(parameters, stream)

    return apply


def test_the_settings_of_the_project_can_be_kept_to(change):
    change(lambda parameters: None)
    run_stage()
    assert CHECKED.read_text() == "The settings can be kept to.\n"


def test_every_section_is_known_to_the_check():
    """A section that no model is known for would be checked by its stage alone."""
    settings = read_yaml(ROOT / "params.yaml").keys()
    assert {*sections(), "tasks", "corpora"} == settings


def from_file(path: str) -> dict:
    return {"source": "files", "splits": {"train": path, "validation": path}} | {
        "columns": {"text_a": "text", "label": "label"}
    }


CHANGES: dict[str, tuple[Change, str]] = {
    "section": (lambda own: own.pop("probes"), "`probes` is missing, which dvc.yaml lists"),
    "unknown section": (lambda own: own.update(probe={}), "`probe`: no such section"),
    "key": (lambda own: own["ablate"].update(mode=[]), "`ablate`, key `mode`: unknown key"),
    "value": (lambda own: own["drift"].update(batch=0), "`drift`, key `batch`"),
    "infinite": (
        lambda own: own["finetune"].update(learning_rate=float("inf")),
        "`finetune`, key `learning_rate`",
    ),
    "arm": (lambda own: own["run"].update(arms=["tuned", "frozen"]), "`run`, key `arms.1`"),
    "task without entry": (
        lambda own: own["run"]["tasks"].append("sentimant"),
        "`run.tasks` has 'sentimant', but `tasks` has no such entry",
    ),
    "corpus without entry": (
        lambda own: own["probes"].update(corpora=["ewt"]),
        "`probes.corpora` has 'ewt', but `corpora` has no such entry, only sentences, pairs",
    ),
    "corpus to train on": (
        lambda own: own["probes"].update(train_on="ewt"),
        "`probes.train_on` has 'ewt'",
    ),
    "corpus of another study": (
        lambda own: own["boundaries"].update(corpora=["gsd"]),
        "`boundaries.corpora` has 'gsd', but `corpora` has no such entry, only sentences",
    ),
    "task that is not run, of word_order": (
        lambda own: own["word_order"].update(tasks=["mrpc"]),
        "`word_order.tasks` has 'mrpc', which is not among `run.tasks` (relevance",
    ),
    "task that is not run, of matching": (
        lambda own: own["matching"]["tasks"].append("mrpc"),
        "`matching.tasks` has 'mrpc', which is not among `run.tasks`",
    ),
    "task of a study without entry": (
        lambda own: own["pair_baselines"].update(tasks=["relevanse"]),
        "`pair_baselines.tasks` has 'relevanse', which is not among `run.tasks` (relevance",
    ),
    "questions among the tasks that are run": (
        lambda own: own["run"]["tasks"].append("questions"),
        "`run.tasks` has 'questions', whose kind is choice: studies of tasks read no questions",
    ),
    "readers of a task without options": (
        lambda own: own["readers"].update(tasks=["questions", "sentiment"]),
        "`readers.tasks` has 'sentiment', but `tasks` has no such entry of kind choice, only",
    ),
    "entry of a set of questions": (
        lambda own: own["tasks"]["questions"].update(metrics=["f1"]),
        "`tasks.questions`, key `metrics.0`",
    ),
    "file of a set of questions": (
        lambda own: own["tasks"]["questions"].update(
            data={
                **{"source": "files", "layout": "questions"},
                "splits": dict.fromkeys(("train", "validation"), "my/exam.jsonl"),
            }
        ),
        "`tasks.questions.data.splits.train` is my/exam.jsonl, which is not there",
    ),
    "stimuli of confusion": (
        lambda own: own["confusion"].update(sets=["release"]),
        "`confusion.sets` has 'release', but `stimuli` has no such entry, only written",
    ),
    "stimuli of layer_probes": (
        lambda own: own["layer_probes"]["sets"].append("opensesame"),
        "`layer_probes.sets` has 'opensesame', but `stimuli` has no such entry",
    ),
    "folder of stimuli": (
        lambda own: own["stimuli"].update(own={"source": "release", "path": "my/opensesame"}),
        "`stimuli.own.path` is my/opensesame, which is not there",
    ),
    "recorded attention of stimuli": (
        lambda own: own["stimuli"].update(
            apart=own["stimuli"]["written"] | {"recorded": {"path": "my/maps", "model": "other"}}
        ),
        "`stimuli.apart.recorded.path` is my/maps, which is not there",
    ),
    "states of recorded attention": (
        lambda own: (
            own["stimuli"].update(
                foreign=own["stimuli"]["written"] | {"recorded": {"path": ".", "model": "other"}}
            ),
            own["layer_probes"]["sets"].append("foreign"),
        ),
        "`layer_probes.sets` has 'foreign', whose attention was recorded elsewhere",
    ),
    "entry of a task": (
        lambda own: own["tasks"]["rte"].update(metrics=["spearman"]),
        "`tasks.rte`: metrics ['spearman'] do not fit",
    ),
    "tuning of a task": (
        lambda own: own["tasks"]["rte"].update(finetune={"epoch": 2}),
        "`tasks.rte.finetune`, key `epoch`: unknown key",
    ),
    "name of a task": (
        lambda own: own["tasks"].update({"a; b": own["tasks"]["rte"]}),
        "task 'a; b': a name has letters",
    ),
    "entry of a corpus": (
        lambda own: own["corpora"]["pairs"].update(source="treebank"),
        "`corpora.pairs`",
    ),
    "file of a task": (
        lambda own: own["tasks"]["sentiment"].update(data=from_file("my/train.tsv")),
        "`tasks.sentiment.data.splits.train` is my/train.tsv, which is not there",
    ),
    "file of a corpus": (
        lambda own: own["corpora"].update(ewt={"source": "conllu", "path": "my/ewt.conllu"}),
        "`corpora.ewt.path` is my/ewt.conllu, which is not there",
    ),
    "treebank of the tagger": (
        lambda own: own["tagger"].update(train="my/ewt.conllu"),
        "`tagger.train` is my/ewt.conllu, which is not there",
    ),
    "checkpoint": (
        lambda own: own.update(checkpoint={"source": "folder", "path": "my/encoder"}),
        "`checkpoint.path` is my/encoder, which is not there",
    ),
    "device": (lambda own: own["runtime"].update(device="cuda:77"), "cuda:77"),
    "threads": (lambda own: own["runtime"].update(threads=-1), "`runtime`, key `threads`"),
}


SHAPED = ("tasks", "corpora", "stimuli", "run", "tagger")
SHAPES = {"text": "abc", "names": ["a", "b"], "null": None, "deep": [[{"a": [None]}]]}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_section_of_another_shape_is_named(change, shape):
    """Each alone, among sound ones that name its entries, and all at once."""
    for name in SHAPED:
        change(lambda own, name=name: own.update({name: shape}))
        assert [line for line in complaints(Path()) if line.startswith(f"params.yaml: `{name}`")]
    change(lambda own: own.update(dict.fromkeys(own, shape)))
    found = "\n".join(complaints(Path()))
    assert [name for name in read_yaml("params.yaml") if f"`{name}`" not in found] == []


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_what_stands_in_a_section_in_another_shape_is_named(change, shape):
    def apply(own: dict) -> None:
        own["tasks"]["mrpc"] = own["corpora"]["pairs"] = own["stimuli"]["written"] = shape
        own["tasks"]["rte"]["data"] = own["tasks"]["sst2"]["finetune"] = shape
        own["run"]["tasks"] = own["probes"]["corpora"] = own["confusion"]["sets"] = [shape]

    change(apply)
    found = "\n".join(complaints(Path()))
    keys = ["tasks.mrpc", "corpora.pairs", "stimuli", "tasks.rte", "tasks.sst2"]
    keys += [] if shape == "abc" else ["run", "probes", "confusion"]
    assert [key for key in keys if f"`{key}`" not in found] == []


def test_names_of_entries_are_texts_that_can_name_files(change):
    def apply(own: dict) -> None:
        for kind in ("tasks", "corpora", "stimuli"):
            own[kind] |= {5: own[kind]["written" if kind == "stimuli" else next(iter(own[kind]))]}
            own[kind] |= {"../../mine": own[kind][5]}

    change(apply)
    found = complaints(Path())
    for kind, word in (("tasks", "task"), ("corpora", "corpus"), ("stimuli", "stimuli")):
        assert [line for line in found if f"{word} '../../mine': a name has letters" in line]
        of_kind = [line for line in found if line.startswith(f"params.yaml: `{kind}`")]
        assert [line for line in of_kind if "valid string (it is 5)" in line]


@pytest.mark.parametrize(("made", "complaint"), CHANGES.values(), ids=CHANGES)
def test_what_is_wrong_is_named_with_file_and_key(change, made, complaint):
    change(made)
    found = complaints(Path())
    assert [line for line in found if complaint in line]
    assert all(line.startswith("params.yaml") for line in found)


def test_a_study_that_is_left_out_may_name_what_is_not_there(change):
    change(lambda own: own["word_order"].update(tasks=["mrpc"]))
    (found,) = complaints(Path())
    assert found.endswith(
        "(relevance, sentiment, similarity): add it there, or take it out of `word_order.tasks`, "
        "which may be []"
    )
    pipeline = read_yaml("dvc.yaml")
    del pipeline["stages"]["word_order"]
    pipeline["stages"]["check"]["params"].remove("word_order")
    with Path("dvc.yaml").open("w") as stream:
        YAML().dump(pipeline, stream)
    assert complaints(Path()) == []


def test_everything_wrong_is_said_at_once_and_nothing_is_written(change):
    # One takes away a section that others change, one makes a corpus that others miss.
    apart = ("section", "file of a corpus")
    joint = [found for name, found in CHANGES.items() if name not in apart]

    def all_changes(parameters: dict) -> None:
        for made, _ in joint:
            made(parameters)

    change(all_changes)
    with pytest.raises(InputError) as refusal:
        run_stage()
    assert [complaint for _, complaint in joint if complaint not in str(refusal.value)] == []
    assert not CHECKED.exists()


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a configuration with a corpus of its own, which is made anew by a call."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "settings.yaml").write_text(
        "corpora:\n  mine: {source: conllu, path: settings.yaml}\n  pairs: {}\n"
    )
    make(tmp_path)
    return tmp_path


def make(folder: Path) -> None:
    for name, text in contents(folder).items():
        if name in ("params.yaml", "dvc.yaml"):
            (folder / name).write_text(text)


def edit(file: Path, before: str, after: str) -> None:
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after, 1))


@pytest.mark.parametrize(
    ("name", "before", "after", "said"),
    [
        # Settings that were edited and not made, and what was made and then edited.
        ("settings.yaml", "pairs: {}", "pairs: {seed: 1}", "`params.yaml` .* `corpora.pairs.seed`"),
        ("params.yaml", "least_cases: 20", "least_cases: 3", "`params.yaml` .*`syntax.least_case"),
        ("params.yaml", "least_cases: 20", "least_case: 20", "`params.yaml` .*`syntax.least_case"),
        ("dvc.yaml", "python -m stages syntax", "true", "`dvc.yaml` .*`stages.syntax.cmd`"),
        ("dvc.yaml", "  syntax:\n", "  sintax:\n", "`dvc.yaml` .*`stages.syntax`"),
    ],
)
def test_files_that_are_not_what_the_settings_give(configured, name, before, after, said):
    assert complaints(configured) == complaints(Path()) == []
    edit(configured / name, before, after)
    (found,) = complaints(Path())
    assert re.match(f"settings.yaml: {said}", found)
    mend = f"run `python -m tools.configurations configurations/{configured.name}` at the root"
    assert mend in found
    with pytest.raises(InputError, match=said):
        run_stage()
    make(configured)
    assert complaints(Path()) == []


def test_a_comment_in_the_settings_changes_nothing(configured):
    edit(configured / "settings.yaml", "corpora:", "# mine\ncorpora:")
    assert complaints(Path()) == []


def test_an_experiment_may_have_other_parameters(configured, monkeypatch):
    edit(configured / "params.yaml", "least_cases: 20", "least_cases: 3")
    assert complaints(Path()) != []
    monkeypatch.setenv("DVC_EXP_BASELINE_REV", "0" * 40)
    assert complaints(Path()) == []


@pytest.mark.parametrize("name", ["params.yaml", "dvc.yaml"])
def test_a_file_that_was_not_made_or_is_damaged(configured, name):
    (configured / name).write_text("<<<<<<< HEAD\na: 1\n=======\n")
    for fault in ("not valid YAML", "no such file"):
        with pytest.raises(InputError, match=f"(?s)^`{name}`: {fault}.*; run `python -m tools.con"):
            complaints(Path())
        (configured / name).unlink(missing_ok=True)


def test_settings_that_name_nothing_to_run_on(configured):
    (configured / "settings.yaml").write_text("run: {tasks: []}\n")
    make(configured)
    (found,) = complaints(Path())
    assert found.startswith(
        "settings.yaml: it names no task, corpus or set of stimuli that a study"
    )


def test_messages_name_the_file_that_the_user_edits(configured):
    edit(configured / "settings.yaml", "pairs: {}", "pairs: {seed: -1}")
    make(configured)
    (found,) = complaints(Path())
    assert found.startswith("settings.yaml: `corpora.pairs`, key `seed`: ")
    (found,) = complaints(configured)
    assert found.startswith(f"{configured}/settings.yaml: `corpora.pairs`, key `seed`: ")


def test_what_rests_on_this_project_alone_is_said(configured, capsys):
    run_stage()
    said = capsys.readouterr().out
    line = "on corpora.pairs of this project, on no data of yours: corpus, surface, text_examples"
    assert line in said
    assert "on data/patterns of this project, on no data of yours: classifier" in said
    assert "mine" not in said


def test_of_the_default_it_is_said_where_the_user_has_other_data(change, capsys):
    change(lambda own: None)
    run_stage()
    assert "no data of yours" not in capsys.readouterr().out
    change(lambda own: own["corpora"]["pairs"].update(source="conllu", path="dvc.yaml"))
    assert [line for line in on_project_alone(Path()) if "stimuli.written" in line]


def test_what_is_measured_is_what_the_pipeline_writes(change):
    change(lambda own: None)
    run_stage()
    everything = MEASURED.read_text().split()
    assert {"surface", "ablate", "text_patterns", "prepare"} <= set(everything)
    pipeline = read_yaml("dvc.yaml")
    del pipeline["stages"]["surface"]
    with Path("dvc.yaml").open("w") as stream:
        YAML().dump(pipeline, stream)
    run_stage()
    assert MEASURED.read_text().split() == [name for name in everything if name != "surface"]
