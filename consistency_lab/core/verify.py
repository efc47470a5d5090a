"""The verdict of the core on a proof: all is derived again, and the first thing that fails is named."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import Final

from consistency_lab.core.certificates import KINDS, MOST_ORDERS, Equilibrium, KnownMean, Minimum
from consistency_lab.core.document import (
    CONSISTENT_AT_P,
    INCONSISTENT,
    INFEASIBLE,
    OF_LINKS,
    STRICT,
    TIE,
    WRONG_EQUILIBRIUM,
    Certificate,
    Near,
    Proof,
    StatedLabel,
)
from consistency_lab.core.inequalities import System, check_farkas, check_universal, read_face, read_system
from consistency_lab.core.orders import (
    NO_CYCLES,
    Costs,
    Order,
    Pair,
    Sort,
    closure,
    cost,
    extensions,
    lower_bound,
    read_cells,
    read_evidence,
    reversed_costs,
)
from consistency_lab.core.reading import (
    Names,
    Reader,
    check_denominators,
    decimal_or_fraction,
    entries,
    fraction,
    integer,
    just,
    log_rational,
    many,
    maybe,
    one_of,
    read_names,
    real,
    row,
    word,
    wrong,
)
from consistency_lab.core.risk import Atom, merged
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.balls import (
    BITS,
    ORIGIN,
    Real,
    at_most,
    ball,
    below,
    minus,
    rational,
    shown,
    times,
    total,
)
from consistency_lab.numbers.exact import LogRational, lower_decimal, working_precision

_DIGITS: Final = 12
_SHARE: Final = Fraction(99, 100)
"""How much of the regret must be stated, so that it is a statement and not a guess."""


@frozen
class Proved:
    """What a proof proves."""

    #: "inconsistent", "consistent-at-p", "wrong-equilibrium", "infeasible", "link", "no-link" or "decoder".
    claim: str
    #: "strict" if everything that may be returned is worse than the better prediction, "tie" if only some of
    #: it is proved to be; None for consistency.
    failure: str | None = None
    #: The expected loss of the prediction less that of the better one, or a little less where that is
    #: irrational. The prediction sorts the stated scores, which a separation does not claim to be least.
    regret: Fraction | None = None
    #: Of a strict failure: what everything that may be returned near the infimum of W loses more than the
    #: better one, at least.
    least_regret: Fraction | None = None
    #: Whether the claim is about everything near the infimum of W, and not about the stated scores alone.
    every: bool = False
    attained: bool = False  #: Whether the stated scores are proved to attain the infimum; False says nothing.
    attracting: bool | None = None  #: Of an equilibrium: whether it is proved to attract.
    #: Whether the same is proved for every convex phi with phi'(0) < 0 that satisfies Assumption A.
    universal: bool = False
    convexity: tuple[str, ...] = ()  #: How the convexity of the scalar functions was proved.
    systems: int = 0  #: How many systems of inequalities are proved to have no solution.
    #: Of a link: at how many scores its predictions are stated; of none: at how many it fails.
    reports: int = 0
    cones: int = 0  #: Of a link, or of none: in how many cones of distributions alone; 0 for all.


def verify_proof(value: object) -> Proved:
    """Verify the ``proof`` entry of a file.

    Parameters
    ----------
    value
        The parsed JSON.

    RejectedError if something that it says is not so; the message names the first such thing.

    Examples
    --------
    The square loss on scores of two items, where the one that is preferred less often has the higher score:

    >>> losses = {"prefers": [["A", "B", "3"], ["B", "A", "2"]]}
    >>> psi = [{"phi": "(x-1)**2", "offset": "0", "terms": [["1", {"A": "-1", "B": "1"}]]}]
    >>> found = verify_proof({
    ...     "claim": "inconsistent", "coordinates": ["A", "B"], "decoder": "sort",
    ...     "labels": [{"probability": "1", "psi": psi, **losses}], "scores": ["0", "1"],
    ...     "prediction": ["B", "A"], "better": ["A", "B"], "failure": "strict", "regret": "1",
    ...     "certificate": {"kind": "minimum", "slopes": ["0"]},
    ... })
    >>> found.claim, found.failure, found.regret
    ('inconsistent', 'strict', Fraction(1, 1))
    """
    if isinstance(value, Mapping) and value.get("claim") == INFEASIBLE:
        return _infeasible(value)
    if isinstance(value, Mapping) and value.get("claim") in OF_LINKS:
        from consistency_lab.core.embedding import check_embedding

        claim, reports, cones = check_embedding(value)
        return Proved(claim, reports=reports, cones=cones)
    with working_precision(BITS):
        return decide(read_proof(value))


def decide(proof: Proof) -> Proved:
    """Verify a proof that has been read.

    RejectedError if something that it says is not so.
    """
    with working_precision(BITS):
        _check_probabilities(proof.labels)
        losses = _Losses.of(proof)
        _check_needed(proof, losses)
        if proof.claim == CONSISTENT_AT_P:
            return _consistent(proof, losses)
        if proof.prediction is None or proof.better is None or proof.regret is None or proof.failure is None:
            raise RejectedError(
                "a failure needs a prediction, a better one, the regret and the kind of failure"
            )
        atoms, convexity = _risk(proof)
        found = _near(proof, atoms)
        if not found.may_return(proof.prediction):
            raise RejectedError("the decoder cannot return the stated prediction")
        excess = losses.excess(proof.prediction, proof.better)
        regret, least = _check_regret(proof.regret, excess), None
        if proof.failure == STRICT:
            least = _least_excess(found, proof, losses, proof.better)
        elif found.certain or proof.certificate.every:
            raise RejectedError(f"the failure is called {TIE!r}, but no scores are known to be tied")
        if proof.universal is not None:
            check_universal(proof.universal, atoms, losses.costs(), proof.coordinates)
        return Proved(
            proof.claim,
            proof.failure,
            regret,
            least,
            every=proof.certificate.every,
            attained=isinstance(proof.certificate, Minimum) and not any(proof.direction),
            attracting=proof.certificate.attracting if isinstance(proof.certificate, Equilibrium) else None,
            universal=proof.universal is not None,
            convexity=convexity,
        )


@frozen
class _Losses:
    """The expected loss of predictions: from the costs of pairs, or from a list."""

    m: int
    pairs: Costs | None
    listed: dict[Order | int, Real]

    @staticmethod
    def of(proof: Proof) -> "_Losses":
        """Add up the labels."""
        m, labels = len(proof.coordinates), proof.labels
        if all(label.prefers is not None for label in labels):
            return _Losses(m, _costs(labels), {})
        if any(label.losses is None or len(label.losses) != len(proof.predictions) for label in labels):
            raise RejectedError("every label needs one loss for each of the listed predictions")
        columns = zip(*(label.losses for label in labels if label.losses is not None), strict=True)
        weights = [LogRational(label.probability) for label in labels]
        means = [total(map(times, weights, column)) for column in columns]
        return _Losses(m, None, dict(zip(proof.predictions, means, strict=True)))

    def costs(self) -> Costs:
        """The costs of pairs."""
        if self.pairs is None:
            raise RejectedError("this needs preferences between items, not a list of losses")
        return self.pairs

    def loss(self, prediction: Order | int) -> Real:
        """The expected loss of a prediction."""
        if self.pairs is not None and not isinstance(prediction, int):
            return LogRational(cost(self.pairs, prediction))
        if prediction not in self.listed:
            raise RejectedError(f"no losses are listed for the prediction {shown(prediction)}")
        return self.listed[prediction]

    def excess(self, prediction: Order | int, better: Order | int) -> Real:
        """How much more a prediction loses than another."""
        return minus(self.loss(prediction), self.loss(better))


def _least_excess(found: Near, proof: Proof, losses: _Losses, better: Order | int) -> Fraction:
    """What all that may be returned loses more than the better prediction (RejectedError if nothing)."""
    excess: list[Real]
    if losses.pairs is not None and found.outcomes is None:
        bound = lower_bound(losses.pairs, found.below, proof.orders or NO_CYCLES)
        excess = [minus(LogRational(bound), losses.loss(better))]
    else:
        listed: Iterable[Order | int] = found.outcomes or extensions(found.below, MOST_ORDERS)
        excess = [losses.excess(t, better) for t in listed]
    if not all(below(ORIGIN, x) for x in excess):
        raise RejectedError(f"not every prediction is certainly worse: the failure is no {STRICT!r} one")
    return min(map(_from_below, excess))


def _near(proof: Proof, atoms: tuple[Atom, ...]) -> Near:
    """Check the certificate."""
    certificate = proof.certificate
    if (proof.claim == WRONG_EQUILIBRIUM) != isinstance(certificate, Equilibrium):
        raise RejectedError(f"the certificate does not prove the claim {proof.claim!r}")
    if any(proof.direction) and not (isinstance(certificate, Minimum) and isinstance(proof.decoder, Sort)):
        raise RejectedError("a direction belongs to a certificate of a minimum, and to sorting")
    if (proof.scores is None) == certificate.needs_scores:
        wanted = "they must be stated" if certificate.needs_scores else "they must be null here"
        raise RejectedError(f"scores belong to a minimum or a separation; {wanted}")
    return certificate.near(proof, atoms)


def _consistent(proof: Proof, losses: _Losses) -> Proved:
    """Near the infimum only optimal orders are returned."""
    if not proof.certificate.every:
        raise RejectedError("consistency at p needs a separation or a proof by addition")
    stated = (proof.prediction, proof.better, proof.failure, proof.regret, proof.universal)
    if any(entry is not None for entry in stated):
        raise RejectedError("consistency at p has no prediction, no failure and no regret")
    atoms, convexity = _risk(proof)
    forced = _near(proof, atoms).below
    if losses.pairs is not None:
        whole = sum(losses.pairs.values(), Fraction(0))
        least = lower_bound(losses.pairs, closure(losses.m, ()), proof.orders or NO_CYCLES)
        most = whole - lower_bound(reversed_costs(losses.pairs), forced, proof.extensions or NO_CYCLES)
        if most > least:
            raise RejectedError(
                f"orders outside the half-spaces may cost {shown(most)}, and optimal ones {shown(least)}"
            )
    else:
        if factorial(losses.m) > MOST_ORDERS:
            raise RejectedError(f"the orders of {losses.m} items are too many to go through")
        everything = list(permutations(range(losses.m)))
        for t in extensions(forced, MOST_ORDERS):
            if not all(t == s or at_most(ORIGIN, losses.excess(s, t)) for s in everything):
                raise RejectedError("an order outside the half-spaces is not certainly optimal")
    return Proved(CONSISTENT_AT_P, every=True, convexity=convexity)


def _infeasible(value: object) -> Proved:
    """Each of the systems has no solution."""
    systems = read_systems(value)
    if not systems:
        raise RejectedError("a claim that systems have no solution needs at least one system")
    for number, system in enumerate(systems, start=1):
        try:
            check_farkas(system.rows, system.right, system.equal_rows, system.equal_right, system.y, system.z)
        except RejectedError as error:
            raise RejectedError(f"system {number}: {error}") from None
    return Proved(INFEASIBLE, systems=len(systems))


def _check_needed(proof: Proof, losses: _Losses) -> None:
    """Refuse entries that this proof does not rest on, so that nothing in it goes unread."""
    pairs, consistent = losses.pairs is not None, proof.claim == CONSISTENT_AT_P
    listed = isinstance(proof.certificate, KnownMean) and proof.certificate.risk == "soft-pairs"
    needed = {
        "predictions": not pairs,
        "orders": pairs and (consistent or (proof.failure == STRICT and not listed)),
        "extensions": pairs and consistent,
    }
    for key, is_needed in needed.items():
        if getattr(proof, key) and not is_needed:
            raise RejectedError(f"the proof does not rest on its entry {key!r}; leave it out")


def _check_probabilities(labels: Sequence[StatedLabel]) -> None:
    if not labels or min(label.probability for label in labels) <= 0:
        raise RejectedError("there must be labels, each of positive probability")
    whole = sum((label.probability for label in labels), Fraction(0))
    if whole != 1:
        raise RejectedError(f"the probabilities sum to {shown(whole)}, not to 1")


def _costs(labels: Sequence[StatedLabel]) -> Costs:
    found: dict[Pair, Fraction] = {}
    for label in labels:
        p = label.probability
        for pair, weight in label.prefers or ():
            if pair[0] == pair[1] or weight.numerator <= 0:
                raise RejectedError("a preference is between two items, of positive weight")
            share = weight if p == 1 else p * weight
            found[pair] = found[pair] + share if pair in found else share
    return found


def _risk(proof: Proof) -> tuple[tuple[Atom, ...], tuple[str, ...]]:
    """The atoms of W, and how their convexity is proved."""
    atoms = [atom.times(label.probability) for label in proof.labels for atom in label.atoms]
    methods = {method for atom in atoms if (method := atom.check())}
    return merged(atoms), tuple(sorted(methods))


def _check_regret(claimed: Fraction, regret: Real) -> Fraction:
    """The regret, from below where it is irrational; what is claimed must be most of it and not more."""
    if not below(ORIGIN, regret):
        raise RejectedError("the stated prediction is not certainly worse than the better one")
    exact = _from_below(regret)
    if not _SHARE * exact <= claimed <= exact:
        raise RejectedError(f"the regret is stated as {shown(claimed)}, but is {shown(exact)}")
    return exact


def _from_below(x: Real) -> Fraction:
    """A number, or a decimal that is certainly not above it where it is irrational."""
    exact = rational(x)
    return lower_decimal(ball(x), _DIGITS) if exact is None else exact


# --- Reading a proof: coordinates and predictions are named in a file and numbered here ------------------

MAX_COORDINATES: Final = 1000
"""Most scores."""


def read_proof(value: object) -> Proof:
    """Read the ``proof`` entry of a file. The README of this folder has the form."""
    check_denominators(value)
    if not isinstance(value, dict):
        raise wrong(value, "proof", "an object")
    items = read_names(value.get("coordinates"), "coordinates")
    m = len(items.number)
    if not 1 <= m <= MAX_COORDINATES:
        raise InputError(f"coordinates has {m} entries; it must have 1 to {MAX_COORDINATES}")
    sorting = value.get("decoder") == "sort"
    listed = read_names([] if sorting else value.get("predictions"), "predictions")
    predict: Reader[Order | int] = items.order if sorting else listed.one
    found = entries(
        value,
        "proof",
        {
            "claim": word(INCONSISTENT, CONSISTENT_AT_P, WRONG_EQUILIBRIUM),
            "coordinates": just(tuple(items.number)),
            "labels": many(_label(items, value.get("certificate"))),
            "decoder": just(Sort()) if sorting else read_cells(items, listed),
            "scores": maybe(items.each(log_rational)),
            "certificate": _certificate(items),
        },
        {
            "predictions": many(predict),
            "direction": items.each(lambda x, at: integer(x, at, -m, m)),
            "prediction": predict,
            "better": predict,
            "failure": word(STRICT, TIE),
            "regret": decimal_or_fraction,
            "orders": read_evidence(items),
            "extensions": read_evidence(items),
            "universal": many(read_face(items)),
        },
    )
    if found["direction"] is not None and not any(found["direction"]):
        raise InputError("direction is 0 everywhere; leave it out")
    defaults = {"predictions": (), "direction": (0,) * m}
    proof = Proof(**found | {key: default for key, default in defaults.items() if found[key] is None})
    if len(set(proof.predictions)) < len(proof.predictions):
        raise InputError("predictions lists an order twice")
    return proof


def read_systems(value: object) -> tuple[System, ...]:
    """Read the ``proof`` entry of a file that claims that systems of inequalities have no solution."""
    check_denominators(value)
    found = entries(value, "proof", {"claim": word(INFEASIBLE), "systems": many(read_system)})
    systems: tuple[System, ...] = found["systems"]
    return systems


def _certificate(items: Names) -> Reader[Certificate]:
    def read(value: object, where: str) -> Certificate:
        entry = value if isinstance(value, dict) else {}
        kind = KINDS[one_of(entry.get("kind"), f"{where}.kind", KINDS)]
        return kind.read({key: x for key, x in entry.items() if key != "kind"}, where, items)

    return read


def _label(items: Names, certificate: object) -> Reader[StatedLabel]:
    """The reader of a label; the kind of certificate says what ``psi`` must be."""
    kind = certificate.get("kind") if isinstance(certificate, dict) else None
    psi = KINDS.get(str(kind), Certificate).psi(items)

    def preference(value: object, where: str) -> tuple[Pair, Fraction]:
        i, j, weight = row(value, where, 3)
        return (items.one(i, where), items.one(j, where)), fraction(weight, where)

    def read(value: object, where: str) -> StatedLabel:
        optional: dict[str, Reader[object]] = {"prefers": many(preference), "losses": many(real)}
        found = entries(value, where, {"probability": fraction, "psi": psi}, optional)
        if (found["prefers"] is None) == (found["losses"] is None):
            raise InputError(f"{where} needs either prefers or losses")
        return StatedLabel(found["probability"], found["prefers"], found["losses"], found["psi"])

    return read
