"""What the page on the exact sets computes, and what refutes its false variants."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Final

from consistency_lab.apps.book.polynomials import Polynomial, confirmed, question
from consistency_lab.apps.book.risk import scores_of
from consistency_lab.apps.book.slopes import (
    FOUR_EDGES,
    SIX_EDGES,
    Contradiction,
    contradictions,
    convex_names,
    every_convex_phi,
    from_weights,
    mirrored,
    refuted_where_right,
    right,
    universal,
    witnesses,
    wrong,
)
from consistency_lab.apps.book.statement import Cases, Line, Refutation, stored
from consistency_lab.apps.book.statements.edge_losses import printed_conditions
from consistency_lab.apps.book.three_items import (
    DOMAIN,
    EXCESSES,
    NETS,
    STORED,
    Weights,
    covers_every_face,
    generators,
    grid,
    largest_excess,
    separation,
    smallest_faces,
    stored_cases,
    sum_of_hinges,
    tie_question,
)
from consistency_lab.certify.universal import universal_proof
from consistency_lab.core.inequalities import face_points
from consistency_lab.model.conditions import CONDITIONS, net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact import LogRational
from consistency_lab.solve.stationary import stationary_slopes

Found = Iterator[Line | bool | Mapping[str, str]]

# --- Multipliers that are polynomials in h, for DMJ10 Lemma 10, which is proved in Coq -------------------

MULTIPLIERS: Final = "lemma_10.json"
LEMMA_CONDITIONS: Final[Mapping[str, str]] = {
    "Condition 1": "h31*h12-h23*(h13+h12)",
    "Condition 2": "h31*h23-h12*(h13+h23)",
}
"""What each condition of the lemma says is positive."""

WITHOUT_QUESTION: Final = "assumption_a_without.smt2"


def proofs() -> tuple[Contradiction, ...]:
    """The stored multipliers, in the order of the conditions."""
    return contradictions(stored(MULTIPLIERS))


def are_about_the_lemma(found: tuple[Contradiction, ...]) -> bool:
    """Whether the multipliers are for the two conditions as the paper has them, without other assumptions."""
    return [proof.name for proof in found] == list(LEMMA_CONDITIONS) and all(
        proof.edges == FOUR_EDGES
        and len(proof.assumptions) == 1
        and proof.factor == Polynomial.parse(LEMMA_CONDITIONS[proof.name])
        for proof in found
    )


def four_edge_multipliers() -> Found:
    yield from _multipliers(proofs())
    yield are_about_the_lemma(proofs())


def _multipliers(found: tuple[Contradiction, ...]) -> Iterator[Line]:
    for proof in found:
        first, *more = proof.lines()
        yield Line(first, proof.holds(), tuple(more))


def without_question() -> str:
    """The last line of the argument without Assumption A: Wa, Qa at alpha, Wb, Qb at beta, and 1/k = i."""
    return question(
        "Lemma 10 without Assumption A: W(alpha) <= W(beta) + 2 eta follows for phi + x^2/k",
        ["Qa >= 0", "i > 0", "i*Qb <= eta", "Wa+i*Qa <= Wb+i*Qb+eta"],
        none_of=["Wa <= Wb+2*eta"],
    )


def _sum(*parts: str) -> Polynomial:
    return sum(map(Polynomial.parse, parts), Polynomial.number(0))


def without_assumption_a() -> tuple[bool, bool]:
    """The last inequality of the argument, by an identity and by z3."""
    identity = _sum("Wb+i*Qb+eta-Wa-i*Qa", "eta-i*Qb", "i*Qa") == Polynomial.parse("Wb+2*eta-Wa")
    return identity, confirmed(WITHOUT_QUESTION, without_question())


# --- Four edges ------------------------------------------------------------------------------------------

FOUR_EDGE_TIES: Final = {"Condition 1": "four_edges_tie_1.smt2", "Condition 2": "four_edges_tie_2.smt2"}
_POSITIVE: Final = tuple(f"h{edge} > 0" for edge in ("12", "13", "23", "31"))


def ties() -> list[tuple[str, str]]:
    """The questions about equality, with the names of their files."""
    return [(FOUR_EDGE_TIES[proof.name], tie_question(proof, _POSITIVE)) for proof in proofs()]


def four_edge_ties() -> bool:
    """Whether with equality in a condition slopes are forced to be equal."""
    return all(proof.holds() for proof in proofs()) and all(confirmed(*one) for one in ties())


def nets() -> Iterator[Line]:
    """The conditions are inequalities between net preferences."""
    zero = {"h21": Polynomial.number(0), "h32": Polynomial.number(0)}
    shown = {
        "Condition 1": "h31·h12 − h23·(h13 + h12) = h12·N3 − h13·N2",
        "Condition 2": "h31·h23 − h12·(h13 + h23) = h13·N2 − h23·N1",
    }
    for name, text in shown.items():
        excess = Polynomial.parse(EXCESSES[name]).at(zero)
        yield Line(text, excess == Polynomial.parse(LEMMA_CONDITIONS[name]))


def constructed(edges: str) -> Found:
    """The stored constructions are right, and apply where neither condition holds."""
    cases = tuple(case for case in stored_cases() if edges == "six" or "31" in case.edges)
    for case in cases:
        first, *more = case.lines()
        yield Line(first, case.holds(), tuple(more))
    general = next(case for case in cases if "31" in case.edges)
    condition_1, condition_2 = (Polynomial.parse(EXCESSES[name]) for name in EXCESSES)
    start, means = {"e": Polynomial.number(0)}, general.meaning()
    yield means["s"].at(start) == -condition_1
    yield means["r"].at(start) == Polynomial.parse("h21+h23-h32")
    yield means["n2"] == -Polynomial.parse(NETS["2"])
    yield mirrored(condition_1) == condition_2
    yield len(cases) == len({case.name for case in cases}) > 0


def core_grid(values: str) -> Found:
    """What the core says of a grid of aggregates, "12:1,2 13:1", beside the exact set."""
    cases = stored_cases()
    none = tie = some = 0
    for h in _grid(values):
        over, p = largest_excess(h), from_weights(h)
        if over > 0:
            none += 1
            yield universal(p) is not None
        elif over == 0:
            tie += 1
            yield all(wrong(p, surrogate(name)) is not None for name in convex_names())
        else:
            some += 1
            phi = sum_of_hinges(h, cases)
            yield phi is not None and right(p, surrogate(phi=phi)) is not None
    counted = {"all": none + tie + some, "none": none, "tie": tie, "some": some}
    yield {key: str(value) for key, value in counted.items()}
    yield min(none, tie, some) > 0


def _grid(values: str) -> Iterator[Weights]:
    edges = (edge.split(":") for edge in values.split())
    return grid({edge: tuple(map(int, numbers.split(","))) for edge, numbers in edges})


def strictly_necessary() -> Refutation:
    """h12, h13, h23, h31 = 2, 8, 1, 5 has equality in Condition 1, and nowhere a right phi."""
    h = {"12": 2, "13": 8, "23": 1, "31": 5}
    p = from_weights(h)
    phi = surrogate(phi="max(0,3-2*x)+max(0,8-2*x)")
    inside = [LogRational.parse(score) for score in ("3", "1", "0")]
    a_minimizer = stationary_slopes(phi.risk_terms(p), 3, inside) is not None
    witness = wrong(p, phi)
    stands = four_edge_ties() and a_minimizer and witness is not None
    return Refutation(
        stands,
        "h12, h13, h23, h31 = 2, 8, 1, 5: h23 = 1 = h31 h12/(h13+h12), so neither condition holds, but every"
        f" convex phi has a minimizer outside A(p); {phi.name} has (3, 1, 0) in A(p) and"
        f" {scores_of(witness) if witness else '?'} outside it",
    )


def every_phi_elsewhere() -> Refutation:
    p = from_weights({"12": 1, "13": 2, "23": 4, "31": 1})
    witness = wrong(p, surrogate("logistic"))
    if witness is None:
        return Refutation(False, "logistic was not certified to be wrong")
    return Refutation(
        not any(printed_conditions(p)),
        "h12, h13, h23, h31 = 1, 2, 4, 1 fulfil neither condition, and logistic is wrong there:"
        f" scores {scores_of(witness)}, {witness.verified.failure}, accepted by the core",
    )


# --- Six edges: Conditions 1 and 2 of DMJ10 Lemma 10 with <= ---------------------------------------------
#
#     Condition 1:  d23 (h12 + h13) <= h12 h31 - h13 h21,
#     Condition 2:  d12 (h23 + h13) <= h23 h31 - h13 h32.

SIX_EDGE_QUESTIONS: Final = {
    "Condition 1": "six_edges_condition_1.smt2",
    "Condition 2": "six_edges_condition_2.smt2",
}
SIX_EDGE_TIES: Final = {"Condition 1": "six_edges_tie_1.smt2", "Condition 2": "six_edges_tie_2.smt2"}


def six_edge_proofs() -> tuple[Contradiction, ...]:
    """The stored multipliers for six edges."""
    return contradictions(stored(STORED))


def are_about_six_edges(found: tuple[Contradiction, ...]) -> bool:
    """Whether the multipliers are for the two conditions, and assume only what the domain gives."""
    extra = {"Condition 1": "h23-h32", "Condition 2": "h12-h21"}
    return [proof.name for proof in found] == [f"{name} for six edges" for name in EXCESSES] and all(
        proof.edges == SIX_EDGES
        and proof.factor == Polynomial.parse(EXCESSES[name])
        and [a.formula.polynomial for a in proof.assumptions[1:]] == [Polynomial.parse(extra[name])]
        for name, proof in zip(EXCESSES, found, strict=True)
    )


def questions() -> list[tuple[str, str]]:
    """The questions for z3, with the names of their files."""
    asked = []
    for name, proof in zip(EXCESSES, six_edge_proofs(), strict=True):
        title = f"{proof.name}: slopes g of a convex phi at a minimizer alpha_1 > alpha_2 > alpha_3"
        asked += [
            (SIX_EDGE_QUESTIONS[name], question(title, proof.claims())),
            (SIX_EDGE_TIES[name], tie_question(proof, DOMAIN)),
        ]
    return asked


def six_edge_multipliers() -> Found:
    yield from _multipliers(six_edge_proofs())
    yield are_about_six_edges(six_edge_proofs())


def six_edge_questions() -> bool:
    return are_about_six_edges(six_edge_proofs()) and all(confirmed(*one) for one in questions())


def eliminated(number: str, values: str) -> Iterator[Mapping[str, str] | Cases | bool]:
    """The generators of the cone of slopes beside linear programs, at so many aggregates of a grid."""
    aggregates = Random(10).sample(list(_grid(values)), int(number))
    inside = sum(largest_excess(h) > 0 for h in aggregates)
    yield {"inside": str(inside)}
    yield Cases(sum(map(_agrees, aggregates)), len(aggregates))
    yield 0 < inside < len(aggregates)


def _agrees(h: Weights) -> bool:
    """Whether the exact set, the multipliers of a linear program and the generators say the same at h."""
    matrix = [[h[f"{i}{j}"] if i != j else h["12"] * 0 for j in range(1, 4)] for i in range(1, 4)]
    none = largest_excess(h) > 0
    separated = all(separation(matrix, point) is not None for point in smallest_faces(3))
    return none == separated == (universal_proof(matrix) is not None)


def printed_conditions_for_six() -> Refutation:
    p = from_weights({"12": 2, "13": 3, "21": 1, "23": 1, "31": 3})
    note = "h12, h13, h23, h31 = 2, 3, 1, 3 and h21 = 1: Condition 1 as printed is 1 < 6/5"
    return refuted_where_right(p, surrogate("logistic"), note, printed_conditions(p)[0])


def reversed_nets() -> Refutation:
    p = from_weights({"12": 3, "13": 4, "21": 1, "23": 3, "31": 1, "32": 1})
    note = "h12, h13, h23 = 3, 4, 3 and h21, h31, h32 = 1: N = (5, 0, −5), and −15 < 0 < 15"
    a, n = p.aggregate, net(p.difference)
    given = a[0][1] * n[2] < a[0][2] * n[1] < a[1][2] * n[0]
    return refuted_where_right(p, surrogate("logistic"), note, given)


# --- Four items: the faces that suffice, and an additive aggregate at which no convex phi is right -------

AGGREGATE: Final = tuple(
    tuple(Fraction(x) for x in row) for row in ((0, 1, 3, 8), (0, 0, 2, 3), (0, 0, 0, 1), (4, 0, 0, 0))
)
"""y = (4, 3, 1, 0), and 4 more on the outermost pair in both directions."""

_FOUR: Final = Distribution.from_aggregate(AGGREGATE)


def faces() -> Found:
    every, few = face_points(len(AGGREGATE)), smallest_faces(len(AGGREGATE))
    yield {"all": str(len(every)), "few": str(len(few))}
    line = "Points (α₁, …, α₄) on the faces with the fewest strict comparisons of the α_i − α_j:"
    yield Line(line, covers_every_face(len(AGGREGATE), few), tuple(f"    {point}" for point in few))


def additive() -> bool:
    return CONDITIONS["additive"].holds(AGGREGATE)


def separated() -> Found:
    """Integers that separate the net preferences from the cone of each of the smallest faces."""
    for point in smallest_faces(len(AGGREGATE)):
        found = separation(AGGREGATE, point)
        yield found is not None
        if found is not None:
            count = len(generators(AGGREGATE, point))
            text = f"at {point}: y = {found.y}, y·N > 0 ≥ y·v for {count} generators v"
            yield Line(text, found.holds(AGGREGATE))


def every_phi() -> Line:
    return every_convex_phi("y = (4, 3, 1, 0) and 4 on 14, 41", _FOUR, surrogate("logistic"))


def named() -> Sequence[Mapping[str, str] | Line]:
    return witnesses([(name, _FOUR, surrogate(name)) for name in convex_names()])
