"""Which module imports which, and rules that no linter knows.

import-linter sees no lazy import by a name in a string.
"""

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAME = "consistency_lab"
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / NAME).rglob("*.py")
}


def module_of(name):
    """The module of a dotted name, which may end with something in it."""
    return next((one for one in (name, name.rpartition(".")[0]) if one in FILES and one != NAME), None)


def silent_parts(nodes):
    """What only a type checker reads, and names that are compared, as with those in sys.modules."""
    tests = [node for node in nodes if isinstance(node, ast.If)]
    guarded = [node for node in tests if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"]
    compared = {id(node.left) for node in nodes if isinstance(node, ast.Compare)}
    return compared | {id(inner) for node in guarded for one in node.body for inner in ast.walk(one)}


def imported(nodes):
    """The modules that a module imports, at once, in a function, or by a name in a string."""
    silent = silent_parts(nodes)
    for node in nodes:
        if id(node) in silent:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{one.name}" for one in node.names)
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr) and isinstance(head := node.values[0], ast.Constant):
            begun = str(head.value)
            yield from (one for one in FILES if begun.startswith(f"{NAME}.") and one.startswith(begun))


@cache
def read():
    """Which modules each module imports, and its defects."""
    modules, wrong = {}, {}
    for name, path in FILES.items():
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        modules[name] = {one for text in imported(nodes) if (one := module_of(text)) and one != name}
        wrong[name] = list(defects(nodes))
    return modules, wrong


def arrows():
    return read()[0]


def test_no_circle_of_imports_lazy_ones_and_names_in_strings_included():
    try:
        TopologicalSorter({name: to for name, to in arrows().items() if name != NAME}).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' -> '.join(error.args[1])}")


def test_a_circle_would_be_found():
    with pytest.raises(CycleError):
        TopologicalSorter(arrows() | {f"{NAME}.errors": {f"{NAME}.cli.running"}}).prepare()


def app_of(name):
    found = re.match(rf"{NAME}\.apps\.(\w+)", name)
    return found[1] if found else ""


def test_an_app_is_named_by_the_table_of_apps_alone_and_knows_no_other():
    """The door, which sees all, may name them too."""
    knows = {
        (name, to) for name, all_ in arrows().items() for to in all_ if app_of(to) not in ("", app_of(name))
    }
    assert {name for name, _ in knows} <= {f"{NAME}.cli.apps", NAME}
    assert {app_of(to) for _, to in knows} == {
        path.parent.name for path in (ROOT / NAME).glob("apps/*/__init__.py")
    }


SCRIPTS = [
    path for folder in ("benchmarks", "docs", "formal", "notebooks") for path in (ROOT / folder).glob("*.py")
]


def bound(module):
    """The names that a module binds at its top, and its modules."""
    tree = ast.parse(FILES[module].read_text("utf-8"))
    found = {one.rpartition(".")[2] for one in FILES if one.rpartition(".")[0] == module}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(one.asname or one.name).partition(".")[0] for one in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_script_outside_the_package_imports_is_there(path):
    """No test runs most of them."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == NAME:
            assert node.module in FILES
            assert {one.name for one in node.names} <= bound(str(node.module)), node.module


# --- Rules that no linter knows --------------------------------------------------------------------------

FORBIDDEN = {
    *("eval", "exec", "sympify", "parse_expr", "pickle", "marshal", "shelve", "literal_eval"),
    "NotImplementedError",
}
NAMED = {ast.Attribute: "attr", ast.Name: "id", ast.alias: "name"}


def defects(nodes):
    """What ruff cannot see: evaluation in any spelling, unwritten code, classes open without reason."""
    for node in nodes:
        if type(node) in NAMED:
            name = getattr(node, NAMED[type(node)]).rpartition(".")[2]
            if name in FORBIDDEN:
                yield name
        elif isinstance(node, ast.ClassDef) and not (is_final(node) or is_abstract(node)):
            yield f"{node.name} is neither abstract nor final"


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
    wrong = read()[1]
    assert len(wrong) > 200
    assert {name: what for name, what in wrong.items() if what} == {}


@pytest.mark.parametrize(
    "text",
    [
        *("eval('1')", "import pickle", "from ast import literal_eval as read", "sympy.sympify(x)"),
        *("class A: pass", "class A(B): pass", "raise NotImplementedError"),
    ],
)
def test_the_rules_see_each_defect(text):
    assert len(list(defects(ast.walk(ast.parse(text))))) == 1
