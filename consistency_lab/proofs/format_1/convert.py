"""Witnesses of the first format, written out as proofs for the core.

The first format names a surrogate and states what follows from it; a proof consists of what follows alone.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from consistency_lab.core.orders import Pair, closure, cost, reversed_costs
from consistency_lab.errors import RejectedError
from consistency_lab.proofs.file import sealed
from consistency_lab.proofs.format_1.distribution import Matrix
from consistency_lab.proofs.format_1.document import CONSISTENT_AT_P, Separation, Universal, Witness
from consistency_lab.proofs.format_1.orders import order_of
from consistency_lab.proofs.format_1.reading import read_witness
from consistency_lab.proofs.format_1.statements import check_statements
from consistency_lab.proofs.names import surrogate_entry
from consistency_lab.proofs.record import Entry, evidence_entry, label_entry, named
from consistency_lab.proofs.systems import order_evidence


def graph_proof(document: Mapping[str, object]) -> Entry:
    """The proof in a document of the format ``consistency-lab/witness/1``.

    The terms of the risk are taken as the certificate states them, the preferences as the aggregate does.

    Raises
    ------
    RejectedError
        If its half-spaces do not prove what they should, so that no proof can be written.
    """
    return _proof(read_witness(document))


def _proof(witness: Witness) -> Entry:
    costs = _costs(witness.aggregate)
    return {
        "claim": witness.claim,
        "coordinates": list(witness.items),
        "decoder": "sort",
        "labels": [label_entry(witness.certificate.terms, costs, witness.items)],
        "scores": list(map(str, witness.scores)),
        **_outcome(witness, costs),
        **_universal(witness.universal, witness.items),
    }


def _outcome(witness: Witness, costs: Mapping[Pair, Fraction]) -> Entry:
    certificate, m, names = witness.certificate, len(witness.items), witness.items
    prediction, better = order_of(witness.scores), witness.optimum.order
    failure = witness.failure
    entries: Entry = {}
    if failure is not None:
        entries = {
            "prediction": named(prediction, names),
            "better": named(better, names),
            "failure": failure.kind,
            "regret": str(cost(costs, prediction) - cost(costs, better)),
        }
    if not isinstance(certificate, Separation):
        slopes = list(map(str, certificate.slopes))
        entries["certificate"] = {"kind": "minimum", "slopes": slopes}
        forced = [(i, j) for i in range(m) for j in range(m) if witness.scores[j] < witness.scores[i]]
        if failure is not None and failure.kind == "strict":
            entries["orders"] = _evidence(costs, m, forced, cost(costs, better), names, more=True)
        return entries
    consistent = witness.claim == CONSISTENT_AT_P
    bounds = []
    forced = []
    for bound in certificate.bounds:
        above, below = bound.pair if consistent else bound.pair[::-1]
        forced.append((above, below))
        bounds.append(
            {
                "above": names[above],
                "below": names[below],
                "slopes": list(map(str, bound.slopes)),
                "brackets": [None if b is None else list(map(str, b)) for b in bound.brackets],
            }
        )
    entries["certificate"] = {
        "kind": "separation",
        "bounds": bounds,
        "gap": _decimal(certificate.gap),
    }
    if consistent:
        whole = sum(costs.values(), Fraction(0))
        least = cost(costs, better)
        entries["orders"] = _evidence(costs, m, [], least, names)
        entries["extensions"] = _evidence(reversed_costs(costs), m, forced, whole - least, names)
    else:
        entries["orders"] = _evidence(costs, m, forced, cost(costs, better), names, more=True)
    return entries


def _decimal(gap: Fraction) -> str:
    """A fraction that was read from a decimal, as a decimal."""
    with localcontext(prec=5000):
        return str(Decimal(gap.numerator) / Decimal(gap.denominator))


def _costs(a: Matrix) -> dict[Pair, Fraction]:
    return {(i, j): x for i, line in enumerate(a) for j, x in enumerate(line) if x}


def _evidence(
    costs: Mapping[Pair, Fraction],
    m: int,
    forced: Sequence[Pair],
    wanted: Fraction,
    names: Sequence[str],
    *,
    more: bool = False,
) -> Entry:
    found = order_evidence(costs, closure(m, forced), wanted, more=more)
    if found is None:
        raise RejectedError("orders with the pairs of the half-spaces do not cost what they must")
    return evidence_entry(found, names)


def _universal(universal: Universal | None, names: Sequence[str]) -> Entry:
    if universal is None:
        return {}

    def slot(pair: Pair | None) -> object:
        return "0" if pair is None else [names[k] for k in pair]

    return {
        "universal": [
            {
                "balance": list(map(str, face.balance)),
                "monotone": [[slot(low), slot(high), str(z)] for low, high, z in face.monotone],
            }
            for face in universal.faces
        ]
    }


def converted(document: Mapping[str, object]) -> dict[str, object]:
    """A document of the format ``consistency-lab/witness/1`` as one of ``consistency-lab/proof/2``.

    What it states beside the proof is checked here, since the new document does not repeat it.

    Raises
    ------
    RejectedError
        If what is stated is false, or no proof can be written.
    """
    witness = read_witness(document)
    check_statements(document, witness)
    proof = _proof(witness)
    surrogate = document["surrogate"]
    assert isinstance(surrogate, dict)
    names = {
        "graphs": document["graphs"],
        "surrogate": surrogate_entry(surrogate),
        "target": "pairwise-disagreement",
        "conditions": document["conditions"],
    }
    provenance = document["provenance"]
    assert isinstance(provenance, dict)
    return sealed(proof, names, provenance)
