"""DMJ13 section 5.3: losses on the difference graph."""

from random import Random

import pytest

from consistency_lab.apps.book.risk import acyclic_differences, with_differences
from consistency_lab.apps.book.slopes import right
from consistency_lab.decide.theorems.base import Evidence, Refusal
from consistency_lab.decide.theorems.difference import CONVEX_DIFFERENCE, MONOTONE_DIFFERENCE
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.phi import NAMED


@pytest.mark.parametrize("name", NAMED)
def test_which_form_of_the_theorem_covers_a_named_function(name: str) -> None:
    loss = surrogate(f"difference-{name}")
    convex, monotone = (one.applies(loss, "acyclic") for one in (CONVEX_DIFFERENCE, MONOTONE_DIFFERENCE))
    assert isinstance(convex, Evidence) is (name not in {"square", "sigmoid", "ramp"})
    if name == "square":
        assert isinstance(monotone, Refusal)
        assert "phi is nonincreasing, which is not proved here" in monotone.reason
    else:
        assert isinstance(monotone, Evidence)


@pytest.mark.parametrize("name", ["hinge", "squared-hinge", "logistic", "exponential"])
def test_the_core_agrees_with_coq(name: str) -> None:
    rng = Random(53)
    for m in (2, 3, 4):
        p = with_differences(acyclic_differences(rng, m), rng)
        assert not any(map(any, p.difference)) or right(p, surrogate(f"difference-{name}")) is not None
