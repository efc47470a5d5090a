"""Mean average precision as RAT13 §6 writes it: the matrix u = E[y yᵀ / Σy], and sorting by its diagonal."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations

from consistency_lab.book.tasks.rat13_laws import Law
from consistency_lab.model.tasks.average_precision import AveragePrecision
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.task import Prediction

Matrix = Sequence[Sequence[Fraction]]

_ZERO = Fraction(0)


def map_task(r: int) -> AveragePrecision:
    """Mean average precision of r items."""
    return AveragePrecision(Grades(r, (0, 1)))


def feature(label: Label, i: int, j: int) -> Fraction:
    """f_ij(y) = y_i y_j / Σy, and 0 where no item is relevant.

    Examples
    --------
    >>> feature((1, 0, 1), 0, 2), feature((0, 0, 0), 0, 0)
    (Fraction(1, 2), Fraction(0, 1))
    """
    return Fraction(label[i] * label[j], sum(label)) if any(label) else _ZERO


def means(p: Law) -> Matrix:
    """u = E f(Y), a symmetric matrix."""
    r = len(next(iter(p)))
    return [
        [sum((weight * feature(label, i, j) for label, weight in p.items()), _ZERO) for j in range(r)]
        for i in range(r)
    ]


def diagonal(u: Matrix) -> list[Fraction]:
    """The r scores that are sorted."""
    return [u[i][i] for i in range(len(u))]


def coefficients(order: Prediction) -> dict[tuple[int, int], Fraction]:
    """1/max(σ(i), σ(j)) for i ≤ j: the factor of u_ij in what an order earns.

    Examples
    --------
    >>> coefficients((1, 0))
    {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 2), (1, 1): Fraction(1, 1)}
    """
    place = {item: k for k, item in enumerate(order, start=1)}
    r = len(order)
    return {(i, j): Fraction(1, max(place[i], place[j])) for i in range(r) for j in range(i, r)}


def earned(u: Matrix, order: Prediction) -> Fraction:
    """⟨u, β_σ⟩ = Σ_{i≤j} u_ij / max(σ(i), σ(j)); the expected loss is P(Y ≠ 0) minus it."""
    return sum((u[i][j] * factor for (i, j), factor in coefficients(order).items()), _ZERO)


def positive_sum(differences: Sequence[Fraction]) -> Fraction:
    """What P_reinforce asks the gap of the diagonal to be at least: the sum of the positive differences."""
    return sum((max(x, _ZERO) for x in differences), _ZERO)


def reinforces(u: Matrix, demand: Callable[[Sequence[Fraction]], Fraction] = positive_sum) -> bool:
    """Whether u_ii ≥ u_jj implies u_ii − u_jj ≥ demand(u_jγ − u_iγ for the other γ) (RAT13 §6, P_reinforce).

    Examples
    --------
    >>> reinforces(means({(1, 0, 0): Fraction(1, 2), (0, 1, 1): Fraction(1, 2)}))
    True
    >>> reinforces(means({(1, 0, 0): Fraction(3, 7), (0, 1, 1): Fraction(4, 7)}))
    False
    """
    return all(
        u[i][i] - u[j][j] >= demand([u[j][g] - u[i][g] for g in range(len(u)) if g not in (i, j)])
        for i, j in permutations(range(len(u)), 2)
        if u[i][i] >= u[j][j]
    )


def exchange_holds(order: Prediction, k: int) -> bool:
    """Exchanging the items at positions k and k + 1 costs (1/k − 1/(k+1)) times what the proof says.

    That is u_ii − u_jj + Σ (u_iγ − u_jγ) over the items γ above both; every coefficient is compared.

    Examples
    --------
    >>> exchange_holds((2, 0, 1), 2)
    True
    """
    i, j = order[k - 1], order[k]
    swapped = (*order[: k - 1], j, i, *order[k + 1 :])
    before, after = coefficients(order), coefficients(swapped)
    step = Fraction(1, k) - Fraction(1, k + 1)
    expected = {(i, i): step, (j, j): -step}
    for above in order[: k - 1]:
        expected[min(i, above), max(i, above)] = step
        expected[min(j, above), max(j, above)] = -step
    return all(before[pair] - after[pair] == expected.get(pair, _ZERO) for pair in before)
