"""A surrogate in one line: its name, its formula with phi filled in, and the source."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, final

from consistency_lab.model.surrogates import (
    FORMS,
    WITHOUT_PHI,
    DifferenceSurrogate,
    EdgeSurrogate,
    LinearSurrogate,
    MarginSurrogate,
    OwnSurrogate,
    RegressionSurrogate,
    Surrogate,
)

Parameters = tuple[tuple[str, str], ...]


@final
@dataclass(frozen=True, slots=True)
class Formula:
    """The parts of the line.

    Parameters
    ----------
    formula
        The conditional risk, or phi(alpha, G).
    parameters
        What stands for the letters in it, such as ``("phi(x)", "exp(-x)")``.
    citation
        The source, or "".
    """

    formula: str
    parameters: Parameters
    citation: str

    def __str__(self) -> str:
        values = ", ".join(f"{letter} = {value}" for letter, value in self.parameters)
        return (
            self.formula
            + (f", with {values}" if values else "")
            + (f" ({self.citation})" if self.citation else "")
        )


def _edge(s: Surrogate) -> Parameters:
    assert type(s) is EdgeSurrogate or type(s) is MarginSurrogate
    return ("phi(x)", str(s.phi)), ("h(a)", s.h.text("a"))


def _difference(s: Surrogate) -> Parameters:
    assert type(s) is DifferenceSurrogate
    return (("phi(x)", str(s.phi)),)


def _linear(s: Surrogate) -> Parameters:
    assert type(s) is LinearSurrogate
    return ("r(x)", str(s.r)), ("nu", str(s.nu))


_LINEAR: Final = "sum over i→j of a_ij (alpha_j - alpha_i) + nu sum_i r(alpha_i)"

_BY_TYPE: Final[Mapping[type[Surrogate], tuple[str, str, Callable[[Surrogate], Parameters]]]] = (
    MappingProxyType(
        {
            EdgeSurrogate: (FORMS["edge"].formula, FORMS["edge"].citation, _edge),
            MarginSurrogate: (FORMS["margin"].formula, FORMS["margin"].citation, _edge),
            DifferenceSurrogate: (FORMS["difference"].formula, FORMS["difference"].citation, _difference),
            LinearSurrogate: (_LINEAR, WITHOUT_PHI["linear"][1], _linear),
            RegressionSurrogate: (*WITHOUT_PHI["regression"], lambda s: ()),
        }
    )
)


def formula(surrogate: Surrogate) -> Formula:
    """The formula of a surrogate; one of the user's own is known by its scalar functions only.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> str(formula(surrogate("margin-hinge")))
    'sum over i→j of phi(alpha_i - alpha_j - h(a_ij)), with phi(x) = max(0,1-x), h(a) = a (DMJ10 Eq. 13)'
    """
    known = _BY_TYPE.get(type(surrogate))
    if known is None:
        own = surrogate.kind if type(surrogate) is OwnSurrogate else type(surrogate).__name__
        several = len(surrogate.functions) > 1
        functions = tuple(
            (f"phi{n if several else ''}(x)", str(phi)) for n, phi in enumerate(surrogate.functions, start=1)
        )
        return Formula(f"terms given by the class {own}", functions, "")
    text, citation, parameters = known
    return Formula(text, parameters(surrogate), citation)
