"""`check --profile --target`: one distribution over labels, read from a file."""

from fractions import Fraction
from functools import cache
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab import InputError, Verdict
from consistency_lab.data.labels import LabelProfile, read_judgments, read_labels
from consistency_lab.decide import decide_profile
from consistency_lab.decide.tasks import decide_task
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import TASK_SURROGATES, task_surrogate
from consistency_lab.model.tasks.catalogue import TARGETS, target

MAP = "Ann,Bob,Cy,count\n1,0,0,1\n0,0,1,2\n1,1,0,3\n"
TWO = "Ann,Bob\n0,1\n0,1\n2,1\n2,1\n2,1\n"
ORDERS = (
    "# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Bob\n# ALTERNATIVE NAME 3: Cy\n3: 1,2,3\n2: 3,1,2\n"
)


def test_a_mean_that_is_decoded_wrongly(cli, tmp_path) -> None:
    """RAT13 §6: the diagonal of y y' / sum y, sorted, is not calibrated for MAP."""
    (tmp_path / "j.csv").write_text(MAP)
    ran = cli("check", "map-diagonal", "--target", "map", "--profile", "j.csv", "--out", "found")
    assert ran.code == 1
    assert "a better order:       Ann > Bob > Cy" in ran.out
    assert "what may be returned: Ann > Cy > Bob" in ran.out
    (saved,) = (tmp_path / "found").glob("*.json")
    assert cli("verify", str(saved)).code == 0
    assert cli("check", "regression", "--target", "map", "--profile", "j.csv", "--no-save").code == 0


def test_scores_that_are_exactly_stationary(cli, tmp_path) -> None:
    (tmp_path / "k.csv").write_text(TWO)
    ran = cli("check", "ranknet", "--target", "ndcg", "--profile", "k.csv", "--out", "found", "--json")
    assert (ran.code, ran.document["verdict"], ran.document["voters"]) == (1, "INCONSISTENT", "5")
    assert ran.document["labels"] == [
        {"label": [0, 1], "probability": "2/5"},
        {"label": [2, 1], "probability": "3/5"},
    ]
    (saved,) = (tmp_path / "found").glob("*.json")
    assert cli("verify", str(saved)).code == 0


def test_orders_are_labels_of_kendall_and_of_dags(cli, tmp_path) -> None:
    (tmp_path / "votes.soc").write_text(ORDERS)
    for asked in (["kendall"], ["pairwise", "--labels", "rankings"], ["pairwise", "--labels", "dags"]):
        ran = cli("check", "hinge", "--target", *asked, "--profile", "votes.soc", "--no-save", "--json")
        assert ran.code in (1, 3)
        assert [entry["probability"] for entry in ran.document["labels"]] == ["3/5", "2/5"]
    profile = read_labels(tmp_path / "votes.soc", "rankings", items=["Cy", "Ann", "Bob"])
    assert profile.weights == {(1, 2, 0): Fraction(3, 5), (0, 1, 2): Fraction(2, 5)}


@pytest.mark.parametrize(
    ("text", "asked", "said"),
    [
        ("Ann,Bob\n1,2\n1,3\n", ["--target", "ndcg"], "b.csv, line 3: the grade 3 is none of 0, 1, 2"),
        ("Ann,Bob\n1,2,2\n", ["--target", "ndcg"], "b.csv, line 2: there are 3 cells; the first line has 2"),
        ("Ann,Bob\n1,x\n", ["--target", "ndcg"], "b.csv, line 2: the grade of Bob is 'x'"),
        ("Ann,Bob,count\n1,1,-1\n", ["--target", "ndcg"], "b.csv, line 2: the count is '-1'"),
        ("Ann,Ann\n1,1\n", ["--target", "ndcg"], "b.csv, line 1: the item 'Ann' appears twice"),
        ("1,2\n1,1\n", ["--target", "ndcg"], "b.csv, line 1: the first line must name the items"),
        ("Ann,Bob\n", ["--target", "ndcg"], "b.csv holds no judgments"),
        ("Ann,Bob,count\n1,1,0\n", ["--target", "ndcg"], "b.csv holds no judgments"),
        ("winner,loser,count\nA,B,1\n", ["--target", "ndcg"], "this is a CSV of pair counts"),
        ('Ann,"Bob\n1,1\n', ["--target", "ndcg"], "this is not CSV"),
        ("Ann,Bob\n1,2\n", ["--target", "ndcg", "--condition", "any"], "--condition does not fit"),
        ("Ann,Bob\n1,2\n", ["--target", "ndcg", "--items", "3"], "--items does not fit"),
        ("Ann,Bob\n1,2\n", ["--target", "zero-one"], "the labels of this target are classes"),
        ("Ann,Bob,1\nBob,Cy,1\n", ["--target", "kendall"], "a ballot has a tie or leaves items open"),
        ("Ann,Bob\n1,2\n", ["--target", "ndcg", "--select", "Ann,Bop"], "did you mean 'Bob'"),
    ],
)
def test_bad_input_is_one_sentence(cli, tmp_path, text: str, asked: list[str], said: str) -> None:
    (tmp_path / "b.csv").write_text(text)
    ran = cli("check", "hinge", *asked, "--profile", "b.csv", "--no-save")
    assert ran.code == 2
    assert said in " ".join(ran.err.split())


def test_a_file_of_orders_is_refused_for_grades(cli, tmp_path) -> None:
    (tmp_path / "votes.soc").write_text(ORDERS)
    ran = cli("check", "hinge", "--target", "ndcg", "--profile", "votes.soc")
    assert ran.code == 2 and "holds orders, and the labels of this target are grades" in " ".join(
        ran.err.split()
    )
    ran = cli("check", "hinge", "--target", "ndcg", "--select", "Ann,Bob")
    assert ran.code == 2 and "give --profile too" in ran.err
    ran = cli("check", "xgboost:rank:ndcg", "--target", "ndcg", "--profile", "votes.soc")
    assert ran.code == 2 and "leave --profile out" in " ".join(ran.err.split())


def test_weights_stand_on_lines_or_in_counts() -> None:
    counted = read_judgments("a", "Ann,Count,Bob\n2,3,0\n")[1]
    assert [(judgment.grades, judgment.count) for judgment in counted] == [((2, 0), 3)]


GOALS = [
    *(target(name) for name in TARGETS if name not in ("zero-one", "kendall")),
    target("kendall"),
    target("pairwise", labels="rankings"),
    target("pairwise", labels="dags"),
]


@cache
def _fitting() -> list[tuple[object, object]]:
    """Every named surrogate with every target that it fits."""
    found = []
    for name in TASK_SURROGATES:
        for goal in GOALS:
            try:
                asked = task_surrogate(name)
                asked.check(goal)
                decide_profile(asked, _profile({goal.space.labels[-1]: Fraction(1)}), target=goal)
            except InputError:
                continue
            if isinstance(asked, MeanSurrogate | AtomSurrogate):
                found.append((asked, goal))
    return found


def _profile(weights: dict[tuple[int, ...], Fraction]) -> LabelProfile:
    return LabelProfile(("A", "B", "C"), weights, dict.fromkeys(weights, "here"), "made up", 1)


@given(
    st.deferred(lambda: st.sampled_from(_fitting())),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 3)), min_size=1, max_size=3),
    st.permutations(range(3)),
)
def test_neither_names_nor_the_order_of_lines_change_the_verdict(case, lines, sigma) -> None:
    surrogate, goal = case
    space = goal.space
    total = sum(count for _, count in lines)
    weights: dict[tuple[int, ...], Fraction] = {}
    for number, count in lines:
        label = space.labels[number % len(space.labels)]
        weights[label] = weights.get(label, Fraction(0)) + Fraction(count, total)
    turned = dict(reversed(weights.items()))
    renamed = {space.relabeled(label, sigma): p for label, p in weights.items()}
    first, second, third = (
        decide_profile(surrogate, _profile(p), target=goal) for p in (weights, turned, renamed)
    )
    assert (first.verdict, first.reason) == (second.verdict, second.reason) == (third.verdict, third.reason)
    if first.verdict is Verdict.INCONSISTENT:
        assert first.witness.verified.failure == third.witness.verified.failure
        assert first.witness.document["proof"]["regret"] == third.witness.document["proof"]["regret"]


def test_the_property_is_about_many_surrogates() -> None:
    assert len({surrogate.name for surrogate, _ in _fitting()}) >= 8
    assert {goal.target for _, goal in _fitting()} >= {
        "ndcg",
        "precision",
        "err",
        "map",
        "eru",
        "kendall",
        "pairwise",
    }


@pytest.mark.parametrize(
    ("name", "goal"),
    [
        ("hinge", "ndcg"),
        ("ranknet", "ndcg"),
        ("map-diagonal", "map"),
        ("hinge", "kendall"),
        ("softmax", "err"),
    ],
)
def test_a_witness_that_a_search_finds_is_one_under_every_numbering(name: str, goal: str) -> None:
    """The search numbers the items so that its witness reads well; the verdict is of the labels alone."""
    asked = task_surrogate(name)
    (answer,) = decide_task(asked, target(goal), ["any"], effort=5, prescribe=False).answers
    assert answer.witness is not None
    task = answer.witness.asked.task
    weights = answer.witness.asked.weights
    m = task.space.m
    for sigma in permutations(range(m)):
        named = {task.space.relabeled(label, sigma): p for label, p in weights.items()}
        profile = LabelProfile(tuple("ABCDE"[:m]), named, dict.fromkeys(named, "here"), "found", 1)
        assert decide_profile(asked, profile, target=task).verdict is Verdict.INCONSISTENT
