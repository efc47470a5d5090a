"""Each lie of a class of the user's own gets one sentence that says what is wrong and what would be right."""

from fractions import Fraction

import numpy as np
import pytest

import consistency_lab as lab
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import GraphSurrogate, Term, pair
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.phi import parse
from consistency_lab.search.effort import Effort

HINGE = parse("max(0,1-x)")
ONE = Fraction(1)
P = Distribution.from_aggregate([[0, 2, 0], [1, 0, 1], [0, 0, 0]])


def _terms(self, graph, m):
    return [pair(w, HINGE, i, j) for i, j, w in graph]


def own(graph_terms=_terms, **more):
    """An object of a class called Mine, right but for what is given."""
    body = {"name": "mine", "functions": (HINGE,), "graph_terms": graph_terms, **more}
    kept = {key: value for key, value in body.items() if value is not ...}
    return type("Mine", (GraphSurrogate,), kept)()


def test_a_class_that_says_what_it_must():
    found = as_surrogate(own())
    assert [str(term.c) for term in found.risk_terms(P)] == ["2", "1", "1"]
    assert as_surrogate(found) is found


def _raising(error):
    def graph_terms(self, graph, m):
        raise error

    return graph_terms


def _recursion(self, graph, m):
    return self.graph_terms(graph, m)


def _late(self, graph, m):
    yield pair(ONE, HINGE, 0, 1)
    raise KeyError("late")


def _one(term):
    return {"graph_terms": lambda self, graph, m: [term]}


LIES = {
    "functions without the comma": ({"functions": HINGE}, "Mine.functions is one expression; write"),
    "no functions": ({"functions": ()}, "Mine.functions is empty"),
    "functions as a text": ({"functions": "max(0,1-x)"}, "Mine.functions is 'max(0,1-x)' (a str), not a"),
    "a text among functions": ({"functions": ("exp(-x)",)}, "Mine.functions contains 'exp(-x)' (a str)"),
    "functions None": ({"functions": None}, "Mine.functions is None, not a tuple of expressions"),
    "functions raise": ({"functions": property(lambda self: 1 // 0)}, "Mine.functions raised ZeroDivisionEr"),
    "no name": ({"name": ...}, "the class Mine has no name; write name = 'my-loss' in it"),
    "a number for a name": ({"name": 7}, "Mine.name is 7 (a int)"),
    "an empty name": ({"name": "  "}, "it must be a non-empty printable text"),
    "two lines for a name": ({"name": "a\nb"}, "it must be a non-empty printable text"),
    "a long name": ({"name": "n" * 10_000}, "Mine.name has 10000 characters; at most 80 are taken"),
    "a built-in's name": ({"name": "logistic"}, "the name 'logistic' of the class Mine is reserved for"),
    "an alias": ({"name": "RankNet "}, "give it another name"),
    "a family's name": ({"name": "linear"}, "give it another name"),
    "a form's name": ({"name": "margin-mine"}, "give it another name"),
    "None": (_one(None) | {"graph_terms": lambda self, graph, m: None}, "Mine.graph_terms gives None; it"),
    "a text": ({"graph_terms": lambda self, graph, m: "terms"}, "gives 'terms' (a str); it must give a list"),
    "a number": ({"graph_terms": lambda self, graph, m: 3}, "Mine.graph_terms gives 3 (a int); it must give"),
    "no term": (_one("term"), "Mine.graph_terms gives 'term' (a str), which is not a term"),
    "an exception": ({"graph_terms": _raising(ValueError("no\nmore"))}, "raised ValueError: no"),
    "an exception later": ({"graph_terms": _late}, "Mine.graph_terms raised KeyError: 'late'"),
    "an exit": ({"graph_terms": _raising(SystemExit(0))}, "Mine.graph_terms raised SystemExit: 0"),
    "an exit of a generator": ({"graph_terms": _raising(GeneratorExit())}, "raised GeneratorExit"),
    "an exception of its own": (
        {"graph_terms": _raising(type("Odd", (BaseException,), {})("odd"))},
        "Mine.graph_terms raised Odd: odd",
    ),
    "an exception without words": (
        {"graph_terms": _raising(type("Mute", (Exception,), {"__str__": lambda self: 1 // 0})())},
        "Mine.graph_terms raised Mute",
    ),
    "a term without a repr": (
        _one(type("Mute", (), {"__repr__": lambda self: 1 // 0})()),
        "the repr of a Mute raised ZeroDivisionError",
    ),
    "a function that equals all others": (
        _one(pair(ONE, type("Equal", (), {"__eq__": lambda *_: True, "__hash__": None})(), 0, 1)),
        "which Mine.functions does not list",
    ),
    "recursion": ({"graph_terms": _recursion}, "Mine.graph_terms raised RecursionError: maximum recursion"),
    "a float": (_one(pair(0.5, HINGE, 0, 1)), "gives the coefficient 0.5 (a float); it must be an int or a"),
    "NumPy": (_one(pair(np.float64(2), HINGE, 0, 1)), "it must be an int or a Fraction"),
    "a boolean": (_one(pair(True, HINGE, 0, 1)), "gives the coefficient True (a bool)"),
    "a negative": (_one(pair(-ONE, HINGE, 0, 1)), "gives the coefficient -1; coefficients must be at least"),
    "10^400": (_one(pair(10**400 * ONE, HINGE, 0, 1)), "the coefficient about 10^400; coefficients must lie"),
    "10^-400": (_one(pair(ONE / 10**400, HINGE, 0, 1)), "the coefficient about 10^-400; coefficients must"),
    "another function": (_one(pair(ONE, parse("exp(-x)"), 0, 1)), "Mine.graph_terms uses exp(-x), which"),
    "a text for phi": (_one(pair(ONE, "exp(-x)", 0, 1)), "Mine.graph_terms uses 'exp(-x)' (a str)"),
    "another item": (_one(pair(ONE, HINGE, 0, 3)), "items are 0..2"),
    "an item against itself": (_one(pair(ONE, HINGE, 1, 1)), "with rising items, without zeros"),
    "no direction": (_one(Term(ONE, HINGE, ())), "it must be ((item, integer), ...)"),
    "a float in a direction": (_one(Term(ONE, HINGE, ((0, 0.5),))), "it must be ((item, integer), ...)"),
    "a float offset": (_one(pair(ONE, HINGE, 0, 1, 0.5)), "gives the offset 0.5 (a float)"),
    "a large offset": (_one(pair(ONE, HINGE, 0, 1, 10**400)), "gives an offset beyond 10^100"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_gets_one_sentence(lie):
    changed, sentence = LIES[lie]
    mine = own(**changed)
    with pytest.raises(lab.InputError) as refused:
        lab.check_profile(mine, P)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
    with pytest.raises(lab.InputError):
        lab.check(mine, "additive", items=3, effort=Effort(5))


def test_whole_numbers_are_exact():
    plain = as_surrogate(own(lambda self, graph, m: [pair(2, HINGE, 0, 1, 3)]))
    (term,) = plain.risk_terms(P)
    assert (term.c, str(term.b)) == (Fraction(2), "3")


def test_where_nothing_weighs_anything_no_gap_is_proposed():
    """W is 0 everywhere: wrong scores minimize it, and no bound lies above it."""
    logistic = parse("log(1+exp(-x))")
    nothing = own(
        lambda self, graph, m: [pair(0 * w, logistic, i, j) for i, j, w in graph], functions=(logistic,)
    )
    wrong, right = (Distribution.from_aggregate(a) for a in ([[0, 2], [1, 0]], [[0, 1], [2, 0]]))
    assert lab.check_profile(nothing, wrong).verdict is lab.Verdict.INCONSISTENT
    assert lab.check_profile(nothing, right).verdict is lab.Verdict.INCONSISTENT  # wrong scores are as good


@pytest.mark.parametrize("size", [Fraction(10**100), Fraction(8, 10**100)])
def test_the_largest_and_smallest_coefficients_are_decided(size):
    mine = own(lambda self, graph, m: [pair(size * w / 8, HINGE, i, j) for i, j, w in graph])
    assert lab.check_profile(mine, Distribution.from_aggregate([[0, 2], [1, 0]])).verdict == "CONSISTENT"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("raise SystemExit(0)", "cannot be imported: SystemExit: 0"),
        ("1/0", "cannot be imported: ZeroDivisionError: division by zero"),
        ("def f(:", "cannot be imported: SyntaxError"),
        ("raise GeneratorExit", "cannot be imported: GeneratorExit"),
        (
            "class Mine(G):\n    graph_terms = functions = ()\n    def __init__(self):\n"
            "        while True: pass",
            ":Mine took 3,000,000 operations of Python and was stopped",
        ),
        ("Mine = 3", "is a int; it must be a Surrogate"),
        ("class Mine(G):\n    name = 'mine'\n", "does not define functions and graph_terms"),
        (
            "class Mine(G):\n" + "    graph_terms = functions = ()\n    def __init__(self): 1/0\n",
            "cannot be built: Zero",
        ),
        (
            "class Mine(G):\n    graph_terms = ()\n    name = 'mine'\n    functions = parse('x')\n",
            "with the comma",
        ),
    ],
)
def test_a_module_that_fails_gets_one_sentence(text, sentence, tmp_path, monkeypatch):
    module = f"lies_{abs(hash(text))}"
    (tmp_path / f"{module}.py").write_text(
        f"from consistency_lab import GraphSurrogate as G, parse\n{text}\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    with pytest.raises(lab.InputError) as refused:
        lab.load_surrogate(f"{module}:Mine")
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (None, "expected a surrogate, got None; pass surrogate("),
        (HINGE, "expected a surrogate, got Expression"),
        (GraphSurrogate, "expected a surrogate, got the class GraphSurrogate itself"),
        ("logistc", "did you mean 'logistic'?"),
    ],
)
def test_what_is_no_surrogate_is_told_what_to_pass(given, sentence):
    with pytest.raises(lab.InputError) as refused:
        lab.check(given)
    assert sentence in str(refused.value)
