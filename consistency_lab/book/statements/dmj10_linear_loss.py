"""DMJ10 Theorem 13 to Corollary 15: the value-regularized linear loss and the order of net preferences."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Final

from consistency_lab.book.linear_loss import (
    INVERSES,
    Case,
    RowsOf,
    cases,
    inverse_lines,
    kink_lines,
    larger_rows,
    monotone_lines,
    risk_lines,
    triples,
)
from consistency_lab.book.polynomials import confirmed, question, sp, vanishes
from consistency_lab.book.risk import (
    differences,
    linear_falls,
    low_noise_differences,
    rational_scores,
    refuted_by_core,
    weights,
    with_differences,
)
from consistency_lab.book.slopes import right, wrong
from consistency_lab.book.statement import (
    Cases,
    FalseVariant,
    Line,
    Refutation,
    Statement,
    Step,
    also,
    check,
    drawn,
    entries,
    excluded,
    false,
    fractions,
    step,
    stored,
)
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import rational_text
from consistency_lab.model.conditions import condition, low_noise_rows, net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.posets import LinearForm, combined, orientations
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.optimal import optimal_orders
from consistency_lab.theorems.base import Evidence
from consistency_lab.theorems.infeasibility import AffineWitness, prove_affine, third_item
from consistency_lab.theorems.linear import COROLLARY_15 as CONSISTENT_UNDER_LOW_NOISE

# --- DMJ10 Theorem 13: the value-regularized linear loss is right exactly where net preferences are in order

SLOPES_FILE: Final = "theorem_13.smt2"

KINKED: Final = "x**2/2 + abs(x)"
"""Strictly convex and 1-coercive, but not differentiable at 0."""

FLAT: Final = "max(0, abs(x) - 1)**2"
"""Convex, differentiable and 1-coercive, but constant on [-1, 1]."""

_CYCLE: Final = weights(3, {(1, 2): 3, (2, 3): 3, (3, 1): 1})


def closed_form() -> Step:
    """Eq. 15."""
    return step(
        "Eq. 15 in closed form",
        f"all m, r = {', '.join(inverse.r for inverse in INVERSES)}",
        f"identities for one pair and one item, by SymPy; {len(INVERSES)} regularizers",
        "W(p, α) = Σ_ij a_ij (α_j − α_i) + ν Σ_i r(α_i); for one pair of items",
        *risk_lines(),
        "so W(p, α) = Σ_i (ν r(α_i) − N_i α_i) with N_i = Σ_j d_ij: one problem for each item,",
        "solved by r'(α_i) = N_i/ν, that is α_i = s(N_i/ν) with s the inverse of r' (Eq. 15):",
        *(line for inverse in INVERSES for line in inverse_lines(inverse)),
    )


def monotone() -> Step:
    """Items are scored in the order of N, for every r at once."""
    return step(
        "Minimizers are ordered as N is",
        "all m, all convex differentiable 1-coercive r",
        "two tangent inequalities, added up by SymPy; z3 finds no x₁ > x₂ with g₁ < g₂ either",
        "Let g₁ = r'(x₁) and g₂ = r'(x₂). A convex r lies above both tangents:",
        "r₂ ≥ r₁ + g₁(x₂−x₁) and r₁ ≥ r₂ + g₂(x₁−x₂). Adding the two differences,",
        *monotone_lines(),
        "so (g₂−g₁)(x₂−x₁) ≥ 0. If g₁ < g₂ then x₁ ≤ x₂, and x₁ = x₂ would give g₁ = r'(x₁) = g₂.",
        "Hence g₁ < g₂ implies x₁ < x₂: every minimizer has α_i > α_k where N_i > N_k. As r is",
        "1-coercive, r' takes every value, so minimizers exist and are bounded.",
        confirmed(SLOPES_FILE, smt_question()),
    )


def smt_question() -> str:
    """Can a convex function have smaller slope at the larger of two points?"""
    return question(
        "Slopes of a convex function r at x1 and x2: g1 < g2 implies x1 <= x2.",
        ["r2 - r1 >= g1*(x2 - x1)", "r1 - r2 >= g2*(x1 - x2)", "g1 < g2", "x1 > x2"],
    )


def equivalence() -> Step:
    """Both directions, from the closed form and the monotone inverse."""
    return step(
        "W* < inf outside A(p) if and only if Eq. 16 holds",
        "all m, all convex differentiable 1-coercive r",
        "by hand, from the two findings above and Lemma 16; tried out on examples below",
        "Let G̃ be acyclic. By Lemma 16, A(p) = {α : α_i > α_k on edges i → k, or ≥ if i > k}.",
        "⇐  Let N_i > N_k on every edge. Then α_i > α_k on every edge at every minimizer, so the set of",
        "   minimizers, which is compact, lies inside A(p). The closure of the complement of A(p) is",
        "   {α : α_i ≤ α_k on some edge}; W is convex and coercive, so it has a least value there, and",
        "   that is not W*.",
        "⇒  Let N_i ≤ N_k on an edge. Then some minimizer has α_i ≤ α_k (take α_i = α_k if N_i = N_k).",
        "   Points with α_i < α_k lie as near to it as one likes, outside A(p), so by continuity of W",
        "   inf{W(p, α) : α ∉ A(p)} = W*(p).",
    )


def _boundary() -> Step:
    """The printed proof's "alpha* is in A(p) if and only if Eq. 16 holds" is not so."""
    p = Distribution.from_aggregate(weights(3, {(2, 1): 1, (1, 3): 2}))
    best = optimal_orders(p.aggregate)
    inside = best.in_optimal_set(rational_scores([1, 1, -2]))
    near = best.in_optimal_set(rational_scores([Fraction(1001, 1000), 1, -2]))
    return step(
        "With N_i = N_k on an edge with i > k, α* lies in A(p) although Eq. 16 fails",
        "m = 3, one example",
        "all optimal orders, by dynamic programming",
        f"{differences(p)}, r = x²/2, ν = 1: α* = N = (1, 1, −2) is in A(p), since 2 > 1 breaks the tie;",
        "but (1 + ε, 1, −2) is not, and W exceeds W* there by ε²/2 only.",
        inside and not near,
        not condition("net-order").holds(p.difference),
    )


def kink() -> Step:
    """A regularizer with a kink fails at some additive differences of at most three items."""
    return step(
        "Differentiability of r is necessary, even for additive differences",
        "m = 3, all convex 1-coercive r with a kink",
        "identities by SymPy; for one r the core has accepted a witness (see the false variants)",
        "Let ∂r(x) = [c−e', c+e'] at a kink x, and 0 < e < e'. Three items with N = ν(c+e, c−e, −2c),",
        *kink_lines(),
        "have α_1 = α_2 = x in the minimizer, though 1 → 2 is an edge: W* is attained outside A(p).",
        "So for convex, 1-coercive r: consistent under additive (low-noise, net-order) differences",
        "if and only if r is differentiable. The failure is a tie, never a strict inversion.",
    )


def _flat() -> Step:
    """A regularizer that is not strictly convex, at a distribution where an item sits on its flat part."""
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 4}))
    return step(
        "Strict convexity of r is not needed: a flat part does no harm",
        f"m = 3, r = {FLAT}",
        f"the core accepts that W* < inf outside A(p) at {differences(p)}, where α_2 is free in [−1, 1]",
        right(p, surrogate("linear", r=FLAT)) is not None,
    )


def _examples() -> Step:
    """The core's verdict against Eq. 16, for every shape of an acyclic difference graph."""
    laws = list(_shapes())
    held = [condition("net-order").holds(p.difference) for p in laws]
    agree = [
        (right if holds else wrong)(p, surrogate("linear")) is not None
        for p, holds in zip(laws, held, strict=True)
    ]
    return step(
        "The core's verdict agrees with Eq. 16",
        "m ≤ 4, r = x²/2, two choices of weights for each shape of G̃",
        f"{{}} distributions agree; Eq. 16 holds at {sum(held)} of them",
        Cases(sum(agree), len(laws)),
        0 < sum(held) < len(laws),
    )


def _shapes() -> Iterator[Distribution]:
    for m in (2, 3, 4):
        for relation in orientations(m)[1:]:
            for shift in (0, 1):
                a = {(i + 1, j + 1): 1 + (i + shift * j) % 3 for i, j in relation}
                yield Distribution.from_aggregate(weights(m, a))


def without_differentiability() -> Refutation:
    """r = x²/2 + |x| and two items with d_12 = 1/2."""
    r = surrogate("linear", r=KINKED)
    return refuted_by_core(r, weights(2, {(1, 2): Fraction(1, 2)}), "additive", scores=(0, 0))


@false("The equivalence also holds where the difference graph has a cycle.")
def _without_dag() -> Refutation:
    p = Distribution.from_aggregate(_CYCLE)
    return Refutation(
        right(p, surrogate("linear")) is not None and not condition("net-order").holds(p.difference),
        f"{differences(p)}: N = (2, 0, −2), so Eq. 16 fails on 3 → 1; yet the core accepts that"
        " W* < inf outside A(p)",
    )


THEOREM_13: Final = Statement(
    latex=(
        r"\(W^*(p) < \inf_\alpha\{W(p,\alpha) : \alpha \notin A(p)\} \iff"
        r" \sum_j d_{ij} > \sum_j d_{kj} \text{ whenever } d_{ik} > 0\), for"
        r" \(\varphi(\alpha,G) = \sum_{i \to j} a^G_{ij}(\alpha_j - \alpha_i) + \nu \sum_i r(\alpha_i)\)"
    ),
    plain=(
        "The value-regularized linear loss is consistent at p exactly if every edge of the difference graph "
        "leads to an item of smaller net preference."
    ),
    hypotheses=(
        r"\(\nu > 0\)",
        "r is strictly convex and 1-coercive",
        "r is differentiable (not in the paper, but needed)",
        r"\(\tilde G\) is a DAG",
    ),
    citation="DMJ10 Theorem 13, Eq. 15 and 16",
    check=check(
        "all m, all convex differentiable 1-coercive r, all ν > 0",
        lambda: [closed_form(), monotone(), equivalence(), _boundary(), kink(), _flat(), also(_examples())],
        "The paper leaves out that r is differentiable; without it the theorem is false, even for two "
        "items and additive differences (r = x²/2 + |x|, d_12 = 1/2).",
        "Strict convexity of r is not needed: a convex, differentiable, 1-coercive r is enough.",
        "The proof says that α* ∈ A(p) if and only if Eq. 16 holds; with N_i = N_k on an edge i → k with "
        "i > k, α* is in A(p), on its boundary. The theorem stands, as points near α* are not in A(p).",
    ),
    variants=(
        FalseVariant(
            "Eq. 16 with ≥ in place of > is enough for consistency where the difference graph is acyclic.",
            lambda: refuted_by_core(surrogate("linear"), weights(3, {(1, 2): 1, (2, 3): 2}), "acyclic"),
        ),
        FalseVariant(
            "The theorem holds for every strictly convex, 1-coercive r, differentiable or not.",
            without_differentiability,
        ),
        _without_dag,
    ),
    files=(SLOPES_FILE,),
)


# --- DMJ10 Lemma 14: low noise puts the net preferences in order, for any number of items ----------------

MULTIPLIERS_FILE: Final = "lemma_14.json"
MOST_ITEMS: Final = 6

Document = Mapping[str, object]


def lemma_14_steps(document: Document) -> list[Step]:
    """The steps of the check, with this stored evidence."""
    return [
        three_items(document),
        _posets(document),
        _independent(document),
        _stronger(document),
        _converse(),
    ]


def three_items(document: Document) -> Step:
    """The proof for any number of items: one for three items, summed over the third."""
    known = _known(document, "low-noise", low_noise_rows)
    return step(
        "d_ij + d_jk ≥ 0 for every third item j, hence N_i − N_k ≥ 2 d_ik > 0",
        "all m",
        f"{len(known)} cases of three items, Farkas multipliers accepted by the core, summed over j",
        "Let i → k be an edge of G̃. As d_ki = −d_ik and d_kj = −d_jk,",
        *_sum_lines(),
        "so N_i − N_k = 2 d_ik + Σ_j (d_ij + d_jk), the sum over the items j other than i and k.",
        "The first summand, which stands for j = i and j = k, is positive; no other is negative, by",
        "the condition on the three items i, j, k alone. Numbered 1, 2, 3 along the edges of G̃:",
        *(_shown(case, low_noise_rows, y) for case, y in known.items()),
        bool(known),
    )


def _posets(document: Document) -> Step:
    """The same multipliers, put together for every shape of up to six items."""
    known = _known(document, "low-noise", low_noise_rows)
    shapes: set[tuple[int, frozenset[tuple[int, int]]]] = set()
    accepted = total = 0
    for m in range(2, MOST_ITEMS + 1):
        for case in cases(m):
            shapes.add((m, case.relation))
            total += 1
            summed = case.summed(low_noise_rows, known) if known else ()
            accepted += excluded(*case.wrong_order(low_noise_rows), summed)
    return step(
        "No low-noise d has an edge i → k with N_i ≤ N_k",
        f"m ≤ {MOST_ITEMS}",
        f"{accepted} of {total} systems infeasible: every edge of the {len(shapes)} posets on 2 to "
        f"{MOST_ITEMS} items (318 of them on 6, and the one without edges left out), checked by the core",
        accepted == total,
    )


def _independent(document: Document) -> Step:
    """Multipliers that a linear program found without the argument by three items."""
    found = list(_numbered(document))
    accepted = sum(excluded(*case.wrong_order(low_noise_rows), y) for case, y in found)
    complete = [case for case, _ in found] == [case for m in (2, 3, 4) for case in cases(m)]
    return step(
        "The same from linear programs over all the items at once",
        "m ≤ 4",
        f"{accepted} of {len(found)} stored vectors of Farkas multipliers accepted by the core",
        complete,
        accepted == len(found),
    )


def _stronger(document: Document) -> Step:
    """d_ik ≥ max(d_ij, d_jk) in place of d_ik ≥ d_ij + d_jk."""
    known = _known(document, "larger", larger_rows)
    return step(
        "d_ik ≥ max(d_ij, d_jk) along paths i → j → k is enough for Eq. 16 (ours)",
        "all m",
        f"{len(known)} cases of three items, Farkas multipliers accepted by the core, summed over j",
        *[_shown(case, larger_rows, y) for case, y in known.items()],
        bool(known),
    )


def _converse() -> Step:
    refutation = _eq_16_implies_low_noise.refute()
    return step(
        "The converse is false",
        "m = 3",
        "one distribution, exactly",
        Line(refutation.witness, refutation.refuted),
    )


def _sum_lines() -> list[Line]:
    ij, jk, ik = sp.symbols("d_ij d_jk d_ik", real=True)
    return [
        vanishes("d_ij − d_kj = d_ij + d_jk", (ij - (-jk)) - (ij + jk)),
        vanishes("d_ii − d_ki = d_ik − d_kk = d_ik", (0 - (-ik)) - (ik - 0)),
    ]


def _known(document: Document, key: str, rows_of: RowsOf) -> dict[Case, tuple[Fraction, ...]]:
    """Stored multipliers for three items; empty unless all of them are accepted."""
    found = entries(document, key)
    expected = list(triples())
    if [entry.get("case") for entry in found] != [case.name for case in expected]:
        return {}
    known = {case: _vector(entry) for case, entry in zip(expected, found, strict=True)}
    accepted = all(excluded(*case.third_item(rows_of), y) for case, y in known.items())
    return known if accepted else {}


def _numbered(document: Document) -> list[tuple[Case, tuple[Fraction, ...]]]:
    by_name = {(m, case.name): case for m in (2, 3, 4) for case in cases(m)}
    found = []
    for entry in entries(document, "up-to-4-items"):
        m, name = entry.get("m"), entry.get("case")
        if isinstance(m, int) and isinstance(name, str) and (m, name) in by_name:
            found.append((by_name[m, name], _vector(entry)))
    return found


def _vector(entry: Mapping[str, object]) -> tuple[Fraction, ...]:
    try:
        return fractions(entry, "y")
    except (InputError, RejectedError):
        return ()


def _shown(case: Case, rows_of: RowsOf, y: Sequence[Fraction]) -> str:
    """d_ij + d_jk as the combination that the multipliers give."""
    i, k = case.edge
    j = 3 - i - k
    *used, scale = y
    rows = rows_of(case.relation, 3).inequalities
    inside = {pair: c for pair, c in third_item(case.edge).items() if pair in case.relation}
    weighted = [(w / scale, row) for w, row in zip(used, rows, strict=True) if w]
    rest = combined([(Fraction(1), inside), *((-w, row) for w, row in weighted)])
    parts = [("" if w == 1 else f"{rational_text(w)}·") + f"({_text(row)})" for w, row in weighted]
    whole = " + ".join([*parts, *([_text(rest)] if rest else [])])
    shape = " ".join(f"{a + 1}→{b + 1}" for a, b in sorted(case.relation))
    left = f"d_{i + 1}{j + 1} + d_{j + 1}{k + 1}"
    return f"  edges {shape}, i = {i + 1}, k = {k + 1}: {left} = {whole or '0'} ≥ 0"


def _text(row: LinearForm) -> str:
    out = ""
    for (i, j), c in sorted(row.items(), key=lambda item: (item[1] < 0, item[0])):
        size = "" if abs(c) == 1 else f"{rational_text(abs(c))} "
        sign = (" − " if c < 0 else " + ") if out else ("−" if c < 0 else "")
        out += f"{sign}{size}d_{i + 1}{j + 1}"
    return out


@false("An acyclic difference graph is enough for Eq. 16.")
def _acyclic() -> Refutation:
    found = prove_affine(surrogate("regression"), "acyclic", 3)
    if not isinstance(found, AffineWitness):
        return Refutation(False, "every acyclic d on three items has its net preferences in order")
    i, k = found.edge
    nets = ", ".join(map(rational_text, found.net))
    wrong = found.d[i][k] > 0 and found.net[i] <= found.net[k] and condition("acyclic").holds(found.d)
    shown = differences(Distribution.from_aggregate(found.aggregate))
    return Refutation(wrong, f"{shown}: N = ({nets}), in the wrong order on {i + 1} → {k + 1}")


@false("The converse: Eq. 16 implies low noise.")
def _eq_16_implies_low_noise() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 1}))
    d = p.difference
    refuted = condition("net-order").holds(d) and not condition("low-noise").holds(d)
    return Refutation(refuted, f"{differences(p)}: N = (2, 0, −2) is in order, but d_13 < d_12 + d_23")


@false("d_ik ≥ min(d_ij, d_jk) along paths i → j → k is enough for Eq. 16.")
def _smaller() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (1, 3): 1, (2, 3): 5}))
    d = p.difference
    n = net(d)
    refuted = d[0][2] >= min(d[0][1], d[1][2]) and d[0][1] > 0 and n[0] < n[1]
    return Refutation(refuted, f"{differences(p)}: d_13 ≥ min(d_12, d_23), but N_1 = 2 < N_2 = 4 on 1 → 2")


LEMMA_14: Final = Statement(
    latex=(
        r"If \(d_{ij} > 0,\ d_{jk} > 0 \implies d_{ik} \ge d_{ij} + d_{jk}\), then"
        r" \(\sum_j d_{ij} > \sum_j d_{kj}\) whenever \(d_{ik} > 0\)."
    ),
    plain="Under low noise, every edge of the difference graph leads to an item of smaller net preference.",
    hypotheses=(r"\((G, p)\) is low-noise (Definition 8)",),
    citation="DMJ10 Lemma 14",
    check=check(
        "all m",
        lambda: lemma_14_steps(stored(MULTIPLIERS_FILE)),
        "Where the last line of the proof says that (j → k) is not in G̃, it means (k → j).",
        "The proof uses less than low noise: d_ik ≥ max(d_ij, d_jk) along paths i → j → k is enough "
        "(ours, with the same multipliers).",
    ),
    variants=(_acyclic, _eq_16_implies_low_noise, _smaller),
    files=(MULTIPLIERS_FILE,),
)


# --- DMJ10 Corollary 15: the value-regularized linear loss is consistent under low noise -----------------

_REGULARIZERS: Final = ("x**2/2", "x**4/4 + x**2/2", "exp(x) + exp(-x)")


def _hypotheses() -> Step:
    """The hypotheses of the corollary, checked by machine for regularizers with different growth."""
    lines, proved = [], True
    for text in _REGULARIZERS:
        evidence = CONSISTENT_UNDER_LOW_NOISE.applies(surrogate("linear", r=text), "low-noise")
        proved = proved and isinstance(evidence, Evidence)
        if isinstance(evidence, Evidence):
            lines.append(f"r = {text}:")
            lines += [
                f"    {what.split(' (')[0]}: {how.split(': ')[-1]}" for what, how in evidence.hypotheses[1:]
            ]
    return step(
        "Its hypotheses hold for these r",
        f"r = {', '.join(_REGULARIZERS)}",
        "piecewise polynomials are decided, others proved by rules of composition",
        *lines,
        proved,
    )


def _samples() -> Step:
    """The core's verdict at random low-noise distributions."""

    def accepted(rng: Random, m: int) -> bool | None:
        d = low_noise_differences(rng, m)
        if not any(map(any, d)):
            return None
        return right(with_differences(d, rng), surrogate("linear")) is not None

    claim, how = "The core accepts that W* < inf outside A(p)", "at {} random low-noise distributions"
    return drawn(claim, "m ≤ 5, r = x²/2", how, accepted, (2, 3, 4, 5), 12, 15)


@false("The linear loss is consistent wherever the difference graph is acyclic.")
def _acyclic_alone() -> Refutation:
    aggregate = weights(3, {(1, 2): 1, (2, 3): 3})
    return refuted_by_core(surrogate("linear"), aggregate, "acyclic", strict=True)


@false("Under low noise the loss is consistent without r too (ν = 0).")
def _without_regularizer() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 2}))
    return linear_falls(p, (3, -2, -1))


COROLLARY_15: Final = Statement(
    latex=(
        r"The loss \(\sum_{i \to j} a^G_{ij}(\alpha_j - \alpha_i) + \nu \sum_i r(\alpha_i)\)"
        r" of Eq. 14 is edge-consistent if \((G,p)\) is low-noise."
    ),
    plain="The value-regularized linear loss is consistent wherever low noise holds.",
    hypotheses=(
        r"\(\nu > 0\)",
        "r is strictly convex and 1-coercive",
        "r is differentiable (not in the paper, but needed)",
        r"\((G, p)\) is low-noise (Definition 8)",
    ),
    citation="DMJ10 Corollary 15 (Theorem 13 with Lemma 14)",
    check=check(
        "all m, all convex differentiable 1-coercive r, all ν > 0",
        lambda: [
            three_items(stored(MULTIPLIERS_FILE)),
            closed_form(),
            monotone(),
            equivalence(),
            _hypotheses(),
            also(_samples()),
        ],
        "As Theorem 13, it needs r to be differentiable, which the paper does not say.",
        "By the remark to Lemma 14, d_ik ≥ max(d_ij, d_jk) along paths i → j → k is enough for it.",
    ),
    variants=(
        _acyclic_alone,
        FalseVariant(
            "Corollary 15 holds for every strictly convex, 1-coercive r, differentiable or not.",
            without_differentiability,
        ),
        _without_regularizer,
    ),
    files=(MULTIPLIERS_FILE, SLOPES_FILE),
)
