"""One question, three ways to an answer: a squared distance, a closed form, or bounds."""

from fractions import Fraction

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.measure.calibration.brackets import brackets
from consistency_lab.measure.calibration.difference import has_linear_law, linear_calibration
from consistency_lab.measure.calibration.quadratic import is_quadratic, quadratic_calibration
from consistency_lab.measure.calibration.result import Calibration
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.conditions import condition as known_condition
from consistency_lab.model.surrogates import Surrogate, as_surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.search.judge import LARGEST


def calibration(
    surrogate: Surrogate | str,
    condition: str,
    m: int,
    *,
    effort: Effort | None = None,
    seed: int = 0,
    provenance: dict[str, str] | None = None,
) -> Calibration:
    r"""The calibration function H_m of a surrogate under a condition (DMJ10 Eq. 3).

    H_m(eps) = inf { W(p, alpha) - W*(p) : regret of alpha at p >= eps }, over all p in the condition.
    Surrogates with a law H(eps) = c eps^k (`Law`): linear with a quadratic regularizer and regression (k =
    2), and losses of the difference graph with nonincreasing phi (k = 1). For others there are proved
    bounds at a few regrets, the total weight being 1.

    Parameters
    ----------
    surrogate
        The surrogate.
    condition
        The name of a noise condition; its closure is meant, as for every infimum.
    m
        The number of items.
    effort
        A budget; where it ends too soon the bounds are wider.
    seed
        Of the search for a witness.
    provenance
        Texts for the witness document.

    Raises
    ------
    InputError
        If the condition is unknown or m is out of range.
    UnsupportedError
        If the condition is not about the differences alone.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> calibration(surrogate("linear"), "low-noise", 3).law.c
    Fraction(9, 16)
    >>> calibration(surrogate("difference-hinge"), "acyclic", 3).law.c
    Fraction(1, 1)
    """
    surrogate = as_surrogate(surrogate)
    name = known_condition(condition).name
    if not 2 <= m <= LARGEST:
        raise InputError(f"there are {m} items; a calibration function is computed for 2 to {LARGEST}")
    if not CONDITIONS[name].of_differences:
        raise UnsupportedError(
            f"a calibration function is computed for conditions on the differences a_ij - a_ji, and {name} "
            "is about more"
        )
    spent = effort or Effort()
    if is_quadratic(surrogate):
        return quadratic_calibration(surrogate, name, m, spent)
    if has_linear_law(surrogate, name, m):
        return linear_calibration(surrogate, name, m)
    return brackets(surrogate, name, m, spent, seed, provenance)


def risk_bound(found: Calibration) -> str:
    """DMJ10 Lemma 1 for this calibration function, in words; "" if there is no bound.

    Lemma 1: if zeta is convex and zeta <= H, then zeta(R(f) - R*) <= R_phi(f) - R_phi*. A law c eps^k is
    convex.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> risk_bound(calibration(surrogate("linear"), "low-noise", 3))
    'excess risk <= sqrt(excess surrogate risk / (9/16))'
    """
    law = found.law
    if law is None or law.lower == 0:
        return ""
    c: object = law.lower if law.c is None else law.c
    divisor = "" if c == Fraction(1) else f" / ({c})" if "/" in str(c) else f" / {c}"
    inside = f"excess surrogate risk{divisor}"
    return f"excess risk <= sqrt({inside})" if law.degree == 2 else f"excess risk <= {inside}"
