"""Families of surrogates on labels: features of which the mean is enough, or sums of convex atoms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations
from math import comb
from typing import Any, Final

from .numbers import Misfit, Number, ball, dot, inverse, times
from .targets import FUNCTIONS, ONE, ZERO, Label, Prediction, Target

Form = tuple[tuple[Fraction, ...], Fraction]
"""(beta_t, offset_t) of a linear decoder, which minimizes <u, beta_t> + offset_t."""

Atom = tuple[object, ...]
"""("phi", c, text, v, b), ("log-sum-exp", c, items), ("max", c, pieces) or ("linear", v)."""


@dataclass(frozen=True)
class MeanFamily:
    """Minimized by an increasing function of each coordinate of E f(y)."""

    features: Callable[[Target, Label], tuple[Number, ...]]
    decoders: tuple[str, ...] = ("sort",)
    form: Callable[[Target, Prediction], Form] | None = None


@dataclass(frozen=True)
class AtomFamily:
    """A sum of convex atoms, label by label."""

    atoms: Callable[[Target, Label], tuple[Atom, ...]]
    decoders: tuple[str, ...] = ("sort",)


Family = MeanFamily | AtomFamily
Entry = Mapping[str, Any]

# --- Features --------------------------------------------------------------------------------------------


def _grade(target: Target, label: Label) -> tuple[Fraction, ...]:
    if target.kind != "grades":
        raise Misfit("only labels of grades have grades")
    return tuple(map(Fraction, label))


def _net(target: Target, label: Label) -> tuple[Number, ...]:
    edges = target.edges(label)
    return tuple(Fraction(sum((k == i) - (k == j) for i, j in edges)) for k in range(target.m))


def _shares(values: tuple[Number, ...]) -> tuple[Number, ...]:
    """The values divided by their sum; zeros stay."""
    whole = dot(values, [ONE] * len(values))
    return values if whole == 0 else tuple(times(value, inverse(whole)) for value in values)


FEATURES: Final[Mapping[str, Callable[[Target, Label], tuple[Number, ...]]]] = {
    "grade": _grade,
    "gain": lambda target, label: target.gains(label),
    "gain/Z": lambda target, label: tuple(times(g, target.scale(label)) for g in target.gains(label)),
    "net": _net,
}
"""f(y), one number an item."""

WEIGHTS: Final[Mapping[str, Callable[[Target, Label], tuple[Number, ...]]]] = {
    "sum": lambda target, label: _shares(_grade(target, label)),
    "exp": lambda target, label: _shares(tuple(ball(grade).exp() for grade in _grade(target, label))),
    "none": _grade,
    "gain-sum": lambda target, label: _shares(target.gains(label)),
    "gain-none": lambda target, label: target.gains(label),
}
"""The weights P of a listwise cross-entropy -sum_i P_i log softmax_i(u)."""


def _only(target: Target, *losses: str) -> None:
    if target.loss_name not in losses:
        raise Misfit(f"this surrogate is for the target {' or '.join(losses)}")


def _ordinal(entry: Entry, target: Target) -> Family:
    return MeanFamily(lambda task, y: tuple(min(grade, Fraction(entry["n"])) for grade in _grade(task, y)))


def _sigmoid(entry: Entry, target: Target) -> Family:
    """Cross-entropy of f_i / max f, item by item."""
    if target.kind != "grades":
        raise Misfit("only labels of grades have grades")
    feature = FEATURES[entry["f"]]
    top = feature(target, (target.grades[-1],) * target.m)[0]
    if not isinstance(top, Fraction) or top <= 0:
        raise Misfit("no grade has a positive feature")
    return MeanFamily(lambda task, y: tuple(times(x, 1 / top) for x in feature(task, y)))


def _map_full(entry: Entry, target: Target) -> Family:
    """f_ij = y_i y_j / sum y for i <= j (RAT13 Section 6)."""
    _only(target, "map")

    def form(task: Target, prediction: Prediction) -> Form:
        place = {item: n for n, item in enumerate(prediction, start=1)}
        pairs = combinations_with_replacement(range(task.m), 2)
        return tuple(Fraction(-1, max(place[i], place[j])) for i, j in pairs), ZERO

    return MeanFamily(
        lambda task, y: tuple(Fraction(a * b, sum(y) or 1) for a, b in combinations_with_replacement(y, 2)),
        ("linear", "diagonal"),
        form,
    )


def _map_diagonal(entry: Entry, target: Target) -> Family:
    _only(target, "map")
    return MeanFamily(WEIGHTS["sum"])


def _wrong_pairs(task: Target, prediction: Prediction) -> Form:
    """1 for each pair i, j with j above i."""
    pairs = permutations(range(task.m), 2)
    return tuple(Fraction(prediction.index(i) > prediction.index(j)) for i, j in pairs), ZERO


def _pd_least_squares(entry: Entry, target: Target) -> Family:
    """f_ij = 1 for an edge i → j (RAT13 Eq. 1)."""
    _only(target, "pairwise", "kendall")
    return MeanFamily(
        lambda task, y: tuple(Fraction(pair in task.edges(y)) for pair in permutations(range(task.m), 2)),
        ("linear", "algorithm-1"),
        _wrong_pairs,
    )


def _soft_pairs(entry: Entry, target: Target) -> Family:
    """The sum over y_i > y_j of 1/(1 + exp(u_i - u_j)), perhaps divided by the number of such pairs."""
    _grades(target)

    def features(task: Target, label: Label) -> tuple[Number, ...]:
        better = [label[i] > label[j] for i, j in permutations(range(task.m), 2)]
        share = max(sum(better), 1) if entry["normalized"] == "pairs" else 1
        return tuple(Fraction(wins, share) for wins in better)

    return MeanFamily(features, ("linear",), _wrong_pairs)


def smooth_ndcg(label: Label) -> tuple[Number, ...]:
    """(2^y_i - 1)/Z with the discount log2(1 + place)."""
    best = sorted((2**grade - 1 for grade in label), reverse=True)
    if not any(best[1:]):
        return tuple(Fraction(grade > 0) for grade in label)
    ideal = ball(best[0])
    for place, gain in enumerate(best[1:], start=2):
        ideal = ideal + ball(gain) * ball(2).log() / ball(place + 1).log()
    return tuple(ball(2**grade - 1) / ideal if grade else ZERO for grade in label)


def smooth_mrr(label: Label) -> tuple[Number, ...]:
    """y_i / sum y."""
    return tuple(Fraction(grade, max(sum(label), 1)) for grade in label)


SMOOTH: Final[Mapping[str, Callable[[Label], tuple[Number, ...]]]] = {"ndcg": smooth_ndcg, "mrr": smooth_mrr}
"""What a label gives to each item in a smoothed metric."""


def _smooth_positions(entry: Entry, target: Target) -> Family:
    _grades(target)
    return MeanFamily(lambda task, label: SMOOTH[entry["metric"]](label))


def _indicator(entry: Entry, target: Target) -> Family:
    _only(target, "zero-one")
    return MeanFamily(lambda task, y: tuple(Fraction(k == y[0]) for k in range(task.m)), ("argmax",))


# --- Atoms -----------------------------------------------------------------------------------------------

Weighted = tuple[tuple[int, int, Fraction], ...]
"""i, j and the factor of phi(u_i - u_j), by i and then by j; without factors 0."""


def _grades(target: Target) -> None:
    if target.kind != "grades":
        raise Misfit("this is for labels of grades")


def weighted(name: str, target: Target, label: Label) -> Weighted:
    """The weights of pairs."""
    if name == "unit":
        return tuple((i, j, ONE) for i, j in target.edges(label))
    _grades(target)
    y, gains, items = list(map(Fraction, label)), target.gains(label), range(target.m)
    if name.startswith("zhang"):
        scale = target.scale(label) if name == "zhang" else ONE
        if not isinstance(scale, Fraction):
            raise Misfit("the weights G/Z are not known to be rational")
        return tuple((i, j, gains[i] * scale) for i in items for j in items if gains[i] and i != j)
    of = {
        "difference": lambda i, j: y[i] - y[j],
        "square-difference": lambda i, j: y[i] ** 2 - y[j] ** 2,
        "gain-difference": lambda i, j: gains[i] - gains[j],
    }[name]
    return tuple((i, j, of(i, j)) for i, j in target.edges(label) if of(i, j))


def pair(c: Fraction, phi: str, i: int, j: int, b: Fraction = ZERO) -> Atom:
    """c phi(u_i - u_j - b)."""
    return "phi", c, phi, tuple(sorted([(i, 1), (j, -1)])), b


def _pairs(entry: Entry, target: Target) -> Family:
    def atoms(task: Target, label: Label) -> tuple[Atom, ...]:
        found = weighted(entry["weights"], task, label)
        share = Fraction(1, len(found)) if entry["normalized"] == "pairs" and found else ONE
        return tuple(pair(share * weight, entry["phi"], i, j) for i, j, weight in found)

    return AtomFamily(atoms)


def _pair_absolute(entry: Entry, target: Target) -> Family:
    def atoms(task: Target, label: Label) -> tuple[Atom, ...]:
        found = weighted("difference", task, label)
        share = Fraction(1, len(found)) if entry["normalized"] == "pairs" and found else ONE
        return tuple(pair(share, "abs(x)", i, j, gap) for i, j, gap in found)

    return AtomFamily(atoms)


def _list_mle(entry: Entry, target: Target) -> Family:
    """-log of the Plackett-Luce probability of an order: ties averaged over, or in the order of the input."""
    if target.kind not in ("grades", "rankings"):
        raise Misfit("list-mle is for labels of grades or rankings")

    def atoms(task: Target, label: Label) -> tuple[Atom, ...]:
        levels = sorted(set(label), reverse=True)
        tiers = [tuple(i for i, x in enumerate(label) if x == level) for level in levels]
        if task.kind == "rankings":
            tiers = [(i,) for i in label]
        if entry["ties"] == "input":
            tiers = [(i,) for tier in tiers for i in tier]
        found: list[Atom] = []
        for place, tier in enumerate(tiers):
            lower = [i for below in tiers[place + 1 :] for i in below]
            for size in range(len(tier), 0, -1):
                # Before the tier's (n - size + 1)-th draw each of its subsets of this size is equally likely.
                share = Fraction(1, comb(len(tier), size))
                for rest in combinations(tier, size):
                    found.append(("log-sum-exp", share, tuple(sorted((*rest, *lower)))))
        return (*found, ("linear", tuple((i, -ONE) for i in range(len(label)))))

    return AtomFamily(atoms)


def _unique_softmax(entry: Entry, target: Target) -> Family:
    """sum_i G(y_i) (log(exp(u_i) + sum over y_j < y_i of exp(u_j)) - u_i)."""
    _grades(target)

    def atoms(task: Target, label: Label) -> tuple[Atom, ...]:
        found: list[Atom] = []
        for i, grade in enumerate(label):
            weight = FUNCTIONS[entry["gain"]](Fraction(grade))
            rivals = tuple(j for j, other in enumerate(label) if j == i or other < grade)
            found += [("log-sum-exp", weight, rivals), ("linear", ((i, times(weight, -ONE)),))]
        return tuple(found)

    return AtomFamily(atoms)


def _multiclass(atoms: Callable[[int, int], tuple[Atom, ...]]) -> Callable[[Entry, Target], Family]:
    """A family for the 0-1 loss, from the number of classes and the right one."""

    def read(entry: Entry, target: Target) -> Family:
        _only(target, "zero-one")
        return AtomFamily(lambda task, label: atoms(task.m, label[0]), ("argmax",))

    return read


def _crammer_singer(m: int, y: int) -> tuple[Atom, ...]:
    """max(0, 1 + max over j != y of u_j - u_y)."""
    rivals = [(((j, ONE), (y, -ONE)), ONE) for j in range(m) if j != y]
    return (("max", ONE, (((), ZERO), *rivals)),)


def _lee_lin_wahba(m: int, y: int) -> tuple[Atom, ...]:
    """The sum over j != y of max(0, 1 + u_j - mean u), as (1/m) max(0, m u_j - sum u + m)."""
    return tuple(
        ("phi", Fraction(1, m), "max(0,x)", tuple((i, m * (i == j) - 1) for i in range(m)), Fraction(-m))
        for j in range(m)
        if j != y
    )


FAMILIES: Final[Mapping[str, Callable[[Entry, Target], Family]]] = {
    "regression": lambda entry, target: MeanFamily(FEATURES[entry["f"]]),
    "pair-square": lambda entry, target: MeanFamily(FEATURES[entry["weights"]]),
    "ordinal": _ordinal,
    "softmax": lambda entry, target: MeanFamily(WEIGHTS[entry["labels"]]),
    "sigmoid": _sigmoid,
    "map-full": _map_full,
    "map-diagonal": _map_diagonal,
    "pd-least-squares": _pd_least_squares,
    "indicator": _indicator,
    "smooth-positions": _smooth_positions,
    "soft-pairs": _soft_pairs,
    "pairs": _pairs,
    "pair-absolute": _pair_absolute,
    "list-mle": _list_mle,
    "unique-softmax": _unique_softmax,
    "crammer-singer": _multiclass(_crammer_singer),
    "weston-watkins": _multiclass(
        lambda m, y: tuple(pair(ONE, "max(0,1-x)", y, j) for j in range(m) if j != y)
    ),
    "lee-lin-wahba": _multiclass(_lee_lin_wahba),
}
"""Families by name, from an entry and a target."""


def family(entry: Entry, target: Target) -> Family:
    """The family of a ``surrogate`` entry."""
    return FAMILIES[entry["family"]](entry, target)
