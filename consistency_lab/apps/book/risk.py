"""Distributions, risks and counterexamples at exact scores, shared by the statements."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from random import Random

from consistency_lab.apps.book.statement import Line, Refutation
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.core.document import CONSISTENT_AT_P, INCONSISTENT, STRICT
from consistency_lab.core.risk import Scores
from consistency_lab.model.conditions import conditions_of, net
from consistency_lab.model.distribution import Distribution, scores_loss
from consistency_lab.model.surrogates import Surrogate, Term, surrogate
from consistency_lab.numbers.exact import Ball, LogRational, Matrix, enclose
from consistency_lab.numbers.phi import NAMED, convexity_proof, enclose_value, exact_value
from consistency_lab.solve.optimal import optimal_orders
from consistency_lab.solve.stationary import argument, stationary_slopes


def close(found: Iterable[float], exact: Iterable[Fraction]) -> bool:
    """Whether floats are within 10^-12 of what they should be."""
    return all(abs(Fraction(float(x)) - y) < Fraction(1, 10**12) for x, y in zip(found, exact, strict=True))


# --- The conditional risk W at exact scores --------------------------------------------------------------
# Its value where that is rational, and always an enclosure.


def rational_scores(values: Sequence[Fraction | int]) -> tuple[LogRational, ...]:
    """Rational numbers as scores."""
    return tuple(LogRational(Fraction(value)) for value in values)


def enclosed_risk(terms: Sequence[Term], scores: Scores) -> Ball:
    """A ball that contains W(alpha) = sum_t c_t phi_t(<v_t, alpha> - b_t)."""
    values = (enclose(term.c) * enclose_value(term.phi, argument(term, scores)) for term in terms)
    return sum(values, enclose(0))


def exact_risk(terms: Sequence[Term], scores: Scores) -> Fraction | None:
    """W(alpha) itself, or None if one of its terms is not known to be rational."""
    total = Fraction(0)
    for term in terms:
        value = exact_value(term.phi, argument(term, scores))
        rational = None if value is None else value.as_rational()
        if rational is None:
            return None
        total += term.c * rational
    return total


def least_risk(terms: Sequence[Term], m: int, scores: Scores) -> Fraction | None:
    """W*, if the scores are proved to attain it: zero is a subgradient there, and the terms are convex."""
    return exact_risk(terms, scores) if stationary_slopes(terms, m, scores) is not None else None


def regret_and_excess(
    loss: Surrogate, p: Distribution, scores: Scores, best: Scores
) -> tuple[Fraction, Fraction] | None:
    """How much scores lose, and how far W is above W* there, exactly; None if `best` is not proved least."""
    least, least_loss = _least(loss, p, best)
    value = exact_risk(loss.risk_terms(p), scores)
    if least is None or value is None:
        return None
    return scores_loss(p.aggregate, scores) - least_loss, value - least


@lru_cache(maxsize=16)
def _least(loss: Surrogate, p: Distribution, best: Scores) -> tuple[Fraction | None, Fraction]:
    return least_risk(loss.risk_terms(p), p.m, best), optimal_orders(p.aggregate).loss


def net_scores(p: Distribution) -> Scores:
    """N, the minimizer of the linear loss."""
    return rational_scores(net(p.difference))


def far_apart(p: Distribution) -> Scores:
    """Scores two apart along an optimal order, which is a topological order of the difference graph."""
    order = next(optimal_orders(p.aggregate).orders(1))
    return rational_scores([-2 * order.index(i) for i in range(p.m)])


# --- Random distributions of a given kind, the same in every run, for the statements that are tested -----

Sampler = Callable[[Random, int], Matrix]


def any_differences(rng: Random, m: int) -> Matrix:
    """Antisymmetric integers between -3 and 3."""
    return _mirrored(m, lambda i, j: rng.randint(-3, 3))


def downward(rng: Random, m: int) -> Matrix:
    """Differences whose edges all run from a lower number to a higher one."""
    return _mirrored(m, lambda i, j: rng.choice((0, 1, 1, 2, 3, 5)))


def superadditive(rng: Random, m: int) -> Matrix:
    """Downward differences, each at least every sum along a path between its ends; sums of such are such."""
    weights: dict[tuple[int, int], int] = {}
    for length in range(1, m):
        for i in range(m - length):
            k = i + length
            longest = max((weights[i, j] + weights[j, k] for j in range(i + 1, k)), default=0)
            weights[i, k] = longest + rng.choice((0, 0, 1, 3))
    return _mirrored(m, lambda i, j: weights[i, j])


def acyclic_differences(rng: Random, m: int) -> Matrix:
    """Differences whose graph is acyclic, in a random order of the items."""
    return relabeled(downward(rng, m), shuffled(rng, m))


def low_noise_differences(rng: Random, m: int) -> Matrix:
    """Differences under DMJ10 Definition 8, in a random order of the items."""
    return relabeled(superadditive(rng, m), shuffled(rng, m))


def shuffled(rng: Random, m: int) -> list[int]:
    """The items in a random order."""
    return rng.sample(range(m), m)


def relabeled(d: Matrix, order: Sequence[int]) -> Matrix:
    """The same differences with the items in another order."""
    return tuple(tuple(d[i][j] for j in order) for i in order)


def with_differences(d: Matrix, rng: Random | None = None) -> Distribution:
    """A distribution with these differences; with `rng`, opposite preferences are added that cancel out."""
    m = len(d)
    a = [[max(x, Fraction(0)) for x in row] for row in d]
    for i in range(m):
        for j in range(i):
            common = rng.randint(0, 2) if rng else 0
            a[i][j] += common
            a[j][i] += common
    return Distribution.from_aggregate(a)


def random_scores(rng: Random, m: int) -> Scores:
    """Multiples of 1/2 between -3 and 3, so that ties are frequent."""
    return rational_scores([Fraction(rng.randint(-6, 6), 2) for _ in range(m)])


def _mirrored(m: int, value: Callable[[int, int], int]) -> Matrix:
    d = [[Fraction(0)] * m for _ in range(m)]
    for i in range(m):
        for j in range(i + 1, m):
            d[i][j] = Fraction(value(i, j))
            d[j][i] = -d[i][j]
    return tuple(map(tuple, d))


# --- Counterexamples to false variants, certified and then accepted by the core --------------------------


def weights(m: int, on: Mapping[tuple[int, int], object]) -> list[list[object]]:
    """The m x m aggregate with these entries, items numbered from 1; the others are 0."""
    return [[on.get((i, j), 0) for j in range(1, m + 1)] for i in range(1, m + 1)]


def refuted_by_core(
    surrogate: Surrogate,
    aggregate: Sequence[Sequence[object]],
    condition: str,
    *,
    strict: bool = False,
    scores: Sequence[int | Fraction] | None = None,
) -> Refutation:
    """Refute "this surrogate is consistent under this condition" at one aggregate."""
    distribution = Distribution.from_aggregate(aggregate)
    exact = None if scores is None else [LogRational(Fraction(score)) for score in scores]
    witness = certify(surrogate, distribution, exact)
    d = differences(distribution)
    if witness is None or witness.verified.claim != INCONSISTENT:
        return Refutation(False, f"{d}: no failure of {surrogate.name} was certified")
    found = witness.verified
    if not found.conditions[condition] or (strict and found.failure != STRICT):
        return Refutation(False, f"{d}: {condition} does not hold there, or the failure is only a tie")
    return Refutation(True, f"{d}, scores {scores_of(witness)}: {found.failure}, accepted by the core")


def by_core(loss: str, counts: str, condition: str, how: str = "") -> Refutation:
    """The same in words, such as "hinge", "12:1 23:1/2", "acyclic", and "strict", "at 0 0 0", or both."""
    strict, at, scores = how.partition("at ")
    return refuted_by_core(
        in_words(loss),
        counted(counts),
        condition,
        strict=strict.strip() == "strict",
        scores=[Fraction(x) for x in scores.split()] if at else None,
    )


def in_words(loss: str) -> Surrogate:
    """A surrogate by its name, or its options, or both: "hinge", "phi=-x", "logistic h=a**2"."""
    words = [word.partition("=") for word in loss.split()]
    return surrogate(
        *(name for name, equal, _ in words if not equal),
        **{key: value for key, equal, value in words if equal},
    )


def counted(edges: str) -> list[list[object]]:
    """The aggregate of "12:1 23:1/2", without items that stand in no edge."""
    on = {(int(pair[0]), int(pair[1])): Fraction(n) for pair, n in (one.split(":") for one in edges.split())}
    return weights(max(max(pair) for pair in on), on)


def weighted(edges: str) -> Distribution:
    """The distribution with this aggregate, such as "12:1 23:1/2"; its graphs are those of DMJ10 Figure 1."""
    return Distribution.from_aggregate(counted(edges))


def wrong(p: Distribution, loss: Surrogate) -> Witness | None:
    """A document that the core accepts and that shows the loss to be wrong at p, or None."""
    witness = certify(loss, p)
    return witness if witness is not None and witness.verified.claim == INCONSISTENT else None


def right(p: Distribution, loss: Surrogate) -> Witness | None:
    """A document that the core accepts and that shows the loss to be right at p, or None."""
    witness = certify(loss, p)
    return witness if witness is not None and witness.verified.claim == CONSISTENT_AT_P else None


def where_right(loss: str, edges: str, *note: str) -> Refutation:
    """The next one in words: "linear", "12:1 23:2", and what to say of them."""
    return refuted_where_right(weighted(edges), in_words(loss), ", ".join(note))


def refuted_where_right(p: Distribution, loss: Surrogate, note: str, given: bool = True) -> Refutation:
    """Refute "no convex phi is right" at p by one that is, if what the variant assumes is given there."""
    if not given:
        return Refutation(False, f"{note}: that is not so")
    witness = right(p, loss)
    if witness is None:
        return Refutation(False, f"{note}: {loss.name} was not certified to be right")
    return Refutation(
        True,
        f"{note}: {loss.name} is right there; scores {scores_of(witness)}, and W is at least "
        f"{witness.verified.gap} larger outside A(p), accepted by the core",
    )


def witnesses(cases: Sequence[tuple[str, Distribution, Surrogate]]) -> list[dict[str, str] | Line]:
    """A line for each named case in which the loss is wrong, and how many there are."""
    found = [(label, wrong(p, loss)) for label, p, loss in cases]
    strict = sum(w is not None and w.verified.failure == STRICT for _, w in found)
    lines = [
        Line(f"{label}: scores {scores_of(w)}, {w.verified.failure}, regret {w.verified.regret}", True)
        if w is not None
        else Line(f"{label}: not certified", False)
        for label, w in found
    ]
    return [{"witnesses": str(len(cases)), "strict": str(strict)}, *lines]


@cache
def convex_names() -> tuple[str, ...]:
    """The named scalar losses that are proved convex."""
    return tuple(name for name, row in NAMED.items() if convexity_proof(row.expression))


def linear_falls(p: Distribution, direction: Sequence[int], loss: str = "") -> Refutation:
    """Refute that -sum N_i alpha_i, which is W for phi(x) = -x, is consistent: it falls without bound."""
    slope = -sum((n * v for n, v in zip(net(p.difference), direction, strict=True)), Fraction(0))
    outside = not optimal_orders(p.aggregate).in_optimal_set(rational_scores(direction))
    return Refutation(
        slope < 0 and outside and conditions_of(p.difference)["low-noise"],
        f"{loss}{differences(p)}: W(p, tα) = {slope}t → −∞ along α = {direction}, which has 3 above 2",
    )


def differences(distribution: Distribution) -> str:
    """The edges of the difference graph with their weights, items by number from 1."""
    shown = (
        f"{i + 1}{j + 1}: {value}"
        for i, row in enumerate(distribution.difference)
        for j, value in enumerate(row)
        if value > 0
    )
    return f"d = ({', '.join(shown)})"


def scores_of(witness: Witness) -> str:
    """The scores of a witness in parentheses."""
    return f"({', '.join(map(str, witness.scores))})"


# --- Every order that scores can have, ties included: the places where the target loss is constant -------


def score_orders(m: int) -> Iterator[tuple[int, ...]]:
    """One score vector for each weak order of m items: integers from 0 up, no integer left out."""
    return (scores for scores in product(range(m), repeat=m) if max(scores) + 1 == len(set(scores)))


# --- Two items and one coin: the distributions at which W* is known in closed form -----------------------


def coin(x: Fraction) -> Distribution:
    """Two items, 1 → 2 with probability x and 2 → 1 otherwise."""
    return Distribution.of(2, [(x, {(0, 1): 1}), (1 - x, {(1, 0): 1})])


def entropy(x: Fraction) -> Ball:
    """-x log x - (1-x) log(1-x) for 0 < x < 1: W* of the logistic loss, attained at log(x/(1-x))."""
    return -(enclose(x) * enclose(x).log() + enclose(1 - x) * enclose(1 - x).log())
