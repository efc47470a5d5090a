"""Label spaces: how they are described, what a label of each is, and the preferences it induces."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import permutations, product
from types import MappingProxyType
from typing import Final, final

from consistency_lab.core.numbers import shown
from consistency_lab.core.reading import array, integer, one_of, record
from consistency_lab.errors import InputError, RejectedError

Label = tuple[int, ...]
Edge = tuple[int, int]

MAX_ITEMS: Final = 5
"""Most items: all orders are gone through."""

MAX_GRADE: Final = 30
MAX_CLASSES: Final = 1000

MAX_LABELS: Final = 3125
"""Most labels of grades: five items of five grades."""


class Space(ABC):
    """The labels of a task."""

    m: int

    @abstractmethod
    def check(self, label: Label) -> None:
        """Refuse what is no label of this space (RejectedError)."""

    def edges(self, label: Label) -> tuple[Edge, ...]:
        """The preferences i → j of a label, sorted."""
        raise RejectedError("classes and rows induce no preferences among items")


@final
@dataclass(frozen=True, slots=True)
class Grades(Space):
    """A grade for each item."""

    m: int
    grades: tuple[int, ...]

    def check(self, label: Label) -> None:
        if len(label) != self.m or any(grade not in self.grades for grade in label):
            raise RejectedError(f"the label {shown(list(label))} is not {self.m} of the grades of the space")

    def edges(self, label: Label) -> tuple[Edge, ...]:
        return tuple((i, j) for i, a in enumerate(label) for j, b in enumerate(label) if a > b)

    def labels(self) -> Iterator[Label]:
        """All of them."""
        return product(self.grades, repeat=self.m)

    def exchanged(self, label: Label, i: int, j: int) -> Label:
        """The label in which the items i and j have changed places."""
        return tuple(label[{i: j, j: i}.get(k, k)] for k in range(self.m))


@final
@dataclass(frozen=True, slots=True)
class Rankings(Space):
    """Items from top to bottom."""

    m: int

    def check(self, label: Label) -> None:
        if sorted(label) != list(range(self.m)):
            raise RejectedError(f"the label {shown(list(label))} is no order of the items 0 to {self.m - 1}")

    def edges(self, label: Label) -> tuple[Edge, ...]:
        return tuple(sorted((i, j) for k, i in enumerate(label) for j in label[k + 1 :]))

    def labels(self) -> Iterator[Label]:
        """All of them."""
        return permutations(range(self.m))

    def exchanged(self, label: Label, i: int, j: int) -> Label:
        """The label in which the items i and j have changed places."""
        return tuple({i: j, j: i}.get(item, item) for item in label)


@final
@dataclass(frozen=True, slots=True)
class Dags(Space):
    """The edges i → j of an acyclic graph, flattened and sorted."""

    m: int

    def check(self, label: Label) -> None:
        edges = self.edges(label)
        if len(label) % 2 or list(edges) != sorted(set(edges)):
            raise RejectedError(f"the label {shown(list(label))} is no sorted list of edges i, j, i, j, ...")
        before: dict[int, list[int]] = {}
        for i, j in edges:
            if i == j or not 0 <= i < self.m or not 0 <= j < self.m:
                raise RejectedError(f"the label {shown(list(label))} has the edge {i} → {j}")
            before.setdefault(j, []).append(i)
        try:
            TopologicalSorter(before).prepare()
        except CycleError:
            raise RejectedError(f"the label {shown(list(label))} runs in a circle") from None

    def edges(self, label: Label) -> tuple[Edge, ...]:
        return tuple(zip(label[::2], label[1::2], strict=False))


@final
@dataclass(frozen=True, slots=True)
class Names(Space):
    """Classes, or rows of a matrix, by number."""

    m: int

    def check(self, label: Label) -> None:
        if len(label) != 1 or not 0 <= label[0] < self.m:
            raise RejectedError(f"the label {shown(list(label))} is not one number from 0 to {self.m - 1}")


Fields = Mapping[str, object]


def _grades(fields: Fields, where: str) -> Space:
    grades = array(fields["grades"], f"{where}.grades", lambda x, at: integer(x, at, 0, MAX_GRADE))
    if list(grades) != sorted(set(grades)) or len(grades) < 2:
        raise InputError(f"{where}.grades must be two or more rising integers")
    m = integer(fields["items"], f"{where}.items", 2, MAX_ITEMS)
    if len(grades) ** m > MAX_LABELS:
        raise InputError(f"{where} has {len(grades) ** m} labels; the kernel checks at most {MAX_LABELS}")
    return Grades(m, grades)


def _rankings(fields: Fields, where: str) -> Space:
    return Rankings(integer(fields["items"], f"{where}.items", 2, MAX_ITEMS))


def _dags(fields: Fields, where: str) -> Space:
    return Dags(integer(fields["items"], f"{where}.items", 2, MAX_ITEMS))


def _classes(fields: Fields, where: str) -> Space:
    return Names(integer(fields["classes"], f"{where}.classes", 2, MAX_CLASSES))


def _rows(fields: Fields, where: str) -> Space:
    return Names(integer(fields["rows"], f"{where}.rows", 1, MAX_CLASSES))


SPACES: Final[Mapping[str, tuple[tuple[str, ...], Callable[[Fields, str], Space]]]] = MappingProxyType(
    {
        "grades": (("items", "grades"), _grades),
        "rankings": (("items",), _rankings),
        "dags": (("items",), _dags),
        "classes": (("classes",), _classes),
        "rows": (("rows",), _rows),
    }
)
"""Kinds of labels: their keys apart from kind, and the reader."""


def read_space(value: object, where: str, kinds: tuple[str, ...]) -> Space:
    """The ``labels`` entry of a target that takes labels of these kinds.

    Examples
    --------
    >>> read_space({"kind": "rankings", "items": 3}, "labels", ("rankings",)).edges((2, 0, 1))
    ((0, 1), (2, 0), (2, 1))
    """
    kind = value.get("kind") if isinstance(value, dict) else None
    if isinstance(value, dict) and "kind" in value:
        kind = one_of(kind, f"{where}.kind", kinds)
    keys, reader = SPACES[kind if isinstance(kind, str) else kinds[0]]
    return reader(record(value, where, ("kind", *keys)), where)
