"""What `check` says to use instead is proved, and its command says so too."""

import shlex

import pytest

import consistency_lab as lab
from consistency_lab.decide.remedies import remedies
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.surrogates import surrogate, surrogate_names
from consistency_lab.search.effort import Effort


def test_an_inconsistent_surrogate_comes_with_its_remedies() -> None:
    decision = lab.check("logistic", effort=Effort(20))
    assert decision.verdict is lab.Verdict.INCONSISTENT
    assert [(r.condition, r.surrogate.name) for r in decision.prescriptions] == [
        ("net-order", "regression"),
        ("acyclic", "difference-logistic"),
        ("any", "pd-least-squares"),
    ]


def test_what_is_consistent_needs_none() -> None:
    assert lab.check("linear", "low-noise", effort=Effort(5)).prescriptions == ()
    assert lab.check("logistic", "additive", effort=Effort(10), prescribe=False).prescriptions == ()


@pytest.mark.parametrize("name", surrogate_names())
def test_no_remedy_is_the_surrogate_itself(name: str) -> None:
    assert name not in {remedy.surrogate.name for remedy in remedies(surrogate(name), tuple(CONDITIONS))}


@pytest.mark.parametrize(
    "remedy", remedies(surrogate("logistic"), tuple(CONDITIONS)), ids=lambda r: r.surrogate.name
)
def test_the_command_of_a_remedy_ends_with_consistent(cli, remedy) -> None:
    assert cli(*shlex.split(remedy.command)[1:], "--no-save").code == 0


def test_the_answer_shows_the_remedies(cli) -> None:
    asked = ["check", "hinge", "--condition", "low-noise", "--no-save", "--budget", "1"]
    ran = cli(*asked, "--details")
    assert ran.code == 1
    text = ran.said
    assert (
        "Use instead: regression, sum_i (alpha_i - f_i)^2 with f_i = sum_j (a_ij - a_ji); sort by score."
        in text
    )
    assert "Check: consistency-lab check regression --condition low-noise" in text
    found = cli(*asked, "--json").document
    assert [entry["surrogate"]["name"] for entry in found["prescriptions"]] == ["regression"]
