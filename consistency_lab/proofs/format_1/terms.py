"""The summands c * phi(<v, alpha> - b) of a risk W(p, alpha)."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.core.reading import array, expression, fraction, log_rational, record
from consistency_lab.errors import InputError
from consistency_lab.exact import LogRational
from consistency_lab.frozen import frozen
from consistency_lab.phi import Expression
from consistency_lab.proofs.format_1.distribution import Items, read_item
from consistency_lab.proofs.format_1.fields import small_integer

ZERO: Final = LogRational(Fraction(0))


@frozen
class Term:
    """``c * phi(<v, alpha> - b)``; v as ((item, integer), ...) sorted by item, without zeros."""

    c: Fraction
    phi: Expression
    v: tuple[tuple[int, int], ...]
    b: LogRational

    def at(self, scores: Sequence[LogRational]) -> LogRational:
        """The argument ``<v, scores> - b``."""
        total = -self.b
        for item, factor in self.v:
            multiple = scores[item].times(Fraction(factor))
            if multiple is None:
                raise InputError(f"{factor} times the score {scores[item]} is too large")
            total = total + multiple
        return total

    def __str__(self) -> str:
        """A short description for messages, items numbered from 1."""
        along = " ".join(f"{'+' if n > 0 else '-'}{abs(n) if abs(n) > 1 else ''}α{i + 1}" for i, n in self.v)
        return f"{self.c} * ({self.phi}) along {along}, offset {self.b}"


def merged(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Terms of equal phi, v and b added up in order of first appearance; those with c = 0 dropped."""
    total: dict[tuple[Expression, tuple[tuple[int, int], ...], LogRational], Fraction] = {}
    for term in terms:
        key = (term.phi, term.v, term.b)
        total[key] = total.get(key, Fraction(0)) + term.c
    return tuple(Term(c, *key) for key, c in total.items() if c)


def read_terms(value: object, where: str, items: Items) -> tuple[Term, ...]:
    """A list of ``{"coefficient", "phi", "along", "offset"}``."""

    def along(value: object, where: str) -> tuple[tuple[int, int], ...]:
        if not isinstance(value, dict) or not value:
            raise InputError(f"{where} must be an object that gives some items an integer")
        return tuple(sorted((read_item(k, where, items), small_integer(n, where)) for k, n in value.items()))

    def term(value: object, where: str) -> Term:
        fields = record(value, where, ("coefficient", "phi", "along", "offset"))
        return Term(
            fraction(fields["coefficient"], f"{where}.coefficient"),
            expression(fields["phi"], f"{where}.phi"),
            along(fields["along"], f"{where}.along"),
            log_rational(fields["offset"], f"{where}.offset"),
        )

    return array(value, where, term)
