"""The kernel proves equilibria by itself and refuses what is not quite one."""

from fractions import Fraction

import pytest

from consistency_lab.errors import ConsistencyLabError, InputError, RejectedError
from consistency_lab.exact import enclose, working_precision
from consistency_lab.model.surrogates.tasks.fields import FIELDS, field
from consistency_lab.model.surrogates.tasks.fields.lambdas import expected_shares as shares_of_the_model

from ..oracle.tasks.equilibrium import check_equilibrium, order_of
from ..oracle.tasks.field_shares import expected_shares
from ..oracle.tasks.fields import read_field

Box = list[tuple[Fraction, Fraction]]
Case = tuple[str, list[tuple[int, ...]], list[Fraction], Box]


def around(*centers: str, radius: str) -> Box:
    return [(Fraction(x) - Fraction(radius), Fraction(x) + Fraction(radius)) for x in centers]


def shares(*weights: int) -> list[Fraction]:
    return [Fraction(weight, sum(weights)) for weight in weights]


KNOWN: list[Case] = [
    ("xgboost:rank:pairwise", [(0, 1), (2, 1)], shares(2, 3), around("0.62", radius="0.01")),
    (
        "xgboost:rank:pairwise",
        [(0, 2, 1), (2, 1, 1)],
        shares(1, 1),
        around("0.784335", "0.738556", radius="0.000001"),
    ),
    (
        "xgboost:rank:pairwise",
        [(0, 1, 0), (1, 0, 2), (2, 1, 0)],
        shares(3, 4, 2),
        around("0.3059", "0.1185", radius="0.0001"),
    ),
    (
        "xgboost:rank:ndcg",
        [(1, 0, 2), (2, 1, 0)],
        shares(1, 2),
        around("2.01344", "0.02169", radius="0.00001"),
    ),
    (
        "xgboost:rank:map",
        [(0, 0, 1), (1, 0, 1), (1, 1, 0)],
        shares(2, 1, 3),
        around("0.233272", "0.01133", radius="0.000001"),
    ),
    (
        "lightgbm:lambdarank",
        [(1, 0, 2), (2, 1, 0)],
        shares(1, 2),
        around("2.01344", "0.02169", radius="0.00001"),
    ),
    ("lightgbm:rank_xendcg", [(0, 1, 0), (2, 0, 1)], shares(1, 1), around("0.58", "0.408", radius="0.001")),
]


def check(case: Case, **changes: object) -> bool:
    name, labels, probabilities, box = case
    entry = {**field(name).describe(), **changes}
    return check_equilibrium(entry, labels, probabilities, len(labels[0]), box)


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case[0])
def test_known_equilibria_are_proved_and_attract(case: Case) -> None:
    assert check(case)


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case[0])
def test_moved_boxes_are_refused(case: Case) -> None:
    name, labels, probabilities, box = case
    for i in range(len(box)):
        for sign in (-1, 1):
            low, high = box[i]
            step = sign * 2 * (high - low)
            moved = [*box[:i], (low + step, high + step), *box[i + 1 :]]
            with pytest.raises(RejectedError):
                check((name, labels, probabilities, moved))


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case[0])
def test_other_probabilities_are_refused(case: Case) -> None:
    name, labels, probabilities, box = case
    other = [p + Fraction((-1) ** k, 50) for k, p in enumerate(probabilities)]
    with pytest.raises(RejectedError, match="not proved"):
        check((name, labels, other, box))


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case[0])
def test_other_labels_are_refused(case: Case) -> None:
    name, labels, probabilities, box = case
    with pytest.raises(RejectedError):
        check((name, [(*labels[0][1:], labels[0][0]), *labels[1:]], probabilities, box))


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        (1, {"lambdarank_normalization": False}),
        (1, {"lambdarank_score_normalization": False}),
        (1, {"lambdarank_num_pair_per_sample": 1}),
        (1, {"lambdarank_pair_method": "mean"}),
        (3, {"ndcg_exp_gain": False}),
        (5, {"lambdarank_norm": False}),
        (5, {"sigmoid": "2"}),
        (5, {"label_gain": ["0", "1", "2"]}),
        (5, {"lambdarank_truncation_level": 1}),
    ],
)
def test_every_parameter_counts(number: int, changes: dict[str, object]) -> None:
    with pytest.raises(RejectedError):
        check(KNOWN[number], **changes)


def test_gains_that_are_the_default_ones_may_be_listed() -> None:
    assert check(KNOWN[5], label_gain=["0", "1", "3"])


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"library": "catboost"}, InputError, "surrogate.library"),
        ({"objective": "rank:err"}, InputError, "surrogate.objective"),
        ({"objective": "rank:ndcg"}, InputError, "lacks the key 'ndcg_exp_gain'"),
        ({"name": "xgboost:rank:ndcg"}, RejectedError, "name of the field"),
        ({"family": "pairs"}, InputError, "surrogate.family"),
        ({"sigmoid": "1"}, InputError, "unknown key"),
        ({"lambdarank_normalization": 1}, InputError, "true or false"),
        ({"lambdarank_pair_method": "all"}, InputError, "'topk' or 'mean'"),
        ({"lambdarank_num_pair_per_sample": 0}, InputError, "an integer from 1"),
    ],
)
def test_entries_that_describe_no_known_field(
    changes: dict[str, object], error: type[ConsistencyLabError], message: str
) -> None:
    with pytest.raises(error, match=message):
        check(KNOWN[0], **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"sigmoid": "0"}, "must be positive"), ({"label_gain": ["1", "0"]}, "do not fall")],
)
def test_numbers_out_of_range(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check(KNOWN[5], **changes)


def test_grades_that_the_objective_does_not_take_are_refused() -> None:
    name, labels, probabilities, box = KNOWN[4]
    with pytest.raises(RejectedError, match="grades from 0 to 1"):
        check((name, [(0, 0, 2), *labels[1:]], probabilities, box))
    with pytest.raises(RejectedError, match="grades from 0 to 1"):
        check(KNOWN[5], label_gain=["0", "1"])


@pytest.mark.parametrize("label", [(0, 1), (0, 1, 0, 0)])
def test_labels_of_another_length_are_refused(label: tuple[int, ...]) -> None:
    name, labels, probabilities, box = KNOWN[1]
    with pytest.raises(InputError, match="must be 3 grades"):
        check_equilibrium(field(name).describe(), [label, *labels[1:]], probabilities, 3, box)


@pytest.mark.parametrize("box", [around("1", radius="0.1"), [(Fraction(2), Fraction(1))] * 2])
def test_boxes_of_another_form_are_refused(box: Box) -> None:
    name, labels, probabilities, _ = KNOWN[1]
    with pytest.raises(InputError, match="2 intervals"):
        check((name, labels, probabilities, box))


def test_a_box_must_lie_inside_one_strict_order() -> None:
    with pytest.raises(RejectedError, match="overlap"):
        order_of(around("0.5", "0.4", radius="0.05"))
    with pytest.raises(RejectedError, match="items 3 and 2 overlap"):
        order_of(around("0.5", "0", radius="0.05"))
    name, labels, probabilities, _ = KNOWN[1]
    with pytest.raises(RejectedError, match="overlap"):
        check((name, labels, probabilities, around("0.784", "0.738", radius="0.05")))


def test_a_zero_need_not_attract() -> None:
    # Items 2 and 3 are so close that their large force shrinks what the query says of item 1.
    labels = [(0, 0, 1), (1, 0, 0), (1, 1, 0)]
    box = around("3.2173654", "0.0116112", radius="0.0000001")
    assert not check(("xgboost:rank:pairwise", labels, shares(1, 1, 1), box))


@pytest.mark.parametrize("name", list(FIELDS))
def test_two_engines_agree_on_the_gradient_and_its_slopes(name: str) -> None:
    label = (0, 1, 1, 0) if name == "xgboost:rank:map" else (0, 3, 1, 3)
    with working_precision(128):
        scores = [enclose(Fraction(x)) for x in ("1/2", "-1/3", "7/5", "0")]
        theirs = field(name).piece(label, (2, 0, 3, 1)).program(4).run(scores[:-1])
        value, slopes = read_field(field(name).describe()).forces.pull(label, (2, 0, 3, 1), scores)
    for i, dual in enumerate(theirs):
        assert dual.value.overlaps(value[i])
        assert value[i].rad() < 1e-30
        for j, slope in enumerate(dual.slopes):  # in the scores but the last, which is 0
            assert slope.overlaps(slopes[i][j])
            assert slopes[i][j].rad() < 1e-28


@pytest.mark.parametrize("changes", [{"lambdarank_normalization": False}, {"lambdarank_normalization": True}])
@pytest.mark.parametrize("name", ["xgboost:rank:pairwise", "xgboost:rank:ndcg"])
def test_two_engines_agree_on_sampled_pairs(name: str, changes: dict[str, bool]) -> None:
    entry = field(name, lambdarank_pair_method="mean", lambdarank_num_pair_per_sample=3, **changes)
    with working_precision(128):
        scores = [enclose(Fraction(x)) for x in ("1/2", "-1/3", "7/5", "0")]
        theirs = entry.piece((2, 1, 1, 0), (2, 0, 3, 1)).program(4).run(scores[:-1])
        value, _ = read_field(entry.describe()).forces.pull((2, 1, 1, 0), (2, 0, 3, 1), scores)
    assert all(dual.value.overlaps(x) for dual, x in zip(theirs, value, strict=False))


@pytest.mark.parametrize("label", [(0, 0), (3, 0, 1), (4, 4, 0, 1, 2), (30, 0, 3)])
def test_two_formulas_for_the_expected_shares(label: tuple[int, ...]) -> None:
    for mine, other in zip(expected_shares(label), shares_of_the_model(label), strict=True):
        assert mine.overlaps(other.ball)
        assert mine.rad() < 1e-60
