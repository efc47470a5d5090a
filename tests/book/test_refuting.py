"""What counts as a refutation by the core, and stored evidence is read strictly."""

import pytest

from consistency_lab import InputError, RejectedError, surrogate
from consistency_lab.apps.book.risk import refuted_by_core, weights
from consistency_lab.apps.book.statement import Cases, Kind, Line, also, concluded, step, stored
from consistency_lab.apps.book.ticked import ticked

WRONG = weights(3, {(1, 2): 1, (2, 3): 3})
TIED = weights(3, {(1, 2): 1, (2, 3): 2})
RIGHT = weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 2})


@pytest.mark.parametrize(
    ("counts", "condition", "strict", "refuted", "said"),
    [
        (WRONG, "acyclic", True, True, "strict"),
        (WRONG, "low-noise", False, False, "low-noise does not hold"),
        (TIED, "acyclic", False, True, "tie"),
        (TIED, "acyclic", True, False, ""),
        (RIGHT, "additive", False, False, "no failure of linear was certified"),
    ],
)
def test_what_the_core_refutes(counts, condition, strict, refuted, said):
    found = refuted_by_core(surrogate("linear"), counts, condition, strict=strict)
    assert found.refuted is refuted and said in found.witness


def test_one_false_line_lets_a_step_fall():
    lines = [Line("1 = 1", True), "text", ticked("x = 2x")]
    fallen = step("claim", "m = 2", "by looking", *lines)
    assert not fallen.stands
    assert fallen.finding.details == ("✓ 1 = 1", "text", "✗ x = 2x")
    assert step("claim", "m = 2", "by looking", *lines[:2]).stands
    assert not step("claim", "m = 2", "by looking", *lines[:2], False).stands


@pytest.mark.parametrize(
    ("shown", "kind", "stands"),
    [
        ((), Kind.HAND, True),
        (("it is clear",), Kind.HAND, True),
        ((True,), Kind.MACHINE, True),
        ((Line("1 = 1", True),), Kind.MACHINE, True),
        ((Line("1 = 1", True), "so it is"), Kind.HAND, True),
        ((Cases(3, 3), "so it is", True), Kind.TEST, True),
        ((Cases(2, 3),), Kind.TEST, False),
        ((Cases(0, 0),), Kind.TEST, False),
    ],
)
def test_the_kind_of_a_step_follows_from_what_it_shows(shown, kind, stands):
    found = step("claim", "m = 2", "in {} cases", *shown)
    assert (found.finding.kind, found.stands) == (kind, stands)


def test_a_row_is_as_weak_as_what_it_needs():
    exact, tried = step("a", "all m", "exactly", True), step("b", "m = 2", "in {} cases", Cases(4, 4))
    assert concluded("all m", [exact, tried]).label == "test, 4 cases"
    assert concluded("all m", [exact, also(tried)]).label == "machine"
    assert concluded("all m", [exact, step("c", "all m", "by hand", "so")]).label == "hand, 0 lines checked"
    assert concluded("all m", [exact, also(step("b", "m = 2", "tried", Cases(3, 4)))]).label == ""


def test_what_is_stored_comes_back(tmp_path):
    (tmp_path / "a.json").write_text('{"cases": [{"y": ["1/2", "-3"]}]}')
    assert stored("a.json", tmp_path) == {"cases": [{"y": ["1/2", "-3"]}]}


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        stored("a.json", tmp_path)


def test_a_file_that_is_not_an_object(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(RejectedError, match=r"a\.json is not a JSON object"):
        stored("a.json", tmp_path)
