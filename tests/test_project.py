"""The project around the package: packaging, pins, and commands."""

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from consistency_lab.show.typeset import PAPERS
from consistency_lab.version import __version__

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "consistency_lab"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = [
    line
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]

EXTRAS = PROJECT["optional-dependencies"]
WANTED = (PROJECT["dependencies"], *(EXTRAS[name] for name in sorted(EXTRAS.keys() - {"libraries", "trl"})))
REQUIREMENTS = [one for wanted in WANTED for one in wanted if not one.startswith("consistency-lab[")]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_pins_are_names_with_versions_sorted_and_single():
    """So they name no host, no file and no option."""
    assert [pin for pin in PINS if not re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", pin)] == []
    names = [pin.partition("==")[0] for pin in PINS]
    assert names == sorted(set(names))


def test_each_requirement_has_a_lower_bound_that_its_pin_meets():
    pins = dict(pin.split("==") for pin in PINS)
    for requirement in REQUIREMENTS:
        match = re.fullmatch(r"([A-Za-z0-9-]+)>=([0-9.]+)", requirement)
        pinned, bound = (re.findall(r"\d+", text) for text in (pins[normal(match[1])], match[2]))
        assert list(map(int, pinned)) >= list(map(int, bound)), requirement


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt", "Makefile", ".ci/run"])
def test_no_file_names_a_package_index(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(r"://|index-url|find-links|trusted-host", text)


def test_the_console_script_can_be_called():
    module, _, name = PROJECT["scripts"]["consistency-lab"].partition(":")
    assert callable(getattr(import_module(module), name))


def test_the_license_is_mit_and_the_version_has_an_entry_in_the_changelog():
    assert PROJECT["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_quick_tests_are_there_and_are_of_every_package():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    (listed,) = re.findall(r"^QUICK := \$\(addprefix tests/, (.*)\)$", makefile, re.MULTILINE)
    names = listed.split()
    assert [name for name in names if not (ROOT / "tests" / name).exists()] == []
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")} - {"apps"}
    assert packages <= {name.partition("/")[0] for name in names}


def test_ci_runs_the_commands_of_the_readme_once_and_without_variables_of_one_machine():
    asked = re.findall(r"^make (\w+) +#", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert asked == ["demo", "test"]
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    ran = [line for line in lines if re.search(rf"\bmake ({'|'.join(asked)})\b", line)]
    assert ran == [f'env -i HOME="$(mktemp -d -p "$scratch")" PATH="$PATH" make {one}' for one in asked]
    assert lines.index(ran[-1]) < lines.index("make lint")


def test_the_citation_file_names_this_version_its_authors_and_the_papers():
    """As the format of citation files, version 1.2.0, asks: these keys, and a type for each reference."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert (cited["version"], cited["license"]) == (__version__, PROJECT["license"])
    assert cited["authors"] == PROJECT["authors"] and cited["keywords"] == PROJECT["keywords"]
    papers = {(len(paper["authors"]), paper["title"], paper["year"]) for paper in cited["references"]}
    ours = [paper for _, paper in PAPERS.values()]
    assert papers == {(x["author"].count(" and ") + 1, x["title"], int(x["year"])) for x in ours}
