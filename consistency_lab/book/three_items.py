"""The exact set of three-item aggregates at which no convex phi is right.

With N_i = sum_j (h_ij - h_ji), some convex phi is right in the order 1, 2, 3 if and only if

    h12 N3 < h13 N2 < h23 N1.

Condition 1 of DMJ10 Lemma 10 says h13 N2 < h12 N3, Condition 2 says h13 N2 > h23 N1, both for h21 = h32 = 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Final

from consistency_lab.book.constructions import Construction, Weights, constructions, sum_of_hinges
from consistency_lab.book.every_phi import convex_names, from_weights, right, universal, wrong
from consistency_lab.book.polynomials import Formula, Polynomial
from consistency_lab.book.slopes import SIX_EDGES, Contradiction, mirrored
from consistency_lab.book.smt import question
from consistency_lab.book.statement import Finding, Kind
from consistency_lab.book.steps import Step
from consistency_lab.book.stored import FOLDER, stored
from consistency_lab.model.surrogates import surrogate

STORED: Final = "six_edges.json"

NETS: Final[Mapping[str, str]] = {
    "1": "h12+h13-h21-h31",
    "2": "h21+h23-h12-h32",
    "3": "h31+h32-h13-h23",
}
"""N_i = sum_j (h_ij - h_ji)."""

EXCESSES: Final[Mapping[str, str]] = {
    "Condition 1": f"h12*({NETS['3']})-h13*({NETS['2']})",
    "Condition 2": f"h13*({NETS['2']})-h23*({NETS['1']})",
}
"""What each condition says is positive (DMJ10), or at least 0 (exactly)."""

_NET: Final = {item: Formula(text) for item, text in NETS.items()}
_EXCESS: Final = {name: Formula(text) for name, text in EXCESSES.items()}

DOMAIN: Final = ("h12-h21 > 0", "h23-h32 > 0", f"{NETS['1']} > 0", f"{NETS['3']} < 0")
"""1, 2, 3 is the one optimal order: against 213, 132, 231 and 312; 321 is worse than one of these."""

NOT_NECESSARILY: Final = {"Condition 1": ("23", "32"), "Condition 2": ("12", "21")}
"""The pair that ties at the other minimizer if the condition holds with equality."""

Cases = tuple[Construction, ...]


def excess(h: Weights, condition: str) -> Fraction:
    """How far a condition is exceeded at some weights.

    Examples
    --------
    >>> h = {edge: Fraction(x) for edge, x in zip(SIX_EDGES, (3, 8, 0, 1, 4, 0), strict=True)}
    >>> [str(excess(h, condition)) for condition in EXCESSES]
    ['1', '-23']
    """
    return _EXCESS[condition].polynomial.value({f"h{edge}": h[edge] for edge in SIX_EDGES})


def largest_excess(h: Weights) -> Fraction:
    """Positive or 0: no convex phi is right; negative: some sum of hinges is."""
    return max(excess(h, condition) for condition in EXCESSES)


def in_domain(h: Weights) -> bool:
    """Whether 1, 2, 3 is the one optimal order, and each item can be reached from each other."""
    values = {f"h{edge}": h[edge] for edge in SIX_EDGES}
    n1, n3 = (_NET[item].polynomial.value(values) for item in "13")
    ordered = h["12"] > h["21"] and h["23"] > h["32"] and n1 > 0 > n3
    # 1 beats 2 beats 3; so all is connected if 3 beats 1, or 3 beats 2 and 2 beats 1.
    return ordered and bool(h["31"] or (h["32"] and h["21"]))


def grid(values: Mapping[str, Sequence[int]]) -> Iterator[Weights]:
    """All weights in the domain with these values on the edges; 0 on the others."""
    edges = list(values)
    for chosen in product(*values.values()):
        h = dict.fromkeys(SIX_EDGES, Fraction(0)) | dict(zip(edges, map(Fraction, chosen), strict=True))
        if in_domain(h):
            yield h


def stored_cases(folder: Path = FOLDER) -> Cases:
    """The stored constructions of a convex phi that is right."""
    return constructions(stored(STORED, folder))


def tie_question(proof: Contradiction, extra: Sequence[str]) -> str:
    """With equality in a condition, the slopes that are forced to be equal, as a question in SMT-LIB."""
    down, up = NOT_NECESSARILY[proof.name.split(" for ")[0]]
    far = "12" if down == "23" else "23"
    back = up if up in proof.edges else None
    other = "21" if back == "32" else "32"
    equal = [f"g13 = g{far}", f"g{down} = g0", "g31 = g0"]
    if back is not None:
        equal += [f"h{back}*g{back} = h{back}*g0", f"h{other}*g{other} = h{other}*g0"]
    return question(
        f"{proof.name} with equality: slopes at a minimizer alpha_1 > alpha_2 > alpha_3 are equal as listed",
        [*proof.claims("="), *extra],
        none_of=equal,
    )


TIE_LINES: Final = (
    "Let Condition 1 hold with equality, k = 0, and α* ∈ A(p) be a minimizer with δ_ij = α*_i − α*_j.",
    "The multipliers add up to 0, so each comparison with a positive multiplier is an equality:",
    "    g13 = g12,  g23 = g31 = g0  (and g32 = g0 if h32 > 0, g21 = g0 if h21 > 0).",
    "Move 2 down to 3: α' = (δ12, 0, 0). The same slopes belong to φ at the arguments of α':",
    "    12 and 13:  δ12 for both, and g13 = g12;      23 and 32:  0, and g23 = g32 = g0;",
    "    31 and 21:  −δ12, which lies between −δ13 and 0, where g0 is a slope of φ.",
    "So α' is a minimizer with a tie of 2 and 3, outside A(p). Condition 2 is the mirror image.",
    "(Without a minimizer in A(p) there is one outside it.) So W* = inf {W : α ∉ A(p)}.",
)


def construction_step(cases: Cases, scope: str) -> Step:
    """The step that the stored constructions are right, and apply where neither condition holds."""
    first, second = (_EXCESS[name].polynomial for name in EXCESSES)
    general = next((case for case in cases if "31" in case.edges), None)
    applies = False
    if general is not None:
        start = {"e": Polynomial.number(0)}
        means = general.meaning()
        applies = (
            means["s"].at(start) == -first
            and means["r"].at(start) == Polynomial.parse("h21+h23-h32")
            and means["n2"] == -Polynomial.parse(NETS["2"])
            and mirrored(first) == second
        )
    return Step(
        len(cases) == len({case.name for case in cases}) > 0 and all(c.holds() for c in cases) and applies,
        Finding(
            "Where neither condition holds, not even with =, a sum of four hinges is right",
            Kind.PROOF_THIS_M,
            scope,
            "identities of polynomials in h and e; s = −k at e = 0, so s > 0 for small e",
            (
                *(line for case in cases for line in case.lines()),
                "For N2 ≥ 0 read the order of the items backwards: 12 ↔ 23, 21 ↔ 32.",
                "φ(x) = c₄[2−x]₊ + c₃[1−x]₊ + c₂[−1−x]₊ + c₁[−2−x]₊, c > 0, with these slopes inside its",
                "kinks has (2, 1, 0) as its only minimizer up to shifts; φ'(0) < 0, and φ ≥ 0.",
            ),
        ),
    )


def core_grid_step(values: Mapping[str, Sequence[int]], scope: str, folder: Path = FOLDER) -> Step:
    """The step that the core agrees with the exact set on a grid of aggregates."""
    cases = stored_cases(folder)
    none = tie = some = 0
    stands = True
    for h in grid(values):
        over, p = largest_excess(h), from_weights(h)
        if over > 0:
            none += 1
            stands = stands and universal(p) is not None
        elif over == 0:
            tie += 1
            stands = stands and all(wrong(p, surrogate(name)) is not None for name in convex_names())
        else:
            some += 1
            phi = sum_of_hinges(h, cases)
            stands = stands and phi is not None and right(p, surrogate(phi=phi)) is not None
    how = (
        f"{none} inside: multipliers for every φ; {tie} on the boundary: every named convex φ is wrong;"
        f" {some} outside: a sum of hinges is right; all accepted by the core"
    )
    claim = f"The core agrees at {none + tie + some} aggregates"
    return Step(stands and min(none, tie, some) > 0, Finding(claim, Kind.CERTIFICATE, scope, how))
