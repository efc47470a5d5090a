"""What a family of surrogates of preference graphs is: all that is known of it, told once beside its class.

The properties are those of the very class. A class that is derived from it may override anything, so nothing
of this holds for it: `family_of` gives it no property at all.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, final

from consistency_lab.model.surrogates.base import Surrogate
from consistency_lab.phi import Expression


@final
@dataclass(frozen=True, slots=True)
class Family:
    """One family.

    Parameters
    ----------
    kind
        Its class; None for `UNKNOWN`.
    formula, citation
        The loss, and its source.
    words
        The loss as a proof shows it, with the keys of a file in braces; the formula if it is left out.
    letters
        The parameters in the formula, in the order of the class, each with the attribute that holds it,
        which is its key in a file too.
    fixed
        Further keys of a file, each with the one word that it may be.
    affine
        Whether the minimizer, where it exists, is a function of the net preferences N, affine in p, under
        hypotheses on its parameters (`theorems.ordering`): linear algebra decides.
    differences_only
        Whether opposite edges of equal weight cancel in W, up to a constant.
    takes_differences
        Whether the difference graph is taken first, and W is linear in the edges of that.
    every_phi
        Whether a distribution at which no convex phi is right (DMJ10 Lemma 10) is a witness against it.
    """

    kind: type[Surrogate] | None
    formula: str
    citation: str
    letters: tuple[tuple[str, str], ...] = ()
    fixed: tuple[tuple[str, str], ...] = ()
    affine: bool = False
    differences_only: bool = False
    takes_differences: bool = False
    every_phi: bool = False
    words: str = ""

    @property
    def name(self) -> str:
        """What files call it."""
        return str(getattr(self.kind, "family", ""))

    def made(self, name: str, values: Iterable[object]) -> Surrogate:
        """The surrogate of this name with these values of the letters."""
        assert self.kind is not None
        return self.kind(name, *values)  # type: ignore[call-arg]

    def parameters(self, surrogate: Surrogate) -> tuple[tuple[str, str], ...]:
        """The letters with their values, as a person reads them."""
        values = ((letter, getattr(surrogate, attribute)) for letter, attribute in self.letters)
        return tuple(
            (letter, value.text(letter[-2]) if isinstance(value, Expression) else str(value))
            for letter, value in values
        )


UNKNOWN: Final = Family(None, "", "")
"""What is known of a class of the user's own: nothing."""
