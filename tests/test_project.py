"""The project around the package: packaging, pins, commands, and rules that no linter knows."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import yaml

import consistency_lab
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
REQUIREMENTS = [
    requirement
    for wanted in (
        PROJECT["dependencies"],
        *(EXTRAS[name] for name in sorted(EXTRAS.keys() - {"libraries", "trl"})),
    )
    for requirement in wanted
    if not requirement.startswith("consistency-lab[")
]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("pin", PINS)
def test_a_pin_is_a_name_and_a_version(pin: str) -> None:
    """So it names no host, no file and no option."""
    assert re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", pin)


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_each_requirement_has_a_lower_bound_that_its_pin_meets(requirement: str) -> None:
    match = re.fullmatch(r"([A-Za-z0-9-]+)>=([0-9.]+)", requirement)
    assert match is not None
    pins = dict(pin.split("==") for pin in PINS)
    pinned, bound = pins[normal(match[1])], match[2]
    assert [int(n) for n in re.findall(r"\d+", pinned)] >= [int(n) for n in bound.split(".")]


def test_pins_are_sorted_and_single() -> None:
    names = [pin.partition("==")[0] for pin in PINS]
    assert names == sorted(set(names))


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt", "Makefile", ".ci/run"])
def test_no_file_names_a_package_index(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(r"://|index-url|find-links|trusted-host", text)


def test_the_console_script_can_be_called() -> None:
    module, _, name = PROJECT["scripts"]["consistency-lab"].partition(":")
    assert callable(getattr(import_module(module), name))


def test_every_public_name_is_there() -> None:
    assert sorted(set(consistency_lab.__all__)) == sorted(consistency_lab.__all__)
    for name in consistency_lab.__all__:
        assert getattr(consistency_lab, name) is not None


def test_the_version_has_an_entry_in_the_changelog() -> None:
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_license_is_mit() -> None:
    assert PROJECT["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")


def test_the_quick_tests_are_there_and_are_of_every_package() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    (listed,) = re.findall(r"^QUICK := \$\(addprefix tests/, (.*)\)$", makefile, re.MULTILINE)
    names = listed.split()
    assert [name for name in names if not (ROOT / "tests" / name).exists()] == []
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")} - {"apps"}
    assert packages <= {name.partition("/")[0] for name in names}


def test_ci_runs_the_commands_of_the_readme_once_and_without_variables_of_one_machine() -> None:
    asked = re.findall(r"^make (\w+) +#", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert asked == ["demo", "test"]
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    ran = [line for line in lines if re.search(rf"\bmake ({'|'.join(asked)})\b", line)]
    assert ran == [f'env -i HOME="$(mktemp -d -p "$scratch")" PATH="$PATH" make {one}' for one in asked]
    assert lines.index(ran[-1]) < lines.index("make lint")


@pytest.mark.parametrize("module", ["consistency_lab", "consistency_lab.core.verify"])
def test_it_is_imported_without_heavy_packages(module: str) -> None:
    """The core's independence of floats holds for what is loaded, not only for what is written."""
    code = (
        f"import sys, {module}\n"
        "print(*sorted({'numpy', 'scipy', 'cvxpy', 'sympy', 'highspy', 'networkx'} & sys.modules.keys()))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


def defects(module: ast.Module) -> Iterator[str]:
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


def is_final(node: ast.ClassDef) -> bool:
    return bool({ast.unparse(decorator) for decorator in node.decorator_list} & {"final", "frozen"})


def is_abstract(node: ast.ClassDef) -> bool:
    """Or open by nature: enumerations cannot be derived from, and exceptions are a family."""
    bases = (ast.unparse(base).partition("[")[0] for base in node.bases)
    return any(base.endswith(("Error", "Exception", "Enum", "ABC", "Protocol")) for base in bases) or any(
        isinstance(part, ast.FunctionDef) and "abstractmethod" in map(ast.unparse, part.decorator_list)
        for part in node.body
    )


def test_the_package_follows_the_rules_that_no_linter_knows() -> None:
    found = {
        str(path.relative_to(ROOT)): list(defects(ast.parse(path.read_text(encoding="utf-8"))))
        for path in PACKAGE.rglob("*.py")
    }
    assert len(found) > 200
    assert {path: what for path, what in found.items() if what} == {}


@pytest.mark.parametrize(
    "text",
    [
        "eval('1')",
        "import pickle",
        "from ast import literal_eval as read",
        "sympy.sympify(x)",
        "class A: pass",
        "class A(B): pass",
        "raise NotImplementedError",
    ],
)
def test_the_rules_see_each_defect(text: str) -> None:
    assert len(list(defects(ast.parse(text)))) == 1


def test_the_citation_file_names_this_version_its_authors_and_the_papers() -> None:
    """As the format of citation files, version 1.2.0, asks: these keys, and a type for each reference."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert (cited["version"], cited["license"]) == (__version__, PROJECT["license"])
    assert cited["authors"] == PROJECT["authors"] and cited["keywords"] == PROJECT["keywords"]
    papers = {(len(paper["authors"]), paper["title"], paper["year"]) for paper in cited["references"]}
    assert papers == {
        (paper["author"].count(" and ") + 1, paper["title"], int(paper["year"]))
        for _, paper in PAPERS.values()
    }
