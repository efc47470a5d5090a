"""Whether a scalar function has a derivative at a point."""

from consistency_lab.core.phi.evaluate import slopes_at
from consistency_lab.core.phi.expression import Expression
from consistency_lab.exact import LogRational


def is_differentiable(e: Expression, x: LogRational) -> bool | None:
    """Whether the function has a derivative at x; None if it is not known.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> is_differentiable(parse("exp(1-x)+max(0,x)"), LogRational.parse("1"))
    True
    >>> is_differentiable(parse("abs(x)"), LogRational.parse("0"))
    False
    """
    left, right = slopes_at(e, x)
    if not (left.is_known() and right.is_known()):
        return None
    if left.exact is not None and right.exact is not None:
        return (left.exact - right.exact).sign() == 0
    if left.ball < right.ball or right.ball < left.ball:
        return False
    return True if left is right else None
