"""What `check --profile` tells a person about one distribution."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.certify.witness import Witness
from consistency_lab.data import Profile
from consistency_lab.decide import ProfileDecision, Verdict
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.report.answer import Files, failure_kind
from consistency_lab.report.decision import KINDS, certificate_line, percent, saved
from consistency_lab.report.formula import formula
from consistency_lab.report.text import Line, chain, decimal, matrix, number, paragraph

_DIGITS: Final = 4
_MOST_DIGITS: Final = 13
_PAIRS: Final = 6
"""More wrong pairs than this are left to the file; the largest majorities are shown."""

_ORDER: Final = 24

_SENTENCES: Final[Mapping[Verdict, str]] = {
    Verdict.INCONSISTENT: "INCONSISTENT here: the minimizer of W is certainly outside A(p).",
    Verdict.CONSISTENT: (
        "CONSISTENT here: the minimizer of W is certainly in A(p). "
        "This says nothing about other distributions."
    ),
    Verdict.UNDECIDED: "UNDECIDED here.",
}


def profile_heading(decision: ProfileDecision, profile: Profile) -> Iterator[Line]:
    """The question: the surrogate, the profile and what must be said of it."""
    yield from paragraph(f"{decision.surrogate.name}: {formula(decision.surrogate)}", indent=0, hanging=2)
    yield from paragraph(
        f"{profile.title} ({profile.format}): {len(profile.distribution.items)} items, "
        f"{_counted(profile)}, {len(profile.distribution.graphs)} different graphs",
        indent=0,
        hanging=2,
    )
    for note in profile.notes:
        yield from paragraph(f"Note: {note}.", indent=0, hanging=2)
    yield ""
    yield f"Preferences, row over column, {_unit(profile)}:"
    a = profile.distribution.aggregate
    yield from matrix([[x * profile.voters for x in row] for row in a], profile.distribution.items, indent=2)
    yield ""


def profile_answer(
    decision: ProfileDecision, profile: Profile, minimizer: Sequence[float] | None, files: Files
) -> Iterator[Line]:
    """The verdict and its evidence.

    Parameters
    ----------
    minimizer
        Where a float minimization of W ended, for reading; the certificate does not rest on it. None if the
        scores of the witness are a minimizer.
    """
    yield _SENTENCES[decision.verdict]
    witness = decision.witness
    if witness is None:
        yield from paragraph(f"{decision.reason}.", indent=2)
        return
    names = profile.distribution.items
    if minimizer is None:
        minimizer = [float(score) for score in witness.scores]
    if _shift_invariant(witness):
        center = sum(minimizer) / len(minimizer)
        minimizer = [x - center for x in minimizer]
        how = " (mean zero)"
    else:
        how = ""
    for line in _wrong(witness, profile, minimizer, how):
        yield from paragraph(line, indent=2, hanging=2)
    kind = failure_kind(witness)
    if kind is not None:
        yield from paragraph(f"The failure is {KINDS[kind]}.", indent=2, hanging=2)
    optimum = witness.document["optimum"]
    assert isinstance(optimum, Mapping)
    order = sorted(range(len(names)), key=lambda i: (-minimizer[i], -i))
    right, own = chain(optimum["order"], range(len(names))), chain(names, order)
    yield from paragraph(f"optimal order:          {right}  {_number_of(optimum['orders'])}", 2, _ORDER)
    yield from paragraph(f"order of the minimizer: {own}  {_cost(optimum, profile)}", 2, _ORDER)
    scores = ", ".join(f"{names[i]} {decimal(minimizer[i], _DIGITS)}" for i in order)
    yield from paragraph(f"minimizer, to {_DIGITS} digits{how}: {scores}", indent=2, hanging=2)
    yield from paragraph(certificate_line(witness), indent=2, hanging=2)
    conditions = witness.document["conditions"]
    assert isinstance(conditions, Mapping)
    holding = [name for name in CONDITIONS if conditions[name]]
    yield from paragraph(f"Noise conditions that hold here: {', '.join(holding)}.", indent=2, hanging=2)
    if "universal" in witness.document:
        yield from paragraph(
            "No convex phi with phi'(0) < 0 is right at this distribution; the file carries the proof.",
            indent=2,
        )
    path = files.get(str(witness.document["digest"]))
    if path is not None:
        yield from saved(path)


def _wrong(witness: Witness, profile: Profile, minimizer: Sequence[float], how: str) -> Iterator[str]:
    failure = witness.document["failure"]
    if not isinstance(failure, Mapping):
        return
    names = profile.distribution.items
    d = profile.distribution.difference
    pairs = [
        (names.index(pair["preferred"]), names.index(pair["over"]), pair["scored"] == "equal")
        for pair in failure["pairs"]
    ]
    largest = sorted(pairs, key=lambda pair: (-d[pair[0]][pair[1]], pair))[:_PAIRS]
    for i, j, equal in largest:
        low, high = _told_apart(minimizer[i], minimizer[j])
        scored = f"scores both {low}" if equal else f"scores {names[j]} {high} above {names[i]} {low}"
        margin = d[i][j] * profile.voters
        yield f"{_majority(profile, margin)} {names[i]} to {names[j]}, yet the minimizer {scored}{how}."
    if len(pairs) > len(largest):
        yield f"The file lists {len(pairs) - len(largest)} more pairs that are wrong."


def _told_apart(low: float, high: float) -> tuple[str, str]:
    """Two decimals with as many digits as it takes to see that they differ."""
    for digits in range(_DIGITS, _MOST_DIGITS):
        if decimal(low, digits) != decimal(high, digits):
            return decimal(low, digits), decimal(high, digits)
    return decimal(low, _DIGITS), decimal(high, _DIGITS)


def _majority(profile: Profile, margin: Fraction) -> str:
    """As in "a majority of 25 (of 1960 voters) prefers"."""
    whole = profile.voters
    return {
        "voters": f"A majority of {number(margin)} (of {whole} voters) prefers",
        "comparisons": f"A majority of {number(margin)} (of {whole} comparisons) prefers",
    }.get(profile.counted, f"A weight of {number(margin)} in the aggregate prefers")


def _counted(profile: Profile) -> str:
    return "a distribution" if profile.counted == "probability" else f"{profile.voters} {profile.counted}"


def _unit(profile: Profile) -> str:
    return "expected weights" if profile.counted == "probability" else f"in {profile.counted}"


def _number_of(orders: str) -> str:
    return "(the only one)" if orders == "1" else f"(one of {orders})"


def _cost(optimum: Mapping[str, str], profile: Profile) -> str:
    regret = Fraction(optimum["regret"]) * profile.voters
    if not regret:
        return "(optimal)"
    share = percent(optimum["normalized_regret"])
    return f"(costs {number(regret)} more: {share} of all preferences)"


def _shift_invariant(witness: Witness) -> bool:
    """Whether W depends on differences of scores only, so that any mean may be chosen."""
    certificate = witness.document["certificate"]
    assert isinstance(certificate, Mapping)
    return all(sum(term["along"].values()) == 0 for term in certificate["terms"])
