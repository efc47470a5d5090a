"""Surrogates that are sums of maxima of affine functions: those with a name, and their targets."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.core.embedding import Affine, SimplexCone
from consistency_lab.core.orders import Cells
from consistency_lab.core.risk import Linear, Max
from consistency_lab.errors import InputError, UnsupportedError, did_you_mean
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import ANY, CONDITIONS, condition
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.posets import LinearForm
from consistency_lab.model.surrogates import EdgeSurrogate, Surrogate
from consistency_lab.model.surrogates.catalogue import called_so
from consistency_lab.model.surrogates.families import Term
from consistency_lab.model.surrogates.tasks.base import LossAtom
from consistency_lab.model.tasks.discrete import LossMatrix
from consistency_lab.numbers.exact import ONE, ZERO, rational
from consistency_lab.numbers.exact.rational import fraction
from consistency_lab.numbers.shape import is_convex, pieces_of


@frozen
class Polyhedral:
    """psi(y, u), a sum of maxima of affine functions of the scores u, for each label y."""

    name: str
    coordinates: tuple[str, ...]
    labels: tuple[str, ...]
    psi: tuple[tuple[Max, ...], ...]  #: The summands, label by label.
    size: int = 0  #: The number of items or classes; 0 if it comes from a file.


def affine(form: Mapping[int, Fraction | int], constant: Fraction | int = 0) -> Affine:
    """<v, u> + b from the coordinates that v does not leave out."""
    return tuple(sorted((k, Fraction(n)) for k, n in form.items() if n)), Fraction(constant)


def maximum(*pieces: Affine, c: Fraction = ONE) -> Max:
    """The largest of these functions, c times."""
    return Max(c, tuple(dict.fromkeys(pieces)))


def hinge(form: Mapping[int, Fraction | int], constant: Fraction | int = 1, c: Fraction = ONE) -> Max:
    """c max(0, <v, u> + b)."""
    return maximum(affine({}), affine(form, constant), c=c)


# --- Surrogates that have a name -------------------------------------------------------------------------


def _numbered(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, n + 1)))


def _ranksvm(m: int) -> Polyhedral:
    pairs = list(permutations(range(m), 2))
    psi = tuple((hinge({i: -1, j: 1}),) for i, j in pairs)
    names = _items(m)
    return Polyhedral("ranksvm", names, tuple(f"{names[i]}>{names[j]}" for i, j in pairs), psi, m)


def _items(m: int) -> tuple[str, ...]:
    return tuple("ABCDEFGHIJ"[:m])


def _by_class(name: str, psi: Callable[[int, int], tuple[Max, ...]]) -> Callable[[int], Polyhedral]:
    """A loss of k scores, told class by class."""
    return lambda k: Polyhedral(name, _numbered(k), _numbered(k), tuple(psi(y, k) for y in range(k)), k)


def _others(y: int, k: int) -> list[int]:
    return [j for j in range(k) if j != y]


def _weston_watkins(y: int, k: int) -> tuple[Max, ...]:
    return tuple(hinge({j: 1, y: -1}) for j in _others(y, k))


def _crammer_singer(y: int, k: int) -> tuple[Max, ...]:
    return (maximum(affine({}), *(affine({j: 1, y: -1}, 1) for j in _others(y, k))),)


def _lee_lin_wahba(k: int) -> Polyhedral:
    # The scores sum to 0: the last one is minus the sum of the others.
    def score(j: int) -> dict[int, int]:
        return {j: 1} if j < k - 1 else dict.fromkeys(range(k - 1), -1)

    shift = Fraction(1, k - 1)
    psi = tuple(tuple(hinge(score(j), shift) for j in _others(y, k)) for y in range(k))
    return Polyhedral("lee-lin-wahba", _numbered(k - 1), _numbered(k), psi, k)


def _top(k: int, name: str, sizes: Callable[[int], Iterable[int]]) -> Callable[[int], Polyhedral]:
    """The mean of the k largest 1(j != y) + u_j - u_y: positive at all (alpha), or each of them (beta)."""

    def psi(y: int, n: int) -> tuple[Max, ...]:
        pieces = [
            affine(
                {j: Fraction(j in chosen, k) - (Fraction(len(chosen), k) if j == y else 0) for j in range(n)},
                Fraction(sum(j != y for j in chosen), k),
            )
            for size in sizes(k)
            for chosen in combinations(range(n), size)
        ]
        return (maximum(affine({}), *pieces),)

    return _by_class(name, psi)


def _encoded(n: int) -> Polyhedral:
    """max_j B(y)_j u_j + 1, where it is positive; B(y) are the binary digits of y as signs."""
    d = max(1, (n - 1).bit_length())
    codes = [[1 if y >> k & 1 else -1 for k in range(d)] for y in range(n)]
    psi = tuple((maximum(affine({}), *(affine({k: b}, 1) for k, b in enumerate(code))),) for code in codes)
    return Polyhedral("encoded", tuple(f"u{k + 1}" for k in range(d)), _numbered(n), psi, n)


def _signs(d: int) -> list[tuple[int, ...]]:
    return list(product((1, -1), repeat=d))


def lovasz(gains: Sequence[Fraction]) -> Polyhedral:
    """sum_n (g_n - g_{n+1}) max over |S| <= n of the sum of 1 - y_k u_k in S: for increments g that fall."""
    d = len(gains)
    if not d or any(a < b for a, b in pairwise(gains)) or gains[-1] < 0:
        raise InputError("the increments of a Lovász hinge must not rise, and be at least 0")
    steps = [a - b for a, b in pairwise([*gains, ZERO])]

    def psi(y: Sequence[int]) -> tuple[Max, ...]:
        def sums(most: int) -> Iterator[Affine]:
            chosen = (some for n in range(most + 1) for some in combinations(range(d), n))
            return (affine({k: -y[k] for k in some}, len(some)) for some in chosen)

        return tuple(maximum(*sums(n), c=step) for n, step in enumerate(steps, start=1) if step)

    labels = _signs(d)
    names = tuple(f"u{k + 1}" for k in range(d))
    return Polyhedral(
        "lovasz",
        names,
        tuple("".join("+" if s > 0 else "-" for s in y) for y in labels),
        tuple(map(psi, labels)),
        d,
    )


@frozen
class NamedSurrogate:
    """A surrogate that has a name."""

    build: Callable[[int], Polyhedral]
    unit: str  #: What its size counts: "items" or "classes".
    usual: int  #: The usual size.
    least: int
    target: str  #: What is asked for unless another target is named.
    formula: str
    citation: str
    #: By target: what the literature says of a decoder for it, and where.
    claims: Mapping[str, str]


ROWS: Final[Mapping[str, NamedSurrogate]] = MappingProxyType(
    {
        "ranksvm": NamedSurrogate(
            *(_ranksvm, "items", 3, 2, "pairwise"),
            "max(0, 1 - (u_i - u_j)) for the label i > j",
            "Herbrich, Graepel and Obermayer 2000",
            {"pairwise": "inconsistent by sorting (Duchi, Mackey and Jordan 2010)"},
        ),
        "weston-watkins": NamedSurrogate(
            *(_by_class("weston-watkins", _weston_watkins), "classes", 3, 2, "zero-one"),
            "sum over j != y of max(0, 1 + u_j - u_y)",
            "Weston and Watkins 1999",
            {"zero-one": "inconsistent (Tewari and Bartlett 2007)"},
        ),
        "crammer-singer": NamedSurrogate(
            *(_by_class("crammer-singer", _crammer_singer), "classes", 3, 2, "zero-one"),
            "max over j != y of max(0, 1 + u_j - u_y)",
            "Crammer and Singer 2001",
            {
                "zero-one": "inconsistent (Tewari and Bartlett 2007)",
                "abstain": "consistent (Ramaswamy, Tewari and Agarwal 2018)",
            },
        ),
        "lee-lin-wahba": NamedSurrogate(
            *(_lee_lin_wahba, "classes", 3, 2, "zero-one"),
            "sum over j != y of max(0, u_j + 1/(k-1)), the scores summing to 0",
            "Lee, Lin and Wahba 2004",
            {"zero-one": "consistent (Lee, Lin and Wahba 2004)"},
        ),
        "top-2-alpha": NamedSurrogate(
            *(_top(2, "top-2-alpha", lambda k: (k,)), "classes", 4, 3, "top-2"),
            "max(0, mean of the 2 largest 1(j != y) + u_j - u_y)",
            "Lapin, Hein and Schiele 2015",
            {"top-2": "inconsistent (Yang and Koyejo 2020)"},
        ),
        "top-2-beta": NamedSurrogate(
            *(_top(2, "top-2-beta", lambda k: range(1, k + 1)), "classes", 4, 3, "top-2"),
            "half the sum of max(0, .) of the 2 largest 1(j != y) + u_j - u_y",
            "Lapin, Hein and Schiele 2015",
            {"top-2": "inconsistent (Yang and Koyejo 2020)"},
        ),
        "encoded": NamedSurrogate(
            *(_encoded, "classes", 4, 2, "abstain"),
            "max(0, 1 + max_k B(y)_k u_k), B(y) the binary digits of y as signs",
            "Ramaswamy, Tewari and Agarwal 2018",
            {"abstain": "consistent (Ramaswamy, Tewari and Agarwal 2018)"},
        ),
        "lovasz": NamedSurrogate(
            *(lambda d: lovasz([Fraction(d - k) for k in range(d)]), "classes", 2, 1, "mistakes"),
            "the Lovász extension of f(S) = d + (d-1) + ... (|S| terms) at max(0, 1 - y_k u_k)",
            "Yu and Blaschko 2015",
            {"mistakes": "inconsistent (Finocchiaro, Frongillo and Nueve 2022)"},
        ),
    }
)
"""Surrogates by name."""

MAX_SIZE: Final = 8
"""Largest size of a surrogate by name."""


_ITEMS: Final = 3


def of_graphs(surrogate: Surrogate, size: int | None = None) -> Polyhedral:
    """A loss phi(u_i - u_j) of the edges; a label is one comparison of weight 1. Other losses are refused."""
    if type(surrogate) is not EdgeSurrogate:
        raise UnsupportedError(
            f"single comparisons, the labels that embed asks about, decide nothing about {surrogate.name}; "
            "embed takes a loss of the difference of two scores, such as hinge"
        )
    m = _ITEMS if size is None else size
    _check_size(surrogate.name, m, 2, "items")
    items = _items(m)
    pairs = [(i, j) for i in range(m) for j in range(m) if i != j]
    terms = [surrogate.risk_terms(Distribution.of(m, [(1, {pair: 1})])) for pair in pairs]
    psi = tuple(maxima(surrogate.name, one) for one in terms)
    return Polyhedral(surrogate.name, items, tuple(f"{items[i]}>{items[j]}" for i, j in pairs), psi, m)


def maxima(name: str, atoms: Iterable[LossAtom]) -> tuple[Max, ...]:
    """The atoms of a loss as maxima (UnsupportedError if one is none)."""
    return tuple(_maximum(name, atom) for atom in atoms if atom.c)


def _maximum(name: str, atom: LossAtom) -> Max:
    if isinstance(atom, Max):
        return atom
    if isinstance(atom, Linear):
        return maximum((atom.v, Fraction(0)), c=atom.c)
    pieces = pieces_of(atom.phi) if isinstance(atom, Term) else None
    b = atom.b.as_rational() if isinstance(atom, Term) else None
    if pieces is None or b is None or any(p.degree() > 1 for *_, p in pieces) or not is_convex(pieces):
        raise UnsupportedError(f"{name} is no sum of maxima of affine functions, which embed needs")
    assert isinstance(atom, Term)
    lines = [(fraction(p[1]), fraction(p[0])) for *_, p in pieces]
    return maximum(*(affine({k: s * n for k, n in atom.v}, t - s * b) for s, t in lines), c=atom.c)


def _check_size(name: str, size: int, least: int, unit: str) -> None:
    if not least <= size <= MAX_SIZE:
        raise InputError(f"{name} takes {least} to {MAX_SIZE} {unit}, not {size}")


def polyhedral(name: str, size: int | None = None) -> Polyhedral:
    """A surrogate by name, for so many items or classes; also an edge loss, such as hinge."""
    if name not in ROWS:
        of_pairs = called_so(name)
        if of_pairs is None:
            hint = did_you_mean(name, ROWS, "those with a name are")
            raise InputError(f"there is no polyhedral surrogate {name!r}; {hint}")
        return of_graphs(of_pairs, size)
    line = ROWS[name]
    n = line.usual if size is None else size
    _check_size(name, n, line.least, line.unit)
    return line.build(n)


# --- Targets ---------------------------------------------------------------------------------------------


def _zero_one(psi: Polyhedral, _: str) -> LossMatrix:
    n = len(psi.labels)
    return LossMatrix(psi.labels, psi.labels, _rows(n, n, lambda y, t: y != t))


def _rows(n: int, k: int, loss: Callable[[int, int], Any]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(loss(y, t)) for t in range(k)) for y in range(n))


def _abstain(psi: Polyhedral, word: str) -> LossMatrix:
    cost, n = rational(word or "1/2", "the cost of abstaining"), len(psi.labels)
    if cost < 0:
        raise InputError(f"the cost of abstaining is {cost}; it must be at least 0")
    rows = _rows(n, n + 1, lambda y, t: cost if t == n else y != t)
    return LossMatrix(psi.labels, (*psi.labels, "abstain"), rows)


def _top_k(psi: Polyhedral, word: str) -> LossMatrix:
    n = len(psi.labels)
    if not word.isdecimal() or not 1 <= int(word) < n:
        raise InputError(f"top-{word} needs a number from 1 to {n - 1} behind the dash")
    chosen = list(combinations(range(n), int(word)))
    names = tuple("+".join(psi.labels[j] for j in some) for some in chosen)
    return LossMatrix(psi.labels, names, _rows(n, len(chosen), lambda y, t: y not in chosen[t]))


def _pairs(psi: Polyhedral, what: str) -> list[tuple[str, ...]]:
    """The items that each label compares, the better one first."""
    pairs = [tuple(label.split(">")) for label in psi.labels]
    if any(len(pair) != 2 or not set(pair) <= set(psi.coordinates) for pair in pairs):
        raise InputError(f"{what} needs labels such as A>B, and those of {psi.name} are others")
    return pairs


def _pairwise(psi: Polyhedral, _: str) -> LossMatrix:
    pairs = _pairs(psi, "the target pairwise")
    orders = list(permutations(psi.coordinates))
    rows = _rows(
        len(pairs), len(orders), lambda y, t: orders[t].index(pairs[y][0]) > orders[t].index(pairs[y][1])
    )
    return LossMatrix(psi.labels, tuple(">".join(order) for order in orders), rows)


def _mistakes(psi: Polyhedral, word: str) -> LossMatrix:
    """f of the coordinates that are wrong: their number, or as the Lovász hinge counts them."""
    labels = psi.labels
    if any(set(label) - set("+-") for label in labels):
        raise InputError(
            f"the targets mistakes and hamming need labels such as +-+; those of {psi.name} are others"
        )
    d = len(labels[0])
    count = [n if word == "hamming" else sum(d - k for k in range(n)) for n in range(d + 1)]
    wrong = [[sum(a != b for a, b in zip(y, t, strict=True)) for t in labels] for y in labels]
    return LossMatrix(labels, labels, _rows(len(labels), len(labels), lambda y, t: count[wrong[y][t]]))


_TARGETS: Final[Mapping[str, tuple[Callable[[Polyhedral, str], LossMatrix], str]]] = {
    "zero-one": (_zero_one, "1 unless the label is predicted"),
    "abstain": (_abstain, "0-1, or 1/2 for no answer; abstain:1/4 costs 1/4"),
    "top-": (_top_k, "1 unless the label is among k predicted ones, as in top-2"),
    "pairwise": (_pairwise, "1 if the label i>j is ordered the other way"),
    "mistakes": (_mistakes, "f of the wrong signs, as in the Lovász hinge of d + (d-1) + ..."),
    "hamming": (lambda psi, _: _mistakes(psi, "hamming"), "the number of wrong signs"),
}


def target_names() -> tuple[str, ...]:
    """What a target may be called."""
    return tuple("top-2" if name == "top-" else name for name in _TARGETS)


def target_losses(psi: Polyhedral, name: str) -> LossMatrix:
    """The matrix of a target by name, for the labels of a surrogate."""
    stem, colon, word = name.partition(":")
    if name.startswith("top-"):
        return _top_k(psi, name.removeprefix("top-"))
    if stem not in _TARGETS or (colon and stem != "abstain"):
        hint = did_you_mean(stem, target_names(), "the targets are")
        raise InputError(f"there is no target {name!r} of labels like these; {hint}")
    return _TARGETS[stem][0](psi, word)


# --- Decoders --------------------------------------------------------------------------------------------


def cells_of(psi: Polyhedral, losses: LossMatrix, name: str) -> Cells:
    """The cells of a decoder by name: argmax predicts the largest scores, sort an order of all."""
    names = psi.coordinates
    if name not in DECODERS:
        hint = did_you_mean(name, (*DECODERS, "FILE.json"), "the decoders are")
        raise InputError(f"there is no decoder {name!r} of a sum of maxima; {hint}")
    found = {}
    for t, prediction in enumerate(losses.predictions):
        chosen = [one.strip() for one in prediction.split(">" if name == "sort" else "+")]
        rest = [k for k in names if k not in chosen]
        if not set(chosen) <= set(names) or (name == "sort" and rest):
            raise InputError(
                f"the decoder {name} does not predict {prediction!r}; state its cells in FILE.json"
            )
        steps = pairwise(chosen) if name == "sort" else product(chosen, rest)
        rows = [tuple(ONE * ((k == i) - (k == j)) for k in names) for i, j in steps]
        found[t] = (tuple((row, ZERO) for row in rows),)
    return Cells(found)


DECODERS: Final = ("sort", "argmax")
"""Decoders by name."""


# --- Noise conditions ------------------------------------------------------------------------------------


def condition_cones(psi: Polyhedral, name: str) -> tuple[SimplexCone, ...]:
    """The distributions that a condition on d_ij = p_ij - p_ji allows, as cones; labels compare two items."""
    if name == ANY.name:
        return (SimplexCone(),)
    if not condition(name).of_differences:
        known = ", ".join(one for one, row in CONDITIONS.items() if row.of_differences)
        raise UnsupportedError(f"{name} says more than differences do; the conditions on these are {known}")
    label = {pair: k for k, pair in enumerate(_pairs(psi, f"the condition {name}"))}
    m, found = len(psi.coordinates), dict[SimplexCone, None]()
    for part, items in product(condition(name).parts(m), permutations(psi.coordinates)):

        def row(form: LinearForm, sign: int = 1, items: tuple[str, ...] = items) -> tuple[Fraction, ...]:
            in_p = [ZERO] * len(label)
            for (i, j), c in form.items():
                for two, factor in (((items[i], items[j]), sign), ((items[j], items[i]), -sign)):
                    if two in label:
                        in_p[label[two]] += factor * c
            return tuple(in_p)

        wide = [row(one) for one in part.inequalities if one not in part.strict]
        equal = [row(one, sign) for one in part.equalities for sign in (1, -1)]
        found[SimplexCone(tuple(sorted({*wide, *equal})), tuple(sorted(map(row, part.strict))))] = None
    return tuple(found)
