"""The wrong equilibria of the gallery of libraries, written out as proofs."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from consistency_lab.model.tasks.catalogue import target
from consistency_lab.proofs.entries import Entry
from consistency_lab.proofs.field_names import named_field
from consistency_lab.proofs.programs import equilibrium_proof

_GALLERY: Final = Path(__file__).parents[2] / "tests" / "fixtures" / "format_1_tasks"
NAMES: Final = ("A", "B", "C")

Grades = tuple[int, ...]


def witnesses() -> dict[str, dict[str, Any]]:
    """The documents of the first format about fields, by file name."""
    found = {path.stem: json.loads(path.read_text()) for path in sorted(_GALLERY.glob("*.json"))}
    return {name: document for name, document in found.items() if document["claim"] == "wrong-equilibrium"}


def labels_of(document: dict[str, Any]) -> list[Grades]:
    """The grades of each label."""
    return [tuple(entry["label"]) for entry in document["distribution"]]


def proof_of(document: dict[str, Any]) -> Entry:
    """The proof of a document of the first format."""
    labels = labels_of(document)
    probabilities = [Fraction(entry["probability"]) for entry in document["distribution"]]
    order, better = (tuple(document[key]) for key in ("prediction", "better"))
    field = named_field(document["surrogate"])
    assert field is not None
    loss = {"ndcg": ndcg_text, "pairwise": pairwise_text}[document["target"]["loss"]]
    return equilibrium_proof(
        field,
        dict(zip(labels, probabilities, strict=True)),
        {label: (loss(label, order), loss(label, better)) for label in labels},
        (order, better),
        document["regret"],
        [(Fraction(low), Fraction(high)) for low, high in document["certificate"]["box"]],
        attracting=document["certificate"]["attracting"],
        names=NAMES[: len(order)],
    )


def ndcg_text(label: Grades, order: Grades) -> str:
    """1 - DCG / ideal DCG with the gains 2^s - 1, as one writes it down."""
    best = sorted(label, reverse=True)
    mine = [label[item] for item in order]
    if mine == best:
        return "0"
    sums = ["+".join(f"{2**s - 1}/log2({k + 2})" for k, s in enumerate(row)) for row in (mine, best)]
    return f"1-({sums[0]})/({sums[1]})"


def pairwise_text(label: Grades, order: Grades) -> str:
    """The share of wrong pairs."""
    task = target("pairwise", items=len(label), labels=tuple(range(max(label) + 1)))
    return str(task.loss(label, order))
