"""Ours: approval ballots always give additive difference graphs, with the approval shares as scores."""

from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Final

from consistency_lab.book.polynomials import Lines, step, vanishes
from consistency_lab.book.risk import differences, refuted_by_core
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.data.bundled import sample_path
from consistency_lab.data.profile import Profile, read_profile
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.distribution import Distribution, PreferenceGraph
from consistency_lab.model.surrogates import surrogate

SAMPLE: Final = "vermont.toc"


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m",
        [_identity(), _converse(), _random(), _election()],
        (
            "So approval ballots satisfy every noise condition of the book, and the linear loss is "
            "consistent on them (Corollary 15), while the logistic loss is not.",
            "Ballots may have weights: y_i is then the mean weight of the ballots that approve i.",
        ),
    )


def _identity() -> Step:
    import sympy as sp

    x, y = sp.symbols("x_i x_j", real=True)
    lines: Lines = [
        "A ballot that approves the items S is the graph with an edge i → j of weight 1 for i ∈ S, j ∉ S.",
        "With x_i = 1 for i ∈ S and 0 otherwise, a_ij = x_i(1 − x_j) on this ballot, and",
        vanishes("a_ij − a_ji = x_i(1 − x_j) − x_j(1 − x_i) = x_i − x_j", x * (1 - y) - y * (1 - x) - x + y),
        "The mean over the ballots is d_ij = y_i − y_j with y_i the share of ballots that approve i.",
    ]
    return step(
        "d_ij = (share approving i) − (share approving j)",
        Kind.PROOF_ALL_M,
        "all m, all distributions on ballots",
        "an identity for one pair and one ballot, by SymPy; the mean is linear",
        lines,
    )


def _converse() -> Step:
    """Thresholds of y give ballots with the shares y."""
    y = [Fraction(n, 12) for n in (10, 3, 7, 3, 0)]
    p = _ballots(_thresholds(y), len(y))
    d = p.difference
    return step(
        "Every additive d with |d_ij| ≤ 1 comes from approval ballots",
        Kind.PROOF_ALL_M,
        "all m",
        "by hand; tried out at y = (10, 3, 7, 3, 0)/12",
        [
            "Let d_ij = y_i − y_j with least y 0. Draw t uniformly from [0, 1] and approve the items with",
            "y_i > t: item i is approved with probability y_i. There are finitely many such ballots.",
        ],
        all(d[i][j] == y[i] - y[j] for i in range(len(y)) for j in range(len(y))),
    )


def _thresholds(y: list[Fraction]) -> list[tuple[Fraction, frozenset[int]]]:
    steps = sorted({Fraction(0), Fraction(1), *y})
    return [
        (high - low, frozenset(i for i, value in enumerate(y) if value > low))
        for low, high in pairwise(steps)
    ]


def _ballots(ballots: list[tuple[Fraction, frozenset[int]]], m: int) -> Distribution:
    graphs = [(p, {(i, j): 1 for i in chosen for j in range(m) if j not in chosen}) for p, chosen in ballots]
    return Distribution.of(m, graphs)


def _random() -> Step:
    rng = Random(3)
    total = agreed = 0
    for m in (2, 3, 4, 5, 6):
        for _ in range(8):
            chosen = [frozenset(i for i in range(m) if rng.random() < 1 / 2) for _ in range(4)]
            counts = [rng.randint(1, 9) for _ in chosen]
            ballots = [(Fraction(n, sum(counts)), s) for n, s in zip(counts, chosen, strict=True)]
            shares = [sum((p for p, s in ballots if i in s), Fraction(0)) for i in range(m)]
            d = _ballots(ballots, m).difference
            total += 1
            agreed += all(d[i][j] == shares[i] - shares[j] for i in range(m) for j in range(m))
    return step(
        "Random ballots",
        Kind.TEST,
        "m ≤ 6",
        f"d_ij is the difference of the shares at {agreed} of {total} distributions on four ballots",
        [],
        agreed == total,
    )


def _election() -> Step:
    """The bundled election."""
    profile = _vermont()
    p = profile.distribution
    y = [
        sum(
            (q for q, graph in zip(p.probabilities, p.graphs, strict=True) if i in approved(graph, p.m)),
            Fraction(0),
        )
        for i in range(p.m)
    ]
    d = p.difference
    shown = ", ".join(f"{name} {value * profile.voters}" for name, value in zip(p.items, y, strict=True))
    return step(
        "A real election",
        Kind.TEST,
        f"m = {p.m}, {profile.title}",
        f"{len(p.graphs)} different ballots of {profile.voters} voters; d is additive, exactly",
        [f"approvals on ballots that tell items apart: {shown}"],
        all(d[i][j] == y[i] - y[j] for i in range(p.m) for j in range(p.m)),
        conditions_of(d)["additive"],
    )


def _vermont() -> Profile:
    path = sample_path(SAMPLE)
    if path is None:
        raise InputError(f"the package has no sample {SAMPLE}")
    return read_profile(path)


def approved(graph: PreferenceGraph, m: int) -> frozenset[int]:
    """The items above in a ballot of two levels.

    Examples
    --------
    >>> sorted(approved(PreferenceGraph.of({(0, 2): 1, (1, 2): 1}), 3))
    [0, 1]
    """
    above = frozenset(i for i, _, _ in graph)
    pairs = {(i, j) for i, j, _ in graph}
    if pairs != {(i, j) for i in above for j in range(m) if j not in above}:
        raise InputError("the graph is not that of an approval ballot: an item stands between two others")
    return above


def _three_levels() -> Refutation:
    p = Distribution.of(3, [(1, {(0, 1): 1, (1, 2): 1, (0, 2): 1})])
    held = conditions_of(p.difference)
    refuted = not held["additive"] and not held["low-noise"]
    return Refutation(refuted, f"the one ballot 1 > 2 > 3: {differences(p)}, not even low noise")


def _gaps() -> Refutation:
    half = Fraction(1, 2)
    p = Distribution.of(3, [(half, {(0, 1): 1}), (half, {(1, 2): 1})])
    held = conditions_of(p.difference)
    refuted = not held["additive"] and not held["low-noise"]
    return Refutation(refuted, f"1 above 2 on one ballot, 2 above 3 on another: {differences(p)}, no edge 13")


def _logistic() -> Refutation:
    aggregate = _vermont().distribution.aggregate
    return refuted_by_core(surrogate("logistic"), aggregate, "additive", strict=True)


STATEMENT: Final = Statement(
    name="approval-ballots",
    title="Approval ballots are additive",
    latex=(
        r"If each graph is that of an approval ballot, \(a^G_{ij} = 1(i \in S_G, j \notin S_G)\), then"
        r" \(d_{ij} = P(i \in S_G) - P(j \in S_G)\); and every additive \(d\) with \(|d_{ij}| \le 1\)"
        r" arises so."
    ),
    plain="Approval ballots always give additive difference graphs: the scores are the approval shares.",
    hypotheses=("each ballot has two levels and ranks all items",),
    citation="ours",
    check=check,
    variants=(
        FalseVariant("Ballots of three levels give additive difference graphs.", _three_levels),
        FalseVariant("Ballots of two levels on some of the items give additive difference graphs.", _gaps),
        FalseVariant("On approval ballots the logistic loss is consistent.", _logistic),
    ),
)
