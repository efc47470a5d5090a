"""What a row of the theorem book claims follows from what ran: other text, proof or formal/ turns it."""

import ast
import re
import shutil
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from consistency_lab.apps.book import book
from consistency_lab.apps.book import statements as STATEMENTS
from consistency_lab.apps.book.book import BOOK, DIFFERS, judged, statement, text_digest
from consistency_lab.apps.book.formal import COVERED, SOURCES, digest, formal_step
from consistency_lab.apps.book.page import PAGES, read
from consistency_lab.apps.book.statement import Kind, Outcome, check, step

NAMES = [entry.name for entry in BOOK]


# --- The text: what is stored is a digest of what was refereed --------------------------------------------


@pytest.mark.parametrize("name", ["borda-count", "lemma-16", "average-adjacency"])
def test_a_changed_text_is_open_until_it_is_accepted(name):
    asked = statement(name)
    raw = replace(asked, check=lambda: replace(statement(name).check(), findings=(), formal=(), part=""))
    assert statement(name).check().outcome is Outcome.HOLDS
    changed = judged(replace(raw, plain="It holds."))
    assert changed.outcome is Outcome.OPEN
    assert changed.kind is None
    assert changed.label == ""
    assert changed.findings[-1].claim == DIFFERS
    assert f"consistency_lab.apps.book.accept {name}" in changed.findings[-1].how


# --- Formal rows: formal/ has to be what was compiled -----------------------------------------------------


@pytest.fixture
def copy(tmp_path):
    return Path(
        shutil.copytree(SOURCES, tmp_path / "formal", ignore=shutil.ignore_patterns("*.vo*", "*.glob", ".*"))
    )


@pytest.mark.parametrize("name", COVERED)
def test_what_is_compiled_here_is_what_is_recorded(name):
    found = formal_step(name, "all m")
    assert found.stands
    assert found.finding.how.endswith(": compiled from these sources")
    assert found.finding.needed is (not COVERED[name].part)


def test_another_source_is_not_formal(copy, monkeypatch):
    path = copy / "base" / "Ranking.v"  # which Theorem 13 requires
    path.write_text(path.read_text("utf-8").replace("c <= V x", "c < V x"), "utf-8")
    assert digest("theorems/Theorem13.v", copy) != digest("theorems/Theorem13.v")
    assert not formal_step("theorem-13", "all m", copy).stands
    monkeypatch.setattr(formal_step, "__defaults__", (copy,))
    found = statement("theorem-13").check()
    assert (found.outcome, found.kind, found.label) == (Outcome.OPEN, None, "")
    assert any("formal/ differs from what was compiled" in finding.how for finding in found.findings)


def test_a_file_that_a_theorem_does_not_use_may_change(copy):
    (copy / "theorems" / "Hinge.v").write_text("(* *)", "utf-8")
    assert formal_step("theorem-13", "all m", copy).stands
    assert not formal_step("hinge-inversion", "all m", copy).stands


def test_without_formal_it_says_that_it_is_recorded(tmp_path):
    found = formal_step("theorem-11", "all m", tmp_path)
    assert found.stands
    assert found.finding.how.endswith("recorded, not rerun: formal/ is not installed")


def test_a_row_without_any_evidence_is_open(monkeypatch):
    asked = replace(statement("borda-count"), check=check("all m", list))
    monkeypatch.setattr(book, "stored", lambda _: {"borda-count": text_digest(asked, asked.check())})
    assert judged(asked).outcome is Outcome.OPEN


def test_a_part_alone_does_not_make_a_row_formal(monkeypatch):
    monkeypatch.setattr(book, "text_digest", lambda *_: "")
    monkeypatch.setattr(book, "stored", lambda _: dict.fromkeys(NAMES, ""))
    for shown, kind, outcome in ((("because",), Kind.HAND, Outcome.HOLDS), ((), None, Outcome.OPEN)):
        steps = [step("a claim", "all m", "by hand", *shown)] if shown else []
        found = judged(replace(statement("unequal-counts"), check=check("all m", lambda steps=steps: steps)))
        assert (found.outcome, found.kind) == (outcome, kind)
        assert "formal" not in found.label or found.label.endswith(
            f"; formal: {COVERED['unequal-counts'].part}"
        )


# --- The lines that the machine checks: a changed number or sign must turn a row of its file --------------

CHANGED = re.compile(r"(?<![_\d])[1-9]|(?<=[^ (=] )[+−]")
INEQUALITY = re.compile("[<>≤≥]")
COMPARED = {ast.Lt: ast.GtE, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.GtE: ast.Lt, ast.Eq: ast.NotEq}


def ticks(page):
    """Where numbers and signs of equations that are ticked stand in a page."""
    text = page.read_text("utf-8")
    lines = [one for one in re.finditer(r"^ {4}✓ (.*)$", text, re.MULTILINE) if not INEQUALITY.search(one[1])]
    return [one.start(1) + at.start() for one in lines for at in CHANGED.finditer(one[1])]


def places(path, tree):
    """Numbers and signs of equations that a module ticks, and comparisons that a step rests on."""
    page = PAGES / f"{path.stem}.md"
    called = re.findall(r"▸ (\w+)", page.read_text("utf-8")) if page.is_file() else []
    found = []
    for one in ast.walk(tree):
        tested = []
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
            if one.func.id == "ticked":
                texts = [(x, str(x.value)) for x in one.args if isinstance(x, ast.Constant)]
                equal = [(x, text) for x, text in texts if not INEQUALITY.search(text)]
                found += [(x, at.start()) for x, text in equal for at in CHANGED.finditer(text)]
            tested = list(one.args) if one.func.id in ("step", "Line") else []
        elif isinstance(one, ast.FunctionDef) and one.name in called:
            given = [x.value for x in ast.walk(one) if isinstance(x, ast.Return | ast.Yield) and x.value]
            tested = [y for x in given for y in (x.elts if isinstance(x, ast.Tuple) else [x])]
        single = [x for x in tested if isinstance(x, ast.Compare) and len(x.ops) == 1]
        found += [(x, 0) for x in single if type(x.ops[0]) in COMPARED]
    return found


def other(text, at):
    new = {"+": "−", "−": "+"}.get(text[at]) or str(int(text[at]) + 1)
    return text[:at] + new + text[at + 1 :]


def change(node, at):
    if isinstance(node, ast.Constant):
        node.value = other(str(node.value), at)
    elif isinstance(node, ast.Compare):
        node.ops = [COMPARED[type(node.ops[0])]()]


def changed(path, place):
    """A page or a module with the change at one of its places."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        return other(text, ticks(path)[place])
    tree = ast.parse(text)
    change(*places(path, tree)[place])
    return ast.unparse(tree)


def rows_of(path, patch):
    """The statements of a page, or of the page that a module computes for."""
    if path.suffix == ".md":
        return read(path)
    name = f"{STATEMENTS.__name__}.{path.stem}"
    module = ModuleType(name)
    patch.setitem(sys.modules, name, module)
    exec(compile(path.read_text("utf-8"), str(path), "exec"), vars(module))  # noqa: S102 - it is ours
    return read(PAGES / f"{path.stem}.md")


@cache
def every():
    """A page or a module, and the number of a place in it."""
    modules = sorted(Path(STATEMENTS.__path__[0]).glob("*.py"))
    counts = {path: len(ticks(path)) for path in sorted(PAGES.glob("*.md"))}
    counts |= {path: len(places(path, ast.parse(path.read_text("utf-8")))) for path in modules}
    return [(path, place) for path, count in counts.items() for place in range(count)]


def test_there_are_lines_to_change():
    assert len(every()) > 200
    assert len({path for path, _ in every()}) >= 10


@pytest.mark.parametrize("number", range(4))
def test_a_changed_line_turns_a_row(number, tmp_path, monkeypatch):
    path, place = Random(20).sample(every(), 4)[number]
    new = tmp_path / path.name
    new.write_text(changed(path, place), "utf-8")
    found = {name: row.check().outcome for name, row in rows_of(new, monkeypatch).items()}
    turned = [name for name, outcome in found.items() if outcome is Outcome.OPEN]
    assert any(rows_of(path, monkeypatch)[name].check().outcome is Outcome.HOLDS for name in turned)
