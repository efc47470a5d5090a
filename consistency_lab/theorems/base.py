"""What a theorem is: a statement about a family of surrogates, with hypotheses that can be checked."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Generic, ParamSpec, final

from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import condition, implies
from consistency_lab.model.surrogates import Surrogate

_On = ParamSpec("_On")
"""What a hypothesis is checked on: a surrogate, or a surrogate and a task."""

THEOREM: Final = "theorem"
EXACT_INFEASIBILITY: Final = "exact infeasibility"
"""The two kinds of evidence for consistency."""


@final
@dataclass(frozen=True)
class Hypothesis(Generic[_On]):
    """One hypothesis of a theorem, on the surrogate or on the surrogate and the task."""

    statement: str  #: What is asked, in LaTeX where it is mathematics.
    check: Callable[_On, str | None]  #: How it was checked, in words, or None if it is not proved.


@frozen
class Evidence:
    """Why a surrogate is consistent under a condition."""

    kind: str  #: `THEOREM` or `EXACT_INFEASIBILITY`.
    citation: str  #: The source of the statement.
    scope: str  #: For which numbers of items it holds, such as "all m".
    hypotheses: tuple[tuple[str, str], ...]  #: Pairs (hypothesis, how it was checked).


@frozen
class Refusal:
    """Why a theorem does not apply, in one clause."""

    reason: str


def checked(
    theorem: str, hypotheses: Iterable[Hypothesis[_On]], *on: _On.args, **_: _On.kwargs
) -> list[tuple[str, str]] | Refusal:
    """Each hypothesis of a theorem and how it was checked, or the first one that is not proved."""
    found = []
    for hypothesis in hypotheses:
        how = hypothesis.check(*on, **_)
        if how is None:
            return Refusal(f"{theorem} assumes that {hypothesis.statement}, which is not proved here")
        found.append((hypothesis.statement, how))
    return found


SurrogateHypothesis = Hypothesis[[Surrogate]]


@frozen
class Theorem:
    """A statement "surrogates of this family are consistent under this condition"."""

    name: str  #: A short name.
    statement: str  #: The statement, in LaTeX where it is mathematics.
    citation: str  #: Its source.
    family: type[Surrogate]  #: The class of surrogates that it is about; a class derived from it is another.
    condition: str  #: The largest noise condition that it covers.
    hypotheses: tuple[SurrogateHypothesis, ...]  #: What it asks of the surrogate.
    scope: str = "all m"  #: For which numbers of items it holds.
    items: tuple[int, ...] = ()  #: These numbers, if it holds for few.

    def applies(self, surrogate: Surrogate, condition_name: str, m: int | None = None) -> Evidence | Refusal:
        """Check every hypothesis; m is the number of items, where only one is asked about."""
        name = condition(condition_name).name
        if type(surrogate) is not self.family:  # a derived class may say something else
            return Refusal(f"{self.name} is about another family of surrogates than {surrogate.name}")
        if self.items and m not in self.items:
            return Refusal(f"{self.name} is about {self.scope} alone")
        if not implies(name, self.condition):
            return Refusal(f"{self.name} assumes {self.condition}, which {name} does not imply")
        found = checked(self.name, self.hypotheses, surrogate)
        if isinstance(found, Refusal):
            return found
        if name != self.condition:
            found.append((f"the condition is {self.condition}", f"{name} implies it"))
        return Evidence(THEOREM, self.citation, self.scope, tuple(found))
