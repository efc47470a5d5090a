"""DMJ10 Lemma 14: low noise puts the net preferences in order, for any number of items."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.book.linear_loss import Case, RowsOf, System, cases, larger_rows, triples
from consistency_lab.book.polynomials import Line, Lines, step, vanishes
from consistency_lab.book.risk import differences, weights
from consistency_lab.book.statement import (
    Checked,
    FalseVariant,
    Kind,
    Refutation,
    Statement,
    Step,
    concluded,
    entries,
    fractions,
    stored,
)
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import rational_text
from consistency_lab.model.conditions import condition, low_noise_rows, net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.posets import LinearForm, combined
from consistency_lab.model.surrogates import surrogate
from consistency_lab.theorems.infeasibility import AffineWitness, directed, prove_affine

MULTIPLIERS_FILE: Final = "lemma_14.json"
MOST_ITEMS: Final = 6

Document = Mapping[str, object]


def check() -> Checked:
    """Check the statement."""
    return checked(stored(MULTIPLIERS_FILE))


def checked(document: Document) -> Checked:
    """Check the statement with this stored evidence."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m",
        [three_items(document), _posets(document), _independent(document), _stronger(document), _converse()],
        (
            "Where the last line of the proof says that (j → k) is not in G̃, it means (k → j).",
            "The proof uses less than low noise: d_ik ≥ max(d_ij, d_jk) along paths i → j → k is enough "
            "(ours, with the same multipliers).",
        ),
    )


def three_items(document: Document) -> Step:
    """The proof for any number of items: one for three items, summed over the third."""
    known = _known(document, "low-noise", low_noise_rows)
    lines: Lines = [
        "Let i → k be an edge of G̃. As d_ki = −d_ik and d_kj = −d_jk,",
        *_sum_lines(),
        "so N_i − N_k = 2 d_ik + Σ_j (d_ij + d_jk), the sum over the items j other than i and k.",
        "The first summand, which stands for j = i and j = k, is positive; no other is negative, by",
        "the condition on the three items i, j, k alone. Numbered 1, 2, 3 along the edges of G̃:",
        *(_shown(case, low_noise_rows, y) for case, y in known.items()),
    ]
    return step(
        "d_ij + d_jk ≥ 0 for every third item j, hence N_i − N_k ≥ 2 d_ik > 0",
        Kind.PROOF_ALL_M,
        "all m",
        f"{len(known)} cases of three items, Farkas multipliers accepted by the core, summed over j",
        lines,
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
            accepted += bool(known) and _accepts(
                case.wrong_order(low_noise_rows), case.summed(low_noise_rows, known)
            )
    return step(
        "No low-noise d has an edge i → k with N_i ≤ N_k",
        Kind.PROOF_THIS_M,
        f"m ≤ {MOST_ITEMS}",
        f"{accepted} of {total} systems infeasible: every edge of the {len(shapes)} posets on 2 to "
        f"{MOST_ITEMS} items (318 of them on 6, and the one without edges left out), checked by the core",
        [],
        accepted == total,
    )


def _independent(document: Document) -> Step:
    """Multipliers that a linear program found without the argument by three items."""
    found = list(_numbered(document))
    accepted = sum(_accepts(case.wrong_order(low_noise_rows), y) for case, y in found)
    complete = [case for case, _ in found] == [case for m in (2, 3, 4) for case in cases(m)]
    return step(
        "The same from linear programs over all the items at once",
        Kind.PROOF_THIS_M,
        "m ≤ 4",
        f"{accepted} of {len(found)} stored vectors of Farkas multipliers accepted by the core",
        [],
        complete,
        accepted == len(found),
    )


def _stronger(document: Document) -> Step:
    """d_ik ≥ max(d_ij, d_jk) in place of d_ik ≥ d_ij + d_jk."""
    known = _known(document, "larger", larger_rows)
    return step(
        "d_ik ≥ max(d_ij, d_jk) along paths i → j → k is enough for Eq. 16 (ours)",
        Kind.PROOF_ALL_M,
        "all m",
        f"{len(known)} cases of three items, Farkas multipliers accepted by the core, summed over j",
        [_shown(case, larger_rows, y) for case, y in known.items()],
        bool(known),
    )


def _converse() -> Step:
    refutation = _eq_16_implies_low_noise()
    return step(
        "The converse is false",
        Kind.CERTIFICATE,
        "m = 3",
        "one distribution, exactly",
        [refutation.witness],
        refutation.refuted,
    )


def _sum_lines() -> list[Line]:
    import sympy as sp

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
    accepted = all(_accepts(case.third_item(rows_of), y) for case, y in known.items())
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


def _accepts(system: System, y: Sequence[Fraction]) -> bool:
    try:
        system.check(y)
    except RejectedError:
        return False
    return True


def _shown(case: Case, rows_of: RowsOf, y: Sequence[Fraction]) -> str:
    """d_ij + d_jk as the combination that the multipliers give."""
    i, k = case.edge
    j = 3 - i - k
    *used, scale = y
    rows = rows_of(case.relation, 3).inequalities
    target = combined([(Fraction(1), directed(i, j)), (Fraction(1), directed(j, k))])
    inside = {pair: c for pair, c in target.items() if pair in case.relation}
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


def _acyclic() -> Refutation:
    found = prove_affine(surrogate("regression"), "acyclic", 3)
    if not isinstance(found, AffineWitness):
        return Refutation(False, "every acyclic d on three items has its net preferences in order")
    i, k = found.edge
    nets = ", ".join(map(rational_text, found.net))
    wrong = found.d[i][k] > 0 and found.net[i] <= found.net[k] and condition("acyclic").holds(found.d)
    shown = differences(Distribution.from_aggregate(found.aggregate))
    return Refutation(wrong, f"{shown}: N = ({nets}), in the wrong order on {i + 1} → {k + 1}")


def _eq_16_implies_low_noise() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 1}))
    d = p.difference
    refuted = condition("net-order").holds(d) and not condition("low-noise").holds(d)
    return Refutation(refuted, f"{differences(p)}: N = (2, 0, −2) is in order, but d_13 < d_12 + d_23")


def _smaller() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (1, 3): 1, (2, 3): 5}))
    d = p.difference
    n = net(d)
    refuted = d[0][2] >= min(d[0][1], d[1][2]) and d[0][1] > 0 and n[0] < n[1]
    return Refutation(refuted, f"{differences(p)}: d_13 ≥ min(d_12, d_23), but N_1 = 2 < N_2 = 4 on 1 → 2")


STATEMENT: Final = Statement(
    name="lemma-14",
    title="DMJ10 Lemma 14",
    latex=(
        r"If \(d_{ij} > 0,\ d_{jk} > 0 \implies d_{ik} \ge d_{ij} + d_{jk}\), then"
        r" \(\sum_j d_{ij} > \sum_j d_{kj}\) whenever \(d_{ik} > 0\)."
    ),
    plain="Under low noise, every edge of the difference graph leads to an item of smaller net preference.",
    hypotheses=(r"\((G, p)\) is low-noise (Definition 8)",),
    citation="DMJ10 Lemma 14",
    check=check,
    variants=(
        FalseVariant("An acyclic difference graph is enough for Eq. 16.", _acyclic),
        FalseVariant("The converse: Eq. 16 implies low noise.", _eq_16_implies_low_noise),
        FalseVariant("d_ik ≥ min(d_ij, d_jk) along paths i → j → k is enough for Eq. 16.", _smaller),
    ),
    files=(MULTIPLIERS_FILE,),
)
