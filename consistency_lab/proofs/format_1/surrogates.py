"""What the first format says of a surrogate: family and parameters, or terms graph by graph."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from consistency_lab.core.numbers import shown
from consistency_lab.core.reading import expression, fraction, name, one_of, record
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.proofs.format_1.distribution import Graph, Items
from consistency_lab.proofs.format_1.terms import Term, merged, read_terms

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "edge": ("phi", "h"),
        "margin": ("phi", "h"),
        "linear": ("r", "nu"),
        "difference": ("phi",),
        "regression": ("f",),
        "terms": ("terms",),
    }
)
"""The families of the format, with their keys apart from family and name."""


@frozen
class Stated:
    """A surrogate as the file describes it."""

    described: Mapping[str, object]  #: The entry.
    #: Of the family ``terms``: the terms of each graph. The other families are recomputed by name.
    graph_terms: tuple[tuple[Term, ...], ...] | None

    def check_terms(self, graphs: tuple[Graph, ...], stated: tuple[Term, ...]) -> None:
        """Check that the terms of the graphs, if there are any, add up to those of the certificate.

        Raises
        ------
        RejectedError
            If they do not.
        """
        if self.graph_terms is None:
            return
        if len(self.graph_terms) != len(graphs):
            raise RejectedError(
                f"terms are given for {len(self.graph_terms)} graphs, but there are {len(graphs)}"
            )
        for term in (term for entry in self.graph_terms for term in entry):
            if term.c < 0:
                raise RejectedError(f"the term {shown(term)} has a negative coefficient")
        derived = merged(
            Term(graph.probability * term.c, term.phi, term.v, term.b)
            for graph, entry in zip(graphs, self.graph_terms, strict=True)
            for term in entry
        )
        if derived != stated:
            raise RejectedError("the terms of the certificate are not those that the surrogate lists")


def read_surrogate(value: object, where: str, items: Items) -> Stated:
    """The ``surrogate`` entry."""
    family = value.get("family") if isinstance(value, dict) else None
    if isinstance(value, dict) and "family" in value:
        one_of(family, f"{where}.family", FAMILIES)
    fields = record(value, where, ("family", "name", *FAMILIES.get(str(family), ())))
    name(fields["name"], f"{where}.name")
    for key, variable in (("phi", "x"), ("r", "x"), ("h", "a")):
        if key in fields:
            expression(fields[key], f"{where}.{key}", variable)
    if "nu" in fields:
        fraction(fields["nu"], f"{where}.nu")
    if "f" in fields:
        one_of(fields["f"], f"{where}.f", ("net",))
    if "terms" not in fields:
        return Stated(fields, None)
    entries = fields["terms"]
    if not isinstance(entries, list):
        raise InputError(f"{where}.terms must be a list with an entry for each graph")
    return Stated(
        fields,
        tuple(read_terms(entry, f"{where}.terms[{n}]", items) for n, entry in enumerate(entries)),
    )
