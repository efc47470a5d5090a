"""Reading a witness document: its keys and types, as ``witness.schema.json`` describes them for others."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, TypeVar

from consistency_lab.core.inequalities import Face, Slot
from consistency_lab.core.numbers import check_denominators
from consistency_lab.core.reading import (
    array,
    boolean,
    count,
    decimal,
    fraction,
    log_rational,
    one_of,
    record,
    row,
    text,
)
from consistency_lab.errors import InputError
from consistency_lab.proofs.format_1.distribution import Items, read_graph, read_item, read_items, read_matrix
from consistency_lab.proofs.format_1.document import (
    CONSISTENT_AT_P,
    FORMAT,
    INCONSISTENT,
    STATEMENT,
    STRICT,
    TIE,
    Bound,
    Bracket,
    Failure,
    Separation,
    StatedOptimum,
    Stationary,
    Universal,
    Witness,
    WrongPair,
)
from consistency_lab.proofs.format_1.fields import six_decimals
from consistency_lab.proofs.format_1.surrogates import read_surrogate
from consistency_lab.proofs.format_1.terms import Term, read_terms

T = TypeVar("T")

CONDITIONS: Final = ("additive", "low-noise", "net-order", "acyclic", "any")
"""Those of the format, whatever others are known today."""

_PROVENANCE: Final = ("citation", "tool", "version", "command", "note")


def read_witness(document: Mapping[str, object]) -> Witness:
    """Read a document."""
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise InputError(f'this is not a witness: it lacks the entry "format": "{FORMAT}"')
    keys = (
        *("format", "digest", "claim", "items", "graphs", "aggregate", "surrogate", "target", "conditions"),
        *("scores", "decimals", "optimum", "failure", "certificate", "provenance"),
    )
    fields = record(dict(document), "the witness", keys, ("universal",))
    check_denominators(fields)
    text(fields["digest"], "digest")
    items = read_items(fields["items"], "items")
    target = record(fields["target"], "target", ("loss", "ties"))
    one_of(target["loss"], "target.loss", ("pairwise-disagreement",))
    one_of(target["ties"], "target.ties", ("higher-index-first",))
    conditions = record(fields["conditions"], "conditions", CONDITIONS)
    provenance = record(fields["provenance"], "provenance", _PROVENANCE)
    for key in _PROVENANCE:
        text(provenance[key], f"provenance.{key}")
    return Witness(
        claim=one_of(fields["claim"], "claim", (INCONSISTENT, CONSISTENT_AT_P)),
        items=tuple(items),
        graphs=array(fields["graphs"], "graphs", lambda value, where: read_graph(value, where, items)),
        aggregate=read_matrix(fields["aggregate"], "aggregate"),
        surrogate=read_surrogate(fields["surrogate"], "surrogate", items),
        conditions={key: boolean(value, f"conditions.{key}") for key, value in conditions.items()},
        scores=_per_item(array(fields["scores"], "scores", log_rational), "scores", items),
        decimals=_per_item(array(fields["decimals"], "decimals", six_decimals), "decimals", items),
        optimum=_optimum(fields["optimum"], "optimum", items),
        failure=None if fields["failure"] is None else _failure(fields["failure"], "failure", items),
        certificate=_certificate(fields["certificate"], "certificate", items),
        universal=_universal(fields["universal"], "universal", items) if "universal" in fields else None,
    )


def _per_item(entries: tuple[T, ...], where: str, items: Items) -> tuple[T, ...]:
    if len(entries) != len(items):
        raise InputError(
            f"{where} has {len(entries)} entries; it needs one for each of the {len(items)} items"
        )
    return entries


def _order(value: object, where: str, items: Items) -> tuple[int, ...]:
    """All items, each once."""
    order = array(value, where, lambda entry, place: read_item(entry, place, items))
    if sorted(order) != list(range(len(items))):
        raise InputError(f"{where} must name each item once")
    return order


def _optimum(value: object, where: str, items: Items) -> StatedOptimum:
    numbers = ("loss", "loss_of_scores", "regret", "normalized_regret")
    fields = record(value, where, (*numbers, "order", "orders"))
    loss, loss_of_scores, regret, normalized = (fraction(fields[key], f"{where}.{key}") for key in numbers)
    return StatedOptimum(
        loss=loss,
        loss_of_scores=loss_of_scores,
        regret=regret,
        normalized_regret=normalized,
        order=_order(fields["order"], f"{where}.order", items),
        orders=count(fields["orders"], f"{where}.orders"),
    )


def _failure(value: object, where: str, items: Items) -> Failure:
    def pair(value: object, where: str) -> WrongPair:
        fields = record(value, where, ("preferred", "over", "difference", "scored"))
        return WrongPair(
            read_item(fields["preferred"], f"{where}.preferred", items),
            read_item(fields["over"], f"{where}.over", items),
            fraction(fields["difference"], f"{where}.difference"),
            one_of(fields["scored"], f"{where}.scored", ("below", "equal")),
        )

    fields = record(value, where, ("kind", "pairs"))
    kind = one_of(fields["kind"], f"{where}.kind", (STRICT, TIE))
    return Failure(kind, array(fields["pairs"], f"{where}.pairs", pair))


def _certificate(value: object, where: str, items: Items) -> Stationary | Separation:
    if isinstance(value, dict) and "kind" in value:
        one_of(value["kind"], f"{where}.kind", ("stationary", "separation"))
    if isinstance(value, dict) and value.get("kind") == "separation":
        return _separation(value, where, items)
    fields = record(value, where, ("kind", "terms", "slopes"))
    terms = read_terms(fields["terms"], f"{where}.terms", items)
    return Stationary(terms, _aligned(array(fields["slopes"], f"{where}.slopes", fraction), where, terms))


def _separation(value: object, where: str, items: Items) -> Separation:
    def bracket(value: object, where: str) -> Bracket:
        if value is None:
            return None
        left, right = row(value, where, 2)
        return fraction(left, where), fraction(right, where)

    def bound(value: object, where: str) -> Bound:
        fields = record(value, where, ("pair", "multiplier", "slopes", "brackets"))
        i, j = _pair(fields["pair"], f"{where}.pair", items)
        slopes = array(fields["slopes"], f"{where}.slopes", fraction)
        brackets = array(fields["brackets"], f"{where}.brackets", bracket)
        return Bound(
            (i, j),
            fraction(fields["multiplier"], f"{where}.multiplier"),
            _aligned(slopes, f"{where}.slopes", terms),
            _aligned(brackets, f"{where}.brackets", terms),
        )

    fields = record(value, where, ("kind", "terms", "bounds", "gap"))
    terms = read_terms(fields["terms"], f"{where}.terms", items)
    bounds = array(fields["bounds"], f"{where}.bounds", bound)
    return Separation(terms, bounds, decimal(fields["gap"], f"{where}.gap"))


def _aligned(entries: tuple[T, ...], where: str, terms: tuple[Term, ...]) -> tuple[T, ...]:
    if len(entries) != len(terms):
        raise InputError(
            f"{where} has {len(entries)} entries; it needs one for each of the {len(terms)} terms"
        )
    return entries


def _pair(value: object, where: str, items: Items) -> tuple[int, int]:
    i, j = (read_item(entry, where, items) for entry in row(value, where, 2))
    if i == j:
        raise InputError(f"{where} names one item twice; it must name two items")
    return i, j


def _universal(value: object, where: str, items: Items) -> Universal:
    def slot(value: object, where: str) -> Slot:
        return None if value == "0" else _pair(value, where, items)

    def comparison(value: object, where: str) -> tuple[Slot, Slot, Fraction]:
        lower, upper, multiplier = row(value, where, 3)
        return slot(lower, where), slot(upper, where), fraction(multiplier, where)

    def face(value: object, where: str) -> Face:
        fields = record(value, where, ("balance", "monotone"))
        balance = array(fields["balance"], f"{where}.balance", fraction)
        return Face(
            _per_item(balance, f"{where}.balance", items),
            array(fields["monotone"], f"{where}.monotone", comparison),
        )

    fields = record(value, where, ("statement", "order", "faces"))
    one_of(fields["statement"], f"{where}.statement", (STATEMENT,))
    return Universal(
        _order(fields["order"], f"{where}.order", items), array(fields["faces"], f"{where}.faces", face)
    )
