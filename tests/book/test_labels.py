"""What a row of the theorem book claims follows from what ran: other text, proof or formal/ turns it."""

import ast
import re
import runpy
import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from consistency_lab.apps.book import book
from consistency_lab.apps.book.book import BOOK, DIFFERS, judged, statement, text_digest
from consistency_lab.apps.book.formal import COVERED, SOURCES, digest, formal_step
from consistency_lab.apps.book.statement import Kind, Outcome, Statement, check, step
from consistency_lab.apps.book.statements import structures_of_odds

STATEMENTS = Path(structures_of_odds.__file__).parent
NAMES = [entry.name for entry in BOOK]


# --- The text: what is stored is a digest of what was refereed --------------------------------------------


@pytest.mark.parametrize("name", ["borda-count", "lemma-16", "average-adjacency"])
def test_a_changed_text_is_open_until_it_is_accepted(name: str) -> None:
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
def copy(tmp_path: Path) -> Path:
    """A copy of formal/."""
    return Path(shutil.copytree(SOURCES, tmp_path / "formal", ignore=shutil.ignore_patterns("*.vo*", ".*")))


@pytest.mark.parametrize("name", COVERED)
def test_what_is_compiled_here_is_what_is_recorded(name: str) -> None:
    found = formal_step(name, "all m")
    assert found.stands
    assert found.finding.how.endswith(": compiled from these sources")
    assert found.finding.needed is (not COVERED[name].part)


def test_another_source_is_not_formal(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = copy / "base" / "Ranking.v"  # which Theorem 13 requires
    path.write_text(path.read_text("utf-8").replace("c <= V alpha", "c < V alpha"), "utf-8")
    assert digest("theorems/Theorem13.v", copy) != digest("theorems/Theorem13.v")
    assert not formal_step("theorem-13", "all m", copy).stands
    monkeypatch.setattr(formal_step, "__defaults__", (copy,))
    found = statement("theorem-13").check()
    assert (found.outcome, found.kind, found.label) == (Outcome.OPEN, None, "")
    assert any("formal/ differs from what was compiled" in finding.how for finding in found.findings)


def test_a_file_that_a_theorem_does_not_use_may_change(copy: Path) -> None:
    (copy / "theorems" / "Hinge.v").write_text("(* *)", "utf-8")
    assert formal_step("theorem-13", "all m", copy).stands
    assert not formal_step("hinge-inversion", "all m", copy).stands


def test_without_formal_it_says_that_it_is_recorded(tmp_path: Path) -> None:
    found = formal_step("theorem-11", "all m", tmp_path)
    assert found.stands
    assert found.finding.how.endswith("recorded, not rerun: formal/ is not installed")


def test_a_row_without_any_evidence_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace(statement("borda-count"), check=check("all m", list))
    monkeypatch.setattr(book, "stored", lambda _: {"borda-count": text_digest(asked, asked.check())})
    assert judged(asked).outcome is Outcome.OPEN


def test_a_part_alone_does_not_make_a_row_formal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book, "text_digest", lambda *_: "")
    monkeypatch.setattr(book, "stored", lambda _: dict.fromkeys(NAMES, ""))
    for shown, kind, outcome in ((("because",), Kind.HAND, Outcome.HOLDS), ((), None, Outcome.OPEN)):
        steps = [step("a claim", "all m", "by hand", *shown)] if shown else []
        found = judged(replace(statement("auc"), check=check("all m", lambda steps=steps: steps)))
        assert (found.outcome, found.kind) == (outcome, kind)
        assert "formal" not in found.label or found.label.endswith(f"; formal: {COVERED['auc'].part}")


# --- The lines that the machine checks: a changed number or sign must turn a row of its file --------------

CHANGED = re.compile(r"(?<![_\d])[1-9]|(?<=[^ (=] )[+−]")
COMPARED = {ast.Lt: ast.GtE, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.GtE: ast.Lt, ast.Eq: ast.NotEq}


def places(tree: ast.Module) -> list[tuple[ast.AST, int]]:
    """Numbers and signs of equations that are ticked, and comparisons that a step rests on."""
    found: list[tuple[ast.AST, int]] = []
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            if call.func.id == "ticked":
                texts = [(one, str(one.value)) for one in call.args if isinstance(one, ast.Constant)]
                equal = [(one, text) for one, text in texts if not re.search("[<>≤≥]", text)]
                found += [(one, at.start()) for one, text in equal for at in CHANGED.finditer(text)]
            if call.func.id in ("step", "Line"):
                tested = [one for one in call.args if isinstance(one, ast.Compare) and len(one.ops) == 1]
                found += [(one, 0) for one in tested if type(one.ops[0]) in COMPARED]
    return found


def change(node: ast.AST, at: int) -> None:
    if isinstance(node, ast.Constant):
        text = str(node.value)
        new = {"+": "−", "−": "+"}.get(text[at]) or str(int(text[at]) + 1)
        node.value = text[:at] + new + text[at + 1 :]
    elif isinstance(node, ast.Compare):
        node.ops = [COMPARED[type(node.ops[0])]()]


def rows_of(path: Path) -> dict[str, Statement]:
    """The statements of a file, by their names in it."""
    return {name: one for name, one in runpy.run_path(str(path)).items() if isinstance(one, Statement)}


EVERY = [
    (path, place)
    for path in sorted(STATEMENTS.glob("*.py"))
    for place in range(len(places(ast.parse(path.read_text("utf-8")))))
]


def test_there_are_lines_to_change() -> None:
    assert len(EVERY) > 200
    assert len({path for path, _ in EVERY}) >= 10


@pytest.mark.parametrize(
    ("path", "place"), Random(20).sample(EVERY, 12), ids=lambda one: getattr(one, "stem", str(one))
)
def test_a_changed_line_turns_a_row(path: Path, place: int, tmp_path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    change(*places(tree)[place])
    other = tmp_path / path.name
    other.write_text(ast.unparse(tree), "utf-8")
    turned = [name for name, row in rows_of(other).items() if row.check().outcome is Outcome.OPEN]
    assert any(rows_of(path)[name].check().outcome is Outcome.HOLDS for name in turned)
