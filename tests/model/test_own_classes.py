"""A class of the user's own whose terms never come."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import count

import pytest

from consistency_lab.errors import InputError
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import GraphSurrogate, pair
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.phi import parse

HINGE = parse("max(0, 1-x)")
P = Distribution.of(2, [(1, {(0, 1): 3})])


class Loop(GraphSurrogate):
    name = "loop"
    functions = (HINGE,)

    def graph_terms(self, graph, m):
        # fmt: off
        while m: pass  # noqa: E701 - no line is ever left
        # fmt: on
        return []


class Stream(GraphSurrogate):
    name = "stream"
    functions = (HINGE,)

    def graph_terms(self, graph, m):
        for _ in count():
            yield pair(Fraction(1), HINGE, 0, 1)


class Whole(Loop):
    name = "whole"

    def risk_terms(self, distribution):
        return tuple(self.graph_terms(distribution.graphs[0], distribution.m))


class Stubborn(GraphSurrogate):
    """It catches what ends others, as long as somebody waits for it."""

    name = "stubborn"
    functions = (HINGE,)
    waited_for = True

    def graph_terms(self, graph, m):
        while self.waited_for:
            try:
                while self.waited_for:
                    pass
            except BaseException:
                pass
        return []


STOPPED = "took 3,000,000 operations of Python and was stopped"


@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Loop(), rf"Loop\.graph_terms {STOPPED}"),
        (Whole(), rf"Whole\.risk_terms {STOPPED}"),
        (Stream(), r"Stream\.graph_terms gives more than 20000 terms"),
    ],
    ids=["loop", "whole", "stream"],
)
def test_terms_without_end_are_refused(given, message):
    own = as_surrogate(given)
    for work in (own.risk_terms, own.describe)[: 2 if type(given) is Stream else 1]:
        with pytest.raises(InputError, match=message):
            work(P)


def test_a_class_that_catches_every_exception_is_left_behind():
    given = Stubborn()
    with pytest.raises(InputError, match=rf"Stubborn\.graph_terms {STOPPED}"):
        as_surrogate(given).risk_terms(P)
    given.waited_for = False


@pytest.mark.parametrize("said", ["name", "functions"])
def test_a_property_without_end_is_refused(said):
    def endless(self):
        # fmt: off
        while True: pass  # noqa: E701
        # fmt: on

    given = type("Endless", (Loop,), {said: property(endless)})()
    with pytest.raises(InputError, match=rf"Endless\.{said} {STOPPED}"):
        as_surrogate(given)


def test_numbers_are_as_precise_as_where_the_class_was_asked():
    class Precise(Loop):
        def graph_terms(self, graph, m):
            return [pair(Fraction(Decimal(1) / 3), HINGE, 0, 1)]

    with localcontext() as context:
        context.prec = 2
        assert as_surrogate(Precise()).risk_terms(P)[0].c == Fraction(33, 100)


def test_a_few_thousand_terms_are_no_loop():
    class Heavy(GraphSurrogate):
        name = "heavy"
        functions = (HINGE,)

        def graph_terms(self, graph, m):
            for k in range(2000):
                yield pair(Fraction(k), HINGE, 0, 1)

    assert as_surrogate(Heavy()).risk_terms(P)[0].c == sum(range(2000))
