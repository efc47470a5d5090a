"""Scores that are linear in features: by hand, against SciPy, and with evidence that was changed."""

import copy
import json
from collections import Counter
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import combinations, combinations_with_replacement, pairwise, permutations, product
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from scipy.optimize import minimize

import consistency_lab as lab
from consistency_lab.apps.align.certificates import ordering
from consistency_lab.apps.align.features import cheaper, check_features
from consistency_lab.apps.align.report import features_document
from consistency_lab.certify.document import sealed
from consistency_lab.solve.lp import LPStatus
from tests.trees import replaced

X = {"A": (0, 0), "B": (0, 3), "C": (2, 1), "D": (3, 2)}
LINE = {"A": [1], "B": [0], "C": [3]}
SCHEMA = json.loads(files("consistency_lab.certify.proofs").joinpath("proof.schema.json").read_text("utf-8"))


def votes(ballots, items="ABCD"):
    whole = sum(ballots.values())
    graphs = [
        (Fraction(n, whole), {(items.index(i), items.index(j)): 1 for i, j in combinations(ballot, 2)})
        for ballot, n in ballots.items()
    ]
    return lab.Distribution.of(tuple(items), graphs)


FOUR = votes({"BADC": 3, "DCAB": 1})
BENT = votes({"ABC": 2, "CAB": 1}, "ABC")


def verdicts(found):
    return {one.axiom: (str(one.verdict), one.blame) for one in found.answers}


@pytest.mark.parametrize("name", ["logistic", "exponential", "hinge", "square", "linear"])
def test_all_prefer_d_to_c_and_c_is_above(name):
    """Both voters sort by some weights, and (1, 0) puts D above C."""
    found = check_features(name, X, FOUR)
    assert verdicts(found) == dict.fromkeys(("best", "pareto", "majority"), ("INCONSISTENT", "loss"))
    assert found.order == ("B", "A", "C", "D")
    pareto = found.answers[1]
    d, c = (sum(w * x for w, x in zip(pareto.right, X[k], strict=True)) for k in "DC")
    assert d > c
    assert pareto.witness.verified.failure == "strict"
    assert f"{pareto.axiom} within the features" in pareto.witness.verified.recomputed


def test_the_weights_are_those_of_scipy():
    rows = np.array([X[k] for k in "ABCD"], dtype=float)
    a = np.array(FOUR.aggregate, dtype=float)

    def risk(w):
        u = rows @ w
        return float((a * np.logaddexp(0, u[None, :] - u[:, None])).sum())

    expected = minimize(risk, np.zeros(2), tol=1e-12).x
    found = check_features("logistic", X, FOUR, axioms="pareto")
    assert found.attained
    assert np.allclose(found.weights or (), expected, atol=1e-5)


def test_decimals_are_exact_and_extra_items_are_told(tmp_path):
    file = tmp_path / "answers.csv"
    file.write_text("A,0.1,1/3\nB,-2,0\nC,1,1\n", encoding="utf-8")
    read = lab.read_features(file)
    assert read.rows["A"] == (Fraction(1, 10), Fraction(1, 3))
    found = check_features("logistic", read, lab.Distribution.of(("A", "B"), [(1, {(0, 1): 1})]))
    assert found.notes == ("answers.csv also describes C, not in the profile",)
    with pytest.raises(lab.InputError, match=r"answers\.csv has no line for the item 'D' of the profile"):
        check_features("logistic", read, FOUR)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("A,1\nB\n", "line 2: there are 1 cells, but 2 in line 1"),
        ("item,x\nA,one\n", "line 2: the feature x is 'one'"),
        ("A,1\nA,2\n", "two items are called 'A'"),
        ("item,x\n", "has no features"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path, text, sentence):
    file = tmp_path / "answers.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(lab.InputError) as refused:
        lab.read_features(file)
    assert sentence in str(refused.value)


def test_the_class_is_to_blame_where_no_weights_are_right():
    """x(A) - x(B) = 1 and x(A) - x(C) = -2: the multipliers 2 and 1 add up to 0."""
    found = check_features("logistic", LINE, BENT)
    assert verdicts(found)["majority"] == ("CONSISTENT", "class")
    majority = found.answers[2]
    assert majority.proof is not None and lab.verify(majority.proof).claim == "infeasible"
    place = {item: row[0] for item, row in LINE.items()}
    assert sum(y * (place[i] - place[j]) for i, j, y in majority.multipliers) == 0
    assert all(y > 0 for *_, y in majority.multipliers)
    broken = copy.deepcopy(dict(majority.proof))
    broken["proof"]["systems"][0]["y"][0] = "7"
    with pytest.raises(lab.RejectedError):
        lab.verify(sealed(broken))


def test_ties_and_minima_that_are_not_attained():
    """x = (1, 0, 2): the slope of W at w = 0 is 3 - 1 - 2 = 0. One voter's order is only approached."""
    tied = check_features("logistic", {"A": [1], "B": [0], "C": [2]}, BENT, axioms="pareto")
    witness = tied.answers[0].witness
    assert witness is not None and witness.verified.failure == "tie" and tied.order is None
    alone = check_features("logistic", {"A": [3], "B": [2], "C": [0]}, votes({"ABC": 1}, "ABC"))
    assert (alone.attained, alone.weights, alone.order) == (False, None, ("A", "B", "C"))
    assert alone.verdict is lab.Verdict.CONSISTENT
    same = check_features("logistic", {"A": [1], "B": [1], "C": [0]}, votes({"ABC": 1}, "ABC"))
    assert verdicts(same)["pareto"] == ("CONSISTENT", "class")


def test_features_with_many_digits():
    """The dependency of the four rows has coefficients of more than six digits."""
    exact = {"A": ["0", "1/7000"], "B": ["0", "3"], "C": ["1.9997", "1.0001"], "D": ["3.0001", "2.0003"]}
    found = check_features("logistic", exact, FOUR, axioms=["pareto"])
    assert verdicts(found) == {"pareto": ("INCONSISTENT", "loss")}
    assert found.order == ("B", "A", "C", "D")


def test_the_document_fits_its_schema():
    published = json.loads((Path(__file__).parents[2] / "docs" / "schemas.json").read_text("utf-8"))
    document = features_document(check_features("logistic", LINE, BENT), {})
    jsonschema.Draft202012Validator(published).validate(document)
    assert [one["blame"] for one in document["answers"]] == ["loss", "loss", "class"]


def test_best_in_class_is_that_of_all_orders_that_weights_sort():
    rows = [[Fraction(x) for x in X[k]] for k in "ABCD"]
    sortable = [
        order
        for order in permutations(range(4))
        if ordering(rows, list(pairwise(order))).status is LPStatus.OPTIMAL
    ]
    a = FOUR.aggregate
    costs = {order: sum(a[j][i] for i, j in combinations(order, 2)) for order in sortable}
    worst = max(costs, key=lambda order: costs[order])
    found = cheaper(rows, a, worst)
    assert costs[found[0]] == min(costs.values())
    assert cheaper(rows, a, found[0]) is None


LABEL = ("proof", "labels", 0)
CHANGES = [
    (("named", "features", "rows", "D"), ["3", "3"]),
    (("named", "features", "right"), ["-1", "0"]),
    (("named", "features", "right"), ["1"]),
    (("named", "features", "axiom"), "best"),
    (("named", "features", "axiom"), "order"),
    (("named", "features", "graphs", 0, "probability"), "1/2"),
    (("named", "surrogate", "phi"), "exp(-x)"),
    (("proof", "scores", 3), "-1/2"),
    (("proof", "certificate", "gap"), "1"),
    (("proof", "certificate", "bounds", 0, "slopes", 0), "-1/3"),
    ((*LABEL, "prefers", 0, 2), "2"),
    ((*LABEL, "prefers", 0), ["A", "C", "1"]),
    ((*LABEL, "psi", 1, "terms", 0, 1, "A"), "5"),
    ((*LABEL, "psi", 1, "phi"), "max(0,x)"),
    ((*LABEL, "psi", 1, "offset"), "1"),
]


@pytest.mark.parametrize(("where", "value"), CHANGES, ids=lambda x: str(x)[:60])
def test_changed_evidence_is_rejected(where, value):
    document = pareto_document()
    assert lab.verify(document).claim == "inconsistent"
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    with pytest.raises(lab.ConsistencyLabError):
        lab.verify(sealed(replaced(document, where, value)))


def test_the_features_mean_nothing_without_the_surrogate():
    document = pareto_document()
    document["named"]["surrogate"] = {"name": "own: mine"}
    assert "pareto within the features" in lab.verify(sealed(document)).unknown


@cache
def accepted():
    witness = check_features("logistic", X, FOUR, axioms="pareto").answers[0].witness
    return json.dumps(dict(witness.document))


def pareto_document():
    return json.loads(accepted())


def test_two_judges_and_a_square():
    """Four different answers in numbers 0 and 1 are the corners (docs/features.md)."""
    corners = {"A": (0, 0), "B": (0, 1), "C": (1, 0), "D": (1, 1)}
    tied = check_features("logistic", corners, votes({"ABCD": 1, "BCDA": 1}), axioms="pareto")
    assert "prefers C to D, yet a minimizer ties them" in tied.answers[0].reason
    corners, orders = list(product((0, 1), repeat=2)), list(permutations(range(4)))
    square = dict(zip("ABCD", corners, strict=True))
    beside = {
        (i, j) for i in range(4) for j in range(4) if np.abs(np.subtract(corners[i], corners[j])).sum() == 1
    }
    symmetries = [s for s in orders if {(s[i], s[j]) for i, j in beside} == beside]
    profiles = {
        min(tuple(sorted("".join("ABCD"[s[k]] for k in ballot) for ballot in pair)) for s in symmetries)
        for pair in combinations_with_replacement(orders, 2)
    }
    found = []
    for pair in sorted(profiles):
        decision = check_features("logistic", square, votes(Counter(pair)), axioms="pareto")
        found.append((*verdicts(decision)["pareto"], "".join(pair) if decision.answers[0].witness else ""))
    assert Counter(found) == {
        ("CONSISTENT", None, ""): 33,
        ("CONSISTENT", "class", ""): 10,
        ("INCONSISTENT", "loss", "ABCDBCDA"): 1,
        ("INCONSISTENT", "loss", "ABCDDABC"): 1,
    }


def test_one_feature_is_right_with_two_voters_and_wrong_with_three():
    """docs/theory.md, Scores from features: w has the sign of sum N_i x_i, whatever phi."""

    def inverted(x, ballots):
        pairs = {
            (i, j) for i, j in permutations(range(len(x)), 2) if all(b.index(i) < b.index(j) for b in ballots)
        }
        pull = sum(x[i] - x[j] for ballot in ballots for i, j in combinations(ballot, 2))
        return bool(pairs) and all(x[i] > x[j] for i, j in pairs) and pull < 0

    orders = list(permutations(range(3)))
    for x in product(range(4), repeat=3):
        for n in (1, 2):
            assert not any(inverted(x, chosen) for chosen in combinations_with_replacement(orders, n))
    assert inverted((1, 0, 3), [(0, 1, 2), (0, 1, 2), (2, 0, 1)])
    assert verdicts(check_features("hinge", LINE, BENT))["pareto"] == ("INCONSISTENT", "loss")


def test_a_search_finds_two_voters():
    found = check_features("logistic", X)
    assert found.verdict is lab.Verdict.INCONSISTENT
    assert found.notes[0].startswith("found among all profiles of 2 rankings: ")
    plane = check_features("logistic", {"A": [0, 0], "B": [0, 1], "C": [1, 0]})
    assert plane.verdict is lab.Verdict.UNDECIDED and plane.distribution is None
    with pytest.raises(lab.InputError, match="for best, give a profile too"):
        check_features("logistic", X, axioms="best")
    with pytest.raises(lab.InputError, match="'fair' is not an axiom"):
        check_features("logistic", X, axioms="fair")


def test_features_beyond_machine_numbers_are_refused_in_one_sentence():
    rows = {
        "A": ("0.3745401188473625", "0.9507143064099162"),
        "B": ("0.7319939418114051", "0.5986584841970366"),
        "C": ("0.15601864044243652", "0.15599452033620265"),
        "D": ("0.05808361216819946", "0.8661761457749352"),
    }
    profile = lab.Profile.from_rankings([list("BADC"), list("DCAB")])
    with pytest.raises(lab.InputError, match=r"so many digits.*round them to fewer"):
        lab.check_features("logistic", rows, profile)
    rounded = {item: tuple(x[:8] for x in row) for item, row in rows.items()}
    assert lab.check_features("logistic", rounded, profile).answers
