"""What a theorem is: a statement about surrogates, targets and conditions, with hypotheses that are checked.

A target of None stands for preference graphs of any weights, with pairwise disagreement; others have labels.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Final

from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, implied_by
from consistency_lab.model.designs import DESIGNS, design_implies
from consistency_lab.model.properties import (
    BOUNDED_BELOW,
    CONVEX,
    NEGATIVE_SLOPE,
    NONINCREASING,
    Status,
    properties,
)
from consistency_lab.model.surrogates import FAMILIES, Surrogate
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import unknown
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.phi import Expression, PiecewisePolynomial, facts, named
from consistency_lab.numbers.reflection import is_differentiable
from consistency_lab.numbers.tape import Real

THEOREM: Final = "theorem"
EXACT_INFEASIBILITY: Final = "exact infeasibility"
"""The two kinds of evidence for consistency."""


@frozen
class Hypothesis:
    """One hypothesis of a theorem on the surrogate and the target."""

    statement: str  #: The hypothesis, with its mathematics in LaTeX.
    #: How it was checked, in words, or None if it is not proved. It is called only with the surrogates and
    #: targets of its theorem, which types cannot express.
    check: Callable[[Any, Any], str | None]


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


@frozen
class Theorem:
    """A statement "surrogates of this family are consistent for these targets under these conditions"."""

    name: str  #: A short name.
    #: The name of the statement in the theorem book, which tells it, proves it and says what false variants
    #: of it are: `consistency-lab reproduce --explain NAME`.
    statement: str
    citation: str  #: Its source.
    families: tuple[type, ...]  #: The classes of surrogates that it is about.
    #: The largest conditions that it covers, by name; those that imply one of them are covered with it. The f
    #: of "p-f" is that of the surrogate.
    conditions: tuple[str, ...]
    hypotheses: tuple[Hypothesis, ...]  #: What it asks of the surrogate and the target.
    targets: tuple[str, ...] = ()  #: The targets that it is about, by name; none if hypotheses alone decide.
    scope: str = "all m"  #: For which sizes it holds.
    items: tuple[int, ...] = ()  #: These numbers of items, if it holds for few.
    design: str = "any"  #: The largest design of comparisons that it covers, by name.

    def about(self, surrogate: Loss, target: Task | None) -> bool:
        """Whether the statement is about this family and this target."""
        if not issubclass(type(surrogate), self.families):
            return False
        return target is None or not self.targets or target.target in self.targets

    def applies(
        self,
        surrogate: Loss,
        condition: str,
        target: Task | None = None,
        m: int | None = None,
        design: str = "any",
    ) -> Evidence | Refusal:
        """Check every hypothesis; m is the number of items, None for all."""
        own = None if type(surrogate) in FAMILIES else f"the surrogate {type(surrogate).__name__}"
        if target is not None:
            own = unknown(surrogate, target)
        if own is not None:  # it may behave differently from its base
            return Refusal(f"{self.name} does not cover {own}, a user-defined class")
        if not self.about(surrogate, target):
            on = "" if target is None else f" on {target.target}"
            return Refusal(f"{self.name} does not cover {surrogate.name}{on}")
        if self.items and m not in self.items:
            return Refusal(f"{self.name} covers only {self.scope}")
        wider = implied_with(condition, design) if target is None else implied_by(condition)
        covering = next((name for name in wider if name in self.conditions), None)
        if covering is None:
            assumed = " or ".join(self.conditions)
            return Refusal(f"{self.name} assumes {assumed}, which {condition} does not imply")
        if not design_implies(design, self.design):
            return Refusal(f"{self.name} assumes the design {self.design}, which {design} does not imply")
        checked = []
        for hypothesis in self.hypotheses:
            how = _checked(hypothesis, surrogate, target)
            if how is None:
                return Refusal(f"{self.name} assumes that {hypothesis.statement}, which is not proved here")
            checked.append((hypothesis.statement, how))
        if covering != condition:
            checked.append((f"the condition is {covering}", f"{condition} implies it"))
        if self.design not in {"any", design}:
            checked.append((f"the design is {self.design}", f"{design} implies it"))
        return Evidence(THEOREM, self.citation, self.scope, tuple(checked))


@lru_cache(maxsize=1024)
def _checked(hypothesis: Hypothesis, surrogate: Loss, target: Task | None) -> str | None:
    # Several conditions, designs and theorems ask the same of a surrogate, and an identity takes long.
    return hypothesis.check(surrogate, target)


JOINT: Final = (
    ("bradley-terry", "complete", "strong-stochastic-transitivity"),
    ("additive", "balanced", "strong-stochastic-transitivity"),
    ("strong-stochastic-transitivity", "balanced", "row-dominated"),
    ("any", "forest", "acyclic"),
    ("row-dominated", "forest", "low-noise"),
)
"""Conditions that a condition and a design imply together.

Strengths put the chances of all pairs in order; with equal n_ij these are the differences, up to a factor. A
forest has no cycle, and if its rows are in order no two edges in a row: 0 = d_ik >= d_jk would follow."""

COMPARES_ALL: Final = ("auc", "strong-stochastic-transitivity")
"""Conditions that only complete designs fulfill."""

CELLS: Final = tuple(
    (name, row)
    for row in DESIGNS
    for name in CONDITIONS
    if name not in COMPARES_ALL or design_implies(row, "complete")
)
"""Pairs of a condition and a design, without those that say the same as a smaller design."""


@cache
def implied_with(condition: str, design: str) -> tuple[str, ...]:
    """The conditions on preference graphs that follow from one where the design holds, itself first."""
    implied = dict.fromkeys(implied_by(condition))
    for smaller, enough, larger in JOINT:
        if smaller in implied and design_implies(design, enough):
            implied |= dict.fromkeys(implied_by(larger))
    return tuple(implied)


# --- Hypotheses on the decoder, and identities up to a factor ---------------------------------------------


def plain(statement: str, how: str, holds: Callable[[Any, Any], bool]) -> Hypothesis:
    """A hypothesis that is checked by a look at the surrogate and the target, told in the same words."""
    return Hypothesis(statement, lambda surrogate, target: how if holds(surrogate, target) else None)


def decoded_by(statement: str, *names: str) -> Hypothesis:
    """The hypothesis that the decoder is one of these names."""
    return plain(statement, "its decoder", lambda surrogate, _: surrogate.decoder in names)


IS_SORTED: Final = decoded_by("scores are decoded by sorting", "sort")


def one_factor(pairs: Iterable[tuple[Real, Real]]) -> Fraction | None:
    """The one a > 0 with x = a y for all pairs (x, y) of rationals; None if there is none."""
    factor: Fraction | None = None
    for x, y in pairs:
        if not (isinstance(x, Fraction) and isinstance(y, Fraction)):
            return None
        if factor is None and y:
            factor = x / y
        if x != (factor or 0) * y:
            return None
    return factor if factor is not None and factor > 0 else None


def factor_at_all_labels(factor: Fraction | None, task: Task) -> str | None:
    """How an identity up to a factor was checked."""
    return None if factor is None else f"factor {factor} at all {len(task.space.labels)} labels"


# --- Hypotheses on the scalar function phi ---------------------------------------------------------------

_ONE_VS_ALL: Final = {
    "ova-logistic": "logistic",
    "ova-square": "square",
    "ova-squared-hinge": "squared-hinge",
}
"""phi of each one-against-all loss, by the name of `phi.NAMED`."""


def psi(surrogate: Loss, task: Task) -> str:
    """The name of a multiclass loss; "" for others."""
    entry = surrogate.describe(task)
    return str(entry.get("psi")) if entry["family"] == "indicator" else ""


def phi_of(surrogate: Loss, target: Task | None) -> Expression | None:
    """The scalar function that a surrogate is made of, None if there is none."""
    if target is None:
        assert isinstance(surrogate, Surrogate)
        return surrogate.functions[0]
    if isinstance(surrogate, PairsSurrogate):
        return surrogate.phi
    name = _ONE_VS_ALL.get(psi(surrogate, target))
    return None if name is None else named(name).expression


PIECES: Final = "decided on its polynomial pieces"
SUM: Final = "from the terms of the sum"


def differentiable(phi: Expression) -> str | None:
    """How it is known that a function is differentiable everywhere, None if it is not."""
    known = facts(phi)
    if not known.smooth and not (known.defined and is_differentiable(phi)):
        return None
    if PiecewisePolynomial.of(phi) is not None:
        return PIECES
    return SUM if phi.op == "add" else "composition rules"


def _proved(name: str) -> Callable[[Any, Any], str | None]:
    """The check that a property of `model.properties` is proved of phi."""

    def check(surrogate: Loss, target: Task | None) -> str | None:
        phi = phi_of(surrogate, target)
        shown = None if phi is None else properties(phi)[name]
        if shown is None or shown.status is not Status.PROVED:
            return None
        return f"{shown.how} ({shown.value})" if shown.value is not None else shown.how

    return check


IS_CONVEX: Final = Hypothesis("phi is convex", _proved(CONVEX))
IS_NONINCREASING: Final = Hypothesis("phi is nonincreasing", _proved(NONINCREASING))
IS_BOUNDED_BELOW: Final = Hypothesis("phi is bounded below", _proved(BOUNDED_BELOW))
IS_DIFFERENTIABLE: Final = Hypothesis(
    "phi is differentiable",
    lambda loss, target: None if (phi := phi_of(loss, target)) is None else differentiable(phi),
)
HAS_NEGATIVE_SLOPE: Final = Hypothesis(r"\(\phi'(0) < 0\)", _proved(NEGATIVE_SLOPE))

CLASSIFYING: Final = (IS_CONVEX, IS_BOUNDED_BELOW, IS_DIFFERENTIABLE, HAS_NEGATIVE_SLOPE)
"""Convex, bounded below, differentiable and falling at 0: Bartlett, Jordan and McAuliffe (2006)."""
