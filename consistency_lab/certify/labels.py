"""Certify a surrogate of a task as wrong, or right, at one distribution over labels."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import factorial
from typing import Any, Final

import numpy as np

from consistency_lab.certify.proofs.record import terms_of
from consistency_lab.certify.proofs.task_proof import SORT, LabelQuestion, LabelWitness, proof_entry
from consistency_lab.certify.separation import Mixed, SmoothAtom, dual_point, level_pairs, separation_proofs
from consistency_lab.certify.witness import TOO_LARGE, Witness, accepted
from consistency_lab.core.certificates import Separation, check_separation
from consistency_lab.core.document import STRICT
from consistency_lab.core.orders import Order, Pair, closure, extensions
from consistency_lab.core.reading import Names, array, log_rational
from consistency_lab.core.risk import Atom, Linear, LogSumExp, Max, total
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.model.surrogates.families import Term as ModelTerm
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.exact import ZERO, LogRational
from consistency_lab.solve.kinds import Kind, kind_of
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.numeric import compiled

MAX_SEPARATED_ITEMS: Final = 5
"""Most items: the loss of every order is listed."""

_APART: Final = 1e-9


def certify_labels(witness: LabelWitness, provenance: Mapping[str, str] | None = None) -> Witness | None:
    """What a search has found as a file that the core accepts, or None."""
    question = witness.question
    try:
        proof, names = proof_entry(witness), question.named(witness.condition)
    except (InputError, RejectedError, UnsupportedError):
        return None
    return accepted(proof, names, provenance or {}, question)


def moved(witness: Witness, task: Task) -> Witness | None:
    """The same witness written for another task, with more grades for instance, if the core accepts it."""
    if witness.asked.task == task:
        return witness
    question, stated = replace(witness.asked, task=task), witness.document["proof"]
    both = (witness.prediction, witness.better)
    try:
        wrong = question.wrong(witness.proof.scores, *both, strict=witness.failure == STRICT)
        names = question.named(*witness.document["named"]["conditions"])
    except (InputError, RejectedError, UnsupportedError):
        return None
    proof = {**stated, **wrong, "claim": stated["claim"]}
    return accepted(proof, names, witness.document["provenance"], question)


def certify_task_at(
    question: LabelQuestion, provenance: Mapping[str, str] | None = None, decimals: int = 1
) -> Witness | None:
    """Prove that scores near the infimum of the risk are decoded correctly, or wrongly; None if neither.

    UnsupportedError if the risk is no sum of smooth atoms, or of terms, there are too many items, or floats
    overflow.
    """
    for proof in _separations(question, decimals):
        witness = accepted(proof, question.named(), provenance or {}, question)
        if witness is not None:
            return witness
    return None


def orders_near(question: LabelQuestion) -> set[Order]:
    """All orders that may be returned near the infimum, if the core accepts bounds that tell them; else none.

    A file says of them that they are optimal only if their losses are equal by rational numbers.
    """
    m, names = question.task.space.m, question.coordinates
    known = {name: k for k, name in enumerate(names)}
    for proof in _separations(question, 1):
        scores = array(proof["scores"], "scores", log_rational)
        try:
            for atom in question.risk:
                atom.check()
            stated = {key: x for key, x in proof["certificate"].items() if key != "kind"}
            bounds = Separation.read(stated, "certificate", Names(known))
            forced = check_separation(question.risk, bounds, scores, names)
        except (InputError, RejectedError):
            continue
        return set(extensions(closure(m, forced), factorial(m)))
    return set()


def _separations(question: LabelQuestion, decimals: int) -> Iterator[dict[str, Any]]:
    """Proofs by separation that floats propose."""
    m, find = question.task.space.m, None
    if question.surrogate.decoder != SORT or m > MAX_SEPARATED_ITEMS:
        raise UnsupportedError(f"separation is for sorted scores of at most {MAX_SEPARATED_ITEMS} items")
    try:
        if terms_of(question.risk):
            floats = minimize(question.terms, m).scores.tolist()
        else:
            floats, find = least(question.risk, m).tolist(), finder(question.risk, m)
    except OverflowError:
        raise UnsupportedError(TOO_LARGE) from None
    # Single pairs, by falling distance; then each item of a level above each of the next.
    pairs = [(i, j) for i, j in product(range(m), repeat=2) if floats[i] > floats[j] + _APART]
    single = [[pair] for pair in sorted(pairs, key=lambda pair: floats[pair[1]] - floats[pair[0]])]
    levels = level_pairs(floats)
    for choice in (*single, *([levels] if len(levels) > 1 else [])):
        yield from separation_proofs(question, floats, choice, decimals, find=find)


# --- Minimizers and dual points of risks with log-sum-exps: likelihoods of lists -------------------------

_STEPS: Final = 300
_LONGEST: Final = 4.0
_FLAT: Final = 1e-15
_RIDGE: Final = 1e-14
_DENOMINATORS: Final = (12, 100, 1000)
_FAR: Final = 20.0


def parts_of(atoms: Sequence[Atom]) -> list[SmoothAtom]:
    """The atoms, terms as those of a surrogate (UnsupportedError if one is not smooth, as a maximum)."""
    parts: list[SmoothAtom] = []
    for atom in atoms:
        terms = terms_of([atom])
        if terms is not None and kind_of(terms[0].phi) in (Kind.SMOOTH, Kind.STRAIGHT):
            parts += terms
        elif isinstance(atom, LogSumExp | Linear):
            parts.append(atom)
        else:
            what = "a maximum" if isinstance(atom, Max) else "a kink beside a log-sum-exp"
            raise UnsupportedError(f"the risk has {what}, of which no proof is known at one distribution")
    return parts


def least(atoms: Sequence[Atom], m: int, glued: Pair | None = None) -> Floats:
    """A minimizer in floats, the two items of a pair at one score; far out, if there is none."""
    parts, P = parts_of(atoms), np.eye(m)
    if glued is not None:
        P[:, glued[0]] += P[:, glued[1]]
        P = np.delete(P, glued[1], axis=1)
    scale = max((float(atom.c) for atom in atoms), default=1.0)
    z = np.zeros(P.shape[1])
    value, slope, bend = _jet(parts, P @ z)
    for _ in range(_STEPS):
        g, H = P.T @ slope, P.T @ bend @ P
        if not np.abs(g).max() > _FLAT * scale:
            break
        way = -np.linalg.lstsq(H + _RIDGE * scale * np.eye(len(z)), g, rcond=None)[0]
        way *= min(1.0, _LONGEST / np.abs(way).max())
        for _ in range(40):
            after = _jet(parts, P @ (z + way))
            if after[0] <= value + 1e-4 * float(g @ way) or np.abs(way).max() < 1e-9:
                break
            way /= 2
        z, (value, slope, bend) = z + way, after
    if not np.isfinite(z).all():
        raise OverflowError
    scores: Floats = P @ z
    return scores


def _jet(parts: Sequence[SmoothAtom], u: Floats) -> tuple[float, Floats, Floats]:
    """The value, slopes and curvature of the risk."""
    value, slope, bend = 0.0, np.zeros(len(u)), np.zeros((len(u), len(u)))
    for part in parts:
        c = float(part.c)
        if isinstance(part, LogSumExp):
            over = list(part.over)
            w = np.exp(u[over] - u[over].max())
            value += c * (float(u[over].max()) + float(np.log(w.sum())))
            w /= w.sum()
            slope[over] += c * w
            bend[np.ix_(over, over)] += c * (np.diag(w) - np.outer(w, w))
            continue
        v = np.zeros(len(u))
        for k, n in part.v:
            v[k] = float(n)
        first, rate, curve = float(v @ u), 1.0, 0.0
        if isinstance(part, ModelTerm):
            first, rate, curve = (float(x[0]) for x in compiled(part.phi)(np.array([first - float(part.b)])))
        value, slope, bend = value + c * first, slope + c * rate * v, bend + c * curve * np.outer(v, v)
    return value, slope, bend


def finder(atoms: Sequence[Atom], m: int) -> Callable[[Pair, int], Mixed | None]:
    """What finds slopes that bound the risk where a pair (above, below) is not in order."""
    parts = parts_of(atoms)
    known: dict[Pair, Floats] = {}

    def find(pair: Pair, digits: int) -> Mixed | None:
        if pair not in known:
            known[pair] = least(atoms, m, pair)
        point = dual_point(parts, m, known[pair], pair[::-1], digits + 1)
        return None if point is None else Mixed(*point[1:])

    return find


def exact_scores(atoms: Sequence[Atom], m: int) -> tuple[LogRational, ...] | None:
    """A minimizer of log-sum-exps whose exponentials are simple rationals, if there is one."""
    if not all(isinstance(atom, LogSumExp | Linear) for atom in atoms):
        return None
    u = least(atoms, m)
    if np.ptp(u) > _FAR:
        return None
    for largest in _DENOMINATORS:
        q = [Fraction(float(x)).limit_denominator(largest) for x in np.exp(u - u.min())]
        scores = tuple(LogRational(ZERO, x) for x in q)
        if not total(atom.gradient(None, scores) for atom in atoms):
            return scores
    return None
