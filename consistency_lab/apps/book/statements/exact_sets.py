"""What refutes the false variants of the page on the exact sets."""

from consistency_lab.apps.book.risk import rational_scores, refuted_where_right, scores_of, weighted, wrong
from consistency_lab.apps.book.statement import Refutation
from consistency_lab.apps.book.statements.edge_losses import printed_conditions
from consistency_lab.model.conditions import net
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.stationary import stationary_slopes


def strictly_necessary() -> Refutation:
    p = weighted("12:2 13:8 23:1 31:5")
    phi = surrogate(phi="max(0,3-2*x)+max(0,8-2*x)")
    in_order = stationary_slopes(phi.risk_terms(p), 3, rational_scores([3, 1, 0])) is not None
    witness = wrong(p, phi)
    return Refutation(
        not any(printed_conditions(p)) and in_order and witness is not None,
        "h12, h13, h23, h31 = 2, 8, 1, 5: h23 = 1 = h31 h12/(h13+h12), so neither condition holds, but every"
        f" convex phi with phi'(0) < 0 is wrong (four_edges_exactly); {phi.name} has the minimizers"
        f" (3, 1, 0) in A(p) and {scores_of(witness) if witness else '?'} outside it",
    )


def every_phi_elsewhere() -> Refutation:
    p = weighted("12:1 13:2 23:4 31:1")
    witness = wrong(p, surrogate("logistic"))
    if witness is None:
        return Refutation(False, "logistic was not certified to be wrong")
    return Refutation(
        not any(printed_conditions(p)),
        "h12, h13, h23, h31 = 1, 2, 4, 1 fulfil neither condition, and logistic is wrong there:"
        f" scores {scores_of(witness)}, {witness.verified.failure}, accepted by the core",
    )


def printed_conditions_for_six() -> Refutation:
    p = weighted("12:2 13:3 21:1 23:1 31:3")
    note = "h12, h13, h23, h31 = 2, 3, 1, 3 and h21 = 1: Condition 1 as printed is 1 < 6/5"
    return refuted_where_right(p, surrogate("logistic"), note, printed_conditions(p)[0])


def reversed_nets() -> Refutation:
    p = weighted("12:3 13:4 21:1 23:3 31:1 32:1")
    note = "h12, h13, h23 = 3, 4, 3 and h21, h31, h32 = 1: N = (5, 0, −5), and −15 < 0 < 15"
    a, n = p.aggregate, net(p.difference)
    given = a[0][1] * n[2] < a[0][2] * n[1] < a[1][2] * n[0]
    return refuted_where_right(p, surrogate("logistic"), note, given)
