"""DMJ10 Lemma 3: W* is continuous, also where the support shrinks and the infimum escapes."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.apps.book.book import statement
from consistency_lab.apps.book.risk import coin, entropy
from consistency_lab.apps.book.statement import Kind, Outcome
from consistency_lab.apps.book.statements import dmj10_bounds as lemma
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact import certainly_less, enclose
from consistency_lab.solve.minimize import minimize


def test_the_argument_is_a_proof_and_the_sequences_are_tests() -> None:
    checked = statement("lemma-3").check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.HAND)
    assert [finding.kind for finding in checked.findings] == [Kind.HAND, *[Kind.TEST] * 4]


@st.composite
def simplex(draw: st.DrawFn) -> list[Fraction]:
    parts = draw(st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any))
    return [Fraction(x, sum(parts)) for x in parts]


def test_a_share() -> None:
    half = Fraction(1, 2)
    assert lemma.share([half, half], [half / 2, 3 * half / 2]) == half


@given(p=simplex(), q=simplex())
def test_share_is_the_largest_possible(p: list[Fraction], q: list[Fraction]) -> None:
    s = lemma.share(p, q)
    assert 0 <= s <= 1
    assert all(new >= s * old for old, new in zip(p, q, strict=True))
    assert s == 1 or any(new == s * old for old, new in zip(p, q, strict=True) if old)


@given(x=st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20))
def test_the_closed_forms_agree_with_the_solver(x: Fraction) -> None:
    formulas = {
        "logistic": float(entropy(x)),
        "exponential": 2 * float(x * (1 - x)) ** 0.5,
        "hinge": 2 * float(min(x, 1 - x)),
        "squared-hinge": 4 * float(x * (1 - x)),
    }
    for name, value in formulas.items():
        assert minimize(surrogate(name).risk_terms(coin(x)), 2).value == pytest.approx(value, abs=1e-9)


def test_entropy_is_enclosed() -> None:
    assert certainly_less(abs(entropy(Fraction(1, 2)) - enclose(2).log()), enclose(Fraction(1, 10**14)))


@pytest.mark.parametrize(
    ("number", "words"), [(0, "-20, -2000, -200000"), (1, "2^-150")], ids=["unbounded", "Lipschitz"]
)
def test_the_false_variants_are_refuted(number: int, words: str) -> None:
    found = statement("lemma-3").variants[number].refute()
    assert found.refuted
    assert words in found.witness
