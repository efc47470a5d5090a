"""Label spaces: the finite sets Y of RAT13 Definition 1, enumerated in one canonical order."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, compress, permutations, product
from math import factorial
from typing import ClassVar, Final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen_with_cache
from consistency_lab.model.checked import checked
from consistency_lab.model.distribution import difference

Label = tuple[int, ...]
"""Grades: the grade of each item. Rankings: items from top to bottom. Dags: i0, j0, i1, j1, ... of its
edges, sorted. Classes and rows: one number."""

Weights = Mapping[Label, Fraction]
Feature = Callable[[Label], Sequence[Fraction]]
"""f(y), one number an item: what the condition `p-f` asks about."""

MOST_LABELS: Final = 3125
"""Five items with five grades: larger spaces are refused, never silently sampled."""

MOST_ITEMS: Final = 5
HIGHEST_GRADE: Final = 30

Edge = tuple[int, int, Fraction]


class LabelSpace(ABC):
    """A finite set of labels."""

    kind: ClassVar[str]  #: What the labels are, one word.
    unit: ClassVar[str] = "items"  #: What there are m of.
    counted: ClassVar[str] = "items"  #: What a document calls m.
    m: int  #: The number of items (or of classes, or of rows).
    unrelated: ClassVar[str] = ""  #: Why its labels are not preferences between items.
    symmetric: ClassVar[bool] = True  #: Whether relabeling the items maps the space onto itself.

    @property
    @abstractmethod
    def labels(self) -> tuple[Label, ...]:
        """All labels, in their canonical order."""

    @abstractmethod
    def relabeled(self, label: Label, sigma: Sequence[int]) -> Label:
        """The label in which item sigma[i] plays the part of item i."""

    def preferences(self, label: Label) -> tuple[Edge, ...]:
        """The edges (i, j, weight) of the preference graph that the label stands for."""
        raise UnsupportedError(f"{self.kind} are not preferences between items, so they have no edges")

    def aggregate(self, weights: Mapping[Label, Fraction]) -> list[list[Fraction]]:
        """The aggregate a_ij of the labels' edges: what DMJ10's loss depends on."""
        a = [[Fraction(0)] * self.m for _ in range(self.m)]
        for label, p in weights.items():
            for i, j, weight in self.preferences(label):
                a[i][j] += p * weight
        return a

    def describe(self) -> dict[str, object]:
        """The ``labels`` entry of a witness document."""
        return {"kind": self.kind, self.counted: self.m}

    @abstractmethod
    def text(self, label: Label) -> str:
        """The label as a person reads it."""


def differences(space: LabelSpace, weights: Weights) -> list[list[Fraction]]:
    """The matrix d of the aggregate of the labels' edges."""
    return [list(row) for row in difference(space.aggregate(weights))]


@frozen_with_cache
class Grades(LabelSpace):
    """Relevance vectors: a grade for each of m items."""

    m: int
    grades: tuple[int, ...]
    kind: ClassVar[str] = "grades"

    def __post_init__(self) -> None:
        _check_items(self.m)
        if len(self.grades) < 2 or list(self.grades) != sorted(set(self.grades)):
            given = ", ".join(map(str, self.grades))
            raise InputError(f"the grades {given} must be two or more different numbers, in rising order")
        if self.grades[0] < 0 or self.grades[-1] > HIGHEST_GRADE:
            raise InputError(
                f"the grades go from {self.grades[0]} to {self.grades[-1]}; they must lie between 0 and "
                f"{HIGHEST_GRADE}"
            )
        count = len(self.grades) ** self.m
        if self.m > MOST_ITEMS or count > MOST_LABELS:
            raise UnsupportedError(
                f"{len(self.grades)} grades of {self.m} items make {count} labels; at most {MOST_ITEMS} items"
                f" and {MOST_LABELS} labels (0..4 for 5 items) are decided; choose fewer items or grades"
            )

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """All relevance vectors, the last item's grade changing fastest."""
        return tuple(product(self.grades, repeat=self.m))

    def relabeled(self, label: Label, sigma: Sequence[int]) -> Label:
        moved = [0] * self.m
        for i, grade in enumerate(label):
            moved[sigma[i]] = grade
        return tuple(moved)

    def preferences(self, label: Label) -> tuple[Edge, ...]:
        one = Fraction(1)
        return tuple((i, j, one) for i, s in enumerate(label) for j, other in enumerate(label) if s > other)

    def describe(self) -> dict[str, object]:
        return {**LabelSpace.describe(self), "grades": list(self.grades)}

    def text(self, label: Label) -> str:
        return f"({', '.join(map(str, label))})"


@frozen_with_cache
class Rankings(LabelSpace):
    """All rankings of m items, from top to bottom."""

    m: int
    kind: ClassVar[str] = "rankings"

    def __post_init__(self) -> None:
        _check_items(self.m)
        if self.m > MOST_ITEMS:
            raise UnsupportedError(
                f"{self.m} items have {factorial(self.m)} rankings; at most {MOST_ITEMS} items are decided"
            )

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """All rankings, in lexicographic order."""
        return tuple(permutations(range(self.m)))

    def relabeled(self, label: Label, sigma: Sequence[int]) -> Label:
        return tuple(sigma[i] for i in label)

    def preferences(self, label: Label) -> tuple[Edge, ...]:
        return tuple((i, j, Fraction(1)) for i, j in combinations(label, 2))

    def text(self, label: Label) -> str:
        return " > ".join(str(i + 1) for i in label)


@frozen_with_cache
class Dags(LabelSpace):
    """All labeled preference DAGs on m items with edges of weight 1."""

    m: int
    kind: ClassVar[str] = "dags"

    def __post_init__(self) -> None:
        _check_items(self.m)
        if self.m > 4:
            raise UnsupportedError(
                f"there are too many preference graphs on {self.m} items to list; at most 4 items are decided"
            )

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """All DAGs: any pairs of any order of the items."""
        pairs = [list(combinations(order, 2)) for order in permutations(range(self.m))]
        chosen = product(pairs, product((False, True), repeat=len(pairs[0])))
        found = {tuple(chain.from_iterable(sorted(compress(*one)))) for one in chosen}
        return tuple(sorted(found, key=lambda label: (len(label), label)))

    def relabeled(self, label: Label, sigma: Sequence[int]) -> Label:
        edges = sorted((sigma[i], sigma[j]) for i, j, _ in self.preferences(label))
        return tuple(item for edge in edges for item in edge)

    def preferences(self, label: Label) -> tuple[Edge, ...]:
        return tuple((i, j, Fraction(1)) for i, j in zip(label[::2], label[1::2], strict=True))

    def text(self, label: Label) -> str:
        return ", ".join(f"{i + 1} → {j + 1}" for i, j, _ in self.preferences(label)) or "no preference"


class _Numbered(LabelSpace, ABC):
    """Labels that are one number each, from 0 on."""

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The numbers."""
        return tuple((k,) for k in range(self.m))

    def relabeled(self, label: Label, sigma: Sequence[int]) -> Label:
        return (sigma[label[0]],)


@frozen_with_cache
class Classes(_Numbered):
    """m classes, one of which is right."""

    m: int
    kind: ClassVar[str] = "classes"
    counted: ClassVar[str] = "classes"
    unrelated: ClassVar[str] = "classes are not compared with each other"
    unit: ClassVar[str] = "classes"

    def __post_init__(self) -> None:
        if not 2 <= self.m <= 50:
            raise InputError(f"there are {self.m} classes; it must be 2 to 50")

    def text(self, label: Label) -> str:
        return f"class {label[0] + 1}"


@frozen_with_cache
class Rows(_Numbered):
    """The rows of a loss matrix, which nothing relates to each other."""

    names: tuple[str, ...]
    kind: ClassVar[str] = "rows"
    counted: ClassVar[str] = "rows"
    unrelated: ClassVar[str] = "rows are not compared"
    unit: ClassVar[str] = "labels"
    symmetric: ClassVar[bool] = False

    @property
    def m(self) -> int:  # type: ignore[override]
        """The number of rows."""
        return len(self.names)

    def text(self, label: Label) -> str:
        return self.names[label[0]]


def _check_items(m: int) -> None:
    if m < 2:
        raise InputError(f"there are {m} items; a ranking needs at least 2")


@checked
@frozen_with_cache
class LabelProfile:
    """A distribution over labels that was read from a file."""

    items: tuple[str, ...]  #: The names of the items.
    weights: Mapping[Label, Fraction]  #: The probability of each label that occurs.
    places: Mapping[Label, str]  #: Where each label stands first, for messages.
    #: As in `Profile`; the voters of grades are judges.
    title: str
    voters: int | Fraction
    notes: tuple[str, ...] = ()

    @checked
    def within(self, space: LabelSpace) -> dict[Label, Fraction]:
        """The weights in the order of the labels of the space."""
        known = set(space.labels)
        for label, place in self.places.items():
            if label not in known:
                raise InputError(f"{place}: {_foreign(label, space)}")
        return {label: self.weights[label] for label in space.labels if label in self.weights}


def _foreign(label: Label, space: LabelSpace) -> str:
    if isinstance(space, Grades):
        known = {grade for line in space.labels for grade in line}
        odd = next(grade for grade in label if grade not in known)
        right = f"give the grades, as in --labels 0..{max(label)}"
        right = right if max(label) <= HIGHEST_GRADE else f"grades go up to {HIGHEST_GRADE}"
        return f"the grade {odd} is not one of {', '.join(map(str, sorted(known)))}; {right}"
    return "this is not a label of the target"
