"""A class derived from a family says what its own terms say: no theorem comes with the base class."""

import ast
from fractions import Fraction
from pathlib import Path

import pytest

import consistency_lab as lab
from consistency_lab.apps.measure.calibration import calibration
from consistency_lab.apps.measure.rate import rate
from consistency_lab.apps.measure.smallest import smallest
from consistency_lab.apps.measure.worst import worst_case
from consistency_lab.certify.proofs.file import verify
from consistency_lab.decide.theorems.base import Refusal
from consistency_lab.decide.theorems.catalogue import consistency_theorem, theorems
from consistency_lab.decide.theorems.linear import ordered_by_net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import (
    FAMILIES,
    DifferenceSurrogate,
    EdgeSurrogate,
    GraphSurrogate,
    LinearSurrogate,
    RegressionSurrogate,
    Term,
    pair,
)
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import parse
from consistency_lab.search.effort import Effort
from consistency_lab.search.size import treats_items_alike

SQUARE = parse("x**2")
LOGISTIC = parse("log(1+exp(-x))")


class Losses(RegressionSurrogate):
    """Least squares on the losses of an item in place of its wins: exactly backwards."""

    def graph_terms(self, graph, m):
        f = [Fraction(0)] * m
        for i, j, w in graph:
            f[i], f[j] = f[i] - w, f[j] + w
        return [Term(Fraction(1), SQUARE, ((i, 1),), LogRational(x)) for i, x in enumerate(f)]


class Reversed(DifferenceSurrogate):
    """The loss of the difference graph, with every edge turned round."""

    def risk_terms(self, distribution):
        d = distribution.difference
        return tuple(pair(x, self.phi, j, i) for i, row in enumerate(d) for j, x in enumerate(row) if x > 0)


class Against(LinearSurrogate):
    """The value-regularized linear loss of the transposed aggregate."""

    def risk_terms(self, distribution):
        a = distribution.aggregate
        pairs = [pair(x, parse("-x"), j, i) for i, row in enumerate(a) for j, x in enumerate(row) if x]
        return (*pairs, *(Term(self.nu, self.r, ((i, 1),)) for i in range(len(a))))


class _Backwards:
    """Every edge turned round, told graph by graph, whatever a base class says of p as a whole."""

    def graph_terms(self, graph, m):
        return [pair(w, self.functions[0], j, i) for i, j, w in graph]


class BackwardsEdge(_Backwards, EdgeSurrogate): ...


class BackwardsDifference(_Backwards, DifferenceSurrogate): ...


class BackwardsLinear(LinearSurrogate):
    def graph_terms(self, graph, m):
        pairs = [pair(w, self.functions[0], j, i) for i, j, w in graph]
        return [*pairs, *(Term(self.nu, self.r, ((i, 1),)) for i in range(m))]


BACKWARDS = (
    BackwardsEdge("mine", LOGISTIC, parse("a", "a")),
    BackwardsDifference("mine", LOGISTIC),
    BackwardsLinear("mine", parse("x**2/2"), Fraction(1)),
)


@pytest.mark.parametrize("mine", BACKWARDS, ids=lambda s: type(s).__name__)
def test_terms_of_graphs_count_where_the_base_class_has_none(mine):
    p = Distribution.of(2, [(1, {(0, 1): 3})])
    assert lab.check_profile(mine, p).verdict is lab.Verdict.INCONSISTENT
    decision = lab.check(mine, "additive", items=2, effort=Effort(30))
    assert decision.verdict is lab.Verdict.INCONSISTENT


DERIVED = (Losses("mine"), Reversed("mine", LOGISTIC), Against("mine", parse("x**2/2"), Fraction(1)))


@pytest.mark.parametrize("mine", DERIVED, ids=lambda s: type(s).__name__)
def test_no_theorem_and_no_closed_form_is_inherited_and_its_own_terms_are_found_inconsistent(mine):
    assert all(isinstance(t.applies(mine, "additive"), Refusal) for t in theorems())
    assert consistency_theorem(mine, "additive") is None
    assert ordered_by_net(mine) is None
    assert calibration(mine, "additive", 2, effort=Effort(10)).law is None
    with pytest.raises(lab.UnsupportedError, match="surrogate, got mine"):
        worst_case(mine, "additive", 2)
    decision = lab.check(mine, "additive", items=2, effort=Effort(30))
    assert decision.verdict is lab.Verdict.INCONSISTENT
    (witness,) = decision.witnesses
    assert witness.document["named"]["surrogate"] == {"name": f"own: {mine.name}"}
    assert verify(witness.document).failure == "strict"


@pytest.mark.parametrize("mine", DERIVED[1:], ids=lambda s: type(s).__name__)
def test_nothing_is_proved_between_distributions_where_only_whole_risks_are_given(mine):
    with pytest.raises(lab.UnsupportedError, match=f"{type(mine).__name__} defines its own risk_terms"):
        smallest(mine, "additive", 2)


def test_a_class_that_calls_itself_a_family_is_none():
    class Pretender(Losses):
        __class__ = property(lambda self: RegressionSurrogate)

    mine = Pretender("mine")
    assert isinstance(mine, RegressionSurrogate)
    assert consistency_theorem(mine, "additive") is None
    assert as_surrogate(mine).describe(Distribution.from_aggregate([[0, 1], [0, 0]]))["family"] == "terms"


def test_no_module_asks_whether_an_object_is_of_a_family_or_derived_from_one():
    """`isinstance` says yes to a derived class, which may say something else."""
    names = {family.__name__ for family in FAMILIES}
    package = Path(lab.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    found = [
        f"{path.relative_to(package)}:{node.lineno}"
        for path, text in texts.items()
        if any(name in text for name in names)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("isinstance", "issubclass")
        and names & {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
    ]
    assert found == []


def test_an_object_of_a_family_takes_no_method_of_its_own():
    for name in ("logistic", "margin-logistic", "difference-logistic", "linear", "regression"):
        built = lab.surrogate(name)
        assert type(built) in FAMILIES and not hasattr(built, "__dict__")


class SecondLast(GraphSurrogate):
    """The logistic loss, but an edge from a later item to an earlier one counts the wrong way."""

    name = "second-last"
    functions = (LOGISTIC,)

    def graph_terms(self, graph, m):
        return [pair(w, LOGISTIC, min(i, j), max(i, j)) for i, j, w in graph]


class Alike(GraphSurrogate):
    """The logistic loss of every edge, turned round."""

    name = "alike"
    functions = (LOGISTIC,)

    def graph_terms(self, graph, m):
        return [pair(w, LOGISTIC, j, i) for i, j, w in graph]


def test_a_class_that_treats_items_unequally_is_searched_under_every_name():
    """It is right wherever the preferences run along the item order, and wrong where they run against it."""
    decision = lab.check(SecondLast(), "additive", items=2, effort=Effort(30))
    (witness,) = decision.witnesses
    assert witness.distribution.difference[1][0] > 0


def test_up_to_names_nothing_is_proved_of_a_class_that_treats_items_unequally():
    for ask in (smallest, rate):
        with pytest.raises(lab.UnsupportedError, match="second-last treats the items unequally"):
            ask(SecondLast(), "additive", 2)
    found = smallest(Alike(), "additive", 2, effort=Effort(30))
    assert (found.total, found.proved) == (1, True)


@pytest.mark.parametrize("m", [2, 3, 4])
def test_which_classes_treat_items_alike(m):
    assert treats_items_alike(as_surrogate(Alike()), m)
    assert treats_items_alike(lab.surrogate("logistic"), m)
    assert not treats_items_alike(as_surrogate(SecondLast()), m)
    assert not treats_items_alike(as_surrogate(DERIVED[1]), m)
