"""The screen of a surrogate of labels: first where it is right, then rows, one example, what instead."""

from fractions import Fraction

import pytest

from consistency_lab import InputError, UnsupportedError
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.surrogate import decide
from consistency_lab.model.surrogates.tasks.catalogue import TASK_SURROGATES, task_surrogate
from consistency_lab.model.tasks.catalogue import TARGETS, target
from consistency_lab.search.effort import Effort
from consistency_lab.show.labels import first_line, screen
from consistency_lab.show.text import rendered


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
    assert ran.screen
    assert "(proved). From equal scores it arrives there (floats)." in ran.said


def test_json_has_what_the_screen_says_first(cli) -> None:
    for asked in (["softmax", "--target", "ndcg"], ["lightgbm:regression"], ["linear"]):
        document = cli("check", *asked, "--no-save", "--json").document
        assert " is right " in document["line1"]
        assert {"right", "wrong"} == {row[0] for row in document["rows"]}
        assert document["instead"]


def test_an_objective_is_asked_about_the_labels_of_a_file(cli, tmp_path) -> None:
    (tmp_path / "wrong.csv").write_text("A,B,C,count\n0,1,2,2\n2,1,1,3\n", encoding="utf-8")
    ran = cli("check", "lambdarank", "--target", "ndcg", "--at", "wrong.csv", "--out", "found")
    assert ran.code == 1
    assert ran.out.startswith("lambdarank can train to a wrong order on 1 of 1 query.")
    assert "what may be returned: A > C > B" in ran.said
    (saved,) = (tmp_path / "found").glob("*.json")
    assert "wrong" in cli("verify", str(saved)).said
    assert ran.screen


def test_a_file_at_which_no_order_matters_is_right_and_others_are_open(cli, tmp_path) -> None:
    """Half the judges say the opposite of the others: every order is as good; else nothing is proved."""
    (tmp_path / "even.csv").write_text("A,B\n0,1\n1,0\n", encoding="utf-8")
    (tmp_path / "clear.csv").write_text("A,B,count\n0,1,1\n1,0,2\n", encoding="utf-8")
    assert cli("check", "rank:ndcg", "--target", "ndcg", "--at", "even.csv", "--no-save").code == 0
    ran = cli("check", "rank:ndcg", "--target", "ndcg", "--at", "clear.csv", "--no-save")
    assert ran.code == 3
    assert ran.out.startswith("rank:ndcg is open on 1 of 1 query.")
    assert "which proves nothing" in ran.said


def test_at_many_queries_the_wrong_ones_are_on_one_screen(cli, tmp_path) -> None:
    rows = ["query,judge,item,grade"]
    for query in range(20):
        rows += [
            f"{query},{judge},{item},{grade}"
            for judge, label in (("x", (1, 0, 0)), ("y", (1, 2, 0)))
            for item, grade in zip("ABC", label, strict=True)
        ]
    (tmp_path / "many.csv").write_text("\n".join(rows), encoding="utf-8")
    ran = cli("check", "regression,softmax", "--target", "ndcg", "--at", "many.csv", "--no-save")
    assert ran.out.startswith("regression misranks 20 of 20 queries; softmax misranks none.")
    assert "14 more: --details" in ran.said
    assert "instead: softmax, right on all of these queries." in ran.said
    assert ran.screen


def test_where_no_grades_disagree_the_next_step_is_named(refused, tmp_path) -> None:
    (tmp_path / "plain.letor").write_text("1 qid:1 1:1\n0 qid:1 1:2\n", encoding="utf-8")
    assert "ask without --at whether the loss is right whatever the labels" in refused(
        "check", "lambdarank", "--target", "ndcg", "--at", "plain.letor"
    )


def test_measure_says_how_much_of_a_target_can_be_lost(cli, tmp_path) -> None:
    """A certified lower bound, rounded down, and called one; nothing is lost where a theorem says so."""
    asked = ("measure", "softmax", "--target", "ndcg", "--items", "2")
    ran = cli(*asked, "--out", "found")
    assert ran.code == 1
    assert ran.out.startswith("softmax can lose at least 0.012 of NDCG on a query, even with endless data.\n")
    assert "This is a lower bound" in ran.said and "is not proved" in ran.said
    assert ran.screen
    (saved,) = (tmp_path / "found").glob("*.json")
    assert cli("verify", str(saved)).code == 0
    document = cli(*asked, "--no-save", "--json").document
    assert document["line1"].startswith("softmax can lose at least 0.012 of NDCG")
    assert 0.012 < float(Fraction(document["regret"])) < 0.013
    zhang = cli("measure", "zhang", "--target", "ndcg", "--no-save")
    assert zhang.code == 0 and zhang.out.startswith("zhang loses no NDCG, whatever the labels")
    wrong = cli("measure", "softmax", "--target", "ndcg", "--worst")
    assert wrong.code == 2 and "--worst" in wrong.err


def test_a_field_is_measured_at_rest(cli) -> None:
    ran = cli("measure", "lambdarank", "--target", "ndcg", "--items", "2", "--no-save")
    assert ran.code == 1
    assert ran.out.startswith("lambdarank can lose at least 0.")
