"""What a family of losses is; those of preference graphs: edge, margin, difference, linear, regression."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields, is_dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.checked import checked, fitting
from consistency_lab.model.distribution import Distribution, PreferenceGraph
from consistency_lab.numbers.balls import ORIGIN
from consistency_lab.numbers.exact import LogRational, certainly_positive, rational_text
from consistency_lab.numbers.phi import Expression, X, enclose_value, exact_value, parse
from consistency_lab.shown import Shown

if TYPE_CHECKING:  # files about preference graphs are verified without tasks
    from consistency_lab.model.tasks.task import Task

# --- What a surrogate is to the rest of the project: a sum of scalar convex terms ------------------------
# Every conditional risk here reads (docs/theory.md, Surrogate risks)
#
#     W(p, alpha) = sum_t c_t phi_t(<v_t, alpha> - b_t),   c_t > 0,
#
# so minimizing, certifying and checking are written once, for terms.


@frozen
class Term:
    """One summand ``c * phi(<v, alpha> - b)`` of a risk.

    Examples
    --------
    >>> from consistency_lab.numbers.phi import parse
    >>> pair(Fraction(2), parse("exp(-x)"), 1, 0).v
    ((0, -1), (1, 1))
    """

    c: Fraction  #: Its coefficient, at least 0.
    phi: Expression  #: The scalar function.
    #: ``((item, integer), ...)`` sorted by item: the direction v, without zeros.
    v: tuple[tuple[int, int], ...]
    b: LogRational = ORIGIN  #: The offset.

    @property
    def key(self) -> tuple[Expression, tuple[tuple[int, int], ...], LogRational]:
        """What two terms must share to be added up."""
        return self.phi, self.v, self.b


def pair(c: Fraction, phi: Expression, i: int, j: int, b: LogRational = ORIGIN) -> Term:
    """The term ``c * phi(alpha_i - alpha_j - b)``."""
    if not (type(i) is type(j) is int):
        i, j = fitting(i, "i", int), fitting(j, "j", int)
    return Term(c, phi, ((i, 1), (j, -1)) if i < j else ((j, -1), (i, 1)), b)


def merged(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Add up the coefficients of equal terms, drop zeros; the order of first appearance is kept."""
    total: dict[tuple[Expression, tuple[tuple[int, int], ...], LogRational], Fraction] = {}
    for term in terms:
        total[term.key] = total.get(term.key, Fraction(0)) + term.c
    return tuple(Term(c, *key) for key, c in total.items() if c)


# --- What is known of a family of losses, on preference graphs or on labels ------------------------------


@frozen
class Choice:
    """One word that a parameter may be: a row of a table, with what follows from it."""

    formula: str  #: What the formula of the loss says for it.
    values: Callable[..., Any]  #: What is computed from a task and a label: f(y), see the table.
    #: What the family says otherwise: its source, the labels that it takes, the link and the risk.
    citation: str = ""
    kinds: tuple[str, ...] = ()
    link: str = ""
    risk: str = ""
    #: Whether the scale 1/Z(y) of the target is a factor; Z = 1 unless the target is normalized.
    scaled: bool = False


@frozen
class Family:
    """What is known of the losses of one class; nothing of it holds for a class that is derived from it."""

    #: What files call it; the loss, with parameters of labels in braces; and its source.
    name: str
    formula: str
    citation: str
    #: The parameters that are words, each with the table of these, or with what the formula says for them.
    words: Mapping[str, Mapping[str, Choice | str]] = field(default_factory=dict)
    kinds: tuple[str, ...] = ("grades",)  #: The labels that it takes, if it is no loss of preference graphs.
    targets: "tuple[type[Task], ...]" = ()  #: The targets that it is for, if not all.
    link: str = "identity"  #: What of E f(y) the minimizer is: "identity", "log", "logit", "2x-1" or "limit".
    risk: str = "squares"  #: Its risk, by its name in the table of `core.certificates`, if its mean is known.
    scaled: bool = False  #: Whether the scale 1/Z(y) of the target is a factor of f.
    by_grades: bool = False  #: Whether f_i is a function of the item's grade and of all grades in any order.

    #: On preference graphs: the loss as a proof shows it, with the keys of a file in braces, if it differs.
    proof: str = ""
    prefix: str | None = None  #: What stands before the name of phi, if it is made of a scalar loss.
    fixed: tuple[tuple[str, str], ...] = ()  #: Further keys of a file, each with the one word that it may be.
    #: Whether the minimizer, where it exists, is a function of the net preferences N, affine in p, under
    #: hypotheses on its parameters (`theorems.linear`): linear algebra decides.
    affine: bool = False
    differences_only: bool = False  #: Whether opposite edges of equal weight cancel in W, up to a constant.
    #: Whether W(p, .) depends on p through its aggregate alone, but for a constant.
    of_aggregate: bool = False
    #: Whether the difference graph is taken first, and W is linear in the edges of that.
    takes_differences: bool = False
    #: Whether a distribution at which no convex phi is right (DMJ10 Lemma 10) is a witness against it.
    every_phi: bool = False


UNKNOWN: Final = Family("", "", "")
"""What is known of a class of the user's own: nothing."""

VARIABLES: Final = {"h": "a", "gain": "s"}
"""The variables of the parameters that are functions, where it is not x."""


class Loss(Shown, ABC):
    """What surrogates of graphs and of labels share: as a dataclass, other fields are parameters."""

    __slots__ = ()

    name: str  #: A short name, used in tables and in the names of witness files.
    family: ClassVar[Family] = UNKNOWN

    @property
    def formula(self) -> str:
        """The loss."""
        said = {key: x if isinstance(x, str) else x.formula for key, x in self.choices().items()}
        return self.family.formula.format_map({**self.values(), **said})

    @property
    def citation(self) -> str:
        """Its source."""
        return str(self._said("citation"))

    def parameters(self) -> tuple[tuple[str, str], ...]:
        """What stands for letters in the formula, such as ``("phi(x)", "exp(-x)")``."""
        return ()

    @property
    def text(self) -> str:
        """The formula with its letters and its source, as a person reads it."""
        values = ", ".join(f"{letter} = {value}" for letter, value in self.parameters())
        cited = f" ({self.citation})" if self.citation else ""
        return self.formula + (f", with {values}" if values else "") + cited

    def describe(self, of: Any) -> dict[str, object]:
        """The ``surrogate`` entry of a witness file about `of`: enough to build the surrogate again."""
        return {"family": self.family.name, "name": self.name, **self.values(), **dict(self.family.fixed)}

    @classmethod
    def arguments(cls) -> tuple[str, ...]:
        """The fields that are its parameters."""
        assert is_dataclass(cls)
        return tuple(f.name for f in fields(cls) if f.name not in ("name", "decoder"))

    def values(self) -> dict[str, Any]:
        """The parameters as files and formulas have them."""
        return {key: written(getattr(self, key), VARIABLES.get(key, "x")) for key in self.arguments()}

    def choices(self) -> dict[str, Choice | str]:
        """What its words stand for, parameter by parameter."""
        return {key: words[getattr(self, key)] for key, words in self.family.words.items()}

    def _said(self, what: str) -> Any:
        """An attribute of the chosen words that has it, else of the family."""
        said = (getattr(choice, what) for choice in self.choices().values() if isinstance(choice, Choice))
        return next(filter(None, said), getattr(self.family, what))


def written(value: object, variable: str) -> Any:
    """A parameter as files have it."""
    if isinstance(value, tuple):
        return [written(x, variable) for x in value]
    if isinstance(value, Fraction):
        return rational_text(value)
    return value.text(variable) if isinstance(value, Expression) else value


class Surrogate(Loss):
    """A surrogate loss of preference graphs, known by the terms of its conditional risk.

    Write your own by deriving from `GraphSurrogate`.
    """

    __slots__ = ()

    @property
    def of_aggregate(self) -> bool:
        """Whether W(p, .) depends on p through its aggregate alone, but for a constant."""
        return self.family.of_aggregate

    @property
    @abstractmethod
    def functions(self) -> tuple[Expression, ...]:
        """The scalar functions that its terms may use."""

    @abstractmethod
    def risk_terms(self, distribution: Distribution) -> tuple[Term, ...]:
        """The merged terms of W(p, .), in a canonical order."""

    @classmethod
    def letters(cls) -> dict[str, str]:
        """The fields that are its parameters, each with the letter in the formula, such as ``phi(x)``."""
        return {key: key if key == "nu" else f"{key}({VARIABLES.get(key, 'x')})" for key in cls.arguments()}

    def parameters(self) -> tuple[tuple[str, str], ...]:
        return tuple(zip(self.letters().values(), self.values().values(), strict=True))


class GraphSurrogate(Surrogate):
    """A surrogate phi(alpha, G) that is given graph by graph, so W is linear in p.

    Examples
    --------
    A loss of one's own: hinge on every edge, twice as heavy on the first item.

    >>> from consistency_lab.numbers.phi import parse
    >>> class TopHeavy(GraphSurrogate):
    ...     name = "top-heavy"
    ...     functions = (parse("max(0, 1-x)"),)
    ...     def graph_terms(self, graph, m):
    ...         return [pair(w * (2 if i == 0 else 1), self.functions[0], i, j) for i, j, w in graph]
    >>> p = Distribution.of(2, [(1, {(0, 1): 3})])
    >>> TopHeavy().risk_terms(p)[0].c
    Fraction(6, 1)
    """

    __slots__ = ()

    @abstractmethod
    def graph_terms(self, graph: PreferenceGraph, m: int) -> Iterable[Term]:
        """The terms of phi(alpha, G) for one graph over m items."""

    @final
    @checked
    def risk_terms(self, distribution: Distribution) -> tuple[Term, ...]:
        return merged(
            Term(p * term.c, *term.key)
            for p, graph in zip(distribution.probabilities, distribution.graphs, strict=True)
            for term in self.graph_terms(graph, distribution.m)
        )

    @checked
    def describe(self, distribution: Distribution) -> dict[str, object]:
        if self.family is not UNKNOWN:
            return Loss.describe(self, distribution)
        entries = [merged(self.graph_terms(graph, distribution.m)) for graph in distribution.graphs]
        return graph_entries(self.name, entries, distribution.items)


def graph_entries(name: str, entries: Iterable[Iterable[Term]], items: tuple[str, ...]) -> dict[str, object]:
    """The ``surrogate`` entry of a witness file that lists the terms of each graph."""
    return {
        "family": "terms",
        "name": name,
        "terms": [
            [
                {
                    "coefficient": str(term.c),
                    "phi": str(term.phi),
                    "along": {items[i]: n for i, n in term.v},
                    "offset": str(term.b),
                }
                for term in terms
            ]
            for terms in entries
        ],
    }


# --- The families -----------------------------------------------------------------------------------------


@frozen
class EdgeSurrogate(Surrogate):
    """phi(alpha, G) = sum over edges i → j of G of h(a^G_ij) phi(alpha_i - alpha_j) (DMJ10 Eq. 9)."""

    name: str  #: The name of phi, or its text.
    phi: Expression  #: The scalar loss, an expression in x.
    h: Expression  #: How much an edge of weight a counts, an expression in a; h >= 0.
    family = Family(
        "edge",
        "sum over i→j of h(a_ij) phi(alpha_i - alpha_j)",
        "DMJ10 Eq. 9",
        proof="sum over edges i → j of h(a) φ(α_i - α_j), h(a) = {h}",
        prefix="",
        every_phi=True,
    )

    @property
    def of_aggregate(self) -> bool:
        """Where an edge counts by its weight: h_ij = a_ij."""
        return self.h == X

    @property
    def functions(self) -> tuple[Expression, ...]:
        """Only phi."""
        return (self.phi,)

    def risk_terms(self, distribution: Distribution) -> tuple[Term, ...]:
        """The terms h_ij phi(alpha_i - alpha_j), h_ij = sum over G of p_G h(a^G_ij)."""
        weights = (w for graph in distribution.graphs for *_, w in graph)
        count = None if self.of_aggregate else edge_factors(self.h, weights)
        total: dict[tuple[int, int], Fraction] = {}
        for p, graph in zip(distribution.probabilities, distribution.graphs, strict=True):
            for i, j, w in graph:
                c = p * (w if count is None else count[w])
                total[i, j] = total[i, j] + c if (i, j) in total else c
        return tuple(pair(c, self.phi, *edge) for edge, c in total.items() if c)


def edge_factors(h: Expression, weights: Iterable[Fraction]) -> dict[Fraction, Fraction]:
    """h(w) for each weight; 1, as good as any, where all weights are equal and h > 0 is irrational."""
    distinct = sorted(set(weights))
    factors: dict[Fraction, Fraction] = {}
    for w in distinct:
        exact = exact_value(h, LogRational(w))
        value = exact.as_rational() if exact is not None else None
        if value is None and len(distinct) == 1 and certainly_positive(enclose_value(h, LogRational(w))):
            value = Fraction(1)
        if value is None:
            raise UnsupportedError(
                f"h({w}) is not known to be rational; use edge weights at which h is rational"
            )
        if value < 0:
            raise InputError(f"h({w}) = {value}; h must be at least 0 on positive weights")
        factors[w] = value
    return factors


@frozen
class MarginSurrogate(GraphSurrogate):
    """phi(alpha, G) = sum over edges i → j of G of phi(alpha_i - alpha_j - h(a^G_ij)) (DMJ10 Eq. 13)."""

    name: str  #: "margin-" and the name of phi, or its text.
    phi: Expression  #: The scalar loss, an expression in x.
    h: Expression  #: The margin that an edge of weight a asks for, an expression in a.
    family = Family(
        "margin",
        "sum over i→j of phi(alpha_i - alpha_j - h(a_ij))",
        "DMJ10 Eq. 13",
        proof="sum over edges i → j of φ(α_i - α_j - h(a)), h(a) = {h}",
        prefix="margin-",
        every_phi=True,
    )

    @property
    def functions(self) -> tuple[Expression, ...]:
        """Only phi."""
        return (self.phi,)

    def graph_terms(self, graph: PreferenceGraph, m: int) -> Iterable[Term]:
        """One term an edge."""
        return [pair(Fraction(1), self.phi, i, j, self.margin(w)) for i, j, w in graph]

    def margin(self, weight: Fraction) -> LogRational:
        """h(weight), exactly."""
        value = exact_value(self.h, LogRational(weight))
        if value is None:
            raise UnsupportedError(
                f"h({weight}) is not known exactly; use edge weights at which h is rational"
            )
        return value


# --- Losses on the difference graph, a structure aggregated over labels first (DMJ13) --------------------


@frozen
class DifferenceSurrogate(Surrogate):
    """sum over edges of the difference graph of [d_ij]_+ phi(alpha_i - alpha_j) (DMJ13)."""

    name: str  #: "difference-" and the name of phi, or its text.
    phi: Expression  #: The scalar loss, an expression in x.
    family = Family(
        "difference",
        "sum over i→j of [d_ij]_+ phi(alpha_i - alpha_j)",
        "DMJ13 §5.3",
        proof="sum over the edges of the difference graph of d_ij φ(α_i - α_j)",
        prefix="difference-",
        differences_only=True,
        of_aggregate=True,
        takes_differences=True,
    )

    @property
    def functions(self) -> tuple[Expression, ...]:
        """Only phi."""
        return (self.phi,)

    def risk_terms(self, distribution: Distribution) -> tuple[Term, ...]:
        """The terms [d_ij]_+ phi(alpha_i - alpha_j) in index order."""
        d = distribution.difference
        return tuple(
            pair(d[i][j], self.phi, i, j) for i in range(len(d)) for j in range(len(d)) if d[i][j] > 0
        )


# --- The value-regularized linear loss (DMJ10 Eq. 14) ----------------------------------------------------

SLOPE: Final = parse("-x")
"""The linear part: a_ij (alpha_j - alpha_i) is a_ij times -x at x = alpha_i - alpha_j."""


@frozen
class LinearSurrogate(Surrogate):
    """sum over edges a^G_ij (alpha_j - alpha_i) + nu sum_i r(alpha_i) (DMJ10 Eq. 14; least by Eq. 15)."""

    name: str  #: A short name.
    r: Expression  #: The regularizer, strictly convex and 1-coercive, an expression in x.
    nu: Fraction  #: Its weight, positive.
    family = Family(
        "linear",
        "sum over i→j of a_ij (alpha_j - alpha_i) + nu sum_i r(alpha_i)",
        "DMJ10 Eq. 14",
        proof="sum over edges i → j of a (α_j - α_i), and ν sum_i r(α_i) with ν = {nu}",
        affine=True,
        differences_only=True,
        of_aggregate=True,
    )

    @property
    def functions(self) -> tuple[Expression, ...]:
        """The slope -x, and r."""
        return SLOPE, self.r

    def risk_terms(self, distribution: Distribution) -> tuple[Term, ...]:
        """The pair terms in index order of the aggregate, then the regularizer item by item."""
        a = distribution.aggregate
        pairs = [pair(a[i][j], SLOPE, i, j) for i in range(len(a)) for j in range(len(a)) if a[i][j]]
        return merged([*pairs, *(Term(self.nu, self.r, ((i, 1),)) for i in range(len(a)))])


# --- Least squares on a score of each item that a preference graph gives (RAT13 Theorem 6) ---------------

SQUARE: Final = parse("x**2")


@frozen
class RegressionSurrogate(GraphSurrogate):
    """sum_i (alpha_i - f_i(G))^2, f_i(G) = sum_j (a^G_ij - a^G_ji); its minimizer is E f(G)."""

    name: str
    family = Family(
        "regression",
        "sum_i (alpha_i - f_i)^2 with f_i = sum_j (a_ij - a_ji)",
        "RAT13 Thm 6",
        proof="sum_i (α_i - f_i(G))², with f_i(G) = sum_j (a^G_ij - a^G_ji)",
        fixed=(("f", "net"),),
        affine=True,
        differences_only=True,
        # W = sum_i (alpha_i - E f_i)^2, and the variances of the f_i, which no score changes.
        of_aggregate=True,
    )

    @property
    def functions(self) -> tuple[Expression, ...]:
        """Only x**2."""
        return (SQUARE,)

    def graph_terms(self, graph: PreferenceGraph, m: int) -> Iterable[Term]:
        """One term an item."""
        f = [Fraction(0)] * m
        for i, j, w in graph:
            f[i] += w
            f[j] -= w
        return [Term(Fraction(1), SQUARE, ((i, 1),), LogRational(value)) for i, value in enumerate(f)]
