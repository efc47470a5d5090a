"""Certify a surrogate as wrong, or right, at one distribution: at exact scores, or by separation."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from typing import TYPE_CHECKING, Any, Final, final

from consistency_lab.certify.addition import ByAddition
from consistency_lab.certify.proofs.file import proved, provenance_entry, sealed, verify
from consistency_lab.certify.proofs.names import Risk, graphs_entry
from consistency_lab.certify.proofs.orders import OrderQuestion, Stated, order_evidence
from consistency_lab.certify.proofs.record import Entry, VerifiedProof, terms_of
from consistency_lab.certify.proofs.task_proof import LabelQuestion
from consistency_lab.certify.separation import TIED, level_pairs, levels_of, separation_proofs
from consistency_lab.certify.universal import universal_proof
from consistency_lab.core.addition import Addition
from consistency_lab.core.document import CONSISTENT_AT_P, INCONSISTENT, Proof
from consistency_lab.core.orders import Order, Pair, by_levels, closure, cost, levels
from consistency_lab.core.verify import Proved, decide
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.model.checked import checked
from consistency_lab.model.distribution import Distribution, loss, total_weight
from consistency_lab.model.surrogates import EdgeSurrogate, MarginSurrogate, Surrogate, Term, pair
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import parse
from consistency_lab.shown import Pictured
from consistency_lab.solve.connectivity import strong_components
from consistency_lab.solve.minimize import Minimum, minimize
from consistency_lab.solve.optimal import MAX_ITEMS as ALL_ORDERS
from consistency_lab.solve.optimal import OptimalOrders, optimal_orders
from consistency_lab.solve.stationary import stationary_slopes

if TYPE_CHECKING:
    from consistency_lab.solve.kemeny import KemenyOrder

# --- A file that the core has accepted -------------------------------------------------------------------


@final
@checked
@dataclass(frozen=True, repr=False)
class Witness(Pictured):
    """A file that the core has accepted, and what follows from it."""

    document: Mapping[str, Any]  #: The file (docs/proof-format.md).
    verified: VerifiedProof  #: What was proved, and which names were recomputed.
    #: The distribution of preference graphs, or the question about labels.
    about: Distribution | LabelQuestion

    @staticmethod
    @checked
    def of(document: Mapping[str, Any], verified: VerifiedProof | None = None) -> "Witness":
        """The witness in a file, about the question that its names ask.

        Raises
        ------
        RejectedError
            If something in it is false.
        """
        verified = verified or verify(document)
        if verified.about is None:
            raise InputError("this is not about preferences between items")
        return Witness(document, verified, verified.about)

    def latex(self) -> str:
        """The proof as a document of its own for LaTeX, with amsmath and TikZ alone."""
        return str(self._words().latex(self))

    def script(self, library: str) -> str:
        """A short program that trains a library on this distribution and prints the order that it learns.

        Parameters
        ----------
        library
            "lightgbm", "xgboost", "catboost", "torch" or "trl"; one that does not fit is an InputError.
        """
        return str(self._words().program(self, library))

    @property
    def proof(self) -> Proof:
        """The proof."""
        assert self.verified.proof is not None  # a claim about a distribution has one
        return self.verified.proof

    @property
    def digest(self) -> str:
        """The digest of the file, by which it is known."""
        return str(self.document["digest"])

    @property
    def failure(self) -> str | None:
        """Its kind: "strict" or "tie"; None where the surrogate is right."""
        return self.verified.failure

    @property
    def certificate(self) -> str:
        """The kind of the certificate."""
        return str(self.document["proof"]["certificate"]["kind"])

    @property
    def inconsistent(self) -> bool:
        """Whether it shows the surrogate to be wrong here."""
        return self.verified.claim == INCONSISTENT

    @property
    def scores(self) -> tuple[LogRational, ...]:
        """The exact scores."""
        return self.verified.scores

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The terms of W, in the order in which the certificate speaks of them."""
        terms = terms_of(self.verified.atoms)
        if terms is None:
            raise InputError("the risk has parts that are no terms with integer directions")
        return terms

    @checked
    def fails_under(self, condition: str) -> bool:
        """Whether an inconsistency is proved here, and this condition holds."""
        if condition not in self.verified.conditions:
            known = ", ".join(self.verified.conditions)
            raise InputError(f"nothing is said of the condition {condition[:40]!r}; it tells of {known}")
        return self.inconsistent and self.verified.conditions[condition]

    @property
    def asked(self) -> LabelQuestion:
        """The question about labels."""
        assert isinstance(self.about, LabelQuestion)
        return self.about

    @property
    def distribution(self) -> Distribution:
        """The distribution of preference graphs; the properties that follow speak of it."""
        assert isinstance(self.about, Distribution)
        return self.about

    @cached_property
    def optimum(self) -> OptimalOrders:
        """All optimal orders.

        Raises
        ------
        UnsupportedError
            If there are more than 20 items; `better`, `loss` and `verified.regret` are there all the same.
        """
        m = self.distribution.m
        if m > ALL_ORDERS:
            raise UnsupportedError(
                f"all optimal orders are known for at most {ALL_ORDERS} items, and this witness has {m}; "
                "`better` is an order that costs less than `prediction` where that is wrong, by at least "
                "`verified.regret`"
            )
        return optimal_orders(self.distribution.aggregate)

    @cached_property
    def better(self) -> Order:
        """The best known order: the order `better` of the file, if it states one; else an optimal one.

        What is proved right is optimal itself.
        """
        stated = self._stated("better")
        if stated is not None:
            return stated
        if not self.inconsistent and self.distribution.m > ALL_ORDERS:
            return self.prediction
        return next(iter(self.optimum.orders(1)))

    @cached_property
    def prediction(self) -> Order:
        """An order that the decoder may return near the infimum of W: the file's, if it states one."""
        stated, certificate = self._stated("prediction"), self.proof.certificate
        if stated is None and isinstance(certificate, Addition):
            m = self.distribution.m
            below = closure(m, [(pair.above, pair.below) for pair in certificate.pairs])
            return tuple(sorted(range(m), key=lambda i: -below[i].bit_count()))
        return stated or tuple(sorted(range(len(self.scores)), key=lambda i: (-self.scores[i], i)))

    def _stated(self, key: str) -> Order | None:
        stated: Order | int | None = getattr(self.proof, key)
        if isinstance(stated, int):  # decoded by cells, which have names
            return tuple(int(word) - 1 for word in self.document["proof"][key].split(" > "))
        return stated

    @property
    def loss(self) -> Fraction:
        """The target loss of the prediction."""
        return loss(self.distribution.aggregate, self.prediction)

    @property
    def normalized_regret(self) -> Fraction:
        """The regret as a share of the weight of all preferences; 0 if there are none."""
        weight = total_weight(self.distribution.aggregate)
        return self.verified.regret / weight if weight else Fraction(0)

    @cached_property
    def wrong_pairs(self) -> tuple[Pair, ...]:
        """Pairs (i, j) with i above j in every optimal order, preferred so, and below j in the prediction.

        Of more than 20 items with majorities in a cycle none are known.
        """
        m, d = self.distribution.m, self.distribution.difference
        place = {item: n for n, item in enumerate(self.prediction)}
        edges = [(i, j) for i, j in permutations(range(m), 2) if d[i][j] > 0]
        if not self.inconsistent or not (m <= ALL_ORDERS or len(strong_components(edges, m)) == m):
            return ()
        wrong = ((i, j) for i, j in edges if place[j] < place[i])
        # Without a cycle every optimal order has all edges.
        return tuple(pair for pair in wrong if m > ALL_ORDERS or self.optimum.forced(*pair))


def sealed_witness(
    proof: Entry,
    names: Entry,
    provenance: Mapping[str, str],
    about: Distribution | LabelQuestion,
    risk: Risk | None = None,
) -> Witness:
    """A proof and the names beside it, sealed in a file that the core has accepted.

    InputError or RejectedError if numbers are too long for a file, or the core does not accept it.
    """
    said = provenance_entry(provenance)
    if proof["claim"] == CONSISTENT_AT_P:
        said["citation"] = ""  # of a theorem about failures, which this is none of
    document = sealed(proof, names, said)
    made_of = (about, risk) if isinstance(about, Distribution) else None
    return Witness(document, proved(document, made_of), about)


def accepted(
    proof: Entry,
    names: Entry,
    provenance: Mapping[str, str],
    about: Distribution | LabelQuestion,
    risk: Risk | None = None,
) -> Witness | None:
    """The sealed witness; None if the core does not accept it."""
    try:
        return sealed_witness(proof, names, provenance, about, risk)
    except (InputError, RejectedError):  # an InputError: numbers too long for a file
        return None


# --- The few pairs of items by which scores are seen to be right, or wrong -------------------------------

_WRONG: Final = 1e-9
_MANY_ORDERS: Final = 2000


def shared_pairs(optimum: OptimalOrders, m: int) -> list[Pair]:
    """The covering pairs of the order that all optimal orders share, the upper item first."""
    forced = {(i, j) for i in range(m) for j in range(m) if i != j and optimum.forced(i, j)}
    return sorted(
        (i, j) for i, j in forced if not any((i, k) in forced and (k, j) in forced for k in range(m))
    )


def wrong_pairs(optimum: OptimalOrders, scores: Sequence[float]) -> list[Pair]:
    """Pairs that the scores invert and that together meet every optimal order, largest inversion first."""
    m = len(scores)
    inverted = sorted(
        (
            (i, j)
            for i in range(m)
            for j in range(m)
            if scores[i] < scores[j] - _WRONG and not optimum.forced(j, i)
        ),
        key=lambda pair: scores[pair[0]] - scores[pair[1]],
    )
    for i, j in inverted:
        if optimum.forced(i, j):
            return [(i, j)]
    chosen: list[Pair] = []
    missed = [{item: n for n, item in enumerate(order)} for order in optimum.orders(_MANY_ORDERS)]
    for i, j in inverted:
        if not missed:
            break
        rest = [place for place in missed if place[i] > place[j]]
        if len(rest) < len(missed):
            chosen.append((i, j))
            missed = rest
    return [] if missed else chosen


def has_pairs(scores: Sequence[float], pairs: Sequence[Pair]) -> bool:
    """Whether the scores clearly put the first item of each pair above the second."""
    return all(scores[i] > scores[j] + _WRONG for i, j in pairs)


# --- Proofs from exact scores with ties ------------------------------------------------------------------
# Exact scores that minimize W, or along which W falls to its infimum, are near points of every order that
# breaks their ties. If one of these orders is worse than optimal, the infimum of W is also that over the
# scores outside A(p), whichever way a rule for ties breaks them (DMJ10 Definition 2 compares with an
# infimum).


def closure_proof(question: OrderQuestion, scores: Sequence[LogRational]) -> Entry | None:
    """A proof that exact minimizing scores are wrong, strictly or by a tie; None if they are not."""
    costs, better = question.costs, question.better
    slopes = stationary_slopes(question.terms, len(scores), scores)
    if slopes is None:
        return None
    level, least = levels(scores), cost(costs, better)
    # What an order that breaks the ties costs, and what the one that breaks them the other way round costs,
    # add up to one and the same sum. So if these two cost the least, all orders that break the ties do.
    upward = sorted(range(len(level)), key=lambda k: (-level[k], k))
    downward = sorted(upward, key=lambda k: (-level[k], -k))
    worse = max(tuple(upward), tuple(downward), key=lambda order: cost(costs, order))
    if cost(costs, worse) == least:
        return None
    strictly = order_evidence(costs, by_levels(level), least, more=True)
    return question.entry(question.at_a_minimum(scores, slopes, worse, better, strictly))


# --- Certify a surrogate at one distribution of preferences: at exact scores, or by separation ------------

MAX_WITNESS_ITEMS: Final = 15
"""Most items for which all optimal orders are found, by going through all sets of items."""

TOO_LARGE: Final = "a weight is too large for floats, so no proof could be proposed"

_UNIVERSAL_ITEMS: Final = 4
_NUDGE: Final = Fraction(1, 10**4)
_APART: Final = (Fraction(2), Fraction(1, 2), Fraction(1, 1000))
_PULL: Final = parse("max(0,-x)")


@final
@dataclass(frozen=True)
class Case:
    """One question to certify: a surrogate at a distribution."""

    surrogate: Surrogate
    distribution: Distribution
    provenance: Mapping[str, str] = field(default_factory=dict)
    best: "KemenyOrder | None" = None
    universal: bool = False

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The terms of W."""
        return self.surrogate.risk_terms(self.distribution)

    @property
    def risk(self) -> Risk:
        """The surrogate and its terms."""
        return self.surrogate, self.terms

    @cached_property
    def of_orders(self) -> OrderQuestion:
        """The question without an optimal order, which takes long to find for many items."""
        return OrderQuestion.of(self.terms, self.distribution.aggregate, self.distribution.items)

    @cached_property
    def optimum(self) -> OptimalOrders:
        """All optimal orders."""
        return optimal_orders(self.distribution.aggregate)

    @cached_property
    def question(self) -> OrderQuestion:
        """The question with an optimal order."""
        return replace(self.of_orders, better=tuple(next(iter(self.optimum.orders(1)))))

    @cached_property
    def every_phi(self) -> Entry:
        """The entry of a proof about every convex phi, {} if there is none."""
        m = self.distribution.m
        if not self.universal or m > _UNIVERSAL_ITEMS:
            return {}
        if type(self.surrogate) not in (EdgeSurrogate, MarginSurrogate):
            return {}
        offsets = {term.b for term in self.terms}
        if len(offsets) != 1 or any(b.sign() < 0 for b in offsets):
            return {}
        if self.optimum.count() != 1 or self.question.better != tuple(range(m)):
            return {}
        h = [[Fraction(0)] * m for _ in range(m)]
        for term in self.terms:
            i = next(item for item, n in term.v if n > 0)
            j = next(item for item, n in term.v if n < 0)
            h[i][j] = term.c
        faces = universal_proof(h, self.distribution.items)
        return {} if faces is None else {"universal": faces}

    def names(self, *, many: bool) -> Entry:
        """The names beside a proof; of many items, graphs only where the aggregate does not tell them."""
        p = self.distribution
        told = self.surrogate.of_aggregate and p == p.shortest
        return graphs_entry(self.surrogate, p, graphs=not (many and told))

    def accepted(self, proof: Entry | None) -> Witness | None:
        """The witness of a proof, for every convex phi if asked; None if there is none or it is refused."""
        if proof is None:
            return None
        extra = self.every_phi if proof["claim"] == INCONSISTENT else {}
        names = self.names(many=self.distribution.m > MAX_WITNESS_ITEMS)
        return accepted({**proof, **extra}, names, self.provenance, self.distribution, self.risk)

    def by_addition(self, found: ByAddition | None = None) -> "Decided | None":
        """Without scores: by pairs that adding comparisons up puts in order, see `many_items`."""
        from consistency_lab.certify.many_items import proof_by_addition

        stated = proof_by_addition(self.of_orders, self.distribution.aggregate, self.best, found)
        if stated is None:
            return None
        try:
            return Decided(self, stated, decide(stated.proof))
        except (InputError, RejectedError):
            return None

    def of_many(self) -> "Decided":
        """By neighbors in the order of the scores, see `many_items` (UnsupportedError)."""
        stated = self._for_many()
        try:
            return Decided(self, stated, decide(stated.proof))
        except (InputError, RejectedError) as error:
            raise UnsupportedError(f"floats did not propose a proof: {error}") from None

    def _for_many(self) -> Stated:
        from consistency_lab.certify.many_items import proof_for_many

        try:
            return proof_for_many(self.of_orders, self.distribution.aggregate, self.best)
        except OverflowError:
            raise UnsupportedError(TOO_LARGE) from None

    def written(self, stated: Stated, many: bool = True) -> Witness:
        """The file of a proof, which the core reads and accepts as a stranger would (UnsupportedError)."""
        about, names = self.distribution, self.names(many=many)
        try:
            return sealed_witness(stated.entry, names, self.provenance, about, self.risk)
        except (InputError, RejectedError) as error:
            raise UnsupportedError(f"floats did not propose a proof: {error}") from None

    def like_many(self) -> Witness | None:
        """As `of_many`, or None: it also keeps apart components that have no common minimum."""
        with suppress(UnsupportedError):
            return self.written(self._for_many())
        return None

    def at_a_minimum(self, scores: Sequence[LogRational] | None) -> Witness | None:
        """The witness at exact scores, if they minimize W and may be wrong."""
        if scores is None:
            return None
        return self.accepted(closure_proof(self.question, scores))

    def at_another_minimum(self, minimum: Minimum) -> Witness | None:
        """Of many minimizers one that is wrong: a small pull between two items chooses among them.

        That the result is a minimizer is decided by its slopes in W alone.
        """
        if minimum.exact is None or minimum.unique is True or not self.terms:
            return None
        m, least = self.distribution.m, min(term.c for term in self.terms)
        for (i, k), apart in product(permutations(range(m), 2), _APART):
            pull = pair(least * _NUDGE, _PULL, i, k, LogRational(apart))
            witness = self.at_a_minimum(minimize([*self.terms, pull], m).exact)
            if witness is not None:
                return witness
        return None

    def by_separation(self, minimum: Minimum, decimals: int) -> Witness | None:
        """The witness by few pairs that optimal orders invert or share, or else by all levels."""
        floats = minimum.scores.tolist()
        shared = shared_pairs(self.optimum, len(floats))
        few = [(j, i) for i, j in wrong_pairs(self.optimum, floats)]
        if not few and has_pairs(floats, shared):
            few = shared
        tried: list[tuple[list[Pair], list[list[int]]]] = []
        for tied in TIED:
            for pairs in (few, level_pairs(floats, tied)):
                if (pairs, levels_of(floats, tied)) in tried:
                    continue
                tried.append((pairs, levels_of(floats, tied)))
                for proof in separation_proofs(self.question, floats, pairs, decimals, tied):
                    witness = self.accepted(proof)
                    if witness is not None:
                        return witness
        return None

    def decided(
        self, scores: Sequence[LogRational] | None = None, decimals: int = 1, *, quick: bool = False
    ) -> Witness | None:
        """The witness by any way, see `certify` (UnsupportedError)."""
        if self.distribution.m > MAX_WITNESS_ITEMS:
            return self.written(self._for_many())
        witness = (self.like_many() if quick else None) or self.at_a_minimum(scores)
        if witness is not None:
            return witness
        try:
            minimum = minimize(self.terms, self.distribution.m)
            witness = self.at_a_minimum(minimum.exact) or self.by_separation(minimum, decimals)
            witness = witness or self.at_another_minimum(minimum)
            return witness or (None if quick else self.like_many())
        except OverflowError:
            raise UnsupportedError(TOO_LARGE) from None


@final
@dataclass(frozen=True)
class Decided:
    """What the core has accepted; its file has megabytes, so it is made only where it is wanted."""

    case: Case  #: The question.
    stated: Stated  #: The proof.
    proved: Proved  #: What the core says of it.

    @property
    def file(self) -> Witness:
        """The file (UnsupportedError)."""
        return self.case.written(self.stated, self.case.distribution.m > MAX_WITNESS_ITEMS)


@checked
def certify(
    surrogate: Surrogate | str,
    distribution: Distribution,
    scores: Sequence[LogRational] | None = None,
    *,
    provenance: Mapping[str, str] | None = None,
    universal: bool = False,
    decimals: int = 1,
    best: "KemenyOrder | None" = None,
    quick: bool = False,
) -> Witness | None:
    """Decide one distribution exactly, if that can be done: wrong there, right there, or None.

    Ties are failures whichever way a rule for ties would break them (DMJ10 Definition 2 compares with an
    infimum), so the order of the items does not matter; nor does it how many orders are optimal, or whether
    there is a minimizer.

    Parameters
    ----------
    surrogate, distribution
        The question.
    scores
        Exact scores to try as a minimizer first; otherwise W is minimized in floats. (Up to 15 items.)
    provenance
        Texts for the document.
    universal
        Also look for the proof that no convex phi with phi'(0) < 0 is right here.
    decimals
        Scores are rounded to the fewest decimals that can be certified, but not to fewer than these.
        (Up to 15 items.)
    best
        A good order of the aggregate, if one is known already; it is looked for otherwise. (Of more than 15.)
    quick
        Also of fewer items first try what is done for more, which is faster; scores have more decimals.

    Returns
    -------
    Witness or None
        A file that the core accepts, with claim "inconsistent" or "consistent-at-p".

    Raises
    ------
    UnsupportedError
        If floats overflow; of more than 15 items also if the loss is of a form for which no proofs are made,
        or none was found: the message has the reason.

    Examples
    --------
    The linear loss ties the items of a cycle; three of the six orders are optimal.

    >>> from consistency_lab.model.surrogates import surrogate
    >>> cycle = Distribution.from_aggregate([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    >>> certify(surrogate("linear"), cycle).verified.failure
    'tie'
    """
    surrogate = as_surrogate(surrogate)
    if scores is not None and len(scores) != distribution.m:
        raise InputError(f"there are {len(scores)} scores; give one for each of the {distribution.m} items")
    case = Case(surrogate, distribution, provenance or {}, best, universal)
    return case.decided(scores, decimals, quick=quick)
