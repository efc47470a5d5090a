"""The screen of a surrogate of labels: first where it is right, then rows, one example, what instead."""

import pytest

from consistency_lab import InputError, UnsupportedError
from consistency_lab.decide import Verdict, decide
from consistency_lab.model.surrogates.tasks.catalogue import TASK_SURROGATES, task_surrogate
from consistency_lab.model.tasks.catalogue import TARGETS, target
from consistency_lab.report.labels import first_line, screen
from consistency_lab.report.text import rendered
from consistency_lab.search.effort import Effort


@pytest.mark.parametrize("name", TARGETS)
def test_every_surrogate_has_one_screen_for_every_target(name: str) -> None:
    """At most 24 lines of 80 columns; what the first line says is what was decided."""
    task, seen = target(name), 0
    for called in TASK_SURROGATES:
        surrogate = task_surrogate(called)
        try:
            surrogate.check(task)
            decision = decide(surrogate, target=task, effort=Effort(seconds=0.5))
        except (InputError, UnsupportedError):
            continue
        seen += 1
        lines = list(rendered(screen(decision, called, {}), 80))
        assert len(lines) <= 24, (called, lines)
        assert max(map(len, lines)) <= 80, (called, lines)
        said, verdicts = first_line(decision, called), {one.verdict for one in decision.answers}
        assert said.startswith(f"{called} ")
        assert (" is right for " in said) == (Verdict.CONSISTENT in verdicts)
        assert ("can be wrong" in said) == (Verdict.INCONSISTENT in verdicts)
        if verdicts == {Verdict.UNDECIDED}:
            assert " is open for " in said
    assert seen


def test_the_example_is_told_with_what_each_order_is_worth(cli) -> None:
    """The witness of docs/theory.md: labels (2, 0, 1) and (1, 2, 1), each half the time."""
    ran = cli("check", "softmax", "--target", "ndcg", "--no-save")
    assert ran.code == 1
    assert ran.out.startswith(
        "softmax is right for NDCG if the labels agree on one order; otherwise it can be\nwrong.\n"
    )
    assert "mean f 11/24 1/4 7/24 a > c > b NDCG 0.879" in ran.said
    assert "best order a > b > c NDCG 0.893" in ran.said
    assert "instead: regression-gain-over-z is right whatever the labels, for all lengths." in ran.said
    assert "CONSISTENT" not in ran.out


def test_an_objective_in_the_users_word_and_for_its_own_target(cli) -> None:
    ran = cli("check", "objective=lambdarank", "--budget", "5", "--no-save")
    assert ran.code == 1
    assert ran.out.startswith("objective=lambdarank can train to a wrong order for NDCG")
    assert "Read as LightGBM's lambdarank, version" in ran.said
    assert "For NDCG, since no --target was named." in ran.said
    assert len(ran.out.splitlines()) <= 24
    assert "(proved). From equal scores it arrives there (floats)." in ran.said


def test_json_has_what_the_screen_says_first(cli) -> None:
    for asked in (["softmax", "--target", "ndcg"], ["lightgbm:regression"], ["linear"]):
        document = cli("check", *asked, "--no-save", "--json").document
        assert " is right " in document["line1"]
        assert {"right", "wrong"} == {row[0] for row in document["rows"]}
        assert document["instead"]
