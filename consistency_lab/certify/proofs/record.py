"""What a file says and what became of its names: flat records, and the entries of a proof."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from itertools import groupby
from typing import Final, Protocol

from consistency_lab.core.document import Proof
from consistency_lab.core.risk import Atom, Direction, Linear, LogSumExp, Max, Term, merged, scaled
from consistency_lab.errors import printed
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates import Term as ModelTerm
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import Expression

# --- What became of the names in a file ------------------------------------------------------------------


@frozen
class Named:
    """Names that were recomputed, and names that are not known."""

    recomputed: tuple[str, ...]  #: Names that were worked out again and agree.
    unknown: tuple[str, ...]  #: Names that this version does not know.
    surrogate: str | None  #: What the file calls its surrogate, None if nothing.
    #: The noise conditions that this version knows: whether each holds, if preferences are listed; for a task
    #: those that the file speaks of.
    conditions: Mapping[str, bool]


# --- What a verified file says, in one flat record -------------------------------------------------------

NO_NAME: Final = "a surrogate without a name"


@frozen
class VerifiedProof:
    """What a file proves, and what its names are."""

    claim: str  #: "inconsistent", "consistent-at-p", "wrong-equilibrium" or "infeasible".
    failure: str | None  #: "strict" or "tie", None for consistency.
    regret: Fraction  #: The regret of the stated prediction for the target loss, 0 for consistency.
    #: Of a strict failure: what everything near the infimum of W loses at least; else None.
    least_regret: Fraction | None
    #: For a separation: how far the bounds lie above the value of W at the scores, at least.
    gap: Fraction | None
    #: Whether the claim is about everything near the infimum of W, and not about the scores alone.
    every: bool
    attracting: bool | None  #: Of an equilibrium: whether it is proved to attract; else None.
    attained: bool  #: Whether the stated scores are proved to attain the infimum; False says nothing.
    universal: bool  #: Whether the file also proves the claim for every convex phi.
    surrogate: str  #: The name of the surrogate in the file.
    #: The names that were recomputed and agree, and those that are not known here.
    recomputed: tuple[str, ...]
    unknown: tuple[str, ...]
    #: For each noise condition that is known here, whether the distribution satisfies it.
    conditions: Mapping[str, bool]
    m: int  #: The number of items.
    scores: tuple[LogRational, ...]  #: The exact scores.
    convexity: tuple[str, ...]  #: How the convexity of the scalar functions was proved.
    systems: int  #: How many systems of inequalities have no solution.
    #: The proof itself; None for a claim about systems of inequalities. It plays no part in comparisons:
    #: balls in it are equal to nothing.
    proof: Proof | None = field(compare=False)

    @property
    def called(self) -> str:
        """The name of the surrogate for a sentence: in quotes where it is only the file's word."""
        return self.surrogate if self.surrogate in (*self.recomputed, NO_NAME) else printed(self.surrogate)

    @property
    def about_preferences(self) -> bool:
        """Whether the proof is about preferences between items, and not about losses listed one by one."""
        return self.proof is not None and all(label.prefers is not None for label in self.proof.labels)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The convex atoms of W, in the order of the certificate; none of a known mean."""
        labels = () if self.proof is None else self.proof.labels
        return merged(atom.times(label.probability) for label in labels for atom in label.atoms)

    @property
    def sentence(self) -> str:
        """What is proved, as a sentence without its end."""
        if self.claim == "infeasible":
            return f"none of the {self.systems} systems of inequalities has a solution"
        if self.claim == "wrong-equilibrium":
            return "the field certainly vanishes at scores in a wrong order, which says nothing of a minimum"
        if self.claim == "consistent-at-p":
            return "whatever comes near the infimum of W is certainly in A(p)"
        if self.every:
            return "whatever comes near the infimum of W is certainly outside A(p)"
        if not self.attained:
            return "W certainly comes as near as one likes to its infimum outside A(p)"
        if self.failure == "tie":
            return "certainly a minimizer of W ties items so that another order of them is wrong"
        return "a minimizer of W is certainly outside A(p)"


# --- The entries of a proof, as the file has them --------------------------------------------------------

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


def as_atom(term: TermLike) -> Term:
    """A summand of a surrogate's risk, as the core has it."""
    return Term(term.c, term.phi, tuple((k, Fraction(n)) for k, n in term.v), term.b)


def terms_of(atoms: Sequence[Atom]) -> tuple[ModelTerm, ...] | None:
    """Atoms of a proof as terms of a surrogate; None if some are no terms with integer directions."""
    found = [atom for atom in atoms if isinstance(atom, Term)]
    if len(found) < len(atoms) or any(n.denominator > 1 for t in found for _, n in t.v):
        return None
    return tuple(ModelTerm(t.c, t.phi, tuple((k, n.numerator) for k, n in t.v), t.b) for t in found)


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
