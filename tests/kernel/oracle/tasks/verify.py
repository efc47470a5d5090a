"""The kernel's verdict on a witness about a prediction task."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final, final

from consistency_lab.core.document import INCONSISTENT, STRICT, TIE
from consistency_lab.core.numbers import BITS, Real, ball, certainly_above, plus, same, shown, times
from consistency_lab.errors import RejectedError
from consistency_lab.exact import lower_decimal, working_precision
from consistency_lab.files import digest

from .balance import check_balance
from .conditions import check_label_probabilities
from .decoders import DECODERS, levels
from .document import (
    Balance,
    Equilibrium,
    Mean,
    TaskWitness,
)
from .family import AtomFamily, FieldFamily, MeanFamily
from .labels import Grades
from .mean import check_scores, means
from .reading import read_task_witness
from .target import Prediction
from .task_verdict import WRONG_EQUILIBRIUM, VerifiedTask

_ZERO: Final = Fraction(0)
_DIGITS: Final = 12
_SHARE: Final = Fraction(99, 100)
"""How much of the regret must be stated, so that it is a statement and not a guess."""


def verify_task(document: Mapping[str, object]) -> VerifiedTask:
    """Verify a document of the format ``consistency-lab/task-witness/1``.

    Raises
    ------
    InputError
        If it is not such a document.
    RejectedError
        If something that it claims is not so; the message names the first such claim.
    """
    with working_precision(BITS):
        witness = read_task_witness(document)
        same("the digest", document["digest"], digest(document))
        check_label_probabilities(witness.distribution, witness.target)
        family = witness.surrogate
        own = family.features if isinstance(family, MeanFamily) else None
        if not witness.condition.holds(witness.target, witness.p, own):
            raise RejectedError(f"the condition {witness.condition.name} does not hold")
        if witness.decoder not in family.decoders:
            raise RejectedError(f"the decoder {witness.decoder} does not fit this surrogate")
        found = _predictions(witness)
        if witness.prediction not in found.predictions:
            raise RejectedError("the decoder cannot return the stated prediction")
        least = witness.target.expected_loss(witness.p, witness.better)
        regret = _check_regret(witness.regret, _excess(witness, witness.prediction, least))
        strict = all(certainly_above(_excess(witness, t, least), _ZERO) for t in found.predictions)
        same("the kind of failure", witness.failure, STRICT if strict else TIE)
    certificate, surrogate = document["certificate"], document["surrogate"]
    assert isinstance(certificate, dict) and isinstance(surrogate, dict)
    return VerifiedTask(
        claim=witness.claim,
        failure=witness.failure,
        regret=regret,
        target=witness.target.loss_name,
        surrogate=witness.name,
        family=str(surrogate["family"]),
        decoder=witness.decoder,
        condition=witness.condition.name,
        certificate=str(certificate["kind"]),
        m=witness.target.space.m,
        labels=len(witness.distribution),
        attracting=found.attracting,
        convexity=found.convexity,
    )


@final
@dataclass(frozen=True, slots=True)
class _Decoded:
    """What a certificate proves: where the decoder may end."""

    predictions: tuple[Prediction, ...]
    attracting: bool | None = None
    convexity: tuple[str, ...] = ()


def _predictions(witness: TaskWitness) -> _Decoded:
    """All predictions that the decoder may return at the point that the certificate is about."""
    family, certificate = witness.surrogate, witness.certificate
    wanted = WRONG_EQUILIBRIUM if isinstance(certificate, Equilibrium) else INCONSISTENT
    same("the claim", witness.claim, wanted)
    decode = DECODERS[witness.decoder]
    if isinstance(certificate, Mean) and isinstance(family, MeanFamily):
        found = means(family, witness)
        check_scores(family, witness, found)
        form = family.form
        forms = None if form is None else lambda t: form(witness.target, t)
        return _Decoded(decode(found, witness.target, forms))
    if isinstance(certificate, Balance) and isinstance(family, AtomFamily):
        methods = check_balance(family, certificate, witness)
        assert witness.scores is not None
        return _Decoded(decode(levels(witness.scores), witness.target, None), convexity=methods)
    if isinstance(certificate, Equilibrium) and isinstance(family, FieldFamily):
        return _equilibrium(family, certificate, witness)
    raise RejectedError("this kind of certificate does not fit the family of the surrogate")


def _equilibrium(family: FieldFamily, certificate: Equilibrium, witness: TaskWitness) -> _Decoded:
    # Only fields need it, and it brings a whole table of libraries along.
    from .equilibrium import check_equilibrium

    target, order = witness.target, witness.prediction
    if witness.scores is not None:
        raise RejectedError("the scores of an equilibrium are not known exactly; they must be null")
    if not isinstance(target.space, Grades):
        raise RejectedError("a field takes labels of grades")
    if len(certificate.box) != target.space.m - 1:
        raise RejectedError("a box bounds all scores but that of the last item, which is 0")
    ends = (*certificate.box, (_ZERO, _ZERO))
    if any(ends[i][0] <= ends[j][1] for i, j in pairwise(order)):
        raise RejectedError("not every point of the box sorts the items into the stated prediction")
    labels, probabilities = zip(*witness.distribution, strict=True)
    attracting = check_equilibrium(family.entry, labels, probabilities, target.space.m, certificate.box)
    same("whether the equilibrium is attracting", certificate.attracting, attracting)
    return _Decoded((order,), attracting)


def _excess(witness: TaskWitness, prediction: Prediction, least: Real) -> Real:
    """How much more a prediction loses than `least`, in the mean."""
    return plus(witness.target.expected_loss(witness.p, prediction), times(Fraction(-1), least))


def _check_regret(claimed: Fraction, regret: Real) -> Fraction:
    """The regret, from below where it is irrational; what is claimed must be most of it and not more."""
    if not certainly_above(regret, _ZERO):
        raise RejectedError("the stated prediction is not certainly worse than the better one")
    exact = regret if isinstance(regret, Fraction) else lower_decimal(ball(regret), _DIGITS)
    if not 0 < claimed <= exact:
        raise RejectedError(f"the regret is stated as {shown(claimed)}, but is {shown(exact)}")
    if claimed < _SHARE * exact:
        raise RejectedError(
            f"the regret is stated as {shown(claimed)}; it is {shown(exact)}, and at least {_SHARE} of it "
            "must be stated"
        )
    return exact
