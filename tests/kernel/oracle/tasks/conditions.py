"""Conditions on the distribution of labels, each derived from the labels and their probabilities."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from types import MappingProxyType
from typing import Final, final

from consistency_lab.core.numbers import compare, times, total
from consistency_lab.core.reading import one_of, record
from consistency_lab.errors import RejectedError
from consistency_lab.proofs.format_1.distribution import Matrix, difference, integers

from ..conditions import CONDITIONS as ON_DIFFERENCES
from .features import FEATURES, Feature
from .labels import Grades, Label, Rankings
from .target import Distribution, Target

Test = Callable[[Target, Distribution, Feature], bool]
"""Whether it holds; the features are for p-f alone."""


@final
@dataclass(frozen=True, slots=True)
class Condition:
    """A condition; p-f may name its features, and else is about those of the surrogate ("")."""

    name: str
    f: str = ""

    def holds(self, target: Target, p: Distribution, own: Feature | None) -> bool:
        """Whether the distribution satisfies it; `own` are the features of the surrogate, if it has some.

        Raises
        ------
        RejectedError
            If it does not apply to such labels, or to a surrogate without features.

        Examples
        --------
        >>> from .targets import read_target
        >>> task = read_target({"loss": "kendall", "labels": {"kind": "rankings", "items": 3}}, "target")
        >>> Condition("rank-differentiable").holds(task, {(0, 1, 2): Fraction(1)}, None)
        True
        """
        if self.name == "any":
            return True
        feature = FEATURES[self.f] if self.f else own
        if feature is None and self.name == "p-f":
            raise RejectedError("the condition p-f is about features, and this surrogate has none")
        return CONDITIONS[self.name](target, p, feature or FEATURES["net"])


def _aggregate(target: Target, p: Distribution) -> Matrix:
    """a_ij = the probability of an edge i → j."""
    m = target.space.m
    a = [[Fraction(0)] * m for _ in range(m)]
    for label, weight in p.items():
        for i, j in target.space.edges(label):
            a[i][j] += weight
    return tuple(map(tuple, a))


def _on_differences(name: str) -> Test:
    def test(target: Target, p: Distribution, f: Feature) -> bool:
        whole, _ = integers(_aggregate(target, p))
        return ON_DIFFERENCES[name](difference(whole))

    return test


def _p_f(target: Target, p: Distribution, f: Feature) -> bool:
    """E a_ij > E a_ji implies E f_i > E f_j (RAT13 Theorem 6)."""
    a = _aggregate(target, p)
    features = {label: f(target, label) for label in p}
    if any(len(values) != target.space.m for values in features.values()):
        raise RejectedError("the condition p-f needs one feature an item")
    mean = [total(times(w, features[label][i]) for label, w in p.items()) for i in range(target.space.m)]
    return all(
        compare(mean[i], mean[j], f"E f_{i} - E f_{j}") > 0
        for i, j in permutations(range(target.space.m), 2)
        if a[i][j] > a[j][i]
    )


def _reinforce(target: Target, p: Distribution, f: Feature) -> bool:
    """u_ii >= u_jj implies u_ii >= u_jj + sum_k (u_jk - u_ik)_+ over k other than i and j (RAT13 §6)."""
    space = target.space
    if not isinstance(space, Grades) or space.grades != (0, 1):
        raise RejectedError("the condition reinforce is about labels of the grades 0 and 1")
    everyone = range(space.m)
    u = [
        [sum((w * Fraction(y[i] * y[j], sum(y) or 1) for y, w in p.items()), Fraction(0)) for j in everyone]
        for i in everyone
    ]
    return all(
        u[i][i] >= u[j][j] + sum(max(u[j][k] - u[i][k], Fraction(0)) for k in everyone if k not in (i, j))
        for i, j in permutations(everyone, 2)
        if u[i][i] >= u[j][j]
    )


def _independent(target: Target, p: Distribution, f: Feature) -> bool:
    """P(y) is the product of the probabilities of its grades.

    If that is so on the support, the products sum to 1 there, so they vanish elsewhere.
    """
    if not isinstance(target.space, Grades):
        raise RejectedError("the condition independent is about labels of grades")
    for label, weight in p.items():
        product = Fraction(1)
        for i, grade in enumerate(label):
            product *= sum((w for y, w in p.items() if y[i] == grade), Fraction(0))
        if product != weight:
            return False
    return True


def _drops(target: Target, p: Distribution, i: int, j: int) -> list[Fraction]:
    """P(y) - P(y with i and j exchanged) for all labels y that prefer i to j."""
    space = target.space
    if not isinstance(space, Grades | Rankings):
        raise RejectedError("a condition on exchanged items is about labels of grades or rankings")
    none = Fraction(0)
    return [
        p.get(y, none) - p.get(space.exchanged(y, i, j), none)
        for y in space.labels()
        if (i, j) in space.edges(y)
    ]


def _ordered(target: Target, p: Distribution, right: Callable[[list[Fraction]], bool]) -> bool:
    """Whether in some order of the items `right` holds for the drops of every pair in that order."""
    items = range(target.space.m)
    good = {(i, j): right(_drops(target, p, i, j)) for i, j in permutations(items, 2)}
    return any(all(good[pair] for pair in combinations(order, 2)) for order in permutations(items))


def _order_preserving(target: Target, p: Distribution, f: Feature) -> bool:
    """Exchanging two items that a label has in the right order makes it less probable (Xia et al. 2008)."""
    return _ordered(target, p, lambda drops: min(drops) > 0)


def _rank_differentiable(target: Target, p: Distribution, f: Feature) -> bool:
    """No more probable, and less so for at least one label (Lan, Guo, Cheng and Liu 2012)."""
    return _ordered(target, p, lambda drops: min(drops) >= 0 and max(drops) > 0)


CONDITIONS: Final[Mapping[str, Test]] = MappingProxyType(
    {
        "any": _on_differences("any"),
        **{name: _on_differences(name) for name in ("additive", "low-noise", "net-order", "acyclic")},
        "p-f": _p_f,
        "reinforce": _reinforce,
        "order-preserving": _order_preserving,
        "rank-differentiable": _rank_differentiable,
        "independent": _independent,
    }
)
"""Conditions by name."""


def read_condition(value: object, where: str) -> Condition:
    """``{"name": ...}``; p-f may also have ``"f"``."""
    p_f = isinstance(value, dict) and value.get("name") == "p-f"
    fields = record(value, where, ("name",), ("f",) if p_f else ())
    name = one_of(fields["name"], f"{where}.name", CONDITIONS)
    return Condition(name, one_of(fields["f"], f"{where}.f", FEATURES) if "f" in fields else "")


def check_label_probabilities(entries: tuple[tuple[Label, Fraction], ...], target: Target) -> None:
    """Labels of the space, none twice, with positive probabilities that sum to 1 (RejectedError)."""
    labels = [label for label, _ in entries]
    if len(set(labels)) < len(labels):
        raise RejectedError("a label stands twice in the distribution")
    for label in labels:
        target.space.check(label)
    if any(weight <= 0 for _, weight in entries):
        raise RejectedError("a label has a probability that is not positive")
    if sum(weight for _, weight in entries) != 1:
        raise RejectedError("the probabilities of the labels do not sum to 1")
