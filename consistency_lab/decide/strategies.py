"""What may find a witness, or a proof that there is none: strategies, in the order of trial.

Each loads its search when it runs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from consistency_lab.certify.witness import Witness, certify
from consistency_lab.decide.theorems.infeasibility import AffineWitness, prove_affine
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import ANY, CONDITIONS
from consistency_lab.model.designs import design
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import AnswerSurrogate, EdgeSurrogate, Surrogate, family_of
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.numbers.exact import LogRational
from consistency_lab.search.effort import Effort
from consistency_lab.search.size import UNIVERSAL_AGGREGATE, realize, two_items

if TYPE_CHECKING:
    from consistency_lab.decide.theorems.affine import AffineProof
    from consistency_lab.model.tasks.task import Task

PROOF_ITEMS: Final = 5
"""Up to how many items exact infeasibility is shown beside a theorem."""

S = TypeVar("S", bound=Loss)
P = TypeVar("P", bound="Task | Sequence[int]")


@frozen
class Question(Generic[S, P]):
    """What a strategy is asked: one condition, at graphs of some sizes or at the labels of a task."""

    surrogate: S
    condition: str
    at: P  #: The task, or for preference graphs the numbers of items.
    #: Of the searches, and for the witness files.
    effort: Effort
    seed: int
    provenance: Mapping[str, str]
    looked: list[str] = field(default_factory=list)  #: What was searched completely.
    design: str = "any"  #: How often pairs of items of graphs are compared.


@frozen
class Strategy:
    """A way to settle a question: by a certified witness, or by a proof that there is none."""

    title: str
    fits: Callable[[Any], bool]
    finds: "Callable[[Any], Iterator[Witness | AffineProof]]"


def settled(strategies: Iterable[Strategy], question: Question[Any, Any]) -> "Witness | AffineProof | None":
    """The first answer of the first strategy that has one."""
    fitting = (strategy for strategy in strategies if strategy.fits(question))
    return next((found for strategy in fitting for found in strategy.finds(question)), None)


_OfGraphs = Question[Any, Sequence[int]]


def _by_linear_algebra(question: _OfGraphs) -> Iterator[Witness]:
    proof = prove_affine(question.surrogate, question.condition, PROOF_ITEMS)
    if isinstance(proof, AffineWitness):
        distribution = realize(question.surrogate, proof.aggregate)
        witness = certify(question.surrogate, distribution, provenance=question.provenance)
        if witness is not None and witness.inconsistent:
            yield witness


def by_aggregates(question: _OfGraphs, strict: bool = False) -> Iterator[Witness]:
    """A witness that the searches over aggregates find."""
    from consistency_lab.search.find import Search

    search = Search(
        question.surrogate,
        question.condition,
        question.effort,
        strict=strict,
        seed=question.seed,
        provenance=dict(question.provenance),
        looked=question.looked,
    )
    witness = search.run(question.at)
    if witness is not None:
        yield witness


def _wrong_at(
    question: _OfGraphs, p: Distribution, scores: Sequence[LogRational] | None = None, **more: str
) -> Iterator[Witness]:
    question.effort.count(certificates=1)
    witness = certify(question.surrogate, p, scores, provenance={**question.provenance, **more})
    if witness is not None and witness.fails_under(question.condition):
        yield witness


def _wrong_among(question: _OfGraphs, distributions: Iterable[Distribution]) -> Iterator[Witness]:
    for p in distributions:
        yield from _wrong_at(question, p)


def by_construction(question: Question[EdgeSurrogate, Sequence[int]]) -> Iterator[Witness]:
    """Witnesses among the constructions for the condition and the design."""
    from consistency_lab.search.designs import constructions

    for m in question.at:
        for one in constructions(question.surrogate.phi, question.condition, question.design, m):
            p = Distribution.from_aggregate(one.aggregate)
            yield from _wrong_at(question, p, one.scores, note=one.citation)
            if question.effort.expired:
                return


def _by_wins(question: Question[AnswerSurrogate, Sequence[int]]) -> Iterator[Witness]:
    from consistency_lab.search.designs import met_often

    often = met_often(question.condition, question.design, question.at)
    return _wrong_among(question, map(Distribution.from_aggregate, often))


def _about_graphs(question: Question[Any, Any]) -> bool:
    return isinstance(question.surrogate, Surrogate) and question.design == "any"


def counts_matter(surrogate: Loss) -> bool:
    """Whether the numbers of comparisons enter W, and not their differences alone."""
    return type(surrogate) is EdgeSurrogate and surrogate.of_aggregate


def about_counts(condition: str, design: str) -> bool:
    """Whether they are about numbers or shares of comparisons, which cones in d do not tell."""
    known = CONDITIONS[condition]
    return design != "any" or not (known.of_differences or known is ANY)


def sees_counts(question: Question[Any, Any]) -> bool:
    """Whether both the loss and the question depend on numbers of comparisons."""
    return counts_matter(question.surrogate) and about_counts(question.condition, question.design)


def with_equal_counts(surrogate: Surrogate, witness: Witness) -> Witness | None:
    """A witness with the same differences and all pairs compared equally often; None if counts enter W."""
    if not surrogate.of_aggregate or counts_matter(surrogate):
        return None
    d = witness.distribution.difference
    n = max(map(max, d))
    a = [[(n + x) / 2 if i != j else Fraction(0) for j, x in enumerate(row)] for i, row in enumerate(d)]
    return certify(surrogate, Distribution.from_aggregate(a), provenance=witness.document["provenance"])


def _with_design(question: _OfGraphs) -> Iterator[Witness]:
    """Witnesses found without a design that have it; if the loss sees counts, of two items only."""
    counted = sees_counts(question)
    witness = settled(STRATEGIES, replace(question, design="any", at=(2,) if counted else question.at))
    if isinstance(witness, Witness):
        equal = with_equal_counts(question.surrogate, witness)
        for one in (witness, equal):
            fits = one is not None and design(question.design).holds(one.distribution.aggregate)
            if one is not None and fits and one.fails_under(question.condition):
                yield one


STRATEGIES: Final = (
    Strategy(
        "linear algebra, where the minimizer is affine in the aggregate",
        lambda question: _about_graphs(question) and family_of(question.surrogate).affine,
        _by_linear_algebra,
    ),
    Strategy("constructions for a condition and a design", sees_counts, by_construction),
    Strategy(
        "single answers that are compared often",
        lambda question: type(question.surrogate) is AnswerSurrogate,
        _by_wins,
    ),
    Strategy(
        "a witness without the design, with two items or equal counts for the same differences",
        lambda question: question.design != "any" and (2 in question.at or not sees_counts(question)),
        _with_design,
    ),
    Strategy("inverse and forward search over aggregates", _about_graphs, by_aggregates),
    Strategy(
        "two items whose edges differ in weight, where the aggregate does not tell the risk",
        lambda question: _about_graphs(question) and 2 in question.at and not question.surrogate.of_aggregate,
        lambda question: _wrong_among(question, two_items()),
    ),
    Strategy(
        "the distribution at which no convex phi with phi'(0) < 0 is right (DMJ10 Lemma 10)",
        lambda question: (
            _about_graphs(question)
            and family_of(question.surrogate).every_phi
            and len(UNIVERSAL_AGGREGATE) in question.at
        ),
        # In the end, so that a small budget finds no less than the one witness that serves every phi.
        lambda question: _wrong_at(question, realize(question.surrogate, UNIVERSAL_AGGREGATE)),
    ),
)
