"""Configurations hold what differs, and the stages accept it: checked without running them."""

import subprocess
import sys
from copy import deepcopy

import pytest
from ruamel.yaml import YAML

from stages.check.configuration import effective, merged
from stages.check.inputs import inputs, of_project
from stages.check.stage import complaints, sections
from stages.core.corpora.entries import load_corpus_entry
from stages.core.questions.task import is_question_task, load_question_task
from stages.core.stage.files import InputError
from stages.core.stage.settings import checked
from stages.core.tasks.task import load_task
from stages.finetune.training import Finetune
from tools.configurations import contents
from tools.pipeline import ROOT

FOLDERS = sorted(path.parent for path in ROOT.glob("configurations/*/settings.yaml"))
FILES = [ROOT / "params.yaml", *(folder / "params.yaml" for folder in FOLDERS)]
GLUE = {"mrpc", "stsb", "sst2", "qqp", "rte", "qnli", "mnli"}


def load(file) -> dict:
    return YAML(typ="safe").load(file)


def without(file) -> set[str]:
    """The studies that a configuration goes without."""
    settings = file.with_name("settings.yaml")
    return set(load(settings)["run"].get("without", [])) if settings.exists() else set()


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.parent.name)
def test_every_section_is_accepted(file):
    content = load(file)
    assert set(content) == {"tasks", "corpora", *sections()} - without(file)
    assert complaints(file.parent, here=False) == []


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.parent.name)
def test_every_task_is_accepted_and_those_to_run_are_there(file):
    content = load(file)
    assert set(content["run"]["tasks"]) <= set(content["tasks"])
    for name in content["tasks"]:
        of_kind = load_question_task if is_question_task(name, file) else load_task
        task = of_kind(name, file)
        checked(Finetune, content["finetune"] | task.finetune, f"{file}: {name}")


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.parent.name)
def test_every_corpus_is_accepted_and_those_that_a_study_takes_are_there(file):
    content = load(file)
    for name in content["corpora"]:
        load_corpus_entry(name, file)
    for name, values in content.items():
        if name not in ("run", "corpora") and "corpora" in values:
            assert set(values["corpora"]) <= set(content["corpora"]), name


def test_the_default_knows_the_tasks_of_glue():
    assert set(load(ROOT / "params.yaml")["tasks"]) >= GLUE


def test_bert_base_is_kovaleva_as_published():
    content = load(ROOT / "configurations" / "bert-base" / "params.yaml")
    assert set(content["run"]["tasks"]) == GLUE
    assert content["run"]["arms"] == ["untuned", "tuned_from_random", "tuned", "random_weights"]
    assert content["checkpoint"]["id"] == "google-bert/bert-base-uncased"
    settings = content["finetune"]
    assert (settings["epochs"], settings["batch"], settings["accumulation"]) == (3, 32, 1)
    mnli = content["tasks"]["mnli"]["data"]["splits"]
    assert mnli["validation"] == "validation_matched"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_configurations_are_what_their_settings_make(folder):
    for name, text in contents(folder).items():
        written = (folder / name).read_text(encoding="utf-8")
        assert written == text, "renew with: python -m tools.configurations"
    for name in ("stages", "data", ".dvc/plots"):
        assert (folder / name).is_symlink()
        assert (folder / name).resolve() == ROOT / name


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_settings_hold_nothing_that_the_default_has(folder):
    """So a setting stands once; an entry that a user may want to see whole may repeat its own."""
    default = load(ROOT / "params.yaml")

    def repeated(settings: dict, beside: dict, key: str = "") -> list[str]:
        same = [
            f"{key}{name}" for name in settings if name in beside and settings[name] == beside[name]
        ]
        for name, value in settings.items():
            if (
                isinstance(value, dict)
                and isinstance(beside.get(name), dict)
                and "source" not in value
            ):
                same += repeated(value, beside[name], f"{key}{name}.")
        return same

    assert repeated(load(folder / "settings.yaml"), default) == []


DEFAULT = {
    "run": {"tasks": ["one"]},
    "checkpoint": {"source": "package", "package": "a", "path": "b"},
    "tasks": {
        "one": {"data": {"source": "written", "seed": 1}, "max_length": 128},
        "two": {"data": {"source": "hub", "path": "x"}},
    },
    "corpora": {"texts": {"source": "written"}, "others": {"source": "written"}},
    "syntax": {"corpora": ["texts"], "offsets": 5},
    "pairs": {"corpora": ["others"]},
}
PIPELINE = {
    "stages": {
        "corpus": {"foreach": "", "do": {"deps": ["data"], "outs": ["work/corpora/${key}"]}},
        "syntax": {"deps": ["work/corpora/x"], "outs": ["work/measures/syntax/x.parquet"]},
        "pairs": {"deps": ["work/corpora/x"], "outs": ["work/measures/pairs/x.parquet"]},
        "findings": {"deps": ["work/measures"], "outs": ["reports/findings.json"]},
    }
}


def test_what_differs_replaces_and_what_is_not_used_goes():
    settings = {
        "run": {"tasks": ["two", "mine"], "without": ["pairs"]},
        "checkpoint": {"source": "hub", "id": "c/d"},
        "tasks": {"two": {"data": {"path": "y"}}, "mine": {"max_length": 8}},
        "corpora": {"own": {"source": "conllu"}},
        "syntax": {"corpora": ["own"]},
    }
    parameters, pipeline = effective(settings, "settings.yaml", DEFAULT, PIPELINE)
    assert parameters == {
        "run": {"tasks": ["two", "mine"]},
        "checkpoint": {"source": "hub", "id": "c/d"},
        "tasks": {"two": {"data": {"source": "hub", "path": "y"}}, "mine": {"max_length": 8}},
        "corpora": {"own": {"source": "conllu"}},
        "syntax": {"corpora": ["own"], "offsets": 5},
    }
    assert list(pipeline["stages"]) == ["corpus", "syntax", "findings"]
    assert list(PIPELINE["stages"]) == ["corpus", "syntax", "pairs", "findings"]


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"syntax": {"ofsets": 3}}, "`syntax.ofsets`: unknown key; syntax has corpora, offsets"),
        ({"sintax": {}}, "`sintax`: unknown key"),
        ({"syntax": 3}, "`syntax` takes the keys corpora, offsets"),
        ({"run": {"without": ["sintax"]}}, "has 'sintax', which is no stage; there are corpus"),
        ({"run": {"without": "syntax"}}, "`run.without` is 'syntax'; give a list of stages"),
        ({"run": ["one"]}, "`run` takes the keys tasks"),
        (["syntax"], "the top level takes the keys run, checkpoint"),
        (
            {"run": {"without": ["corpus"]}},
            "has corpus, on which syntax, pairs depend",
        ),
        ({"run": {"tasks": ["three"]}}, "no entry of `tasks` is called 'three'"),
        ({"syntax": {"corpora": ["text"]}}, "no entry of `corpora` is called 'text'"),
    ],
)
def test_wrong_settings_are_refused(settings, complaint):
    with pytest.raises(InputError, match=r"settings\.yaml") as caught:
        effective(settings, "settings.yaml", DEFAULT, PIPELINE)
    assert complaint in str(caught.value)


def test_the_default_is_left_as_it_is():
    before = str(DEFAULT)
    merged(DEFAULT, {"syntax": {"corpora": []}}, "settings.yaml")["syntax"]["corpora"].append("x")
    assert str(DEFAULT) == before


def test_the_command_refuses_with_the_file_and_the_key(module_copy):
    file = module_copy / "configurations/glue/settings.yaml"
    before = file.read_text()
    file.write_text("finetun: {epochs: 1}\n")
    command = [sys.executable, "-m", "tools.configurations", "configurations/glue"]
    done = subprocess.run(command, cwd=module_copy, capture_output=True, text=True)
    assert done.returncode == 2
    assert "configurations/glue/settings.yaml: `finetun`: unknown key" in done.stderr
    file.write_text(before)


def test_a_corpus_to_train_on_is_prepared_and_depended_on():
    default = DEFAULT | {"syntax": DEFAULT["syntax"] | {"train_on": None}}
    pipeline = deepcopy(PIPELINE)
    pipeline["stages"]["syntax"] |= {"params": ["syntax"]}
    settings = {
        "corpora": {"own": {"source": "conllu"}, "other": {"source": "conllu"}},
        "syntax": {"corpora": ["own"], "train_on": "other"},
        "run": {"without": ["pairs"]},
    }
    before = deepcopy(pipeline["stages"]["syntax"])
    parameters, made = effective(settings, "settings.yaml", default, pipeline)
    assert set(parameters["corpora"]) == {"own", "other"}
    syntax = made["stages"]["syntax"]
    assert set(syntax["deps"]) - set(before["deps"]) == {"work/corpora/other"}
    assert syntax["params"] == ["syntax", "corpora.other"]
    assert pipeline["stages"]["syntax"] == before
    settings["syntax"]["train_on"] = "else"
    with pytest.raises(InputError, match="no entry of `corpora` is called 'else'"):
        effective(settings, "settings.yaml", default, pipeline)


def test_sets_of_stimuli_that_no_study_takes_are_left_out():
    default = DEFAULT | {
        "stimuli": {"written": {"source": "written"}},
        "one": {"sets": ["written"]},
    }
    assert set(effective({}, "settings.yaml", default, PIPELINE)[0]["stimuli"]) == {"written"}
    settings = {"stimuli": {"own": {"source": "release"}}, "one": {"sets": ["own"]}}
    parameters, _ = effective(settings, "settings.yaml", default, PIPELINE)
    assert parameters["stimuli"] == {"own": {"source": "release"}}
    settings["one"]["sets"] = ["other"]
    with pytest.raises(InputError, match="no entry of `stimuli` is called 'other'"):
        effective(settings, "settings.yaml", default, PIPELINE)


def run_on(settings: dict) -> dict[str, set[str]]:
    """The stages that a configuration with these settings runs on each entry."""
    yaml = YAML(typ="safe")
    default, pipeline = yaml.load(ROOT / "params.yaml"), yaml.load(ROOT / "dvc.yaml")
    made = effective(settings, "settings.yaml", default, pipeline)
    assert {f"{kind}.{name}" for kind, name in inputs(*made)} | {"data/patterns"} >= set(
        of_project(*made)
    )
    stages = {f"{kind}.{name}": set(stages) for (kind, name), stages in inputs(*made).items()}
    return stages | ({"classifier": set()} if "classifier" in made[1]["stages"] else {})


OF_CORPORA = {"corpus", "surface", "text_patterns", "text_examples", "clusters"}
RECORDED = {"source": "recorded", "path": "x", "model": "other"}
QUESTIONS = {"questions", "readers", "reading"}


@pytest.mark.parametrize(
    ("settings", "taken"),
    [
        # Neither stimuli nor questions of the default, of which readers would be tuned.
        (
            {"run": {"tasks": []}, "corpora": {"maps": RECORDED}},
            {"corpora.maps": OF_CORPORA, "classifier": set()},
        ),
        ({"corpora": {"maps": RECORDED}}, {"corpora.maps": OF_CORPORA, "classifier": set()}),
        ({"tasks": {"exam": {"kind": "choice"}}}, {"tasks.exam": QUESTIONS}),
        (
            {"stimuli": {"mine": {"source": "release", "path": "x"}}},
            {"stimuli.mine": {"stimuli", "confusion", "layer_probes"}},
        ),
        # Probes read states, which nobody recorded.
        (
            {"stimuli": {"maps": {"source": "written", "recorded": {"path": "x"}}}},
            {"stimuli.maps": {"stimuli", "confusion"}},
        ),
        (
            {"stimuli": {"written": None}, "layer_probes": {"sets": []}, "run": {"tasks": []}},
            {"stimuli.written": {"stimuli", "confusion"}},
        ),
        ({"run": {"tasks": []}}, {}),
        ({"corpora": {}}, {}),
        (
            {"readers": {"tasks": ["questions"]}, "run": {"tasks": []}},
            {"tasks.questions": QUESTIONS},
        ),
    ],
)
def test_a_study_runs_only_on_what_is_named(settings, taken):
    assert run_on(settings) == taken


def test_a_task_that_is_named_runs_alone():
    for settings in (
        {"tasks": {"mine": {"kind": "regression"}}},
        {"tasks": {"mine": {}, "other": {}}, "run": {"tasks": ["mine"]}},
    ):
        stages = run_on(settings)
        assert set(stages) == {"tasks.mine", "classifier"}
        assert {"prepare", "finetune", "drift", "patterns", "harmful"} <= stages["tasks.mine"]


def test_settings_that_name_no_data_take_those_of_the_default():
    changed = {"checkpoint": {"source": "folder", "path": "x"}, "syntax": {"offsets": 3}}
    assert run_on(changed) == run_on({})
    assert {"tasks.questions", "stimuli.written", "corpora.pairs"} <= run_on({}).keys()


def test_what_rests_on_no_data_of_the_user_is_told():
    yaml = YAML(typ="safe")
    default, pipeline = yaml.load(ROOT / "params.yaml"), yaml.load(ROOT / "dvc.yaml")
    settings = {
        "run": {"tasks": []},
        "corpora": {"maps": RECORDED, "pairs": None},
        "stimuli": {"maps": {"source": "written", "recorded": {"path": "x"}}},
    }
    made = effective(settings, "settings.yaml", default, pipeline)
    surface = ["corpus", "surface", "text_examples", "text_patterns", "clusters", "neurons"]
    assert of_project(*made) == {"corpora.pairs": surface, "data/patterns": ["classifier"]}


TREES, LINKS = ("syntax", "pairs", "probes"), ("coreference", "frames")
ANY_TEXT = ("surface", "text_patterns", "clusters", "neurons")


def entry(source: str, **more: object) -> dict:
    return {"source": source, "path": "x"} | more


@pytest.mark.parametrize(
    ("corpora", "taken"),
    [
        # Annotated text is read for its surface, too, where there is no other.
        ({"mine": entry("conllu")}, {"mine": (*TREES, *ANY_TEXT)}),
        (
            {"mine": entry("conllu"), "plain": entry("paragraphs")},
            {"mine": TREES, "plain": ANY_TEXT},
        ),
        (
            {"maps": entry("recorded", model="other"), "links": entry("litbank")},
            {"maps": ANY_TEXT[:-1], "links": ("coreference", "neurons")},
        ),
        ({"one": entry("framenet")}, {"one": ("frames", *ANY_TEXT)}),
    ],
)
def test_studies_take_the_corpora_that_fit_them(corpora, taken):
    yaml = YAML(typ="safe")
    default, pipeline = yaml.load(ROOT / "params.yaml"), yaml.load(ROOT / "dvc.yaml")
    parameters, _ = effective({"corpora": corpora}, "settings.yaml", default, pipeline)
    for study in (*TREES, *LINKS, *ANY_TEXT):
        expected = [corpus for corpus, studies in taken.items() if study in studies]
        assert parameters[study]["corpora"] == expected, study
    # Any text can be looked at.
    assert parameters["text_examples"]["corpora"] == list(corpora)
    assert list(parameters["corpora"]) == list(corpora)


def test_a_study_may_name_another():
    yaml = YAML(typ="safe")
    default, pipeline = yaml.load(ROOT / "params.yaml"), yaml.load(ROOT / "dvc.yaml")
    settings = {"corpora": {"mine": entry("conllu")}, "syntax": {"corpora": ["sentences", "mine"]}}
    parameters, _ = effective(settings, "settings.yaml", default, pipeline)
    assert parameters["syntax"]["corpora"] == ["sentences", "mine"]
    assert parameters["pairs"]["corpora"] == ["mine"]
    assert set(parameters["corpora"]) == {"sentences", "mine"}


def test_a_study_of_some_tasks_takes_those_that_are_run():
    yaml = YAML(typ="safe")
    default, pipeline = yaml.load(ROOT / "params.yaml"), yaml.load(ROOT / "dvc.yaml")

    def tasks(**settings: object) -> list[str]:
        return effective(settings, "settings.yaml", default, pipeline)[0]["pair_baselines"]["tasks"]

    assert tasks() == ["relevance"]
    assert tasks(run={"tasks": ["similarity"]}) == []
    assert tasks(run={"tasks": ["mrpc"]}, pair_baselines={"tasks": ["mrpc"]}) == ["mrpc"]
