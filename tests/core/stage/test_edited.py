"""Messages name the file that the user edits."""

import pickle
from pathlib import Path

import pytest

from stages.core.stage.files import InputError
from stages.core.stage.settings import Resampled, section

PARAMETERS = "drift: {resamples: 0, seed: 1}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose name has a blank, with parameters, from which the test runs."""
    here = tmp_path / "my study"
    here.mkdir()
    (here / "params.yaml").write_text(PARAMETERS)
    monkeypatch.chdir(here)
    return here


def said(**where: Path) -> str:
    with pytest.raises(InputError) as refusal:
        section(Resampled, "drift", **{"file": "params.yaml"} | where)
    return str(refusal.value)


def test_settings_where_parameters_were_made_of_them(folder):
    assert said().startswith("params.yaml: `drift`, key `resamples`: ")
    assert said(file=folder / "params.yaml").startswith(f"{folder}/params.yaml: `drift`")
    (folder / "settings.yaml").touch()
    assert said().startswith("settings.yaml: `drift`, key `resamples`: ")
    assert said(file=folder / "params.yaml").startswith(f"{folder}/settings.yaml: `drift`")


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("a.tsv: bad; skip them in params.yaml", "a.tsv: bad; skip them in settings.yaml"),
        ("a\nparams.yaml: `x`\nb", "a\nsettings.yaml: `x`\nb"),
        ("it stands in (params.yaml)", "it stands in (settings.yaml)"),
        ("../my study/params.yaml: `x`", "../my study/settings.yaml: `x`"),
        ("see ./params.yaml", "see ./settings.yaml"),
        ("../params.yaml: of another folder", "../params.yaml: of another folder"),
        ("`params.yaml`: not valid YAML", "`params.yaml`: not valid YAML"),
        ("my-params.yaml: another file", "my-params.yaml: another file"),
        ("params.yaml.bak: another file", "params.yaml.bak: another file"),
    ],
)
def test_every_way_to_name_it(folder, message, named):
    assert str(InputError(message)) == message
    (folder / "settings.yaml").touch()
    assert str(InputError(message)) == named
    assert str(pickle.loads(pickle.dumps(InputError(message)))) == named
