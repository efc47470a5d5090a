"""Known facts about surrogates of tasks, each with a witness small enough for paper."""

from fractions import Fraction

import pytest

from consistency_lab.certify.document import save
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import LogRational
from consistency_lab.proofs.dispatch import verify as verify_any
from consistency_lab.proofs.dispatch import verify_file

from ..mutations import replaced
from ..oracle.tasks import VerifiedTask, verify_task
from ..witnesses import WITNESSES as OTHERS
from ..witnesses import Document, sealed
from . import witnesses
from .witnesses import REGRETS, WITNESSES, err, family, labels, ndcg, stationary, witness

LOG3 = float(LogRational.parse("log(3)"))
LOG2 = float(LogRational.parse("log(2)"))


@pytest.mark.parametrize("name", WITNESSES)
def test_accepted(name: str) -> None:
    document = WITNESSES[name]()
    verified = verify_task(document)
    assert isinstance(verified, VerifiedTask)
    assert verify_any(document).regret == verified.regret
    assert verified.failure == document["failure"]
    assert verified.claim == document["claim"]
    if name in REGRETS:
        assert verified.regret == REGRETS[name]


def test_the_regret_of_ndcg_by_hand() -> None:
    """With D = 1/log2(3): (2/5)(1 - D) - (3/5)(2 - 2D)/(3 + D)."""
    discount = LOG2 / LOG3
    expected = 0.4 * (1 - discount) - 0.6 * (2 - 2 * discount) / (3 + discount)
    assert float(verify_task(witnesses.softmax()).regret) == pytest.approx(expected, abs=1e-9)


def test_softmax_of_plain_labels_is_inconsistent_for_ndcg() -> None:
    """The order of E y is not that of E G/Z (DMJ13's characterization)."""
    verified = verify_task(witnesses.softmax())
    assert (verified.target, verified.family, verified.failure) == ("ndcg", "softmax", "strict")


def test_regression_on_normalized_gains_has_no_witness_there() -> None:
    """RAT13 Theorem 3, DMJ13: E G/Z decides, so the same distribution refutes nothing."""
    regression = family("regression", f="gain/Z")
    document = witness(ndcg(), regression, labels(y21="3/5", y01="2/5"), "01", "10", "0.0256526")
    with pytest.raises(RejectedError, match="cannot return"):
        verify_task(document)


def test_algorithm_1_is_a_tie_and_the_exact_decoder_is_right() -> None:
    """RAT13 Theorem 7 needs an acyclic graph; its Theorem 3 needs the feedback arc set."""
    assert verify_task(witnesses.algorithm_1()).failure == "tie"
    with pytest.raises(RejectedError, match="cannot return"):
        verify_task(replaced(witnesses.algorithm_1(), ("decoder",), "linear"))
    with pytest.raises(RejectedError, match="the condition acyclic does not hold"):
        verify_task(replaced(witnesses.algorithm_1(), ("condition", "name"), "acyclic"))


def test_a_shipped_default_stands_still_in_a_wrong_order() -> None:
    verified = verify_task(witnesses.xgboost())
    assert (verified.claim, verified.attracting) == ("wrong-equilibrium", True)


@pytest.mark.parametrize("box", [["-1/100", "63/100"], ["0", "63/100"], ["62/100", "63/100"]])
def test_a_box_that_crosses_orders_or_misses_the_zero_is_refused(box: list[str]) -> None:
    with pytest.raises(RejectedError):
        verify_task(replaced(witnesses.xgboost(), ("certificate", "box"), [box]))


def test_a_field_does_not_take_rankings_for_grades() -> None:
    target = {"loss": "kendall", "labels": {"kind": "rankings", "items": 2}}
    document = sealed({**witnesses.xgboost(), "target": target, "distribution": labels(y01="2/5", y10="3/5")})
    with pytest.raises(RejectedError, match="labels of grades"):
        verify_task(document)


def test_claims_and_certificates_belong_together() -> None:
    for make in WITNESSES.values():
        document = make()
        for certificate in ({"kind": "mean"}, stationary(), witnesses.xgboost()["certificate"]):
            if certificate != document["certificate"]:
                with pytest.raises(RejectedError):
                    verify_task(replaced(document, ("certificate",), certificate))
        other = {"inconsistent", "wrong-equilibrium"} - {document["claim"]}
        with pytest.raises(RejectedError, match="the claim"):
            verify_task(replaced(document, ("claim",), other.pop()))


@pytest.mark.parametrize("claimed", ["0.0256526", "0.02565", "2.56526e-2", "0.0255"])
def test_the_regret_may_be_rounded_down_a_little(claimed: str) -> None:
    assert verify_task(replaced(witnesses.softmax(), ("regret",), claimed))


@pytest.mark.parametrize("claimed", ["0.0256527", "0.0253", "0.02", "0", "1"])
def test_the_regret_may_not_be_more_or_much_less(claimed: str) -> None:
    with pytest.raises(RejectedError, match="regret"):
        verify_task(replaced(witnesses.softmax(), ("regret",), claimed))


def test_a_minimum_that_is_only_approached_sorts_below_all_others() -> None:
    """Item 2 has E P = 0, so its score goes to minus infinity: its exact score cannot be written."""
    document = witness(
        err(), family("softmax", labels="none"), labels(y20="1/2", y00="1/2"), "10", "01", "0.1875"
    )
    with pytest.raises(RejectedError, match="cannot return"):
        verify_task(document)
    with pytest.raises(RejectedError, match="no finite value"):
        verify_task(replaced(document, ("scores",), ["0", "0"]))


def test_overlapping_means_are_refused() -> None:
    """Both means are the same irrational number: balls cannot tell, and nothing is believed."""
    document = witness(
        ndcg(), family("softmax", labels="exp"), labels(y21="1/2", y12="1/2"), "01", "10", "0.1"
    )
    with pytest.raises(RejectedError, match="not certain"):
        verify_task(document)


def test_zhang_weights_must_be_rational() -> None:
    surrogate = family("pairs", phi="log(1+exp(-x))", weights="zhang", normalized="none")
    document = witness(
        ndcg(), surrogate, labels(y21="3/5", y01="2/5"), "01", "10", "0.02", certificate=stationary("0")
    )
    with pytest.raises(RejectedError, match="not known to be rational"):
        verify_task(sealed({**document, "scores": ["0", "0"]}))


def test_a_loss_that_is_not_proved_convex_is_refused() -> None:
    surrogate = {**family("pairs", phi="1/(1+exp(x))", weights="unit", normalized="none")}
    document = sealed({**witnesses.ranknet(), "surrogate": surrogate})
    with pytest.raises(RejectedError, match="convexity"):
        verify_task(document)


def test_files_of_both_formats(tmp_path) -> None:
    task = save(witnesses.softmax(), tmp_path, "task.json")
    other = save(OTHERS["hinge_tie"](), tmp_path, "other.json")
    assert verify_file(task).regret == verify_task(witnesses.softmax()).regret
    assert verify_file(other).claim == "inconsistent"


@pytest.mark.parametrize("document", [{}, {"format": "consistency-lab/task-witness/2"}, {"format": 7}])
def test_another_format(document: Document) -> None:
    with pytest.raises(InputError):
        verify_task(document)
    with pytest.raises(InputError):
        verify_any(document)


def test_the_largest_label_space_is_checked() -> None:
    """Five items with five grades; one label more for each of them would be too many."""
    target = {"loss": "ndcg", "labels": witnesses.grades(0, 1, 2, 3, 4, items=5), "gain": "s"}
    document = witness(
        {**target, "discount": "j", "k": 1},
        family("softmax", labels="none"),
        labels(y43333="1/2", y10000="1/4", y01000="1/4"),
        "01234",
        "10234",
        "0.1",
    )
    with pytest.raises(RejectedError, match="better"):
        verify_task(document)
    with pytest.raises(InputError, match="labels"):
        verify_task(replaced(document, ("target", "labels", "grades"), [0, 1, 2, 3, 4, 5]))


def test_probabilities() -> None:
    document = witnesses.softmax()
    with pytest.raises(RejectedError, match="sum to 1"):
        verify_task(sealed({**document, "distribution": labels(y21="3/5", y01="1/5")}))
    with pytest.raises(RejectedError, match="not positive"):
        verify_task(sealed({**document, "distribution": labels(y21="3/5", y01="2/5", y00="0")}))
    with pytest.raises(RejectedError, match="twice"):
        twice = [*labels(y21="3/5", y01="1/5"), *labels(y01="1/5")]
        verify_task(sealed({**document, "distribution": twice}))
    with pytest.raises(RejectedError, match="not 2 of the grades"):
        verify_task(sealed({**document, "distribution": labels(y31="3/5", y01="2/5")}))


def test_the_rational_regret_is_exact() -> None:
    assert verify_task(witnesses.independent()).regret == Fraction(1, 32)


def test_denominators_that_share_no_factor_are_refused_before_they_are_added() -> None:
    document = WITNESSES[next(iter(WITNESSES))]()
    label = document["distribution"][0]["label"]  # type: ignore[index]
    powers = [3**4000, 5**2800, 7**2300, 11**1900, 13**1700, 17**1600]
    more = [{"label": label, "probability": f"1/{n}"} for n in powers]
    with pytest.raises(InputError, match=r"common denominator .* has more than 10_000 digits; round"):
        verify_task(sealed({**document, "distribution": [*document["distribution"], *more]}))  # type: ignore[misc]
