"""Write a witness document: everything that a stranger needs to check it again."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.exact import LogRational, as_fraction, rational_text, working_precision
from consistency_lab.files import digest
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate, Term
from consistency_lab.model.targets.pairwise import best_refinement_loss, scores_loss
from consistency_lab.solve.optimal import OptimalOrders
from consistency_lab.version import __version__

FORMAT: Final = "consistency-lab/witness/1"
INCONSISTENT: Final = "inconsistent"
CONSISTENT_AT_P: Final = "consistent-at-p"


def _decimal(score: LogRational) -> str:
    """The score to six decimals, rounded from a 128-bit enclosure."""
    exact = score.as_rational()
    if exact is None:
        with working_precision(128):
            exact = as_fraction(score.ball().mid())
    scaled = round(exact * 10**6)
    whole, rest = divmod(abs(scaled), 10**6)
    return f"{'-' if scaled < 0 else ''}{whole}.{rest:06d}"


def term_entries(terms: Sequence[Term], items: Sequence[str]) -> list[dict[str, object]]:
    """The terms as the document lists them."""
    return [
        {
            "coefficient": rational_text(term.c),
            "phi": str(term.phi),
            "along": {items[i]: n for i, n in term.v},
            "offset": str(term.b),
        }
        for term in terms
    ]


def wrong_pairs(
    distribution: Distribution, optimum: OptimalOrders, scores: Sequence[LogRational]
) -> list[tuple[int, int, str]]:
    """Pairs (i, j, "below" | "equal"): i belongs above j in every optimal order, the scores say otherwise.

    A tie is wrong only for i before j in the item order: ties put the higher index first
    (docs/theory.md, Target loss).
    """
    found = []
    d = distribution.difference
    for i in range(distribution.m):
        for j in range(distribution.m):
            if d[i][j] <= 0:
                continue
            sign = (scores[i] - scores[j]).sign()
            if (sign < 0 or (sign == 0 and i < j)) and optimum.forced(i, j):
                found.append((i, j, "below" if sign < 0 else "equal"))
    return found


def build_document(
    surrogate: Surrogate,
    distribution: Distribution,
    optimum: OptimalOrders,
    scores: Sequence[LogRational],
    claim: str,
    certificate: Mapping[str, object],
    provenance: Mapping[str, str],
    universal: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """The whole document, digest included; see docs/witness-format.md for each field."""
    items = distribution.items
    a = distribution.aggregate
    cost = scores_loss(a, scores)
    weight = sum((x for row in a for x in row), Fraction(0))
    strict = best_refinement_loss(a, scores) > optimum.loss
    document: dict[str, object] = {
        "format": FORMAT,
        "claim": claim,
        "items": list(items),
        "graphs": [
            {
                "probability": rational_text(p),
                "edges": [[items[i], items[j], rational_text(w)] for i, j, w in graph],
            }
            for p, graph in zip(distribution.probabilities, distribution.graphs, strict=True)
        ],
        "aggregate": [[rational_text(x) for x in row] for row in a],
        "surrogate": surrogate.describe(distribution),
        "target": {"loss": "pairwise-disagreement", "ties": "higher-index-first"},
        "conditions": conditions_of(distribution.difference),
        "scores": [str(score) for score in scores],
        "decimals": [_decimal(score) for score in scores],
        "optimum": {
            "loss": rational_text(optimum.loss),
            "loss_of_scores": rational_text(cost),
            "regret": rational_text(cost - optimum.loss),
            "normalized_regret": rational_text((cost - optimum.loss) / weight if weight else Fraction(0)),
            "order": [items[i] for i in next(iter(optimum.orders(1)))],
            "orders": str(optimum.count()),
        },
        "failure": None
        if claim == CONSISTENT_AT_P
        else {
            "kind": "strict" if strict else "tie",
            "pairs": [
                {
                    "preferred": items[i],
                    "over": items[j],
                    "difference": rational_text(distribution.difference[i][j]),
                    "scored": how,
                }
                for i, j, how in wrong_pairs(distribution, optimum, scores)
            ],
        },
        "certificate": dict(certificate),
        "provenance": provenance_entry(provenance),
    }
    if universal is not None:
        document["universal"] = dict(universal)
    return sealed(document)


def provenance_entry(given: Mapping[str, str]) -> dict[str, str]:
    """The ``provenance`` entry of a document: this tool, and what is given of citation, command and note."""
    tool = {"tool": "consistency-lab", "version": __version__}
    return {"citation": "", "command": "", "note": "", **tool, **given}


def sealed(document: Mapping[str, object]) -> dict[str, object]:
    """The document with the digest that belongs to it.

    Examples
    --------
    >>> sealed({"digest": "of something else"}) == sealed({})
    True
    """
    return {**document, "digest": digest(document)}
