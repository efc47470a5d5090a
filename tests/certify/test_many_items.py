"""Proofs for more items than all optimal orders are listed for."""

import json
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from consistency_lab.certify import many_items
from consistency_lab.certify.many_items import proof_by_addition, proof_for_many
from consistency_lab.certify.proofs.file import sealed, verify
from consistency_lab.certify.proofs.orders import OrderQuestion
from consistency_lab.certify.witness import Case, Witness, certify
from consistency_lab.core.certificates import Separation
from consistency_lab.core.orders import NO_CYCLES, Order, cost
from consistency_lab.core.verify import decide, read_proof
from consistency_lab.decide import certified as certified_module
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.certified import certified as certified_at
from consistency_lab.decide.profile import decide_profile
from consistency_lab.errors import RejectedError, UnsupportedError
from consistency_lab.model.distribution import Distribution, PreferenceGraph, loss
from consistency_lab.model.surrogates import LinearSurrogate, surrogate
from consistency_lab.numbers.phi import parse
from consistency_lab.show.proof import explicit_proof as proof
from consistency_lab.solve import kemeny as kemeny_module
from consistency_lab.solve.kemeny import KemenyOrder, kemeny, worthwhile
from consistency_lab.solve.optimal import optimal_orders

from .files import certified

Rows = list[list[int]]
M = 18


def chain(m: int = M) -> Rows:
    """Of i < j, i is preferred j - i + 9 times and j 9 times: differences are additive."""
    return [[9 + max(j - i, 0) if i != j else 0 for j in range(m)] for i in range(m)]


def games(m: int, seed: int) -> Rows:
    """Ten games of each two, by strengths that are far apart in parts."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(scale=1.5, size=m)
    a = [[0] * m for _ in range(m)]
    for i, j in combinations(range(m), 2):
        a[i][j] = 1 + int(rng.binomial(8, 1 / (1 + np.exp(strength[j] - strength[i]))))
        a[j][i] = 10 - a[i][j]
    return a


@cache
def played() -> Witness:
    """What is proved of the logistic loss at some games."""
    return certified("logistic", games(M, 3))


@pytest.mark.parametrize("name", ["logistic", "square", "linear", "regression"])
def test_a_chain_is_right(name: str) -> None:
    found = certified(name, chain())
    assert found.verified.claim == "consistent-at-p"
    assert found.verified.conditions["additive"]
    assert [float(x) for x in found.scores] == sorted(map(float, found.scores), reverse=True)


@pytest.mark.parametrize("name", ["exponential", "squared-hinge", "linear", "difference-logistic"])
def test_games_are_told_wrong_by_an_order_that_costs_less(name: str) -> None:
    a = games(M, 3)
    found = certified(name, a)
    assert found.verified.claim == "inconsistent" and found.verified.failure == "strict"
    assert found.verified.every
    assert found.verified.regret == loss(found.distribution.aggregate, found.prediction) - loss(
        found.distribution.aggregate, found.better
    )
    assert found.verified.surrogate == name and name in found.verified.recomputed


@pytest.mark.parametrize("name", ["logistic", "linear"])
def test_a_best_order_that_is_known_is_the_one_of_the_proof(name: str) -> None:
    p = Distribution.from_aggregate(games(M, 3))
    best = kemeny(p.aggregate)
    found = certify(name, p, best=best)
    assert found is not None
    assert found.better == best.order
    assert found.verified.claim == certified(name, games(M, 3)).verified.claim


def test_a_bad_order_given_as_the_best_proves_nothing_false() -> None:
    """The order of a chain turned round: the right answer stays, for a better order is looked for."""
    p = Distribution.from_aggregate(chain())
    reverse = tuple(range(p.m))[::-1]
    bad = KemenyOrder(reverse, loss(p.aggregate, reverse), Fraction(0), NO_CYCLES)
    found = certify("logistic", p, best=bad)
    assert found is not None and found.verified.claim == "consistent-at-p"


@pytest.mark.parametrize("name", ["logistic", "square", "linear"])
def test_what_is_said_of_few_items_agrees_with_all_their_optimal_orders(name: str) -> None:
    said = set()
    for seed in range(4):
        p = Distribution.from_aggregate(games(6, seed))
        question = OrderQuestion.of(surrogate(name).risk_terms(p), p.aggregate, p.items)
        entry = proof_for_many(question, p.aggregate).entry
        verified = verify(sealed(entry, {}, {}))
        few = certify(name, p)
        assert few is not None
        assert verified.claim == few.verified.claim
        if verified.claim == "inconsistent":
            assert optimal_orders(p.aggregate).loss <= loss(p.aggregate, few.better)
        said.add(verified.claim)
    assert said == {"inconsistent", "consistent-at-p"}


def test_of_two_groups_without_a_minimum_the_upper_one_stays_above() -> None:
    """Nine items that never lose to nine others: no minimum of logistic, but its order is told."""
    a = chain()
    for i in range(9, M):
        for j in range(9):
            a[i][j] = 0
    found = certified("logistic", a)
    assert found.verified.claim == "consistent-at-p"
    assert found.prediction == tuple(range(M))


def arcs(m: int, d: dict[tuple[int, int], int]) -> Distribution:
    return Distribution.from_aggregate([[d.get((i, j), 0) for j in range(m)] for i in range(m)])


@pytest.mark.parametrize("name", ["logistic", "difference-logistic"])
def test_what_moves_apart_for_ever_is_kept_in_order_by_what_was_compared(name: str) -> None:
    # 0 > 1 > 2 > 3 and 0 > 4 > 5: items 2 and 4 fall to neighboring levels, but never met.
    p = arcs(6, {(0, 1): 1, (1, 2): 1, (2, 3): 1, (0, 4): 1, (4, 5): 1, (0, 3): 2})
    question = OrderQuestion.of(surrogate(name).risk_terms(p), p.aggregate, p.items)
    entry = proof_for_many(question, p.aggregate).entry
    assert entry["claim"] == "consistent-at-p"
    found = certify(name, p, quick=True)
    assert found is not None
    assert not found.inconsistent
    assert optimal_orders(p.aggregate).count() == 10  # of 0 > 1 > 2 > 3 and 0 > 4 > 5: 5! / (3! 2!)


@pytest.mark.parametrize("name", ["logistic", "difference-logistic"])
def test_tied_items_in_a_cycle_cost_more_however_they_are_ordered(name: str) -> None:
    # Items 0, 1, 2 are tied by symmetry, and any order of them costs 10; of the others 3 > 0, 1, 2 > 4 > 3
    # the scores contradict 6 + 6 votes where 6 would do.
    cycle = {(0, 1): 10, (1, 2): 10, (2, 0): 10, (4, 3): 6}
    p = arcs(5, cycle | {(3, k): 2 for k in range(3)} | {(k, 4): 5 for k in range(3)})
    question = OrderQuestion.of(surrogate(name).risk_terms(p), p.aggregate, p.items)
    entry = proof_for_many(question, p.aggregate).entry
    assert entry["failure"] == "strict"
    assert entry["orders"]["cycles"]  # without them the bound is 12 votes, and 16 is the least
    found = certify(name, p, quick=True)
    assert found is not None
    assert found.failure == "strict"


def test_exact_ties_that_matter_are_a_failure() -> None:
    """A cycle of three on top of a chain: their net wins are equal, and half of their orders cost more."""
    a = [[0] * M for _ in range(M)]
    for i in range(M):
        for j in range(max(i + 1, 3), M):
            a[i][j] = 1
    a[0][1] = a[1][2] = a[2][0] = 1
    for name in ("linear", "regression"):
        found = certified(name, a)
        assert found.verified.claim == "inconsistent" and found.verified.failure == "tie"
        assert found.verified.regret == 1


def test_exact_ties_that_do_not_matter_are_right() -> None:
    a = chain()
    a[3] = list(a[4])
    a[3][3], a[3][4], a[4][3] = 0, 9, 9
    for k in range(M):
        a[k][3] = a[k][4] if k not in (3, 4) else a[k][3]
    assert certified("linear", a).verified.claim == "consistent-at-p"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hinge", r"for more than 15 items slopes must be continuous: max\(0,1-x\) is not known"),
        ("margin-logistic", "one loss of differences of two scores, and of lines"),
        (LinearSurrogate("own", parse("x**4/4+x**2/2"), Fraction(1)), "this is neither"),
    ],
)
def test_what_cannot_be_proved_has_a_reason(name: str | LinearSurrogate, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        certify(name, Distribution.from_aggregate(chain()))


def test_all_items_equal_prove_nothing() -> None:
    a = [[int(i != j) for j in range(M)] for i in range(M)]
    for name in ("logistic", "linear"):
        with pytest.raises(UnsupportedError, match="0 pairs are proved to be ordered"):
            certify(name, Distribution.from_aggregate(a))


def test_a_weight_beyond_floats_has_the_reason() -> None:
    a = chain()
    a[0][1] = 10**400
    with pytest.raises(UnsupportedError, match="too large for floats"):
        certify("logistic", Distribution.from_aggregate(a))


def test_the_names_of_the_items_do_not_matter() -> None:
    a, order = games(M, 3), np.random.default_rng(0).permutation(M).tolist()
    moved = [[a[i][j] for j in order] for i in order]
    first, second = played(), certified("logistic", moved)
    assert [order[k] for k in second.prediction] == list(first.prediction)
    assert first.verified.claim == second.verified.claim
    assert first.verified.regret == second.verified.regret


def test_the_file_states_the_aggregate_alone_and_is_read_again() -> None:
    found = played()
    assert "graphs" not in found.document["named"]
    again = Witness.of(json.loads(json.dumps(found.document)))
    assert again.distribution == found.distribution and again.verified == found.verified


def test_graphs_that_the_aggregate_does_not_tell_are_listed() -> None:
    edges = [(Fraction(1, 2), PreferenceGraph.of([(0, k, 1) for k in range(1, M)]))]
    edges.append((Fraction(1, 2), PreferenceGraph.of([(j, k, 1) for j, k in combinations(range(1, M), 2)])))
    found = certify("regression", Distribution.of(M, edges))
    assert found is not None and len(found.document["named"]["graphs"]) == 2
    assert found.verified.claim == "consistent-at-p"


def test_no_changed_order_or_slope_is_accepted() -> None:
    found = played()
    entry = json.loads(json.dumps(found.document["proof"]))
    costs = {(i, j): x for i, row in enumerate(found.distribution.aggregate) for j, x in enumerate(row)}
    worst: Order = tuple(reversed(found.prediction))
    assert cost(costs, worst) > cost(costs, found.prediction)
    certificate = entry["certificate"]
    common, bounds = certificate["common"], certificate["bounds"]
    changes = [
        {"prediction": [found.distribution.items[k] for k in worst]},
        {"better": entry["prediction"], "prediction": entry["better"]},
        {"certificate": {**certificate, "gap": "1"}},
        {"certificate": {**certificate, "bounds": bounds[:1]}},
        {"certificate": {**certificate, "common": {**common, "slopes": common["slopes"][::-1]}}},
        {"certificate": {**certificate, "common": {**common, "radii": ["0"] * len(common["radii"])}}},
        {"scores": entry["scores"][::-1]},
    ]
    for change in changes:
        with pytest.raises(RejectedError):
            verify(sealed({**entry, **change}, {}, {}))


def test_the_proof_in_words_needs_no_list_of_optimal_orders() -> None:
    found = played()
    text = " ".join(map(str, proof(found.document, found.verified, "file.json")))
    assert "Whatever comes near the infimum of W is certainly outside A(p)." in text
    assert f"costs {found.verified.regret} more than {found.distribution.items[found.better[0]]} >" in text


def test_a_chain_of_many_items_is_decided_without_a_list_of_orders() -> None:
    assert decide_profile("logistic", Distribution.from_aggregate(chain())).verdict is Verdict.CONSISTENT


def test_a_witness_of_many_items_tells_what_the_file_proves_and_says_what_is_not_known() -> None:
    wrong = certified("logistic", games(24, 3))
    with pytest.raises(UnsupportedError, match=r"^all optimal orders are known for at most 20 items, and"):
        _ = wrong.optimum
    assert wrong.wrong_pairs == ()  # majorities stand in cycles, so none is known
    a = wrong.distribution.aggregate
    assert loss(a, wrong.prediction) - loss(a, wrong.better) >= wrong.verified.regret > 0
    right = certified("logistic", chain(24))
    assert right.better == right.prediction == tuple(range(24))
    assert right.wrong_pairs == ()


def test_exact_ties_of_a_loss_of_parabolas_are_a_failure() -> None:
    """A cycle of three above a chain: floats see the tie, an exact minimizer proves it."""
    below = {(i, j): 1 for i, j in combinations(range(M), 2) if j > 2}
    found = certify("squared-hinge", arcs(M, below | {(0, 1): 1, (1, 2): 1, (2, 0): 1}))
    assert found is not None
    assert (found.inconsistent, found.failure, found.certificate) == (True, "tie", "minimum")
    assert found.verified.regret == 1


def test_no_search_for_a_better_order_goes_further_than_is_worthwhile(monkeypatch) -> None:
    """An item that beats all of a round of 19, each of which beats the next 9: no order is nearly best."""
    cycle = {(i, j): 1 for i in range(19) for j in range(19) if (j - i) % 19 in range(1, 10)}
    p = arcs(20, cycle | {(19, j): 1 for j in range(19)})
    monkeypatch.setattr(kemeny_module, "_MANY", 10)
    monkeypatch.setattr(kemeny_module, "_STEPS", 200)
    steps = []

    def counted(a, effort=None):
        steps.append((effort or kemeny_module.Effort()).iterations)
        return kemeny_module.kemeny(a, effort)

    for module in (many_items, certified_module):
        monkeypatch.setattr(module, "kemeny", counted)
    found = certified_at(surrogate("exponential"), p, kemeny_module.kemeny(p.aggregate, worthwhile(20)))
    assert found.verdict is Verdict.INCONSISTENT
    names = ", ".join(map(str, range(1, 13)))
    assert found.reason == f"{names} and 7 more alone are wrong, and the strong components move apart"
    assert steps and max(steps) <= 5_000 < kemeny_module.Effort().iterations


def test_items_that_are_nearly_tied_are_predicted_in_the_order_of_their_scores() -> None:
    """The last item is a copy of the first one, and wins one game in 10^9 more."""
    a = [[10**9 * x for x in row] for row in games(M - 1, 0)]
    for row in a:
        row.append(row[0])
    a.append([*a[0][:-1], 0])
    a[0][-1] = a[-1][0] = 10**9
    a[-1][1] += 1
    found = certified("squared-hinge", a)
    assert found.failure == "strict"
    assert 0 < found.scores[-1].a - found.scores[0].a < Fraction(1, 10**6)
    assert found.prediction.index(M - 1) + 1 == found.prediction.index(0)


@pytest.mark.parametrize("name", ["logistic", "exponential", "squared-hinge", "linear", "regression"])
def test_what_the_core_decides_in_memory_is_what_a_file_says(name: str) -> None:
    kinds = set()
    for seed in range(3):
        for p in (Distribution.from_aggregate(games(6, seed)), Distribution.from_aggregate(games(9, seed))):
            case = Case(surrogate(name), p)
            stated = [one for one in (proof_by_addition(case.of_orders, p.aggregate),) if one is not None]
            with suppress(UnsupportedError):
                stated.append(proof_for_many(case.of_orders, p.aggregate))
            for one in stated:
                assert one.proof == read_proof(one.entry)
                kinds.add(type(one.proof.certificate))
                if isinstance(one.proof.certificate, Separation):
                    wide = replace(one.proof.certificate, gap=one.proof.certificate.gap * 1000)
                    with pytest.raises(RejectedError):
                        decide(replace(one.proof, certificate=wide))
    assert kinds
