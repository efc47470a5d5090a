"""A surrogate in one line: its name, its formula with phi filled in, and the source."""

from dataclasses import dataclass
from typing import final

from consistency_lab.model.surrogates import OwnSurrogate, Surrogate, family_of
from consistency_lab.model.surrogates.family import UNKNOWN

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


def formula(surrogate: Surrogate) -> Formula:
    """The formula of a surrogate; one of the user's own is known by its scalar functions only.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> str(formula(surrogate("margin-hinge")))
    'sum over i→j of phi(alpha_i - alpha_j - h(a_ij)), with phi(x) = max(0,1-x), h(a) = a (DMJ10 Eq. 13)'
    """
    known = family_of(surrogate)
    if known is UNKNOWN:
        own = surrogate.kind if type(surrogate) is OwnSurrogate else type(surrogate).__name__
        several = len(surrogate.functions) > 1
        functions = tuple(
            (f"phi{n if several else ''}(x)", str(phi)) for n, phi in enumerate(surrogate.functions, start=1)
        )
        return Formula(f"terms given by the class {own}", functions, "")
    return Formula(known.formula, known.parameters(surrogate), known.citation)
