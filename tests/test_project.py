"""The project around the package: packaging, pins, commands, and rules that no linter knows."""

import ast
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


def defects(module):
    """What ruff cannot see: evaluation in any spelling, unwritten code, classes open without reason."""
    for node in ast.walk(module):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
                if name.rpartition(".")[2] in FORBIDDEN:
                    yield name
            case ast.ClassDef() if not (is_final(node) or is_abstract(node)):
                yield f"{node.name} is neither abstract nor final"


FORBIDDEN = {
    *("eval", "exec", "sympify", "parse_expr", "pickle", "marshal", "shelve", "literal_eval"),
    "NotImplementedError",
}


def is_final(node):
    return bool(
        {ast.unparse(decorator) for decorator in node.decorator_list}
        & {"final", "frozen", "frozen_with_cache"}
    )


def is_abstract(node):
    """Or open by nature: enumerations cannot be derived from, and exceptions are a family."""
    bases = (ast.unparse(base).partition("[")[0] for base in node.bases)
    return any(base.endswith(("Error", "Exception", "Enum", "ABC", "Protocol")) for base in bases) or any(
        isinstance(part, ast.FunctionDef) and "abstractmethod" in map(ast.unparse, part.decorator_list)
        for part in node.body
    )


def test_the_package_follows_the_rules_that_no_linter_knows():
    found = {
        str(path.relative_to(ROOT)): list(defects(ast.parse(path.read_text(encoding="utf-8"))))
        for path in PACKAGE.rglob("*.py")
    }
    assert len(found) > 200
    assert {path: what for path, what in found.items() if what} == {}


@pytest.mark.parametrize(
    "text",
    [
        *("eval('1')", "import pickle", "from ast import literal_eval as read", "sympy.sympify(x)"),
        *("class A: pass", "class A(B): pass", "raise NotImplementedError"),
    ],
)
def test_the_rules_see_each_defect(text):
    assert len(list(defects(ast.parse(text)))) == 1


def test_the_citation_file_names_this_version_its_authors_and_the_papers():
    """As the format of citation files, version 1.2.0, asks: these keys, and a type for each reference."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert (cited["version"], cited["license"]) == (__version__, PROJECT["license"])
    assert cited["authors"] == PROJECT["authors"] and cited["keywords"] == PROJECT["keywords"]
    papers = {(len(paper["authors"]), paper["title"], paper["year"]) for paper in cited["references"]}
    ours = [paper for _, paper in PAPERS.values()]
    assert papers == {(x["author"].count(" and ") + 1, x["title"], int(x["year"])) for x in ours}
