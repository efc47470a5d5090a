"""What the core says at one distribution: about every convex phi at once, and about each named one."""

from collections.abc import Mapping, Sequence
from functools import cache
from textwrap import wrap
from typing import Final

from consistency_lab.book.statement import Finding, Kind, Refutation
from consistency_lab.book.steps import Step
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.core.document import CONSISTENT_AT_P, INCONSISTENT
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate, surrogate
from consistency_lab.phi import NAMED, convexity_proof

_SAMPLE: Final = "logistic"
"""The loss in whose document the multipliers for every phi are handed to the core."""

_WIDTH: Final = 96


@cache
def convex_names() -> tuple[str, ...]:
    """The named scalar losses that are proved convex.

    Examples
    --------
    >>> convex_names()[:3]
    ('hinge', 'squared-hinge', 'square')
    """
    return tuple(name for name, row in NAMED.items() if convexity_proof(row.expression))


def from_weights(h: Mapping[str, object]) -> Distribution:
    """The distribution of three items with these weights on edges such as "12" (DMJ10 Figure 1).

    Two graphs of probability 1/2: the edges 12, 13, 23 with twice their weights, and those against them.

    Examples
    --------
    >>> [len(graph) for graph in from_weights({"12": 3, "13": 8, "23": 1, "31": 4}).graphs]
    [3, 1]
    """
    return Distribution.from_aggregate([[h.get(f"{i}{j}", 0) for j in range(1, 4)] for i in range(1, 4)])


def universal(p: Distribution, loss: Surrogate | None = None) -> Witness | None:
    """A document with multipliers for every convex phi that the core accepts, or None.

    Parameters
    ----------
    p
        The distribution.
    loss
        The loss of the document (its form and its h matter, its phi does not); the logistic edge loss if
        not given.
    """
    witness = certify(loss or surrogate(_SAMPLE), p, universal=True)
    return witness if witness is not None and witness.verified.universal else None


def wrong(p: Distribution, loss: Surrogate) -> Witness | None:
    """A document that the core accepts and that shows the loss to be wrong at p, or None."""
    witness = certify(loss, p)
    return witness if witness is not None and witness.verified.claim == INCONSISTENT else None


def right(p: Distribution, loss: Surrogate) -> Witness | None:
    """A document that the core accepts and that shows the loss to be right at p, or None."""
    witness = certify(loss, p)
    return witness if witness is not None and witness.verified.claim == CONSISTENT_AT_P else None


def every_phi_step(claim: str, scope: str, cases: Sequence[tuple[str, Distribution, Surrogate]]) -> Step:
    """The step that no convex phi is right at these distributions: one line (label, p, loss) a case."""
    found = [(label, universal(p, loss)) for label, p, loss in cases]
    lines = tuple(line for label, witness in found for line in _multipliers(label, witness))
    how = f"{len(cases)} documents with Farkas multipliers for every face, accepted by the core"
    return Step(all(w is not None for _, w in found), Finding(claim, Kind.CERTIFICATE, scope, how, lines))


def named_step(claim: str, scope: str, cases: Sequence[tuple[str, Distribution, Surrogate]]) -> Step:
    """The step that each of these losses is wrong at its distribution: one line (label, p, loss) a case."""
    found = [(label, wrong(p, loss)) for label, p, loss in cases]
    lines = tuple(
        f"{label}: scores ({', '.join(map(str, w.scores))}), {w.verified.failure}, regret {w.verified.regret}"
        if w is not None
        else f"{label}: not certified"
        for label, w in found
    )
    strict = sum(w is not None and w.verified.failure == "strict" for _, w in found)
    how = f"{len(cases)} witnesses accepted by the core, {strict} of them strict, the others ties"
    return Step(all(w is not None for _, w in found), Finding(claim, Kind.CERTIFICATE, scope, how, lines))


def refuted_where_right(p: Distribution, loss: Surrogate, note: str) -> Refutation:
    """Refute "no convex phi is right" at p by one that is."""
    witness = right(p, loss)
    if witness is None:
        return Refutation(False, f"{note}: {loss.name} was not certified to be right")
    scores = ", ".join(map(str, witness.scores))
    return Refutation(
        True,
        f"{note}: {loss.name} is right there; scores ({scores}), and W is at least {witness.verified.gap}"
        " larger outside A(p), accepted by the core",
    )


def _multipliers(label: str, witness: Witness | None) -> list[str]:
    if witness is None:
        return [f"{label}: not certified"]
    lines = [f"{label}: accepted; Σ y_i S_i + Σ z (g_u − g_t) = g0 with"]
    for face in witness.document["proof"]["universal"]:
        y = ", ".join(face["balance"])
        z = ", ".join(f"{z}·(g{_slot(u)} − g{_slot(t)})" for t, u, z in face["monotone"])
        lines += wrap(f"y = ({y}) and {z}", _WIDTH, initial_indent="    ", subsequent_indent="        ")
    return lines


def _slot(slot: object) -> str:
    return "".join(slot) if isinstance(slot, list) else str(slot)
