"""What a document proves of the minimizers: of every one, or of the scores in it."""

from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import pytest

from consistency_lab.certify.minimizers import holds_of_every_minimizer, minimizers
from consistency_lab.certify.proofs.file import as_proof, verify
from consistency_lab.core.document import INCONSISTENT
from consistency_lab.files import read_json
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Term, pair, surrogate
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import parse
from consistency_lab.show.proof import explicit_proof as proof
from consistency_lab.show.text import rendered
from consistency_lab.solve.connectivity import is_unique_exactly
from consistency_lab.solve.optimal import optimal_orders
from consistency_lab.solve.stationary import stationary_slopes

from .files import certified

ROOT = Path(__file__).parents[2]
SEVERAL = [[0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 2], [1, 0, 0, 0]]


def test_four_of_six_integer_minimizers_are_right() -> None:
    """All integer scores by hand: right where an optimal order keeps their ties; the witness has another."""
    p = Distribution.from_aggregate(SEVERAL)
    terms, best = surrogate("hinge").risk_terms(p), optimal_orders(p.aggregate)
    right: list[bool] = []
    for values in product(range(4), repeat=4):
        scores = [LogRational(Fraction(x)) for x in values]
        if min(values) == 0 and stationary_slopes(terms, 4, scores) is not None:
            falls = [all(values[i] >= values[k] for i, k in pairwise(order)) for order in best.orders()]
            right.append(any(falls))
    assert (len(right), sum(right)) == (6, 4)
    found = certified("hinge", SEVERAL)
    assert (found.verified.claim, found.verified.failure) == (INCONSISTENT, "strict")
    assert not holds_of_every_minimizer(found.verified)
    other = minimizers(found).right
    assert other is not None and best.in_optimal_set(other)
    assert stationary_slopes(terms, 4, other) is not None


def test_a_separation_speaks_for_whatever_nearly_minimizes_w() -> None:
    found = certified("squared-hinge", [[0, 1, 4, 5], [4, 0, 9, 8], [1, 7, 0, 4], [1, 12, 0, 0]])
    known = minimizers(found)
    assert (known.attained, known.every, known.right) == (True, True, None)


def test_escape_is_proved_by_connectivity() -> None:
    known = minimizers(certified("logistic", [[0, 2, 0], [0, 0, 1], [0, 0, 0]]))
    assert (known.attained, known.every, known.direction) == (False, True, (2, 1, 0))
    assert known.components == ((0,), (1,), (2,))
    assert known.scores == (0, 0, 0)


def test_the_only_minimizer_is_every_one() -> None:
    """Lightest additive inversion of the hinge with a minimizer that is unique up to shifts (the book)."""
    a = [[0, 1, 3, 13], [0, 0, 2, 7], [0, 0, 0, 5], [5, 0, 0, 0]]
    assert holds_of_every_minimizer(certified("hinge", a).verified)


@pytest.mark.parametrize(("text", "unique"), [("log(exp(-x))", None), ("exp(-x)", True)])
def test_a_line_in_disguise_is_not_strictly_convex(text: str, unique: bool | None) -> None:
    terms: list[Term] = [pair(Fraction(1), parse(text), 0, 1), pair(Fraction(1), parse(text), 1, 0)]
    zeros = (LogRational(Fraction(0)),) * 2
    assert is_unique_exactly(terms, 2, zeros, (Fraction(-1), Fraction(-1))) is unique


def shown(document: object) -> str:
    assert isinstance(document, dict)
    return " ".join(" ".join(rendered(proof(document, verify(document), "a file"))).split())


ALONE = "proved for this minimizer, not for every minimizer"


def test_show_says_of_which_minimizer_a_strict_inversion_is_proved() -> None:
    assert ALONE in shown(dict(certified("hinge", SEVERAL).document))
    one = certified("exponential", [[0, 1, 6], [0, 0, 2], [3, 0, 0]])
    assert one.verified.failure == "strict"
    assert "every minimizer of W, and whatever nearly minimizes it, is wrong too" in shown(dict(one.document))


@pytest.mark.parametrize(
    ("file", "alone"),
    [
        ("libraries/ndcg-012-hinge-mean.json", True),
        ("libraries/pairwise-012-hinge-mean.json", True),
        ("libraries/ndcg-012-logistic.json", False),
        ("libraries/ndcg-012-listnet.json", False),
    ],
)
def test_show_says_it_of_tasks(file: str, alone: bool) -> None:
    document = as_proof(read_json(str(ROOT / "counterexamples" / file)))
    assert (ALONE in shown(dict(document))) is alone
