"""What the page on the U-statistic risk and its minimization computes, exactly."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import prod
from typing import Final

from consistency_lab.apps.book.statement import Line, Refutation
from consistency_lab.apps.book.ticked import sp

# --- The risk of order k, exactly, for a sample of (query, label), and its mean over all samples ---------

Label = tuple[int, int]
"""A query and a label."""

Law = Mapping[Label, Fraction]
Loss = Callable[[int, Sequence[int]], Fraction]
"""What aggregated labels of a query cost, at fixed scores."""

_LAW: Final[Law] = {
    (0, 0): Fraction(1, 2),
    (0, 1): Fraction(1, 6),
    (1, 0): Fraction(1, 12),
    (1, 1): Fraction(1, 4),
}
_SIZES: Final = ((1, 1), (3, 1), (3, 2), (4, 2), (4, 3), (4, 9))
"""n and k."""


def squared_mean(query: int, labels: Sequence[int]) -> Fraction:
    """(α − s)² with s the mean label and α = 1/3 + query."""
    return (Fraction(1, 3) + query - Fraction(sum(labels), len(labels))) ** 2


_LOSSES: Final[tuple[Loss, ...]] = (
    squared_mean,
    lambda query, labels: abs(Fraction(1, 2) - Fraction(sum(labels), len(labels))),
    lambda query, labels: Fraction(max(labels) + query),
)


def risk(sample: Sequence[Label], k: int, loss: Loss) -> Fraction:
    """Σ_q (n_q/n) C(n_q, k)⁻¹ Σ φ over the sets of k labels of q; of all of them where n_q < k."""
    total = Fraction(0)
    for query in {q for q, _ in sample}:
        labels = [y for q, y in sample if q == query]
        sets = list(combinations(labels, min(k, len(labels))))
        total += Fraction(len(labels), len(sample) * len(sets)) * sum(loss(query, chosen) for chosen in sets)
    return total


def samples(law: Law, n: int) -> Iterator[tuple[tuple[Label, ...], Fraction]]:
    """Every sample of n, with its chance."""
    return (
        (sample, prod((law[one] for one in sample), start=Fraction(1))) for sample in product(law, repeat=n)
    )


def mean_risk(n: int, k: int, loss: Loss) -> Fraction:
    """The mean of the risk over all samples of n."""
    return sum((chance * risk(sample, k, loss) for sample, chance in samples(_LAW, n)), Fraction(0))


def population(n: int, k: int, loss: Loss) -> Fraction:
    """Σ_q Σ_c P(n_q = c) (c/n) E φ(s(Y_1, ..., Y_min(k, c))), with c binomial."""
    total = Fraction(0)
    for query in (0, 1):
        share = _LAW[query, 0] + _LAW[query, 1]
        given = {(query, y): _LAW[query, y] / share for y in (0, 1)}
        for c in range(1, n + 1):
            chance = int(sp.binomial(n, c)) * share**c * (1 - share) ** (n - c)
            drawn = samples(given, min(k, c))
            mean = sum((p * loss(query, [y for _, y in sample]) for sample, p in drawn), Fraction(0))
            total += chance * Fraction(c, n) * mean
    return total


def unbiased() -> Iterator[Mapping[str, str] | Line]:
    cases = [(n, k, loss) for n, k in _SIZES for loss in _LOSSES]
    equal = sum(mean_risk(*case) == population(*case) for case in cases)
    yield {"cases": str(len(cases))}
    yield Line(
        f"    two queries, two labels, n ≤ 4: equal in {equal} of {len(cases)} cases", equal == len(cases)
    )


def biased_for_the_limit() -> Refutation:
    law = {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    mean = sum((p * risk(sample, 2, squared_mean) for sample, p in samples(law, 3)), Fraction(0))
    limit = (Fraction(1, 3) - Fraction(1, 2)) ** 2
    return Refutation(
        mean - limit == Fraction(1, 8),
        f"(α − mean label)², a fair coin, α = 1/3, k = 2: the mean is {mean}, the limit {limit}; they"
        " differ by p(1 − p)/k = 1/8",
    )


def with_replacement() -> Refutation:
    law = {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    drawn = [
        (chance * Fraction(1, 4), [a[1], b[1]])
        for sample, chance in samples(law, 2)
        for a in sample
        for b in sample
    ]
    mean = sum((p * squared_mean(0, labels) for p, labels in drawn), Fraction(0))
    exact = sum((p * squared_mean(0, [a[1], b[1]]) for (a, b), p in samples(law, 2)), Fraction(0))
    return Refutation(mean != exact, f"the same with n = k = 2: {mean} in place of {exact}")


def full(sample: Sequence[Label], loss: Loss) -> Fraction:
    """Σ_q (n_q/n) φ(f(q), s(all labels of q))."""
    by_query = {q: [y for query, y in sample if query == q] for q, _ in sample}
    return sum((Fraction(len(y), len(sample)) * loss(q, y) for q, y in by_query.items()), Fraction(0))


def jensen() -> Refutation:
    sample = [(0, 0), (0, 1)]
    return Refutation(
        full(sample, squared_mean) != risk(sample, 1, squared_mean),
        f"(1/3 − s)², labels 0, 1: {full(sample, squared_mean)}, not {risk(sample, 1, squared_mean)}",
    )


def biased() -> Refutation:
    law = {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    bias = [
        sum((p * full(sample, squared_mean) for sample, p in samples(law, n)), Fraction(0)) - Fraction(1, 36)
        for n in (1, 2, 4)
    ]
    return Refutation(
        bias == [Fraction(1, 4 * n) for n in (1, 2, 4)],
        "(1/3 − s)², a fair coin: it exceeds the limit by 1/4n",
    )


def fixed_order() -> Refutation:
    found = biased_for_the_limit()
    return Refutation(found.refuted, f"{found.witness}, for every n")


def too_small() -> Refutation:
    def first(query: int, labels: Sequence[int]) -> Fraction:
        return Fraction(max(labels))

    sample = [(0, 1), (0, 0), (0, 0), (0, 0)]
    change = abs(risk(sample, 3, first) - risk([(0, 0), *sample[1:]], 3, first))
    return Refutation(change > Fraction(2, 4), f"the largest of k = 3 labels of 4: {change} > 2/4")


def no_cover() -> Refutation:
    def loss(f: int, k: int) -> Fraction:
        """One query, structures s(Y_1, ..., Y_k) = 1/k: φ(f, s) = min(1, |1 − f s|)."""
        return min(Fraction(1), abs(1 - Fraction(f, k)))

    limits = [abs(1 - loss(f, 1000 * f)) <= Fraction(1, 1000) for f in (1, 3, 9)]
    largest = [max(abs(1 - loss(f, k)) for f in range(1, k + 1)) for k in (1, 4, 16)]
    return Refutation(
        all(limits) and largest == [1, 1, 1],
        "s(Y_1, ..., Y_k) = 1/k, φ(f, s) = min(1, |1 − f s|), F_n = {1, ..., n}, k_n ≤ n: at each f it tends"
        " to 1, but it is 0 at f = k",
    )


def one_average() -> Refutation:
    law = {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}

    def parity(query: int, labels: Sequence[int]) -> Fraction:
        return Fraction(sum(labels) % 2)

    values = {risk(sample, n, parity) for n in (2, 4) for sample, _ in samples(law, n)}
    means = [sum((p * risk(s, n, parity) for s, p in samples(law, n)), Fraction(0)) for n in (1, 2, 4)]
    return Refutation(
        values == {0, 1} and set(means) == {Fraction(1, 2)},
        "φ = 1 if the number of ones is odd, a fair coin, k_n = n: every mean is 1/2, as is the limit, and"
        " the risk is 0 or 1",
    )


# --- The rate of composite stochastic gradient steps (FOBOS) ---------------------------------------------


def mean_iterate(c: Fraction, steps: int) -> Fraction:
    """The mean of the mean iterate from 0, for losses −w and 3w alike, r = w²/2 on [0, 1], and η_t = c/t."""
    states, total = {Fraction(0): Fraction(1)}, Fraction(0)
    for t in range(1, steps + 1):
        total += sum((w * chance for w, chance in states.items()), Fraction(0))
        following: dict[Fraction, Fraction] = {}
        for w, chance in states.items():
            for g in (-1, 3):
                new = min(max((w - c / t * g) / (1 + c / t), Fraction(0)), Fraction(1))
                following[new] = following.get(new, Fraction(0)) + chance / 2
        states = following
    return total / steps


def logarithm() -> Iterator[Mapping[str, str] | bool]:
    tried = [(Fraction(x), n) for x in ("1/2", "1", "2") for n in (4, 8, 12)]
    yield {"cases": str(len(tried))}
    yield all(
        mean_iterate(x, n) >= sum((x / (2 * (t + x)) for t in range(1, n)), Fraction(0)) / n for x, n in tried
    )


def no_logarithm() -> Refutation:
    grown = [2**j * mean_iterate(Fraction(1), 2**j) for j in (1, 2, 3, 4)]
    step = all(b - a >= Fraction(1, 8) for a, b in pairwise(grown))
    return Refutation(
        step and all(logarithm()),
        f"losses −w, 3w, r = w²/2 on [0, 1]: T·E w̄_T = {', '.join(f'{float(x):.3f}' for x in grown)} at"
        " T = 2, 4, 8, 16, and at least the sum of 1/2(t + 1), which has no bound",
    )
