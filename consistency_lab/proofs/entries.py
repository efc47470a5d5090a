"""The entries of a proof, as the file has them."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from typing import Protocol

from consistency_lab.core.orders import Costs, Evidence, Order, Split
from consistency_lab.core.risk import Atom, Direction, Linear, LogSumExp, Max, Term, scaled
from consistency_lab.exact import LogRational
from consistency_lab.phi import Expression

Entry = dict[str, object]


class TermLike(Protocol):
    """A summand c * phi(<v, u> - b) of a risk."""

    @property
    def c(self) -> Fraction: ...
    @property
    def phi(self) -> Expression: ...
    @property
    def v(self) -> Sequence[tuple[int, Fraction | int]]: ...
    @property
    def b(self) -> LogRational: ...


def label_entry(terms: Sequence[TermLike], costs: Costs, names: Sequence[str]) -> Entry:
    """One label of probability 1: preferences that are added up already, and the terms of the risk."""
    prefers = [[names[i], names[j], str(weight)] for (i, j), weight in costs.items()]
    return {"probability": "1", "prefers": prefers, "psi": blocks(terms, names)}


def blocks(terms: Sequence[TermLike], names: Sequence[str]) -> list[Entry]:
    """The terms in their order, neighbors of equal phi and offset together."""
    found: list[Entry] = []
    for term in terms:
        phi, offset = str(term.phi), str(term.b)
        entry = [str(term.c), {names[k]: str(n) for k, n in term.v}]
        last = found[-1] if found else {}
        entries = last.get("terms")
        if isinstance(entries, list) and (last["phi"], last["offset"]) == (phi, offset):
            entries.append(entry)
        else:
            found.append({"phi": phi, "offset": offset, "terms": [entry]})
    return found


def atom_entries(atoms: Sequence[Atom], names: Sequence[str]) -> list[Entry]:
    """Atoms of any kind in their order, neighboring terms of equal phi and offset together.

    Examples
    --------
    >>> atom_entries([LogSumExp(Fraction(2), (0, 1)), Linear(Fraction(1), ((1, Fraction(-2)),))], ["A", "B"])
    [{'log-sum-exp': '2', 'over': ['A', 'B']}, {'linear': {'B': '-2'}}]
    """
    found: list[Entry] = []
    for is_term, some in groupby(atoms, key=lambda atom: isinstance(atom, Term)):
        if is_term:
            found += blocks([atom for atom in some if isinstance(atom, Term)], names)
        else:
            found += [_atom_entry(atom, names) for atom in some]
    return found


def _atom_entry(atom: Atom, names: Sequence[str]) -> Entry:
    if isinstance(atom, LogSumExp):
        return {"log-sum-exp": str(atom.c), "over": [names[k] for k in atom.over]}
    if isinstance(atom, Max):
        pieces = [[_along(v, names), str(b)] for v, b in atom.pieces]
        return {"max": str(atom.c), "pieces": pieces}
    assert isinstance(atom, Linear)
    return {"linear": _along(scaled(atom.v, atom.c), names)}


def _along(v: Direction, names: Sequence[str]) -> dict[str, str]:
    return {names[k]: str(n) for k, n in v}


def named(order: Order, names: Sequence[str]) -> list[str]:
    """An order by names."""
    return [names[k] for k in order]


def evidence_entry(evidence: Evidence, names: Sequence[str]) -> Entry:
    """Evidence on the costs of orders."""
    if isinstance(evidence, Split):
        cases = {"above": evidence.above, "below": evidence.below}
        return {
            "split": named(evidence.pair, names),
            **{key: evidence_entry(case, names) for key, case in cases.items()},
        }
    return {"cycles": [[str(y), named(cycle, names)] for y, cycle in evidence.parts]}
