"""What the workflow may do: read and publish the site, by actions that nobody can move."""

import re

import pytest
from ruamel.yaml import YAML

from tools.pipeline import ROOT

FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_actions_are_commits_without_credentials(file):
    text = file.read_text(encoding="utf-8")
    workflow = YAML(typ="rt").load(text)
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    uses = [step["uses"] for step in steps if "uses" in step]
    assert uses and all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", one) for one in uses)
    # The version beside each, so that a reader knows what the commit is.
    assert len(re.findall(r"uses: \S+@[0-9a-f]{40}  # v\d+\.\d+\.\d+$", text, re.M)) == len(uses)
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts and all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_the_job_that_publishes_the_site_alone_may_write_and_runs_no_code_of_the_project():
    jobs = YAML(typ="rt").load(ROOT / ".github/workflows/pipeline.yml")["jobs"]
    assert {name for name, job in jobs.items() if "permissions" in job} == {"publish"}
    publish = jobs["publish"]
    assert publish["permissions"] == {"pages": "write", "id-token": "write"}
    assert publish["needs"] == "rebuild" and "refs/heads/main" in publish["if"]
    assert [step["uses"].split("@")[0] for step in publish["steps"]] == ["actions/deploy-pages"]
    (site,) = (
        step["with"]["path"]
        for step in jobs["rebuild"]["steps"]
        if step.get("uses", "").startswith("actions/upload-pages-artifact@")
    )
    assert site == "reports/site"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_one_change_makes_one_run(file):
    """A push to the branch of a pull request would otherwise make two."""
    on = YAML(typ="rt").load(file.read_text(encoding="utf-8"))["on"]
    assert on["push"] == {"branches": ["main"]} and "pull_request" in on


def pins(*files):
    text = "\n".join((ROOT / file).read_text(encoding="utf-8") for file in files)
    found = re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==(\S+)", text, re.M)
    return {(re.sub(r"[-_.]+", "-", name).lower(), version) for name, version in found}


def test_every_package_but_torch_has_its_hash():
    """Two more build a package that comes as source."""
    files = ("requirements.txt", "requirements-cluster.txt", "requirements-text.txt")
    hashed = pins(".github/hashes.txt")
    building = {pin for pin in hashed if pin[0] in ("setuptools", "wheel")}
    wanted = {pin for pin in pins(*files, "constraints.txt") if pin[0] != "torch"}
    assert hashed == wanted | building and len(building) == 2
    lines = (ROOT / ".github/hashes.txt").read_text(encoding="utf-8").splitlines()[2:]
    assert all(re.search(r" --hash=sha256:[0-9a-f]{64}$", line) for line in lines)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_packages_are_installed_by_their_hashes_alone(file):
    for job in YAML(typ="rt").load(file.read_text(encoding="utf-8"))["jobs"].values():
        runs = [step.get("run", "") for step in job["steps"]]
        installs = [run for run in runs if "pip install" in run or ".ci/run" in run]
        if not any(runs):  # it publishes what another job made
            continue
        hashing = next(run for run in runs if "--require-hashes" in run)
        assert "PIP_NO_INDEX=1" in hashing
        assert all(runs.index(hashing) < runs.index(run) for run in installs)
