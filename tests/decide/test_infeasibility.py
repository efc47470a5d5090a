"""Exact infeasibility proofs, and exact witnesses, for surrogates that order by net preference."""

from fractions import Fraction

import pytest

from consistency_lab.decide.theorems.base import EXACT_INFEASIBILITY
from consistency_lab.decide.theorems.infeasibility import (
    InfeasibilityProof,
    Multipliers,
    Step,
    Triples,
    _Tools,
    prove_affine,
)
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.conditions import conditions_of, cone
from consistency_lab.model.posets import Cone, chain, form, net_gap, posets
from consistency_lab.model.surrogates import LinearSurrogate, RegressionSurrogate, surrogate
from consistency_lab.numbers.phi import parse
from consistency_lab.solve.lp import FloatSolver

RULE = {(0, 1): -1, (0, 2): 1, (1, 2): -1}
"""d_13 - d_12 - d_23, which low noise makes nonnegative on a chain of three."""

HALF = Fraction(1, 2)

NET = RegressionSurrogate("regression")
LINEAR = surrogate("linear")


@pytest.mark.parametrize(("loss", "name", "cases"), [(NET, "low-noise", 405), (LINEAR, "additive", 20)])
def test_consistency_up_to_five_items(loss, name, cases):
    # 405 = the pairs of the 1 + 4 + 15 + 62 posets with a pair on 2..5 items; all multipliers are exact.
    proof = prove_affine(loss, name)
    assert proof.cases == cases
    for step in proof.steps:
        assert step.proves(cone(name, step.relation, step.m))
    evidence = proof.evidence()
    assert (evidence.kind, evidence.scope) == (EXACT_INFEASIBILITY, "m <= 5")


def test_every_poset_and_every_pair_of_it_is_covered():
    assert prove_affine(NET, "net-order", 4).evidence().scope == "m <= 4"
    proof = prove_affine(NET, "low-noise", 4)
    covered = [(step.m, step.relation, step.edge) for step in proof.steps]
    wanted = [(m, relation, edge) for m in (2, 3, 4) for relation in posets(m) for edge in relation]
    assert len(set(covered)) == len(covered)
    assert set(covered) == set(wanted)


def test_a_wrong_multiplier_proves_nothing():
    rows = cone("low-noise", chain(3), 3)
    right = Triples("low-noise").multipliers(chain(3), (0, 1), 3)
    assert Step(3, chain(3), (0, 1), right).proves(rows)
    for k, (weight, row) in enumerate(right.inequalities):
        for changed in (weight + 1, -weight):
            weights = list(right.inequalities)
            weights[k] = (changed, row)
            assert not Step(3, chain(3), (0, 1), Multipliers((), tuple(weights))).proves(rows)
    # N_0 - N_1 itself is no row of the low-noise cone, and nothing else than its rows may be used.
    gap = ((Fraction(1), net_gap(0, 1, 3)),)
    assert not Step(3, chain(3), (0, 1), Multipliers((), gap)).proves(rows)
    assert not Step(3, chain(3), (0, 1), Multipliers(gap, ())).proves(rows)


@pytest.mark.parametrize(
    ("edge", "equalities", "inequalities"),
    [
        # A row of the cone, but with a weight below 0 that another one makes good.
        ((0, 1), (), [(3, {(0, 1): 1}), (1, RULE), (HALF, {(0, 2): 1}), (-HALF, {(0, 2): 1})]),
        # Positive weights, but a row that the condition does not make nonnegative.
        ((0, 1), (), [(3, {(0, 1): 1}), (1, {(0, 2): 1}), (1, {(0, 1): -1, (1, 2): -1})]),
        # A form that the condition does not make zero.
        ((0, 1), [(1, RULE)], [(3, {(0, 1): 1})]),
        # Nothing in the sum is positive because (1, 3) is an edge, and so at least 0 is all that it is.
        ((0, 2), (), [(2, RULE), (3, {(0, 1): 1}), (3, {(1, 2): 1})]),
        ((0, 2), (), [(2, RULE), (3, {(0, 1): 1}), (3, {(1, 2): 1}), (0, {(0, 2): 1})]),
        # Another sum than N_i - N_k.
        ((0, 1), (), [(2, {(0, 1): 1}), (1, RULE)]),
    ],
)
def test_what_a_combination_may_use(edge, equalities, inequalities):
    zero, nonnegative = (
        tuple((Fraction(weight), form(row)) for weight, row in part) for part in (equalities, inequalities)
    )
    rows = cone("low-noise", chain(3), 3)
    assert not Step(3, chain(3), edge, Multipliers(zero, nonnegative)).proves(rows)


def test_a_tie_of_the_net_preferences_is_a_witness_too():
    """Where N_1 = N_2 everywhere in the cone, the edge (1, 2) is not inverted but not respected either."""
    tools = _Tools("acyclic", Triples("acyclic"), FloatSolver())
    rows = cone("acyclic", chain(3), 3)
    tied = Cone((*rows.equalities, net_gap(0, 1, 3)), rows.inequalities, rows.strict)
    (witness,) = tools.witnesses(3, tied, (0, 1))
    assert not witness.strict
    assert witness.net[0] == witness.net[1] and witness.d[0][1] > 0


def test_a_strict_witness_comes_before_a_tie():
    tools = _Tools("acyclic", Triples("acyclic"), FloatSolver())
    strict, tie = tools.witnesses(3, cone("acyclic", chain(3), 3), (0, 1))
    assert (strict.strict, tie.strict) == (True, False)
    assert strict.net[1] > strict.net[0] and tie.net[1] >= tie.net[0]


def test_lemma_14_on_a_chain_of_three():
    # N_1 - N_2 = 3 d_12 + (d_13 - d_12 - d_23), in the items 1, 2, 3 of the paper.
    multipliers = Triples("low-noise").multipliers(chain(3), (0, 1), 3)
    assert multipliers == Multipliers(
        (), ((Fraction(3), form({(0, 1): 1})), (Fraction(1), form({(0, 1): -1, (0, 2): 1, (1, 2): -1})))
    )


@pytest.mark.parametrize("name", ["acyclic", "any"])
@pytest.mark.parametrize("loss", [NET, LINEAR], ids=lambda loss: loss.name)
def test_the_smallest_witness_has_three_items_two_edges_and_weights_one_and_three(loss, name):
    witness = prove_affine(loss, name)
    assert [list(map(int, row)) for row in witness.aggregate] == [[0, 1, 0], [0, 0, 3], [0, 0, 0]]
    assert (witness.m, witness.edge, witness.strict) == (3, (0, 1), True)
    assert list(map(int, witness.net)) == [1, 2, -3]
    held = conditions_of(witness.d)
    assert held["acyclic"]
    assert not held["net-order"]


def test_two_items_alone_refute_nothing():
    assert isinstance(prove_affine(NET, "acyclic", 2), InfeasibilityProof)
    assert prove_affine(NET, "any", 2) is None


@pytest.mark.parametrize("r", ["x**2/2+abs(x)", "exp(x)", "max(0,x)**2", "abs(x)"])
def test_regularizers_without_the_hypotheses_and_other_families_are_not_decided(r):
    assert prove_affine(LinearSurrogate("linear", parse(r), Fraction(1)), "low-noise") is None
    for name in ("logistic", "difference-logistic", "margin-hinge"):
        assert prove_affine(surrogate(name), "low-noise") is None


def test_limits_and_bad_questions():
    with pytest.raises(InputError, match="needs at least 2 items"):
        prove_affine(NET, "acyclic", 1)
    with pytest.raises(InputError, match="did you mean 'low-noise'"):
        prove_affine(NET, "low_nois")
    with pytest.raises(UnsupportedError, match="the limit is 5 items"):
        prove_affine(NET, "net-order", 6)
