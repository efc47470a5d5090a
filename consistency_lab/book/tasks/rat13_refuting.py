"""Counterexamples to false variants about sorting the diagonal (RAT13 §6)."""

from consistency_lab.book.statement import Refutation
from consistency_lab.book.tasks.rat13_laws import Law, numbers, optimal, ranking, regret, text
from consistency_lab.book.tasks.rat13_map import diagonal, map_task, means


def wrong_diagonal(p: Law, inside: bool, outside: bool) -> Refutation:
    """Refute "sorting the diagonal is right" at a p whose diagonal has no ties.

    Parameters
    ----------
    p
        Where it is wrong.
    inside
        Whether p is in the set that the variant is about.
    outside
        Whether p is where the theorem does not apply, as it has to be.
    """
    u, r = means(p), len(next(iter(p)))
    scores, task = diagonal(u), map_task(r)
    order = tuple(sorted(range(r), key=lambda i: -scores[i]))
    lost = regret(task, p, order)
    return Refutation(
        inside and outside and lost > 0 and len(set(scores)) == r,
        f"{text(task, p)}: the diagonal is {numbers(scores)}, so the order is {ranking(order)}; its regret "
        f"is {lost} against {ranking(min(optimal(task, p)))}",
    )
