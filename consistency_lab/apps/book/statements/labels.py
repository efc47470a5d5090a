"""What the page on labels computes: examples, an election, and counterexamples."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.apps.book.risk import differences, refuted_by_core, weights
from consistency_lab.apps.book.statement import Cases, Refutation, excluded
from consistency_lab.apps.book.ticked import sp
from consistency_lab.data.profile import Profile, read_profile
from consistency_lab.data.text import sample_path
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import conditions_of, net
from consistency_lab.model.distribution import Distribution, PreferenceGraph
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact import Matrix
from consistency_lab.solve.optimal import optimal_orders

# --- DMJ10 section 3.1: labels that are scores give low noise; order-preserving spaces need not ----------

P: Final = Fraction(3, 5)
"""A probability of the order 1 → 2 → 3 below 2/3; the order 2 → 3 → 1 has the rest."""


def indifferent() -> tuple[bool, bool]:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (1, 3): 1}))
    orders = list(optimal_orders(p.aggregate).orders())
    return orders == [(0, 1, 2), (0, 2, 1)], conditions_of(p.difference)["low-noise"]


def no_w2(p: str, low_noise: str, edge: str) -> Iterator[bool | Mapping[str, str]]:
    """Whether these multipliers of w2 ≥ 2 and of d_12 ≥ 0 exclude both at p."""
    chance, first, second = map(Fraction, (p, low_noise, edge))
    yield {"sum": str(first * 2 - second * chance)}
    yield excluded([[Fraction(-1)], [1 - chance]], [Fraction(-2), chance], (first, second))


def _orders(p: Fraction, w: Fraction, v: Fraction) -> Distribution:
    """The two orders, with distant pairs of weights w and v."""
    first = {(0, 1): 1, (1, 2): 1, (0, 2): w}
    second = {(1, 2): 1, (2, 0): 1, (1, 0): v}
    return Distribution.of(3, [(p, first), (1 - p, second)])


def unequal_rates() -> Refutation:
    rates = {(0, 1): Fraction(2, 5), (1, 2): Fraction(2, 5), (0, 2): Fraction(1, 5)}
    p = Distribution.of(3, [(rate, {(i, j): j - i}) for (i, j), rate in rates.items()])
    refuted = not conditions_of(p.difference)["low-noise"]
    return Refutation(
        refuted,
        f"y = (2, 1, 0), the pairs 12, 23, 13 drawn at rates 2/5, 2/5, 1/5: {differences(p)}, and"
        " d_13 < d_12 + d_23",
    )


def w2_of_the_order() -> Refutation:
    q, x = sp.symbols("q x", positive=True)
    w, v, p = 4, sp.Rational(1, 2), q + x
    d12, d13, d23 = p - v * q, w * p - q, p + q
    signs = [sp.expand(one).is_positive is True for one in (d12, d13 - d12 - d23, d23)]
    two = _orders(P, Fraction(4), Fraction(1, 2))
    best = list(optimal_orders(two.aggregate).orders())
    return Refutation(
        all(signs) and best == [(0, 1, 2)] and conditions_of(two.difference)["low-noise"],
        f"w2 = 4 in 1 → 2 → 3 and 1/2 in 2 → 3 → 1: low noise with 1 > 2 > 3 optimal for every p > 1/2; at"
        f" p = {P}, {differences(two)}",
    )


def any_order_optimal() -> Refutation:
    p = _orders(P, Fraction(2), Fraction(2))
    best = list(optimal_orders(p.aggregate).orders())
    held = conditions_of(p.difference)
    return Refutation(
        held["low-noise"] and held["additive"],
        f"w2 = 2, p = {P}: {differences(p)} is additive; the optimal order is "
        + " > ".join(str(item + 1) for item in best[0]),
    )


# --- Approval ballots: additive difference graphs, with the approval shares as scores --------------------


def approving(ballots: Sequence[tuple[Fraction, frozenset[int]]], m: int) -> Distribution:
    """The distribution of approval ballots, each the set of items that it approves."""
    graphs = [(p, {(i, j): 1 for i in chosen for j in range(m) if j not in chosen}) for p, chosen in ballots]
    return Distribution.of(m, graphs)


def are_differences(d: Matrix, y: Sequence[Fraction]) -> bool:
    """Whether d_ij = y_i − y_j."""
    return all(value == y[i] - y[j] for i, row in enumerate(d) for j, value in enumerate(row))


def election(sample: str) -> Iterator[Mapping[str, str] | str | Cases]:
    profile = _read(sample)
    p = profile.distribution
    ballots = [(q, approved(graph, p.m)) for q, graph in zip(p.probabilities, p.graphs, strict=True)]
    y = [sum((q for q, chosen in ballots if i in chosen), Fraction(0)) for i in range(p.m)]
    shown = ", ".join(f"{name} {value * profile.voters}" for name, value in zip(p.items, y, strict=True))
    counted = {"m": p.m, "title": profile.title, "ballots": len(p.graphs), "voters": profile.voters}
    yield {key: str(value) for key, value in counted.items()}
    yield f"approvals on ballots that tell items apart: {shown}"
    yield Cases(int(are_differences(p.difference, y) and conditions_of(p.difference)["additive"]), 1)


def _read(sample: str) -> Profile:
    path = sample_path(sample)
    assert path is not None  # it is part of the package
    return read_profile(path)


def approved(graph: PreferenceGraph, m: int) -> frozenset[int]:
    """The items above in a ballot of two levels."""
    above = frozenset(i for i, _, _ in graph)
    pairs = {(i, j) for i, j, _ in graph}
    if pairs != {(i, j) for i in above for j in range(m) if j not in above}:
        raise InputError("the graph is not that of an approval ballot: an item stands between two others")
    return above


def three_levels() -> Refutation:
    p = Distribution.of(3, [(1, {(0, 1): 1, (1, 2): 1, (0, 2): 1})])
    held = conditions_of(p.difference)
    refuted = not held["additive"] and not held["low-noise"]
    return Refutation(refuted, f"the one ballot 1 > 2 > 3: {differences(p)}, not even low noise")


def gaps() -> Refutation:
    half = Fraction(1, 2)
    p = Distribution.of(3, [(half, {(0, 1): 1}), (half, {(1, 2): 1})])
    held = conditions_of(p.difference)
    refuted = not held["additive"] and not held["low-noise"]
    return Refutation(refuted, f"1 above 2 on one ballot, 2 above 3 on another: {differences(p)}, no edge 13")


def logistic_on_ballots() -> Refutation:
    aggregate = _read("vermont.toc").distribution.aggregate
    return refuted_by_core(surrogate("logistic"), aggregate, "additive", strict=True)


# --- Bradley-Terry-Luce labels: low noise only if there are at most two different grades -----------------


def labels(grades: Sequence[int | Fraction]) -> Distribution:
    """Every pair drawn at one rate, with the winner by Bradley, Terry and Luce."""
    m = range(len(grades))
    return Distribution.from_aggregate(
        [[Fraction(grades[i]) / (grades[i] + grades[j]) if i != j else 0 for j in m] for i in m]
    )


def three_grades_low_noise() -> Refutation:
    p = labels((3, 2, 1))
    d = p.difference
    refuted = not conditions_of(d)["low-noise"] and d[0][2] < d[0][1] + d[1][2]
    return Refutation(refuted, f"s = (3, 2, 1): {differences(p)}, and 1/2 < 1/5 + 1/3 = 8/15")


def two_grades_low_noise() -> Refutation:
    p = labels((2, 1, 1))
    held = conditions_of(p.difference)
    return Refutation(held["low-noise"] and held["additive"], f"s = (2, 1, 1): {differences(p)} is additive")


def three_grades_net_order() -> Refutation:
    d = labels((3, 2, 1)).difference
    n = net(d)
    shown = ", ".join(map(str, n))
    return Refutation(
        n[0] > n[1] > n[2] and conditions_of(d)["net-order"], f"s = (3, 2, 1): N = ({shown}) is in order"
    )
