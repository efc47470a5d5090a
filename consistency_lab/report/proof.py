"""A witness as a proof in plain text: every number in it can be checked by hand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import Any, Final

from consistency_lab.certify.addition import sides
from consistency_lab.certify.witness import MAX_ITEMS, Witness
from consistency_lab.core.addition import GAP, Addition
from consistency_lab.core.certificates import Bound, KnownMean, Minimum, Separation
from consistency_lab.core.document import Proof
from consistency_lab.core.risk import Bracket, Slope
from consistency_lab.errors import InputError, printed
from consistency_lab.exact import Ball, LogRational, enclose, working_precision
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import Expression, enclose_slopes, enclose_value, exact_slopes, facts
from consistency_lab.proofs.record import VerifiedProof
from consistency_lab.proofs.task_names import question_of
from consistency_lab.report.proof_parts import (
    SLOPE,
    Case,
    failure,
    known_mean,
    listed_losses,
    noise,
    preferences,
    risk,
    source,
    target,
    universal,
)
from consistency_lab.report.task_proof import ON_TASKS, TaskCase
from consistency_lab.report.text import Line, chain, columns, listed, number, paragraph, short
from consistency_lab.report.verification import claim_words
from consistency_lab.solve.stationary import argument

# --- Why the scores are a minimizer, or why W is larger on a half-space: the certificate in words --------

_BITS: Final = 256
_DIGITS: Final = 12
_GAP_DIGITS: Final = 6
_LONGEST: Final = 12
_SHOWN: Final = 6
"""More half-spaces than this are left to the file."""


def minimum(case: Case) -> Iterator[Line]:
    """The section."""
    certificate = case.witness.proof.certificate
    if isinstance(certificate, Addition):
        yield from _addition(case, certificate)
    elif isinstance(certificate, Separation):
        yield from _separation(case, certificate)
    elif isinstance(certificate, Minimum):
        direction = case.witness.proof.direction
        if any(direction):
            way = ", ".join(f"{name} {d}" for name, d in zip(case.names, direction, strict=True))
            yield from paragraph(
                f"Along the direction {way} W falls to its infimum: the terms that move fall to theirs, and "
                "the slopes of the others add up to zero at every item."
            )
        else:
            yield from _stationary(case, _numbers(certificate.slopes))


def _addition(case: Case, certificate: Addition) -> Iterator[Line]:
    yield from paragraph(
        "With n_ij = a_ij + a_ji and N_i = sum_k (a_ik - a_ki), W is larger than its infimum by some gap "
        "wherever i is not above j (docs/theory.md, Orders by addition) if for a factor λ and all other k: "
        "λ N_i - N_j > sum_k |λ n_ik - n_jk| (gap); or a_ij > a_ji, λ a_ik ≥ a_jk and λ a_ki ≤ a_kj "
        "(domination)."
    )
    a = case.witness.distribution.aggregate
    rows = [["i", "j", "rule", "λ", "λ N_i - N_j", "the sum"]]
    for pair in certificate.pairs[:_SHOWN]:
        told = map(number, sides(a, pair)) if pair.rule == GAP else ("", "")
        factor = "infinite" if pair.factor == inf else number(Fraction(pair.factor))
        rows.append([case.names[pair.above], case.names[pair.below], pair.rule, factor, *told])
    yield from columns(rows, indent=5)
    if len(certificate.pairs) > _SHOWN:
        yield from paragraph(f"The file has {len(certificate.pairs) - _SHOWN} more pairs.")


def _numbers(slopes: Sequence[Slope]) -> list[Fraction]:
    """The slopes of terms, which are single numbers."""
    return [slope for slope in slopes if isinstance(slope, Fraction)]


def _at(case: Case, term: Term) -> LogRational:
    """<v, scores> - b."""
    return argument(term, case.witness.scores)


def _stationary(case: Case, slopes: Sequence[Fraction]) -> Iterator[Line]:
    yield from paragraph(
        "W is convex, so it is least where 0 is one of its subgradients. The slopes at the scores are:"
    )
    yield from _about_slopes(case)
    rows = [["term", "its argument", "slope there", "slope × coefficient"]]
    for term, slope in zip(case.terms, slopes, strict=True):
        at = _at(case, term)
        left, right = exact_slopes(term.phi, at)
        chosen = str(slope) if left == right else f"{slope}, chosen in [{left}, {right}]"
        rows.append([case.weighted(term), short(at), chosen, str(term.c * slope)])
    yield from columns(rows, indent=5)
    yield from paragraph("The derivative of W along each score is then exactly zero:")
    yield from _balance(case, slopes)
    yield from paragraph("So the scores minimize W.")


def _separation(case: Case, certificate: Separation) -> Iterator[Line]:
    bounds = certificate.bounds
    halves = [_half(case, bound) for bound in bounds]
    where = f"in the half-space {halves[0]}" if len(halves) == 1 else f"in the union of {listed(halves)}"
    if case.witness.inconsistent:
        ranked = [f"{case.names[b.below]} above {case.names[b.above]}" for b in bounds]
        yield from paragraph(
            f"Every order that costs no more than {chain(case.names, case.witness.better)} ranks "
            f"{listed(ranked, 'or')}, so A(p) lies {where}."
        )
    else:
        ranked = [f"{case.names[b.above]} above {case.names[b.below]}" for b in bounds]
        yield from paragraph(
            f"Every order that ranks {listed(ranked)} is optimal, so scores outside A(p) lie {where}."
        )
    yield from paragraph(
        "If slopes s_t satisfy sum_t c_t s_t v_t = λ w with λ ≥ 0, then by convexity "
        "W(α) ≥ D := -sum_t c_t (s_t b_t + φ*(s_t)) wherever ⟨w, α⟩ ≥ 0. Two points x_l ≤ x_r whose slopes "
        "enclose s bound the conjugate: φ*(s) ≤ s x_l - φ(x_l) + (s - φ'(x_l)) (x_r - x_l)."
    )
    yield from _about_slopes(case)
    if certificate.common is None:
        with working_precision(_BITS):
            at_scores = enclose(0)
            for term in case.terms:
                at_scores += enclose(term.c) * enclose_value(term.phi, _at(case, term))
            for half, bound in zip(halves[:_SHOWN], bounds[:_SHOWN], strict=True):
                yield from _bound(case, half, bound, at_scores)
    else:
        yield from paragraph(
            "The slopes of the file add up to zero at every item and are attained near the scores: what they "
            "lose there, c_t (φ(x_t) + φ*(s_t) - s_t x_t) with x_t = ⟨v_t, scores⟩ - b_t, is at most "
            "c_t r_t (φ'(x_t + r_t) - φ'(x_t - r_t)). Each bound changes the slopes of a few terms alone. It "
            "exceeds W(scores) by λ times the difference of the two scores, less all that is lost."
        )
        for half, bound in zip(halves[:_SHOWN], bounds[:_SHOWN], strict=True):
            yield from _changes(case, half, bound)
    if len(bounds) > _SHOWN:
        yield from paragraph(f"The file has the same for {len(bounds) - _SHOWN} more half-spaces.")
    gap = case.witness.document["proof"]["certificate"]["gap"]
    yield from paragraph(f"So W is larger there than at the scores, by at least {gap} (the gap).")


def _about_slopes(case: Case) -> Iterator[Line]:
    if any(term.phi == SLOPE for term in case.terms):
        yield from paragraph("A term (α_j - α_i) is φ(x) = -x at x = α_i - α_j: slope -1, and φ*(-1) = 0.")


def _half(case: Case, bound: Bound) -> str:
    return f"{{{case.score(bound.below)} ≥ {case.score(bound.above)}}}"


def _changes(case: Case, half: str, bound: Bound) -> Iterator[Line]:
    yield from paragraph(f"On {half} these slopes are changed:")
    yield from _table(case, [case.terms[t] for t in bound.terms or ()], bound.slopes, bound.brackets)


def _table(
    case: Case, terms: Sequence[Term], slopes: Sequence[Slope], brackets: Sequence[Bracket]
) -> Iterator[Line]:
    rows = [["term", "slope s", "x_l", "x_r"]]
    for term, slope, bracket in zip(terms, _numbers(slopes), brackets, strict=True):
        ends = ("", "") if bracket is None else map(short, bracket)
        rows.append([case.weighted(term), short(slope), *ends])
    yield from columns(rows, indent=5, right=[1, 2, 3])


def _bound(case: Case, half: str, bound: Bound, at_scores: Ball) -> Iterator[Line]:
    slopes = _numbers(bound.slopes)
    multiplier = sum(_entries(case, slopes, bound.below), Fraction(0))
    yield from paragraph(f"On {half}, with λ = {short(multiplier)}:")
    pairs = zip(case.terms, bound.brackets, strict=True)
    brackets = [None if term.phi == SLOPE else bracket for term, bracket in pairs]
    yield from _table(case, case.terms, slopes, brackets)
    dual = enclose(0)
    for term, slope, bracket in zip(case.terms, slopes, brackets, strict=True):
        conjugate = _conjugate(term.phi, slope, bracket)
        dual -= enclose(term.c) * (enclose(slope) * term.b.ball() + conjugate)
    yield from _balance(case, slopes)
    yield from paragraph(
        f"D ≈ {_shown(dual, _DIGITS)} and W(scores) ≈ {_shown(at_scores, _DIGITS)}, "
        f"so D - W(scores) ≈ {_shown(dual - at_scores, _GAP_DIGITS)}.",
        5,
        2,
    )


def _conjugate(phi: Expression, slope: Fraction, bracket: Bracket) -> Ball:
    """The upper bound of phi^*(slope); without a bracket the slope is 0 and phi bounded below."""
    if phi == SLOPE:
        return enclose(0)
    if bracket is None:
        return -enclose(facts(phi).lower or Fraction(0))
    left, right = bracket
    lowest, low = enclose_slopes(phi, LogRational(left))
    tangent = low if bool(low <= enclose(slope)) else lowest
    at_left = enclose(slope * left) - enclose_value(phi, LogRational(left))
    # A bracket of one point needs no tangent: where phi has a kink, its slope there need not be known.
    return at_left if left == right else at_left + (enclose(slope) - tangent) * enclose(right - left)


def _shown(value: Ball, digits: int) -> str:
    return str(value.mid().str(digits, radius=False))


def _balance(case: Case, slopes: Sequence[Fraction]) -> Iterator[Line]:
    """The sum of c s v at each item, entry by entry."""
    rows = [(name, _entries(case, slopes, item)) for item, name in enumerate(case.names)]
    long = any(len(short(x)) > _LONGEST for _, entries in rows for x in entries)
    width = max(len(name) for name, _ in rows)
    for name, entries in rows:
        text = f"{len(entries)} terms, exactly" if long else f"{_sum(entries)} ="
        text += f" {short(sum(entries, Fraction(0)))}"
        yield from paragraph(f"at {name.ljust(width)}  {text}", 5, width + 5)


def _entries(case: Case, slopes: Sequence[Fraction], item: int) -> list[Fraction]:
    """The summands of sum_t c_t s_t v_t at one item."""
    return [
        term.c * slope * n
        for term, slope in zip(case.terms, slopes, strict=True)
        for place, n in term.v
        if place == item
    ]


def _sum(entries: Sequence[Fraction]) -> str:
    text = ""
    for x in entries:
        size = short(abs(x))
        text = f"{text} {'-' if x < 0 else '+'} {size}" if text else f"{'-' if x < 0 else ''}{size}"
    return text or "0"


# --- A proof in plain text -------------------------------------------------------------------------------
# Its numbers, its certificate, its names; every number can be checked by hand.

_SHOWN_ENTRIES: Final = 12
"""More entries than this are left to the file."""


_ON_GRAPHS: Final[tuple[tuple[str, Callable[[Case], Iterator[Line]]], ...]] = (
    ("Distribution", preferences),
    ("What the target loss asks for", target),
    ("Noise conditions", noise),
    ("The surrogate's risk and the scores", risk),
    ("The certificate", minimum),
    ("What follows", failure),
    ("Every convex phi at once", universal),
)
"""What is said where labels are preferences and the risk is a sum of terms."""


def explicit_proof(document: Mapping[str, Any], verified: VerifiedProof, name: str) -> Iterator[Line]:
    """The lines of the proof.

    Parameters
    ----------
    document
        A document that the core has accepted.
    verified
        What it proves, and what its names are.
    name
        What to call the file.
    """
    yield f"{printed(name)}: proof accepted"
    yield from paragraph(f"{claim_words(verified)}.")
    proof = verified.proof
    if proof is not None:
        number = 0
        for title, section in _sections(document, verified, proof):
            lines = list(section)
            if lines:
                number += 1
                yield from ("", f"{number}. {title}", *lines)
    else:
        yield from _systems(verified, document["proof"]["systems"])
    yield from ("", "Names")
    yield from paragraph(names_line(verified), 3)
    yield from source(document)


def _sections(
    document: Mapping[str, Any], verified: VerifiedProof, proof: Proof
) -> list[tuple[str, Iterator[Line]]]:
    """The sections, some of which may have nothing to say."""
    if verified.about_preferences and verified.m <= MAX_ITEMS:  # all optimal orders are spoken of
        case = Case(Witness.of(document, verified))
        try:
            if case.terms:
                return [(title, section(case)) for title, section in _ON_GRAPHS]
        except InputError:
            pass  # maxima and the like in the risk, which have no table here
    question = question_of(document["named"], verified)
    if question is not None:
        tasked = TaskCase(document, verified, question, proof)
        return [(title, section(tasked)) for title, section in ON_TASKS]
    entry = document["proof"]
    return [
        ("What orders cost", _costs(entry))
        if verified.about_preferences
        else ("What predictions cost", listed_losses(proof, entry)),
        ("The risk W", _risk(entry)),
        ("The certificate", _certificate(proof, entry)),
        ("What follows", _conclusion(verified, entry)),
    ]


def _systems(verified: VerifiedProof, systems: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """What systems say, the first ones as examples."""
    yield ""
    yield from paragraph(
        f"{verified.systems} systems A x <= b, E x = f, x >= 0. Multipliers y >= 0 of A and z of E with "
        "yA + zE >= 0 and yb + zf < 0 refute each, for a solution would give 0 <= (yA + zE)x <= yb + zf < 0. "
        "The first ones:"
    )
    for place, system in enumerate(systems[:3], start=1):
        yield from paragraph(f"System {place}:", 3)
        lines = (("<=", "rows", "right", "y"), ("=", "equal_rows", "equal_right", "z"))
        for sign, rows, right, multipliers in lines:
            parts = zip(system[rows], system[right], system[multipliers], strict=True)
            yield from columns(
                [[*row, sign, b, f"times {multiplier}"] for row, b, multiplier in parts], indent=5
            )
    yield ""
    yield from paragraph(f"{verified.sentence[0].upper()}{verified.sentence[1:]}.")


def names_line(verified: VerifiedProof) -> str:
    """What became of the names beside the proof."""
    known = f"{listed(list(verified.recomputed))}: recomputed and equal" if verified.recomputed else ""
    unknown = f"{listed(list(map(printed, verified.unknown)))}: not known here" if verified.unknown else ""
    return "; ".join(filter(None, (known, unknown))) or "the file names nothing"


def _costs(entry: Mapping[str, Any]) -> Iterator[Line]:
    for label in entry["labels"]:
        some = [f"{i} → {j} ({weight})" for i, j, weight in label["prefers"][:_SHOWN_ENTRIES]]
        more = len(label["prefers"]) - len(some)
        rest = f", and {more} more in the file" if more > 0 else ""
        yield from paragraph(
            "An order pays the weight of each preference that it turns round: " + ", ".join(some) + rest + "."
        )


def _risk(entry: Mapping[str, Any]) -> Iterator[Line]:
    for label in entry["labels"]:
        for block in label["psi"] if isinstance(label["psi"], list) else ():
            if not isinstance(block, dict) or "phi" not in block:
                continue
            offset = "" if block["offset"] == "0" else f" - ({block['offset']})"
            yield from paragraph(f"The sum of c φ(<v, u>{offset}) with φ(x) = {block['phi']} over:")
            rows = [[short(Fraction(c)), _direction(v)] for c, v in block["terms"][:_SHOWN_ENTRIES]]
            yield from columns([["c", "<v, u>"], *rows], indent=5)
            if len(block["terms"]) > _SHOWN_ENTRIES:
                yield from paragraph(f"and {len(block['terms']) - _SHOWN_ENTRIES} more terms in the file.", 5)


def _direction(v: Mapping[str, str]) -> str:
    parts = [f"{'-' if n.startswith('-') else '+'} {_factor(n)}u({name})" for name, n in v.items()]
    return " ".join(parts).removeprefix("+ ")


def _factor(n: str) -> str:
    size = n.removeprefix("-")
    return "" if size == "1" else f"{size} "


def _certificate(proof: Proof, entry: Mapping[str, Any]) -> Iterator[Line]:
    certificate = proof.certificate
    if entry["scores"] is not None:
        scores = (
            f"{name} {score}" for name, score in zip(entry["coordinates"], entry["scores"], strict=True)
        )
        yield from paragraph(f"Scores: {', '.join(scores)}.")
    if isinstance(certificate, Minimum) and any(proof.direction):
        way = ", ".join(f"{name} {d}" for name, d in zip(proof.coordinates, proof.direction, strict=True))
        yield from paragraph(
            f"From these scores W falls to its infimum along the direction {way}: the terms that move fall "
            "to theirs, and the slopes of the others add up to zero at every item."
        )
    elif isinstance(certificate, Minimum):
        yield from paragraph(
            f"The slopes {_some(list(map(str, entry['certificate']['slopes'])))} of the terms at these "
            "scores are subgradients and add up to zero at every item, so the scores minimize W."
        )
    elif isinstance(certificate, Separation):
        pairs = [
            f"{proof.coordinates[b.above]} above {proof.coordinates[b.below]}" for b in certificate.bounds
        ]
        yield from paragraph(
            f"Wherever one of {_some(pairs)} does not hold, W is larger than at these scores, by at least "
            f"{entry['certificate']['gap']}: tangents of the terms add up to a bound there. So whatever "
            "comes near the infimum of W ranks these pairs so."
        )
    elif isinstance(certificate, KnownMean):
        yield from known_mean(proof, certificate)
    else:
        yield from paragraph(f"The certificate is of the kind {entry['certificate']['kind']}.")


def _some(words: Sequence[str]) -> str:
    """The first words as a list."""
    return listed(words) if len(words) <= _SHOWN_ENTRIES else f"{', '.join(words[:_SHOWN_ENTRIES])}, ..."


def _conclusion(verified: VerifiedProof, entry: Mapping[str, Any]) -> Iterator[Line]:
    if verified.claim != "consistent-at-p":
        prediction, better = (_order(entry[key]) for key in ("prediction", "better"))
        yield from paragraph(f"{prediction} costs {entry['regret']} more than {better}.")
    yield from paragraph(f"{verified.sentence[0].upper()}{verified.sentence[1:]}.")


def _order(value: Sequence[str] | str) -> str:
    return value if isinstance(value, str) else chain(value, range(len(value)))
