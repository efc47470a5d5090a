"""What a verified file says, and how what it claims is written again and compared."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.core.document import CONSISTENT_AT_P, INCONSISTENT, OF_LINKS, Proof
from consistency_lab.core.orders import Sort
from consistency_lab.core.reading import expression, real
from consistency_lab.core.risk import Atom, Direction, Linear, LogSumExp, Max, PhiAtom, merged, scaled
from consistency_lab.errors import RejectedError, printed
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates.families import VARIABLES
from consistency_lab.model.surrogates.families import Term as ModelTerm
from consistency_lab.numbers.balls import ball, rational, shown
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.expression import Expression
from consistency_lab.numbers.tape import Number, as_ball

# --- What became of the names in a file ------------------------------------------------------------------


Told = list[tuple[str, bool]]
"""Names, each with whether it was recomputed."""


@frozen
class Named:
    """Names that were recomputed, and names that are not known."""

    recomputed: tuple[str, ...]  #: Names that were worked out again and agree.
    unknown: tuple[str, ...]  #: Names that this version does not know.
    surrogate: str | None  #: What the file calls its surrogate, None if nothing.
    #: The noise conditions that this version knows: whether each holds, if preferences are listed; for a task
    #: those that the file speaks of.
    conditions: Mapping[str, bool] = field(default_factory=dict)
    about: object = None  #: The question, as in `VerifiedProof`.

    @staticmethod
    def of(told: Told, *rest: Any) -> "Named":
        """Of names, and of the other fields."""
        recomputed, unknown = (tuple(word for word, known in told if known is this) for this in (True, False))
        return Named(recomputed, unknown, *rest)


# --- What a verified file says, in one flat record -------------------------------------------------------

EVERYTHING: Final[Mapping[str, str]] = MappingProxyType(
    {
        INCONSISTENT: "whatever comes near the infimum of W is certainly outside A(p)",
        CONSISTENT_AT_P: "whatever comes near the infimum of W is certainly in A(p)",
    }
)
"""What is proved of all that comes near the infimum, as a sentence without its end."""

NO_NAME: Final = "a surrogate without a name"


@frozen
class VerifiedProof:
    """What a file proves, and what its names are."""

    #: "inconsistent", "consistent-at-p", "wrong-equilibrium", "infeasible", "link", "no-link" or "decoder".
    claim: str
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
    cones: int  #: In how many cones of distributions alone a claim about a link holds; 0 for all.
    reports: int  #: At how many scores a link is told, or none is possible.
    #: The proof itself; None for a claim about systems of inequalities or links. It plays no part in
    #: comparisons: balls in it are equal to nothing.
    proof: Proof | None = field(compare=False)
    #: The question behind the proof: a `Distribution`, the one that is named or else one with the same
    #: aggregate, or a `LabelQuestion` of which all is known here; None of other proofs.
    about: Any = field(compare=False)

    @property
    def called(self) -> str:
        """The name of the surrogate for a sentence: in quotes where it is only the file's word."""
        return self.surrogate if self.surrogate in (*self.recomputed, NO_NAME) else printed(self.surrogate)

    @property
    def about_preferences(self) -> bool:
        """Whether the proof is about preferences between items, and not about losses listed one by one."""
        return self.proof is not None and all(label.prefers is not None for label in self.proof.labels)

    @property
    def stated_decoder(self) -> bool:
        """Whether it is about a decoder that the file states by its cells."""
        return self.about is None and self.proof is not None and not isinstance(self.proof.decoder, Sort)

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
        if self.claim == "link":
            where = "in the cones of the file" if self.cones else "at every distribution"
            return f"some decoder of the surrogate is certainly right for the target {where}"
        if self.claim == "decoder":
            return "whatever the stated decoder may return near the infimum of W is certainly optimal"
        if self.claim == "no-link":
            return "these scores certainly minimize W at distributions of which no one prediction is right"
        if self.claim == "wrong-equilibrium":
            return "the field certainly vanishes at scores in a wrong order, which says nothing of a minimum"
        if self.claim == CONSISTENT_AT_P or self.every:
            return EVERYTHING[self.claim]
        if not self.attained:
            return "W certainly comes as near as one likes to its infimum outside A(p)"
        if self.failure == "tie" and self.proof is not None and not isinstance(self.proof.decoder, Sort):
            return "certainly the stated decoder may return a wrong prediction at a minimizer of W"
        if self.failure == "tie":
            return "certainly a minimizer of W ties items so that another order of them is wrong"
        return "a minimizer of W is certainly outside A(p)"


def names_maxima(claim: object, named: object) -> bool:
    """Whether names are those of a sum of maxima, which `check_link_names` reads."""
    said = named.get("surrogate") if isinstance(named, Mapping) else None
    return claim in OF_LINKS or (isinstance(said, Mapping) and "size" in said)


# --- What is claimed is written again from the question that a file names, and the two are compared -------


def agrees(stated: object, derived: object, where: str) -> bool:
    """Whether a tree is certainly what was derived; False where enclosures do not tell two numbers apart.

    RejectedError names the first entry that certainly is something else. Of an object only what was derived
    is compared; rationals are compared as such, other numbers by their expressions.
    """
    if isinstance(derived, Mapping) and isinstance(stated, Mapping) and derived.keys() <= stated.keys():
        return False not in [agrees(stated[key], x, f"{where}.{key}") for key, x in derived.items()]
    if isinstance(derived, list | tuple) and isinstance(stated, list | tuple) and len(stated) == len(derived):
        pairs = enumerate(zip(stated, derived, strict=True))
        return False not in [agrees(x, y, f"{where}[{k}]") for k, (x, y) in pairs]
    if isinstance(derived, Fraction | Number) and isinstance(stated, str):
        number = real(stated, where)
        exact = rational(number)
        if isinstance(derived, Fraction) and exact is not None:
            known = equal = exact == derived
        else:
            equal = bool(ball(number).overlaps(as_ball(derived)))
            known = (
                isinstance(derived, Number) and expression(stated, where, variable="") == derived.expression
            )
        if equal:
            return known
    elif isinstance(derived, Expression):
        if expression(stated, where, VARIABLES.get(where.rpartition(".")[2], "x")) == derived:
            return True
    elif type(stated) is type(derived) and stated == derived:
        return True
    raise RejectedError(f"{where} is stated as {_brief(stated)}, but is {_brief(derived)}")


def written(tree: Mapping[str, object]) -> "Entry":
    """A tree as a file has it: exact numbers as texts, sequences as lists."""

    def inner(x: object) -> object:
        if isinstance(x, Mapping):
            return written(x)
        if isinstance(x, list | tuple):
            return [*map(inner, x)]
        return str(x) if isinstance(x, Fraction | LogRational) else x

    return {key: inner(x) for key, x in tree.items()}


def _brief(value: object) -> str:
    """A text for a message; of lists only the lengths differ, since entries are compared one by one."""
    return f"a list of {len(value)}" if isinstance(value, list | tuple) else shown(value)


def same_risk(stated: Sequence[Atom], derived: Sequence[Atom], names: Sequence[str], surrogate: str) -> None:
    """Refuse merged atoms that are not those of a surrogate, whatever their order."""
    shapes, known = ({atom.shape: atom.c for atom in atoms} for atoms in (stated, derived))
    if shapes == known:
        return
    has, wants = ({replace(atom, c=Fraction(1)): atom.c for atom in atoms} for atoms in (stated, derived))
    atom = next(one for one in (*wants, *has) if has.get(one) != wants.get(one))
    factor, right = has.get(atom, Fraction(0)), wants.get(atom, Fraction(0))
    raise RejectedError(
        f"the risk of the proof is not that of the surrogate {shown(surrogate)}: "
        f"{shown(atom_entries([atom], names)[0])} has the factor {shown(factor)} and must have {shown(right)}"
    )


# --- The entries of a proof, as the file has them --------------------------------------------------------

Entry = dict[str, object]

OWN: Final = "own: "
"""Before the name of a loss without a family, or with the name of another one."""


def as_atom(term: ModelTerm | Atom) -> Atom:
    """A summand of a surrogate's risk, as the core has it."""
    if isinstance(term, Atom):
        return term
    v = tuple([(k, _UNITS[n] if n in _UNITS else Fraction(n)) for k, n in term.v])
    return PhiAtom(term.c, term.phi, v, term.b)


_UNITS: Final[Mapping[int, Fraction]] = MappingProxyType({1: Fraction(1), -1: Fraction(-1)})


def terms_of(atoms: Sequence[Atom]) -> tuple[ModelTerm, ...] | None:
    """Atoms of a proof as terms of a surrogate; None if some are no terms with integer directions."""
    terms = [atom for atom in atoms if isinstance(atom, PhiAtom)]
    if len(terms) < len(atoms) or any(n.denominator > 1 for t in terms for _, n in t.v):
        return None
    return tuple(ModelTerm(t.c, t.phi, tuple((k, n.numerator) for k, n in t.v), t.b) for t in terms)


def atom_entries(atoms: Iterable[Atom], names: Sequence[str]) -> list[Entry]:
    """Atoms in their order, neighboring terms of equal phi and offset together."""

    def along(v: Direction) -> dict[str, str]:
        return {names[k]: str(n) for k, n in v}

    entries: list[Entry] = []
    block, terms = None, list[object]()
    for atom in atoms:
        if isinstance(atom, PhiAtom):
            if block != (atom.phi, atom.b):
                block, terms = (atom.phi, atom.b), []
                entries.append({"phi": str(atom.phi), "offset": str(atom.b), "terms": terms})
            terms.append([str(atom.c), along(atom.v)])
            continue
        block = None
        if isinstance(atom, LogSumExp):
            entries.append({"log-sum-exp": str(atom.c), "over": [names[k] for k in atom.over]})
        elif isinstance(atom, Max):
            pieces = [[along(v), str(b)] for v, b in atom.pieces]
            entries.append({"max": str(atom.c), "pieces": pieces})
        else:
            assert isinstance(atom, Linear)
            entries.append({"linear": along(scaled(atom.v, atom.c))})
    return entries
