"""How long a configuration takes, held against a table of the default's times."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from ruamel.yaml import YAML

from stages.core.stage.files import InputError
from tools import estimate
from tools.estimate import Configuration, default_configuration, minutes
from tools.pipeline import ROOT

RATE = 1e9


@pytest.fixture(scope="module")
def default() -> Configuration:
    return default_configuration()


@pytest.fixture(scope="module")
def table(default: Configuration) -> pd.DataFrame:
    """Every stage of the default takes a minute of compute, and six seconds beside."""
    names = default.works().index
    return pd.DataFrame({"stage": names, "seconds": 66.0, "compute": 60.0, "rate": RATE})


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[Callable[[dict], object]], Path]:
    """A configuration of the task `sentiment` alone, with a change of its settings."""
    for name in ("dvc.yaml", "stages", "data"):
        (tmp_path / name).symlink_to(ROOT / name)

    def make(change: Callable[[dict], object]) -> Path:
        yaml = YAML()
        settings = yaml.load(ROOT / "params.yaml")
        settings["run"]["tasks"] = ["sentiment"]
        for name in ("word_order", "matching", "pair_baselines", "readers"):
            settings[name]["tasks"] = []
        settings["ablate"]["for_tasks"] = []
        change(settings)
        yaml.dump(settings, tmp_path / "params.yaml")
        return tmp_path

    return make


def compute(folder: Path, default: Configuration, table: pd.DataFrame) -> pd.Series:
    works = Configuration(folder, folder / "params.yaml").works()
    return minutes(works, default.works(), table) - 0.1


def test_the_default_takes_what_the_table_says(default, table):
    every = minutes(default.works(), default.works(), table)
    assert every.sum() == pytest.approx(1.1 * len(table))
    assert every["check"] == every["readers@questions"] == pytest.approx(1.1)


def test_a_task_twice_as_large_takes_twice_as_long(changed, default, table):
    def halved(settings: dict) -> None:
        settings["tasks"]["sentiment"]["data"].update(train=480, validation=400)
        settings["ablate"]["sizes"] = {
            mode: sizes | {"examples": sizes["examples"] // 2, "share_examples": 40}
            for mode, sizes in settings["ablate"]["sizes"].items()
        }
        settings["ablate"]["control"].update(examples=50, share_examples=25)
        settings["harmful"].update(examples=64, scored=128)

    whole = compute(changed(lambda settings: None), default, table)
    half = compute(changed(halved), default, table)
    twice = ["prepare", "finetune", "attend", "drift", "ablate", "harmful"]
    for name in (f"{stage}@sentiment" for stage in twice):
        assert whole[name] / half[name] == pytest.approx(2, rel=0.05), name  # texts differ
    for name in ("classifier", "syntax@sentences", "features@sentiment"):
        assert whole[name] == pytest.approx(half[name], rel=0.05), name
    assert not [name for name in whole.index if name.split("@")[0] in ("readers", "questions")]


def test_seeds_count_where_a_stage_makes_or_takes_their_models(changed, default, table):
    once = compute(changed(lambda settings: None), default, table)
    thrice = compute(
        changed(lambda settings: settings["run"].update(seeds=[0, 1, 2])), default, table
    )
    times = {"finetune": 2, "drift": 2, "harmful": 2, "attend": 1, "prepare": 1}
    for name, factor in times.items():  # one control beside one seed, and beside three
        assert thrice[f"{name}@sentiment"] == pytest.approx(factor * once[f"{name}@sentiment"])
    # 6 layers of 12 heads: heads and layers on examples, and draws of shares on theirs.
    tuned = 6 * 13 * (128 + 160 + 64) + 5 * 2 * 80
    control = 2 * (6 * 13 * 100 + 5 * (3 + 2 * 2) * 50)
    ratio = thrice["ablate@sentiment"] / once["ablate@sentiment"]
    assert ratio == pytest.approx((3 * tuned + control) / (tuned + control))


def test_a_larger_encoder_counts_where_one_runs(changed, default, table):
    folder = changed(lambda settings: None)
    small = Configuration(folder, folder / "params.yaml")
    before = small.works()["work"]
    double = {"layers": 12, "heads": 12, "hidden": 768, "feed_forward": 3072}
    small.geometry = type(small.geometry)(**double)
    ratio = small.works()["work"] / before
    for name in ("finetune@sentiment", "syntax@sentences"):
        assert ratio[name] == pytest.approx(2 * 4)
    for name in ("ablate@sentiment", "harmful@sentiment"):  # twice as many heads to turn off
        assert ratio[name] == pytest.approx(2 * 2 * 4, rel=0.1)
    assert ratio["prepare@sentiment"] == ratio["classifier"] == 1


def test_disk_by_hand(changed):
    """Two models of a seed, two of the control, maps of three arms: all in two places."""
    folder = changed(lambda settings: settings["attend"].update(examples=10))
    configuration = Configuration(folder, folder / "params.yaml")
    configuration.bytes = 1000
    _, (_, tokens) = configuration.sizes["task", "sentiment"]
    expected = 2 * 4 * 1000 + 2 * 3 * 10 * 72 * tokens**2 * 2
    assert configuration.gigabytes() == pytest.approx(expected / 1e9)


def test_what_is_printed(changed, table, tmp_path, monkeypatch, capsys):
    """At half the table's rate all takes twice as long; what the table lacks is named."""
    root = tmp_path / "root"
    (root / estimate.TABLE.parent).mkdir(parents=True)
    for name in ("dvc.yaml", "params.yaml", "data"):
        (root / name).symlink_to(ROOT / name)
    unknown = table["stage"].str.startswith("features")
    table[~unknown].to_csv(root / estimate.TABLE)
    monkeypatch.setattr(estimate, "ROOT", root)
    monkeypatch.setattr(estimate, "probe", lambda: RATE / 2)
    folder = changed(lambda settings: settings["runtime"].update(device="cpu"))
    estimate.main(folder)
    lines = capsys.readouterr().out.splitlines()
    assert "   2.2 min  classifier" in lines
    assert lines[-1].startswith("about ")
    assert lines[-1].endswith(" GB of disk; not known: features@sentiment")
    (root / estimate.TABLE).unlink()
    with pytest.raises(InputError, match=r"rebuild-default.csv: not there; `git checkout"):
        estimate.main(folder)


def test_settings_that_cannot_be_kept_to_are_refused(changed):
    folder = changed(lambda settings: settings["run"].update(tasks=["sentimental"]))
    with pytest.raises(InputError, match="sentimental"):
        estimate.main(folder)
    shutil.rmtree(folder)
    with pytest.raises(InputError, match="no such file"):
        estimate.main(folder)


def test_a_probe_counts_the_operations_of_its_products(monkeypatch):
    clock = iter([0.0, 0.0, 1.0, 1.0, 3.0, 9.0])
    monkeypatch.setattr("benchmarks.product_rates.time.perf_counter", lambda: next(clock))
    from benchmarks.product_rates import PROBED, probe

    assert probe(2) == 2 * PROBED**3
