"""Proof files that add comparisons up: accepted by the core, and rejected once they are changed."""

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from importlib.resources import files
from itertools import permutations
from math import inf
from random import Random
from typing import Any

import jsonschema
import pytest

import consistency_lab as lab
from consistency_lab.certify.addition import (
    ByAddition,
    more_comparisons,
    proved_by_addition,
    schedules,
    sides,
)
from consistency_lab.certify.many_items import proof_by_addition
from consistency_lab.certify.witness import certify_by_addition
from consistency_lab.core import verify_proof
from consistency_lab.core.addition import GAP, Above, Counts
from consistency_lab.errors import ConsistencyLabError
from consistency_lab.model.distribution import Distribution
from consistency_lab.phi import named
from consistency_lab.proofs.orders import OrderQuestion


@pytest.fixture(scope="module")
def election() -> lab.Witness:
    found = certify_by_addition("logistic", lab.read_profile("san-francisco.csv").distribution)
    assert found is not None
    return found


def test_san_francisco_is_proved_wrong_without_scores(election: lab.Witness) -> None:
    """A majority prefers Mar to Lee, and the difference graph is acyclic with Mar first."""
    assert (election.verified.claim, election.failure, election.certificate) == (
        "inconsistent",
        "strict",
        "addition",
    )
    assert election.document["proof"]["scores"] is None
    items = election.distribution.items
    first, second = (items[k] for k in election.prediction[:2])
    assert ("Lee" in first, "Mar" in second) == (True, True)
    assert election.better[:2] == (election.prediction[1], election.prediction[0])
    proved = verify_proof(election.document["proof"])
    assert proved.every and proved.least_regret == proved.regret


def test_the_file_has_the_published_form(election: lab.Witness) -> None:
    schema = json.loads(files("consistency_lab.proofs").joinpath("proof.schema.json").read_text("utf-8"))
    jsonschema.validate(election.document, schema)
    again = lab.verify(json.loads(json.dumps(election.document)))
    assert (
        again.verified.claim == "inconsistent"
        if hasattr(again, "verified")
        else again.claim == "inconsistent"
    )


def change(path: tuple[Any, ...], value: object) -> Callable[[dict[str, Any]], None]:
    def edit(proof: dict[str, Any]) -> None:
        place: Any = proof
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return edit


def swap(proof: dict[str, Any]) -> None:
    pair = proof["certificate"]["pairs"][0]
    pair["above"], pair["below"] = pair["below"], pair["above"]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (swap, "does not put"),
        (change(("certificate", "pairs", 0, "factor"), "1000"), "does not put"),
        (change(("certificate", "pairs", 0, "factor"), "-1"), "does not put"),
        (change(("certificate", "pairs", 0, "factor"), "nothing"), "must be a rational"),
        (change(("certificate", "pairs", 0, "rule"), "majority"), "must be 'domination' or 'gap'"),
        (change(("certificate", "pairs"), []), "needs at least one pair"),
        (change(("scores",), ["0"] * 10), "scores belong to a minimum or a separation"),
        (change(("failure",), "tie"), "does not rest on its entry 'orders'"),
        (change(("labels", 0, "psi", 0, "phi"), "(1-x)**2"), "phi is not proved nonincreasing"),
        (change(("labels", 0, "psi", 0, "phi"), "exp(-x)"), "is not proved linear"),
        (change(("labels", 0, "psi", 0, "offset"), "1"), "is not a sum of"),
    ],
)
def test_a_changed_proof_is_rejected(
    election: lab.Witness, edit: Callable[[dict[str, Any]], None], words: str
) -> None:
    proof = copy.deepcopy(election.document["proof"])
    edit(proof)
    with pytest.raises(ConsistencyLabError, match=words):
        verify_proof(proof)


def test_a_pair_that_is_left_out_is_missed(election: lab.Witness) -> None:
    """Lee above Mar is what proves the failure; without it nothing is worse for certain."""
    proof = copy.deepcopy(election.document["proof"])
    pairs = proof["certificate"]["pairs"]
    proof["certificate"]["pairs"] = [pair for pair in pairs if "Lee" not in pair["above"]]
    assert len(proof["certificate"]["pairs"]) < len(pairs)
    with pytest.raises(ConsistencyLabError):
        verify_proof(proof)


@pytest.mark.parametrize(
    ("name", "claim"), [("logistic", "consistent-at-p"), ("exponential", "consistent-at-p")]
)
def test_a_dominated_order_is_right(name: str, claim: str) -> None:
    p = Distribution.from_aggregate([[0, 6, 7, 8], [4, 0, 6, 7], [3, 4, 0, 6], [2, 3, 4, 0]])
    found = certify_by_addition(name, p)
    assert found is not None and found.verified.claim == "consistent-at-p"


def test_nothing_is_said_where_the_rules_do_not_apply() -> None:
    p = lab.read_profile("vermont.toc").distribution
    for name in ("square", "hinge", "margin-logistic", "linear"):
        assert certify_by_addition(name, p) is None
    question = OrderQuestion.of(lab.surrogate("logistic").risk_terms(p), p.aggregate, p.items)
    assert proof_by_addition(question, p.aggregate) is None


LOGISTIC, EXPONENTIAL = (named(name).expression for name in ("logistic", "exponential"))


def drawn(m: int, most: int, seed: int, unit: Fraction | int = 1) -> list[list[Fraction]]:
    draw = Random(seed)
    return [[Fraction(unit * draw.randint(0, most) * (i != j)) for j in range(m)] for i in range(m)]


def by_hand(a: list[list[Fraction]], rules: tuple[str, ...]) -> set[tuple[int, int]]:
    """Every factor at which a slack can be largest, by the core alone."""
    m = len(a)
    counts = Counts({(i, j): x for i, row in enumerate(a) for j, x in enumerate(row) if x}, m)
    found = set()
    for i, j in permutations(range(m), 2):
        others = [k for k in range(m) if k not in (i, j)]
        met = [(a[i][k] + a[k][i], a[j][k] + a[k][j]) for k in others]
        won = [(a[i][k], a[j][k]) for k in others]
        factors = {Fraction(0), Fraction(1), inf, *(y / x for x, y in met + won if x)}
        tried = (Above(i, j, rule, factor) for rule in rules for factor in factors)  # type: ignore[arg-type]
        if any(counts.slack(one) > 0 for one in tried):
            found.add((i, j))
    return found


@pytest.mark.parametrize("unit", [1, Fraction(1, 7), 10**30])
@pytest.mark.parametrize("m", [2, 3, 5, 8])
def test_all_pairs_at_once_are_those_that_the_core_finds_one_by_one(m: int, unit: Fraction | int) -> None:
    """Also where counts need more than 64 bits."""
    for seed in range(12):
        a = drawn(m, 3 + 5 * (seed % 3), seed, unit)
        for phi, rules in ((LOGISTIC, ("gap", "domination")), (EXPONENTIAL, ("domination",))):
            found = proved_by_addition(phi, a)
            assert {(x.above, x.below) for x in found.pairs} == by_hand(a, rules)
            counts = Counts({(i, j): x for i, row in enumerate(a) for j, x in enumerate(row) if x}, m)
            assert [counts.slack(pair) for pair in found.pairs] == list(found.slack)


def test_lee_is_above_mar_by_7886_against_7802() -> None:
    p = lab.read_profile("san-francisco.csv")
    lee, mar = p.items.index("Sue Lee"), p.items.index("Eric Mar")
    assert sides(p.wins, Above(lee, mar, GAP, Fraction(1))) == (7886, 7802)
    found = proved_by_addition(LOGISTIC, p.wins)
    assert len(found.pairs) == 45 and len(proved_by_addition(LOGISTIC, p.wins, [(lee, mar)]).pairs) == 1
    assert found.radius([(x.above, x.below) for x in found.pairs].index((lee, mar))) == 42
    assert all(one.room > 0 and one.distance <= one.apart for one in schedules(p.wins))


def test_no_removal_of_fewer_comparisons_than_the_radius_changes_the_order() -> None:
    """Those that hurt most: wins of the upper one, one after the other, against whom it met less."""
    p = lab.read_profile("vermont.toc")
    wins, found = p.wins, proved_by_addition(LOGISTIC, p.wins)
    assert (len(found.pairs), [found.radius(k) for k in range(2)]) == (2, [437, 37])
    for number, pair in enumerate(found.pairs):
        i, j, left = pair.above, pair.below, found.radius(number) - 1
        for k in (k for k in range(4) if k not in (i, j)):
            a = [list(row) for row in wins]
            a[i][k] -= min(left, a[i][k])
            assert proved_by_addition(LOGISTIC, a, [(i, j)]).pairs
    assert ByAddition(found.pairs, found.slack).radius(1, Fraction(1, 37)) == 1


def test_more_comparisons_bring_schedules_as_much_nearer_as_they_say() -> None:
    p = lab.read_profile("vermont.toc")
    left = [one for one in schedules(p.wins) if one.room <= 0]
    assert len(left) == 4
    for one in left:
        for more in more_comparisons(p.wins, one):
            a = [list(row) for row in p.wins]
            a[more.first][more.second] += more.times
            after = sides(a, Above(one.above, one.below, GAP, one.factor))[1]
            assert after == one.apart - more.nearer
