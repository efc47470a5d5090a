"""Hypotheses on the scalar function phi of a surrogate on a task."""

from collections.abc import Callable

from consistency_lab.model.properties import (
    BOUNDED_BELOW,
    CONVEX,
    NEGATIVE_SLOPE,
    Status,
    properties,
)
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import Expression, PiecewisePolynomial, facts
from consistency_lab.theorems.tasks.base import TaskHypothesis

Phi = Callable[[TaskSurrogate, Task], Expression | None]
"""Finds the phi of a surrogate, None if it has none."""


def differentiable(phi: Expression) -> str | None:
    """How it is known that phi is differentiable everywhere, None if it is not.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> differentiable(parse("max(0,1-x)**2")), differentiable(parse("max(0,1-x)"))
    ('the pieces of a piecewise polynomial join smoothly', None)
    """
    form = PiecewisePolynomial.of(phi)
    if form is not None:
        smooth = all(left == right for left, right in map(form.slope, form.breakpoints))
        return "the pieces of a piecewise polynomial join smoothly" if smooth else None
    return "composition rules" if facts(phi).smooth else None


def known(name: str, phi: Phi) -> Callable[[TaskSurrogate, Task], str | None]:
    """The check that a property of `model.properties` is proved of phi."""

    def check(surrogate: TaskSurrogate, task: Task) -> str | None:
        function = phi(surrogate, task)
        if function is None:
            return None
        found = properties(function)[name]
        if found.status is not Status.PROVED:
            return None
        return f"{found.how} ({found.value})" if found.value is not None else found.how

    return check


def smooth(phi: Phi) -> Callable[[TaskSurrogate, Task], str | None]:
    """The check that phi is differentiable everywhere."""

    def check(surrogate: TaskSurrogate, task: Task) -> str | None:
        function = phi(surrogate, task)
        return None if function is None else differentiable(function)

    return check


def classifying(phi: Phi) -> tuple[TaskHypothesis, ...]:
    """Convex, bounded below, differentiable and falling at 0: Bartlett, Jordan and McAuliffe (2006)."""
    return (
        TaskHypothesis("phi is convex", known(CONVEX, phi)),
        TaskHypothesis("phi is bounded below", known(BOUNDED_BELOW, phi)),
        TaskHypothesis("phi is differentiable", smooth(phi)),
        TaskHypothesis(r"\(\phi'(0) < 0\)", known(NEGATIVE_SLOPE, phi)),
    )
