"""RAT13 Theorem 6: least squares on any scores f of a preference graph is right wherever E f orders by d.

The expected loss of an order is a sum over pairs, and turning the pair i, j around changes it by d_ij. So an
order along which all d_ij are at least 0 is optimal, and P_f says that sorting E f gives such an order, with
every rule for ties. Here also the converse within P_DAG: at a p outside P_f some rule for ties is wrong.
"""

from fractions import Fraction
from typing import Final

from consistency_lab.book.polynomials import Lines, step, vanishes
from consistency_lab.book.rat13 import (
    SCORES,
    Law,
    Programs,
    edges_of,
    in_p_dag,
    in_p_f,
    law,
    net_feature,
    numbers,
    optimal,
    ranking,
    regret,
    sorted_orders,
    text,
    upside_down,
)
from consistency_lab.book.rat13 import expected_scores as expected
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.model.tasks.conditions import differences
from consistency_lab.model.tasks.discrete import PairwiseDisagreement
from consistency_lab.model.tasks.labels import Dags, Label

_ANY: Final = "all r, all f"
_THREE: Final = PairwiseDisagreement(Dags(3))


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all r, all f, every p in P_f, every rule for ties",
        [pairs_step(), _sorted(), _margin(), _converse(), _programs(), _squares()],
        (
            "Nothing is asked of f, and of labels only that they are weighted graphs; they may have cycles.",
            "Within P_DAG the condition is exact: outside P_f some way to break ties is wrong (ours).",
            "That ψ_DMJ is right on P_f for any λ that is strictly convex and 1-coercive needs λ to be "
            "differentiable as well (see DMJ10 Theorem 13).",
        ),
    )


def pairs_step() -> Step:
    """The loss of a rival is the loss of 1 > … > r plus d_ij for the pairs that it has upside down."""
    count, agreed = 0, True
    for r in (2, 3, 4):
        task = PairwiseDisagreement(Dags(r))
        first, *rivals = task.predictions
        for y in task.space.labels:
            least, d = task.loss(y, first), differences(task.space, {y: Fraction(1)})
            agreed = agreed and all(task.loss(y, t) - least == upside_down(d, t) for t in rivals)
            count += len(rivals)
    lines: Lines = [
        "ℓ(y, σ) is a sum over pairs {i, j}: y_ji if σ has i before j, and y_ij if j before i. So",
        "    pᵀℓ_τ − pᵀℓ_π = Σ d_ij over the i, j with i before j in π and j before i in τ,",
        "d_ij = E Y_ij − E Y_ji. If d_ij ≥ 0 whenever i is before j in π, then π is optimal, and τ is too",
        "exactly if all those d_ij are 0.",
    ]
    return step(
        "An order along which every d_ij ≥ 0 is optimal",
        Kind.PROOF_ALL_M,
        "all r",
        f"pair by pair; compared exactly for every DAG and order of r ≤ 4 items, {count} differences",
        lines,
        agreed,
    )


def _sorted() -> Step:
    lines: Lines = [
        "Let p be in P_f and σ sort u = E f(Y), its ties broken in any way; i before j gives u_i ≥ u_j.",
        "If d_ji were above 0, P_f would give u_j > u_i. So d_ij ≥ 0 along σ, and σ is optimal.",
    ]
    return step(
        "At every p in P_f every order that sorts E f is optimal",
        Kind.PROOF_ALL_M,
        _ANY,
        "the contrapositive of the condition, and the step before",
        lines,
    )


def _margin() -> Step:
    import sympy as sp

    x, y, v, f, q = sp.symbols("e_i e_j v f q", real=True)
    half = ((y - x) ** 2 + (x + y) ** 2) / 2
    lines: Lines = [
        vanishes("E (v − f_i)² = (v − E f_i)² + var f_i", v**2 - 2 * v * f + q - (v - f) ** 2 - (q - f**2)),
        "so u = E f is the minimizer and the excess of v is |v − u|². Let δ be the least u_i − u_j over",
        "the edges d_ij > 0. If v may be decoded to an order that is not optimal, some edge is upside",
        "down there: v_j ≥ v_i and u_i − u_j ≥ δ. With e = v − u, e_j − e_i ≥ δ and",
        vanishes("e_i² + e_j² = ((e_j − e_i)² + (e_i + e_j)²)/2", x**2 + y**2 - half),
        "so the excess is at least δ²/2 > 0, which is Definition 1.",
    ]
    return step(
        "Scores that may be decoded wrongly have an excess of at least δ²/2, δ the least gap on an edge",
        Kind.PROOF_ALL_M,
        _ANY,
        "two identities by SymPy",
        lines,
    )


def _converse() -> Step:
    lines: Lines = [
        "Let p be in P_DAG but not in P_f: some d_ij > 0 has E f_i ≤ E f_j. Some order that sorts E f has",
        "j before i; against an order along the acyclic edges it loses Σ d over pairs upside down, all at",
        "least 0, among them d_ij > 0. So with ties broken at will the decoder is wrong at p.",
    ]
    return step(
        "At a p in P_DAG outside P_f some order that sorts E f is not optimal",
        Kind.PROOF_ALL_M,
        _ANY,
        "the same sum over pairs",
        lines,
    )


def _programs() -> Step:
    programs = Programs(_THREE)
    along = programs.along_worst()
    found = {name: programs.sorted_worst(make(_THREE.space)) for name, make in SCORES.items()}
    lines: Lines = ["The greatest regret that regression on f has over P_DAG:"]
    lines += [f"{name}: {value}, at {text(_THREE, p)}" for name, (value, p) in found.items()]
    return step(
        "Along d ≥ 0 no order has a regret; over P_DAG every one of four scores f is wrong somewhere",
        Kind.PROOF_THIS_M,
        "r = 3, all 25 DAGs",
        "exact linear programs with exact multipliers",
        lines,
        along == 0,
        all(value is not None and value > 0 for value, _ in found.values()),
    )


def _squares() -> Step:
    """ψ_DMJ with λ(z) = z² and ν = 1/2 is least squares on the net preference."""
    import sympy as sp

    f, u = sp.symbols("f_i u_i", real=True)
    y, a, b = sp.symbols("y_ij u_i u_j", real=True)
    lines: Lines = [
        vanishes(
            "y_ij (u_j − u_i) = −u_i y_ij + u_j y_ij: in all, −Σ u_i f_i, f_i = Σ_j (y_ij − y_ji)",
            y * (b - a) + a * y - b * y,
        ),
        vanishes(
            "u_i²/2 − u_i f_i = (u_i − f_i)²/2 − f_i²/2", u**2 / 2 - u * f - (u - f) ** 2 / 2 + f**2 / 2
        ),
        "so ψ_DMJ with λ(z) = z², ν = 1/2 is half of ψ_f less what does not depend on u.",
    ]
    return step(
        "With f_i = Σ_j (y_ij − y_ji), ψ_f is twice the value-regularized linear loss up to a constant",
        Kind.PROOF_ALL_M,
        "all r",
        "two identities by SymPy",
        lines,
    )


def sorted_wrongly(p: Law, inside: bool) -> Refutation:
    """Refute that sorting the mean net preference is right at a p, for some way of breaking ties."""
    f = net_feature(_THREE.space)
    scores = expected(p, f)
    worst = max(sorted_orders(scores), key=lambda order: regret(_THREE, p, order))
    lost = regret(_THREE, p, worst)
    return Refutation(
        inside and lost > 0,
        f"f = wins − losses; {text(_THREE, p)}: {edges_of(differences(_THREE.space, p))}, E f = "
        f"{numbers(scores)}, so {ranking(worst)}; its regret is {lost}",
    )


def _on_p_dag() -> Refutation:
    p = law({(0, 1): 1, (1, 2): 3})
    return sorted_wrongly(
        p, in_p_dag(_THREE.space, p) and len(set(expected(p, net_feature(_THREE.space)))) == 3
    )


def _weak() -> Refutation:
    """With ≥ the constant f fulfils the condition everywhere, and no decoder can be right."""
    task = PairwiseDisagreement(Dags(2))
    laws = [law({(0, 1): 1}), law({(1, 0): 1})]
    first, second = (optimal(task, p) for p in laws)
    means = [expected(p, _constant) for p in laws]
    return Refutation(
        means[0] == means[1] and not first & second,
        f"f = 0, two items: {text(task, laws[0])}, or {text(task, laws[1])}: both have the minimizer 0, and "
        "their optimal orders differ, so no decoder is right at both",
    )


def _constant(label: Label) -> list[Fraction]:
    return [Fraction(0), Fraction(0)]


def _largest_set() -> Refutation:
    space = _THREE.space
    p = law({(0, 1): 2, (1, 2): 2, (2, 0): 1})
    f = net_feature(space)
    scores = expected(p, f)
    orders, best = set(sorted_orders(scores)), optimal(_THREE, p)
    return Refutation(
        not in_p_f(space, p, f) and not in_p_dag(space, p) and orders == best and len(set(scores)) == 3,
        f"f = wins − losses; {text(_THREE, p)}: a cycle, so p is in no P_f; E f = {numbers(scores)} has no"
        f" ties and gives {', '.join(map(ranking, orders))}, which is the optimal order",
    )


STATEMENT: Final = Statement(
    name="rat13-theorem-6",
    title="RAT13 Theorem 6",
    latex=(
        r"For every \(f : Y \to \mathbf{R}^r\), \(\psi_f(y,u) = \sum_i (u_i - f_i(y))^2\), decoded by"
        r" sorting, is calibrated with pairwise disagreement over \(P_f = \{p : \mathbf{E} Y_{ij} >"
        r" \mathbf{E} Y_{ji} \implies \mathbf{E} f_i(Y) > \mathbf{E} f_j(Y)\}\)"
    ),
    plain="Least squares on any scores of a preference graph is right wherever their means order each edge.",
    hypotheses=(r"\(p \in P_f\)", "labels are graphs with nonnegative weights"),
    citation="RAT13 Theorem 6; the bound δ²/2 and the converse within P_DAG are ours",
    check=check,
    variants=(
        FalseVariant("With f = wins − losses it is right on P_DAG.", _on_p_dag),
        FalseVariant("It is enough that E Y_ij > E Y_ji implies E f_i ≥ E f_j.", _weak),
        FalseVariant("P_f is the largest set on which ψ_f and sorting are right.", _largest_set),
    ),
)
