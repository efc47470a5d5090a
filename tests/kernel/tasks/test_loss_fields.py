"""Equilibria of losses that are not convex: the kernel proves them, and refuses what is beside them."""

from fractions import Fraction

import pytest

from consistency_lab.errors import InputError, RejectedError
from consistency_lab.model.surrogates.tasks.fields import field

from ..oracle.tasks.equilibrium import check_equilibrium

Case = tuple[str, list[tuple[int, ...]], tuple[int, ...], list[tuple[str, str]], bool]

# Label by label: grades, weights, a box for the scores of items 1 and 2, whether the zero attracts.
KNOWN: list[Case] = [
    (
        "tf-ranking:pairwise_soft_zero_one_loss",
        [(0, 1, 2), (1, 2, 0), (2, 0, 1)],
        (1, 2, 2),
        [("709/250", "1419/500"), ("1417/1000", "1419/1000")],
        False,
    ),
    (
        "rax:pairwise_soft_zero_one_loss",
        [(0, 1, 2), (2, 0, 1), (2, 2, 1)],
        (3, 2, 3),
        [("933/250", "1867/500"), ("347/250", "139/100")],
        False,
    ),
    (
        "tf-ranking:approx_ndcg_loss",
        [(0, 1, 1), (1, 0, 1)],
        (2, 1),
        [("441/2500", "883/5000"), ("777/10000", "779/10000")],
        False,
    ),
    (
        "allrank:approxNDCGLoss",
        [(0, 1, 1), (1, 0, 1)],
        (2, 1),
        [("441/250", "883/500"), ("777/1000", "779/1000")],
        False,
    ),
    (
        "tf-ranking:approx_mrr_loss",
        [(0, 1, 1), (1, 0, 1)],
        (2, 1),
        [("102/625", "817/5000"), ("353/5000", "177/2500")],
        False,
    ),
    (
        "tf-ranking:neural_sort_cross_entropy_loss",
        [(0, 1, 0), (1, 0, 0)],
        (3, 2),
        [("203/1000", "41/200"), ("189/1000", "191/1000")],
        True,
    ),
    (
        "tf-ranking:neural_sort_ndcg_loss",
        [(0, 1, 0), (0, 1, 2)],
        (2, 1),
        [("89361/100000", "89363/100000"), ("9089/12500", "36357/50000")],
        True,
    ),
    (
        "rax:poly1_softmax_loss",
        [(0, 1, 0), (2, 0, 1)],
        (1, 1),
        [("19/25", "39/50"), ("4/25", "9/50")],
        True,
    ),
]
CASES = pytest.mark.parametrize("case", KNOWN, ids=lambda case: case[0])


def check(case: Case, box: list[tuple[Fraction, Fraction]] | None = None, **changes: object) -> bool:
    name, labels, weights, stated, _ = case
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    intervals = [(Fraction(low), Fraction(high)) for low, high in stated] if box is None else box
    return check_equilibrium({**field(name).describe(), **changes}, labels, shares, 3, intervals)


@CASES
def test_known_equilibria_are_proved(case: Case) -> None:
    assert check(case) is case[-1]


@CASES
def test_moved_boxes_are_refused(case: Case) -> None:
    box = [(Fraction(low), Fraction(high)) for low, high in case[3]]
    for i, (low, high) in enumerate(box):
        for step in (2 * (high - low), 2 * (low - high)):
            with pytest.raises(RejectedError):
                check(case, [*box[:i], (low + step, high + step), *box[i + 1 :]])


@CASES
def test_other_weights_and_labels_are_refused(case: Case) -> None:
    name, labels, weights, box, attracting = case
    with pytest.raises(RejectedError):
        check((name, labels, (weights[0] + 1, *weights[1:]), box, attracting))
    with pytest.raises(RejectedError):
        check((name, [(*labels[0][1:], labels[0][0]), *labels[1:]], weights, box, attracting))


@CASES
def test_parameters_count(case: Case) -> None:
    for key in field(case[0]).parameters:
        with pytest.raises(RejectedError):
            check(case, **{key: "3/2"})
        with pytest.raises(InputError, match="must be positive"):
            check(case, **{key: "0"})


def test_the_equilibrium_of_the_polynomial_loss_is_its_minimizer() -> None:
    """softmax_i = a_i/(c - epsilon b_i), a = E s, b = E (s / sum s): the order is that of its scores."""
    a, b = (Fraction(1), Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 3), Fraction(1, 2), Fraction(1, 6))
    low, high = Fraction(1, 2), Fraction(100)
    for _ in range(100):
        c = (low + high) / 2
        low, high = (c, high) if sum(x / (c - y) for x, y in zip(a, b, strict=True)) > 1 else (low, c)
    r = [float(x / (high - y)) for x, y in zip(a, b, strict=True)]
    box = KNOWN[-1][3]
    for item in (0, 1):
        ratio = r[item] / r[2]
        assert 2.718281828459045 ** float(Fraction(box[item][0])) < ratio
        assert ratio < 2.718281828459045 ** float(Fraction(box[item][1]))
