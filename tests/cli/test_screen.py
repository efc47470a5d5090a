"""The answer of `check` about preference graphs: one screen, the answer first."""

import shlex

import pytest

#: What is asked, and the first line.
FIRST = {
    "logistic": "logistic is right under Bradley-Terry; otherwise it can be wrong.",
    "dpo": "dpo is right under Bradley-Terry; otherwise it can be wrong.",
    "trl:ipo": "trl:ipo is right at equal counts under net order; otherwise it can be wrong, even under "
    "Bradley-Terry.",
    "hinge": "hinge is right if the compared pairs form no cycle; otherwise it can be wrong, even at equal "
    "counts.",
    "linear": "linear is right under net order, however often pairs are compared; otherwise it can be wrong, "
    "even under Bradley-Terry.",
    "difference-logistic": "difference-logistic is right for all acyclic preferences; otherwise it can be "
    "wrong.",
    "trl:simpo": "trl:simpo can be wrong, even under Bradley-Terry; where it is right is open.",
    "margin-square": "margin-square can be wrong whatever the preferences, even with 2 items.",
    "sigmoid": "sigmoid is right for all preferences, at the infimum of W; it is not convex, so training can "
    "stop elsewhere.",
    '--phi "softplus(-2*x)"': "softplus(-2*x) is right under Bradley-Terry; otherwise it can be wrong.",
    "logistic --condition low-noise": "logistic can be wrong under low noise.",
    "logistic --condition bradley-terry": "logistic is right under Bradley-Terry.",
    "logistic --condition low-noise --design balanced": "logistic is right at equal counts under low noise.",
    "linear --condition low-noise --condition acyclic": "linear is right under low noise, however often "
    "pairs are compared; it can be wrong for acyclic preferences.",
}


@pytest.mark.parametrize("asked", FIRST)
def test_the_first_line_says_where_it_is_right_on_one_screen(cli, asked: str) -> None:
    ran = cli("check", *shlex.split(asked), "--budget", "2", "--no-save")
    assert ran.screen
    assert " ".join(ran.out.split("\n\n")[0].split()).startswith(FIRST[asked])
    wrong = "can be wrong" in FIRST[asked]
    assert (ran.code, "row beats column" in ran.out) == (int(wrong), wrong)
    assert ("instead:" in ran.out) == (wrong or "not convex" in FIRST[asked])


def test_an_example_stands_beside_what_is_wrong_with_it(cli) -> None:
    """12 comparisons: 1 : 0, 6 : 3 and 2 : 0 for 1 over 2, 1 over 3 and 2 over 3; the scores have 2 first."""
    out = cli("check", "logistic", "--no-save").said
    assert "wrong additive noise by popularity 3 12 comparisons, below" in out
    assert "1 beats 2 by 1 : 0, but 2 has the higher score." in out
    assert "order is 1 > 2 > 3" in out and "8.33 % of all. Certified." in out
    assert "instead: difference-logistic, right wherever this is" in out


def test_details_add_hypotheses_and_certificates_behind_the_answer(cli) -> None:
    short, long = (cli("check", "linear", "--no-save", *more).out for more in ((), ("--details",)))
    shared = short.partition(" more:")[0]
    assert long.startswith(shared) and "--details" not in long
    rest = long.removeprefix(shared)
    assert [line for line in rest.splitlines() if len(line) > 20 and line in shared] == []
    assert "hypotheses and how each was checked" in " ".join(long.split()) and "Certificate:" in long


def test_a_trainer_is_told_what_to_do_to_the_data(cli) -> None:
    out = cli("check", "dpo", "--no-save").said
    assert "In TRL 1.16.0: sigmoid." in out
    assert "keep only each pair's surplus (3 : 1 becomes 2 : 0): right for all acyclic preferences" in out
    assert "trl:sigmoid (dpo), right wherever ipo is" in " ".join(
        cli("check", "ipo", "--no-save").out.split()
    )
