"""What the sections of a proof about preference graphs speak of: an accepted witness, read once."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, final

from consistency_lab.certify.witness import Witness
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import Expression, parse
from consistency_lab.proofs.record import VerifiedProof
from consistency_lab.report.text import combination, score, short, tight

SLOPE: Final = parse("-x")


@final
@dataclass(frozen=True)
class Case:
    """An accepted witness.

    Parameters
    ----------
    witness
        The witness.
    """

    witness: Witness

    @property
    def verified(self) -> VerifiedProof:
        """What it proves."""
        return self.witness.verified

    @property
    def named(self) -> Mapping[str, str]:
        """What the file says of its surrogate."""
        found: Mapping[str, str] = self.witness.document["named"].get("surrogate", {})
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The items."""
        return self.witness.distribution.items

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of W."""
        return self.witness.terms

    @cached_property
    def d(self) -> tuple[tuple[Fraction, ...], ...]:
        """a_ij - a_ji."""
        return tuple(map(tuple, self.witness.distribution.difference))

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """The edges of the difference graph."""
        return tuple((i, j) for i, row in enumerate(self.d) for j, x in enumerate(row) if x > 0)

    @cached_property
    def letters(self) -> Mapping[Expression, str]:
        """What each scalar function is called: phi, and r where it regularizes; -x needs no name."""
        found = list(dict.fromkeys(term.phi for term in self.terms if term.phi != SLOPE))
        letter = "r" if self.named.get("family") == "linear" else "φ"
        if len(found) == 1:
            return {found[0]: letter}
        return {phi: f"{letter}{number}" for number, phi in enumerate(found, start=1)}

    def edge(self, i: int, j: int) -> str:
        """The edge by the names of its ends."""
        return tight(f"{self.names[i]} → {self.names[j]}")

    def score(self, i: int) -> str:
        """alpha_i."""
        return score(self.names[i])

    def argument(self, term: Term) -> str:
        """<v, alpha> - b in words, the positive part first."""
        text = combination((Fraction(n), self.score(i)) for i, n in reversed(_positive_last(term)))
        if term.b.sign() == 0:
            return text
        offset = f"({term.b})" if term.b.a and term.b.q != 1 else short(term.b)
        return f"{text} + {short(-term.b)}" if term.b.sign() < 0 and term.b.q == 1 else f"{text} - {offset}"

    def weighted(self, term: Term) -> str:
        """The coefficient, unless it is 1, and the summand."""
        return f"{'' if term.c == 1 else f'{short(term.c)}·'}{self.summand(term)}"

    def summand(self, term: Term) -> str:
        """Phi of the argument."""
        if term.phi == SLOPE:
            turned = combination((Fraction(-n), self.score(i)) for i, n in _positive_last(term))
            return tight(f"({turned})")
        return tight(f"{self.letters[term.phi]}({self.argument(term)})")


def _positive_last(term: Term) -> list[tuple[int, int]]:
    return sorted(term.v, key=lambda entry: (entry[1] > 0, -entry[0]))
