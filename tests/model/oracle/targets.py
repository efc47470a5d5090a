"""Labels, and the target losses on them."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import permutations, product
from math import log2
from typing import Any, Final

from .numbers import Misfit, Number, ball, dot, inverse, plus, times

Label = tuple[int, ...]
Prediction = tuple[int, ...]
Edge = tuple[int, int]

ZERO: Final = Fraction(0)
ONE: Final = Fraction(1)

FUNCTIONS: Final[Mapping[str, Callable[[Fraction], Number]]] = {
    "s": lambda s: s,
    "s**2": lambda s: s**2,
    "exp(s*log(2))-1": lambda s: 2 ** int(s) - ONE,
    "(exp(s*log(2))-1)/4": lambda s: (2 ** int(s) - ONE) / 4,
    "(exp(s*log(2))-1)/16": lambda s: (2 ** int(s) - ONE) / 16,
    "j": lambda j: j,
    "1+j/2": lambda j: 1 + j / 2,
    "log(1+j)/log(2)": lambda j: (
        Fraction(round(log2(1 + j)))
        if 2 ** round(log2(1 + j)) == 1 + j
        else ball(1 + j).log() / ball(2).log()
    ),
}
"""Gains and discounts by their text."""


class Target:
    """A target loss: its name, its labels and its parameters."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.loss_name: str = entry["loss"]
        self.entry = entry
        labels = entry["labels"]
        self.kind: str = labels["kind"]
        self.m: int = labels.get("items") or labels.get("classes") or labels["rows"]
        self.grades: tuple[int, ...] = tuple(labels.get("grades", ()))
        self.ranks = self.kind in ("grades", "rankings", "dags")
        if self.ranks:
            self.predictions: tuple[Prediction, ...] = tuple(permutations(range(self.m)))
        else:
            columns = len(entry["rows"][0]) if self.loss_name == "matrix" else self.m
            self.predictions = tuple((k,) for k in range(columns))
        self._discounts: tuple[Number, ...] = self._inverse_discounts() if "discount" in entry else ()

    def _inverse_discounts(self) -> tuple[Number, ...]:
        """1/F of each place, 0 where it does not count."""
        discount = FUNCTIONS[self.entry["discount"]]
        counted = self.entry.get("k") or self.m
        return tuple(inverse(discount(Fraction(j))) if j <= counted else ZERO for j in range(1, self.m + 1))

    def edges(self, label: Label) -> tuple[Edge, ...]:
        """The preferences i → j of a label, sorted."""
        if self.kind == "grades":
            return tuple((i, j) for i, a in enumerate(label) for j, b in enumerate(label) if a > b)
        if self.kind == "rankings":
            return tuple(sorted((i, j) for k, i in enumerate(label) for j in label[k + 1 :]))
        if self.kind == "dags":
            return tuple(zip(label[::2], label[1::2], strict=True))
        raise Misfit("classes and rows induce no preferences")

    def labels(self) -> tuple[Label, ...]:
        """All labels, of grades and rankings."""
        if self.kind == "grades":
            return tuple(product(self.grades, repeat=self.m))
        return tuple(permutations(range(self.m)))

    def exchanged(self, label: Label, i: int, j: int) -> Label:
        """The label in which the items i and j have changed places."""
        swap = {i: j, j: i}
        if self.kind == "grades":
            return tuple(label[swap.get(k, k)] for k in range(self.m))
        return tuple(swap.get(item, item) for item in label)

    def gains(self, label: Label) -> tuple[Fraction, ...]:
        """What each item is worth to the target; its grade where the target says nothing else."""
        if self.kind != "grades":
            raise Misfit("only grades give items gains")
        if "gain" in self.entry:
            gain = FUNCTIONS[self.entry["gain"]]
            return tuple(Fraction(gain(Fraction(grade))) for grade in label)  # type: ignore[arg-type]
        if self.loss_name == "eru":
            return tuple(max(grade - Fraction(self.entry["v"]), ZERO) for grade in label)
        return tuple(map(Fraction, label))

    def scale(self, label: Label) -> Number:
        """1/Z of a label: of NDCG, and else 1."""
        if self.loss_name != "ndcg" or not any(gains := sorted(self.gains(label), reverse=True)):
            return ONE
        return inverse(dot(gains, self._discounts))

    def loss(self, label: Label, prediction: Prediction) -> Number:
        """l(y, t)."""
        return LOSSES[self.loss_name](self, label, prediction)


def _ndcg(target: Target, label: Label, prediction: Prediction) -> Number:
    gains = target.gains(label)
    if not any(gains):
        return ZERO
    earned = dot((gains[item] for item in prediction), target._discounts)
    return plus(ONE, times(-ONE, times(target.scale(label), earned)))


def _precision(target: Target, label: Label, prediction: Prediction) -> Number:
    q = target.entry.get("q", 1)
    return 1 - Fraction(sum(label[item] for item in prediction[:q]), q)


def _err(target: Target, label: Label, prediction: Prediction) -> Number:
    gains, looking, result = target.gains(label), ONE, ONE
    found: Number = result
    for item, discount in zip(prediction, target._discounts, strict=True):
        found = plus(found, times(-looking * gains[item], discount))
        looking *= 1 - gains[item]
    return found


def _mrr(target: Target, label: Label, prediction: Prediction) -> Number:
    v, k = Fraction(target.entry["v"]), target.entry["k"] or target.m
    places = [n for n, item in enumerate(prediction, start=1) if label[item] > v and n <= k]
    return 1 - Fraction(1, places[0]) if places else ONE


def _map(target: Target, label: Label, prediction: Prediction) -> Number:
    places = [n for n, item in enumerate(prediction, start=1) if label[item]]
    pairs = [Fraction(1, max(a, b)) for k, a in enumerate(places) for b in places[: k + 1]]
    return 1 - sum(pairs, ZERO) / len(places) if places else ZERO


def _eru(target: Target, label: Label, prediction: Prediction) -> Number:
    w, gains = Fraction(target.entry["w"]), target.gains(label)
    powers = [ball(2) ** ball((1 - j) / (w - 1)) for j in range(1, target.m + 1)]
    return times(-ONE, dot((gains[item] for item in prediction), powers))


def _disagreement(target: Target, label: Label, prediction: Prediction) -> Number:
    divisor = target.m * (target.m - 1) // 2 if target.loss_name == "kendall" else 1
    wrong = [prediction.index(i) > prediction.index(j) for i, j in target.edges(label)]
    return Fraction(sum(wrong), divisor)


LOSSES: Final[Mapping[str, Callable[[Target, Label, Prediction], Number]]] = {
    "ndcg": _ndcg,
    "precision": _precision,
    "wta": _precision,
    "err": _err,
    "mrr": _mrr,
    "map": _map,
    "eru": _eru,
    "pairwise": _disagreement,
    "kendall": _disagreement,
    "zero-one": lambda target, label, prediction: Fraction(label != prediction),
    "matrix": lambda target, label, prediction: Fraction(target.entry["rows"][label[0]][prediction[0]]),
}
