"""Proof files that add comparisons up: accepted by the core, and rejected once they are changed."""

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from importlib.resources import files
from itertools import combinations, permutations
from math import inf
from random import Random
from typing import Any

import jsonschema
import numpy as np
import pytest

import consistency_lab as lab
from consistency_lab.certify.addition import More, more_comparisons, proved_by_addition, schedules, sides
from consistency_lab.certify.many_items import proof_by_addition
from consistency_lab.certify.proofs.orders import OrderQuestion
from consistency_lab.certify.witness import Case
from consistency_lab.core import verify_proof
from consistency_lab.core.addition import GAP, Above, Counts, Factor
from consistency_lab.errors import ConsistencyLabError
from consistency_lab.model.distribution import Distribution
from consistency_lab.numbers.phi import named


@pytest.fixture(scope="module")
def election() -> lab.Witness:
    found = Case(lab.surrogate("logistic"), lab.read_profile("san-francisco.csv").distribution).by_addition()
    assert found is not None
    return found.file


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
    schema = json.loads(
        files("consistency_lab.certify.proofs").joinpath("proof.schema.json").read_text("utf-8")
    )
    jsonschema.validate(election.document, schema)
    assert lab.verify(json.loads(json.dumps(election.document))) == election.verified


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


@pytest.mark.parametrize("name", ["logistic", "exponential"])
def test_a_dominated_order_is_right(name: str) -> None:
    p = Distribution.from_aggregate([[0, 6, 7, 8], [4, 0, 6, 7], [3, 4, 0, 6], [2, 3, 4, 0]])
    found = Case(lab.surrogate(name), p).by_addition()
    assert found is not None and found.proved.claim == found.file.verified.claim == "consistent-at-p"


def test_nothing_is_said_where_the_rules_do_not_apply() -> None:
    p = lab.read_profile("vermont.toc").distribution
    for name in ("square", "hinge", "margin-logistic", "linear"):
        assert Case(lab.surrogate(name), p).by_addition() is None
    question = OrderQuestion.of(lab.surrogate("logistic").risk_terms(p), p.aggregate, p.items)
    assert proof_by_addition(question, p.aggregate) is None


LOGISTIC, EXPONENTIAL = (named(name).expression for name in ("logistic", "exponential"))


def drawn(m: int, most: int, seed: int, unit: Fraction | int = 1) -> list[list[Fraction]]:
    draw = Random(seed)
    return [[Fraction(unit * draw.randint(0, most) * (i != j)) for j in range(m)] for i in range(m)]


def counted(a: Sequence[Sequence[Fraction | int]]) -> dict[tuple[int, int], Fraction]:
    return {(i, j): Fraction(x) for i, row in enumerate(a) for j, x in enumerate(row) if x}


def by_hand(a: list[list[Fraction]], rules: tuple[str, ...]) -> set[tuple[int, int]]:
    """Every factor at which a slack can be largest, by the core alone."""
    m = len(a)
    counts, found = Counts(counted(a), m), set()
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
    for seed in range(4):
        a = drawn(m, 3 + 5 * (seed % 3), seed, unit)
        for phi, rules in ((LOGISTIC, ("gap", "domination")), (EXPONENTIAL, ("domination",))):
            found = proved_by_addition(phi, a)
            assert {(x.above, x.below) for x in found.pairs} == by_hand(a, rules)
            counts = Counts(counted(a), m)
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
    assert found.radius(1, Fraction(1, 37)) == 1


def sparse(seed: int) -> list[list[int]]:
    draw, m = Random(seed), 3 + seed % 2
    a = [[0] * m for _ in range(m)]
    for i, j in combinations(range(m), 2):
        if draw.random() < 0.55:
            a[i][j], a[j][i] = draw.randint(0, 4), draw.randint(0, 3)
    return a


def fewer(a: list[list[int]], size: int) -> Iterator[list[list[int]]]:
    """The board after each removal of so many comparisons."""
    cells = [(i, j) for i, row in enumerate(a) for j, x in enumerate(row) for _ in range(x)]
    for removed in set(combinations(cells, size)):
        left = [list(row) for row in a]
        for i, j in removed:
            left[i][j] -= 1
        yield left


def is_above(a: list[list[int]], i: int, j: int) -> bool:
    """Whether all that comes near the infimum of the logistic risk has i above j, without the rules.

    Strong components move apart along wins; in one of them, Newton's method finds the only minimizer.
    """
    wins = np.array(a, dtype=float)
    reach = np.linalg.matrix_power((wins > 0) | np.eye(len(a), dtype=bool), len(a))
    if not (reach[i, j] and reach[j, i]):
        return bool(reach[i, j])
    part = [k for k in range(len(a)) if reach[i, k] and reach[k, i]]
    wins, u = wins[np.ix_(part, part)], np.zeros(len(part))
    for _ in range(60):
        share = 1 / (1 + np.exp(u - u[:, None]))
        weight = (wins + wins.T) * share * (1 - share)
        slope = (wins - (wins + wins.T) * share).sum(axis=1)
        step = np.linalg.solve(np.diag(weight.sum(axis=1)) - weight + 1, slope)
        u += step / max(1, np.abs(step).max())
        if np.abs(step).max() < 1e-12:
            return bool(u[part.index(i)] - u[part.index(j)] > 1e-9)
    raise AssertionError("Newton's method does not converge")


def test_no_removal_of_fewer_comparisons_than_the_radius_changes_the_order_of_a_sparse_board() -> None:
    """All removals of fewer are carried out; one more breaks the rule where its factor is 1."""
    seen = set[bool | float]()
    for seed in range(40):
        a = sparse(seed)
        found = proved_by_addition(LOGISTIC, a)
        for number, pair in enumerate(found.pairs):
            radius, (i, j) = found.radius(number), (pair.above, pair.below)
            assert all(is_above(left, i, j) for size in range(radius) for left in fewer(a, size)), (a, pair)
            if pair.factor == 1 and pair.rule == GAP:
                slacks = [Counts(counted(left), len(a)).slack(pair) for left in fewer(a, radius)]
                assert min(slacks) <= 0, (a, pair)
            seen.add(pair.factor if pair.factor in (0, 1, inf) else 2)
    assert seen == {0, 1, 2, inf}


def schedule(a: list[list[int]], above: int, below: int) -> tuple[Factor, Fraction, Fraction]:
    (one,) = (one for one in schedules(a) if (one.above, one.below) == (above, below))
    return one.factor, one.gap, one.apart


def test_the_factor_of_two_schedules_is_1_unless_another_leaves_more_room() -> None:
    a = [[0, 3, 4, 1], [2, 0, 2, 1], [1, 1, 0, 4], [1, 1, 2, 0]]
    assert (schedule(a, 0, 1), schedule(a, 0, 2)) == ((1, 4, 2), (3, 14, 12))


@pytest.mark.parametrize("wins", [5, 15])
def test_a_newcomer_who_met_one_opponent_is_above_by_as_many_games_as_the_wins_differ(wins: int) -> None:
    """A:C 60:40 and D:C with two wins more: without two of them D and C are tied."""
    a = [[0, 60, 0], [40, 0, wins - 2], [0, wins, 0]]
    found = proved_by_addition(LOGISTIC, a, [(2, 1)])
    assert (found.pairs[0].factor, found.slack[0], found.radius(0)) == (inf, 2, 2)
    assert schedule(a, 2, 1) == (inf, 2, 0)
    a[2][1] -= 2
    assert is_above(a, 0, 1) and not is_above(a, 2, 1)


def test_more_comparisons_bring_schedules_as_much_nearer_as_they_say() -> None:
    p = lab.read_profile("vermont.toc")
    few = [[0, 3, 5, 1], [2, 0, 2, 1], [4, 1, 0, 1], [1, 1, 1, 0]]
    one = next(one for one in schedules(few) if one.room <= 0)
    assert more_comparisons(few, one) == (More(0, 3, 4, Fraction(4, 3)),)
    left = [one for one in schedules(p.wins) if one.room <= 0]
    assert len(left) == 4
    for one in left:
        for more in more_comparisons(p.wins, one):
            a = [list(row) for row in p.wins]
            a[more.first][more.second] += more.times
            after = sides(a, Above(one.above, one.below, GAP, one.factor))[1]
            assert after == one.apart - more.nearer
