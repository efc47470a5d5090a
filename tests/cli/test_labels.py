"""`check` of losses of labels: distributions read from files, and the screens of the answers."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab import Effort, InputError, UnsupportedError, Verdict
from consistency_lab.data.labels import read_label_lists, read_labels
from consistency_lab.decide.lists import decide_lists
from consistency_lab.decide.profile import decide_profile
from consistency_lab.decide.surrogate import decide
from consistency_lab.decide.tasks import decide_task
from consistency_lab.model.labels import LabelProfile
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import TASK_SURROGATES, task_surrogate
from consistency_lab.model.tasks.catalogue import TARGETS, target
from consistency_lab.show.labels import first_line, screen
from consistency_lab.show.text import rendered

MAP = "Ann,Bob,Cy,count\n1,0,0,1\n0,0,1,2\n1,1,0,3\n"
TWO = "Ann,Bob\n0,1\n0,1\n2,1\n2,1\n2,1\n"
ORDERS = (
    "# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Bob\n# ALTERNATIVE NAME 3: Cy\n3: 1,2,3\n2: 3,1,2\n"
)


def test_a_mean_that_is_decoded_wrongly(cli, tmp_path):
    """RAT13 §6: the diagonal of y y' / sum y, sorted, is not calibrated for MAP."""
    (tmp_path / "j.csv").write_text(MAP)
    ran = cli("check map-diagonal --target map --profile j.csv --out found")
    assert ran.code == 1
    assert "a better order:       Ann > Bob > Cy" in ran.out
    assert "what may be returned: Ann > Cy > Bob" in ran.out
    (saved,) = (tmp_path / "found").glob("*.json")
    assert cli("verify", str(saved)).code == 0
    assert cli("check regression --target map --profile j.csv --no-save").code == 0


def test_scores_that_are_exactly_stationary(cli, tmp_path):
    (tmp_path / "k.csv").write_text(TWO)
    ran = cli("check ranknet --target ndcg --profile k.csv --out found --json")
    assert (ran.code, ran.document["verdict"], ran.document["voters"]) == (1, "INCONSISTENT", "5")
    assert ran.document["labels"] == [
        {"label": [0, 1], "probability": "2/5"},
        {"label": [2, 1], "probability": "3/5"},
    ]
    (saved,) = (tmp_path / "found").glob("*.json")
    assert cli("verify", str(saved)).code == 0


def test_orders_are_labels_of_kendall_and_of_dags(cli, tmp_path):
    (tmp_path / "votes.soc").write_text(ORDERS)
    for asked in (["kendall"], ["pairwise", "--labels", "rankings"], ["pairwise", "--labels", "dags"]):
        ran = cli("check hinge --target", *asked, "--profile", "votes.soc", "--no-save", "--json")
        assert ran.code in (1, 3)
        assert [entry["probability"] for entry in ran.document["labels"]] == ["3/5", "2/5"]
    profile = read_labels(tmp_path / "votes.soc", "rankings", items=["Cy", "Ann", "Bob"])
    assert profile.weights == {(1, 2, 0): Fraction(3, 5), (0, 1, 2): Fraction(2, 5)}


@pytest.mark.parametrize(
    ("text", "asked", "said"),
    [
        ("Ann,Bob\n1,2\n1,3\n", [], "b.csv, line 3: the grade 3 is not one of 0, 1, 2"),
        ("Ann,Bob\n1,2,2\n", [], "line 2: there are 3 cells, but 2 in the first line"),
        ("Ann,Bob\n1,x\n", [], "b.csv, line 2: the grade of Bob is 'x'"),
        ("Ann,Bob,count\n1,1,-1\n", [], "b.csv, line 2: the count is '-1'"),
        ("Ann,Ann\n1,1\n", [], "b.csv, line 1: the item 'Ann' appears twice"),
        ("1,2\n1,1\n", [], "b.csv, line 1: the first line must name the items"),
        ("Ann,Bob\n", [], "b.csv has no judgments"),
        ("Ann,Bob,count\n1,1,0\n", [], "b.csv has no judgments"),
        ("winner,loser,count\nA,B,1\n", [], "this is a CSV of pair counts"),
        ("query,Ann,Bob\n1,2,0\n2,0,1\n", [], "the columns are query, Ann, Bob; expected"),
        ("Ann,Bob,Judge\n2,0,1\n0,1,2\n", [], "the columns are Ann, Bob, Judge; expected"),
        ('Ann,"Bob\n1,1\n', [], "this is not CSV"),
        ("Ann,Bob\n1,2\n", ["--condition", "any"], "--condition does not fit"),
        ("Ann,Bob\n1,2\n", ["--items", "3"], "--items does not fit"),
        ("Ann,Bob\n1,2\n", ["--target", "zero-one"], "this target has labels of the kind classes"),
        ("Ann,Bob,1\nBob,Cy,1\n", ["--target", "kendall"], "a ballot has ties or unranked items"),
        ("Ann,Bob\n1,2\n", ["--select", "Ann,Bop"], "did you mean 'Bob'"),
    ],
)
def test_bad_input_is_one_sentence(refused, tmp_path, text, asked, said):
    (tmp_path / "b.csv").write_text(text)
    target = () if "--target" in asked else ("--target", "ndcg")
    assert said in refused("check hinge", *target, *asked, "--profile", "b.csv", "--no-save")


def test_a_file_of_orders_is_refused_for_grades(cli, refused, tmp_path):
    (tmp_path / "votes.soc").write_text(ORDERS)
    ran = cli("check hinge --target ndcg --profile votes.soc")
    assert ran.code == 2 and "contains orders, but this target needs grades" in " ".join(ran.err.split())
    assert "give --profile too" in refused("check hinge --target ndcg --select Ann,Bob")
    ran = cli("check xgboost:rank:ndcg --target ndcg --profile votes.soc")
    assert ran.code == 2 and "contains orders" in " ".join(ran.err.split())


GOALS = [
    *(target(name) for name in TARGETS if name not in ("zero-one", "kendall")),
    target("kendall"),
    target("pairwise", labels="rankings"),
    target("pairwise", labels="dags"),
]


@cache
def _fitting():
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


def _profile(weights):
    return LabelProfile(("A", "B", "C"), weights, dict.fromkeys(weights, "here"), "made up", 1)


@pytest.mark.long
@settings(max_examples=12)
@given(
    st.deferred(lambda: st.sampled_from(_fitting())),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 3)), min_size=1, max_size=3),
    st.permutations(range(3)),
)
def test_neither_names_nor_the_order_of_lines_change_the_verdict(case, lines, sigma):
    surrogate, goal = case
    space = goal.space
    total = sum(count for _, count in lines)
    weights = {}
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


@pytest.mark.parametrize(
    ("name", "goal"), [("ranknet", "ndcg"), ("map-diagonal", "map"), ("hinge", "kendall")]
)
def test_a_witness_that_a_search_finds_is_one_under_every_numbering(name, goal):
    """The search numbers the items so that its witness reads well; the verdict is of the labels alone."""
    asked = task_surrogate(name)
    (answer,) = decide_task(asked, target(goal), ["any"], effort=1, prescribe=False).answers
    task = answer.witness.asked.task
    weights = answer.witness.asked.weights
    m = task.space.m
    for sigma in permutations(range(m)):
        named = {task.space.relabeled(label, sigma): p for label, p in weights.items()}
        profile = LabelProfile(tuple("ABCDE"[:m]), named, dict.fromkeys(named, "here"), "found", 1)
        assert decide_profile(asked, profile, target=task).verdict is Verdict.INCONSISTENT


# --- Several queries, several losses ---------------------------------------------------------------------

LONG = "Query;Rater;Doc;Relevance\n" + "".join(
    f"{q};{judge};{doc};{grade}\n"
    for q, labels in {"a": ["021", "021", "211", "211", "211"], "b": ["210", "210"]}.items()
    for judge, label in enumerate(labels)
    for doc, grade in zip("ABC", label, strict=True)
)


def test_losses_are_compared_at_each_query_and_every_witness_is_accepted(cli, tmp_path):
    (tmp_path / "l.csv").write_text(LONG)
    asked = ("check", "ranknet,regression,regression-gain-over-z", "--target", "ndcg", "--at", "l.csv")
    ran = cli(*asked, "--json", "--out", "found")
    document = ran.document
    assert (ran.code, document["verdict"], document["left_out"]) == (1, "INCONSISTENT", 1)
    assert document["totals"]["regression"] == {"wrong": 1, "undecided": 0, "right": 0}
    assert document["totals"]["regression-gain-over-z"]["right"] == 1
    (query,) = document["queries"]
    assert query["labels"] == [
        {"label": [0, 2, 1], "probability": "2/5"},
        {"label": [2, 1, 1], "probability": "3/5"},
    ]
    files = [str(path) for path in (tmp_path / "found").glob("*.json")]
    assert len(files) == 2 and cli("verify", *files).code == 0
    said = cli(*asked, "--no-save").said
    assert said.startswith("ranknet misranks none of 1 query; regression misranks 1;")
    assert "1 more query has one label or one item and says nothing." in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("judge,item,grade\nx,A,1\nx,B,2\ny,A,0\n", "the judge 'y' did not grade 'B'"),
        ("judge,item,grade\nx,A,1/2\nx,B,2\n", "the grade 1/2; it must be a whole number"),
        ("judge,item,grade\nx,A,good\nx,B,2\n", "l.csv, line 2: the grade is not a number"),
        ("judge,item,grade\nx,A,1\nx,B,0\nx,A,2\n", "a judge graded an item twice; give one grade"),
        ("judge,item,grade,count\nx,A,1,2\n", "has a column count besides judge, item, grade"),
        ("item,grade\nA,1\n", "the columns are item, grade; expected judge, item, grade"),
        ("name,A\nx,1\n", "the columns are name, A; expected"),
        ("A,B,probability\n1,2,0.3\n2,0,3/5\n", "the probabilities add up to 9/10"),
        ("A,B,weight\n1,2,-1\n", "line 2: the weight is -1"),
        ("0 qid:1 1:1\n1 qid:1 1:2\n", "no query has several different labels"),
        ("0 qid:1 1:1\n1.5 qid:1 1:2\n", "l.csv, line 2: the label is 1.5"),
        ("0 qid:1 1:1\n1 qid:2 1:2\n1 qid:1 1:3\n", "line 3: query 1 resumes here with other documents"),
        ("0 qid:1 1:1\n1 qid:1 1:\n", "l.csv, line 2: feature 1 is ''"),
        ("0 qid:1 1:1\n4 qid:1 1:2\n1 qid:2 1:1\n4 qid:2 1:2\n", "as in --labels 0..4"),
    ],
)
def test_labels_that_are_refused(cli, tmp_path, text, said):
    (tmp_path / "l.csv").write_text(text)
    ran = cli("check hinge,softmax --target ndcg --at l.csv --no-save")
    assert ran.code == 2 and said in " ".join(ran.err.split())


def test_weights_are_shares_of_their_sum(tmp_path):
    (tmp_path / "w.csv").write_text("Judge,A,B,Weight\nx,1,2,0.5\ny,2,0,3/2\n")
    assert read_labels(tmp_path / "w.csv", "grades").weights == {
        (1, 2): Fraction(1, 4),
        (2, 0): Fraction(3, 4),
    }


def test_equal_features_are_one_item_whose_grades_are_independent(tmp_path):
    (tmp_path / "t").write_text("2 qid:1 1:1 2:0\n0 qid:1 1:1.0\n0 qid:1 1:1\n1 qid:1 2:3\n0 qid:1 2:3\n")
    found = read_label_lists(tmp_path / "t").queries["1"]
    assert found.items == ("line 1", "line 4")
    third, sixth = Fraction(1, 3), Fraction(1, 6)
    assert found.weights == {(2, 1): sixth, (2, 0): sixth, (0, 1): third, (0, 0): third}


def test_a_loss_named_twice_counts_once(cli, tmp_path):
    (tmp_path / "j.csv").write_text(MAP)
    ran = cli("check ranknet,logistic,regression --target ndcg --at j.csv --no-save --json")
    assert ran.document["surrogates"] == ["logistic", "regression"]
    assert [sum(one.values()) for one in ran.document["totals"].values()] == [1, 1]
    same = [task_surrogate("pairs", phi=phi) for phi in ("exp(-x)", "exp(-2*x)")]
    with pytest.raises(InputError, match="two different losses are called pairs"):
        decide_lists(same, read_label_lists(tmp_path / "j.csv"), lambda items: target("ndcg", items=items))


SIX = "".join(f"{(k + q) % 3} qid:{q} 1:{k}\n" for q in range(2) for k in range(6))
ONE = "1 qid:1 1:1\n0 qid:1 1:2\n1 qid:2 1:3\n0 qid:2 1:4\n0 qid:2 1:3\n1 qid:2 1:4\n"
EVEN = "Ann,Bob\n1,0\n0,1\n1,0\n"
FILES = [
    (ONE, "--phi 'exp(x)' --target ndcg", 0, "1 more query has one label or one item and says nothing."),
    (SIX, "softmax --target ndcg", 3, "open: it has 6 different documents"),
    # Every order is optimal.
    (EVEN, "softmax --target precision@2", 0, "softmax misranks none of 1 query."),
    (EVEN, "hinge --target precision --k 5", 0, "hinge misranks none of 1 query."),
    (EVEN, "list-mle --target ndcg --discount 1", 0, "list-mle misranks none of 1 query."),
    # precision@3 of 3 items is settled, but a file may have more; shorter queries are answered, too.
    ("Ann,Bob,Cy,Di\n1,0,0,0\n0,1,1,1\n", "softmax --target precision@3 --details", 0, "Target precision@3"),
    (
        "query,judge,item,grade\nq,a,x,1\nq,a,y,0\nq,b,x,0\nq,b,y,1\n",
        "softmax,hinge --target precision@2",
        0,
        "softmax misranks none of 1 query; hinge misranks none.",
    ),
    # Objectives of libraries.
    ("A,B\n0,1\n1,0\n", "rank:ndcg --target ndcg", 0, ""),
    ("A,B,count\n0,1,1\n1,0,2\n", "rank:ndcg --target ndcg", 3, "rank:ndcg is open on 1 of 1 query."),
    ("A,B,count\n0,1,1\n1,0,2\n", "rank:ndcg --target ndcg", 3, "which proves nothing"),
    (
        "A,B,C,count\n0,1,2,2\n2,1,1,3\n",
        "lambdarank --target ndcg",
        1,
        "lambdarank can train to a wrong order on 1 of 1 query.",
    ),
    ("A,B,C,count\n0,1,2,2\n2,1,1,3\n", "lambdarank --target ndcg", 1, "what may be returned: A > C > B"),
    (
        "1 qid:1 1:1\n0 qid:1 1:2\n",
        "lambdarank --target ndcg",
        2,
        "ask without --at whether the loss is right whatever the labels",
    ),
]


@pytest.mark.parametrize(("text", "asked", "code", "said"), FILES)
def test_a_file_has_its_answer_and_whatever_is_saved_is_accepted(cli, tmp_path, text, asked, code, said):
    (tmp_path / "labels").write_text(text, encoding="utf-8")
    ran = cli(f"check {asked} --at labels --out found")
    assert ran.code == code and said in ran.said + " ".join(ran.err.split())
    assert code == 2 or "--details" in asked or ran.screen
    for saved in (tmp_path / "found").glob("*.json"):
        assert cli("verify", str(saved)).code == 0


@given(
    st.lists(
        st.tuples(st.permutations(range(3)), st.tuples(*[st.integers(0, 2)] * 3)), min_size=2, max_size=5
    )
)
def test_judges_of_letor_are_those_of_a_table(tmp_path_factory, judges):
    file = tmp_path_factory.mktemp("letor") / "t"
    file.write_text(
        "".join(
            f"{label[k]} qid:{judge} 1:{k + 1}\n"
            for judge, (order, label) in enumerate(judges)
            for k in order
        )
    )
    order, _ = judges[0]
    counts = Counter(tuple(label[k] for k in order) for _, label in judges)
    found = read_label_lists(file)
    if len(counts) == 1:
        assert (found.queries, found.plain) == ({}, len(judges))
    else:
        weights = {label: Fraction(n, len(judges)) for label, n in counts.items()}
        assert found.queries["0"].weights == weights


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_every_surrogate_has_one_screen_for_every_target(name):
    """At most 24 lines of 80 columns; what the first line says is what was decided; lists of two items."""
    task, seen = target(name, items=2), 0
    for called in TASK_SURROGATES:
        surrogate = task_surrogate(called)
        try:
            surrogate.check(task)
            decision = decide(surrogate, target=task, effort=Effort(seconds=0.1))
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


def test_at_many_queries_the_wrong_ones_are_on_one_screen(cli, tmp_path):
    rows = ["query,judge,item,grade"]
    for query in range(10):
        rows += [
            f"{query},{judge},{item},{grade}"
            for judge, label in (("x", (1, 0, 0)), ("y", (1, 2, 0)))
            for item, grade in zip("ABC", label, strict=True)
        ]
    (tmp_path / "many.csv").write_text("\n".join(rows), encoding="utf-8")
    ran = cli("check regression,softmax --target ndcg --at many.csv --no-save")
    assert ran.out.startswith("regression misranks 10 of 10 queries; softmax misranks none.")
    assert "4 more: --details" in ran.said
    assert "instead: softmax, right on all of these queries." in ran.said
    assert ran.screen


def test_measure_says_how_much_of_a_target_can_be_lost(cli, tmp_path):
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
    wrong = cli("measure softmax --target ndcg --worst")
    assert wrong.code == 2 and "--worst" in wrong.err


@pytest.mark.long
def test_a_field_is_measured_at_rest(cli):
    ran = cli("measure lambdarank --target ndcg --items 2 --no-save")
    assert ran.code == 1
    assert ran.out.startswith("lambdarank can lose at least 0.")
