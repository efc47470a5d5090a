"""`align --profile --reference`: the order of a policy, and which gaps of its reference survive training."""

from math import log

import pytest

PREFERENCES = "A,B,3\nB,C,1\nA,C,8\nC,A,4\n"


def asked(cli, tmp_path, loss, reference, *more):
    (tmp_path / "p.csv").write_text(PREFERENCES, encoding="utf-8")
    (tmp_path / "r.csv").write_text(f"answer,logp\n{reference}", encoding="utf-8")
    files = ("--profile", str(tmp_path / "p.csv"), "--reference", str(tmp_path / "r.csv"))
    return cli("align", loss, *files, "--no-save", *more)


def test_a_gap_survives_that_training_does_not_reach(cli, tmp_path):
    """r = 0.767, -0.603, -0.164, so A moves by 13.7 nats against B at beta = 0.1."""
    for lead, order in ((13.6, ["A", "B", "C"]), (13.8, ["B", "A", "C"])):
        document = asked(cli, tmp_path, "dpo", f"A,0\nB,{lead}\nC,-2\n", "--json").document
        found = document["policy"]
        assert found["rewards"] == ["A", "C", "B"]
        assert found["order"] == order
        first = found["pairs"][0]
        assert (first["above"], first["below"], first["survives"]) == ("A", "B", order[0] == "B")
        assert first["trained"] == pytest.approx(13.6976, abs=1e-3)


def test_two_answers_alone(cli, tmp_path):
    """log(P/(1-P))/beta with DPO, (2P-1)/(2 beta) with IPO, at P = 2/3; none where one never lost."""
    for loss, beta, alone in (("dpo", "0.1", 10 * log(2)), ("ipo", "1/4", 2 / 3)):
        pairs = asked(cli, tmp_path, loss, "A,0\nB,0\nC,0\n", "--beta", beta, "--json").document["policy"][
            "pairs"
        ]
        (found,) = (pair for pair in pairs if (pair["above"], pair["below"]) == ("A", "C"))
        assert found["alone"] == pytest.approx(alone, abs=1e-5)


def test_it_is_told(cli, tmp_path):
    out = asked(cli, tmp_path, "trl:sigmoid", "A,-12.5\nB,-3\nC,-4\n").out
    assert "order of pi:  A > C > B" in out
    assert "B is preferred to C and ends below it" in out


@pytest.mark.parametrize(
    ("loss", "preferences"),
    [
        ("slic", "A,B,3\nB,A,2\nB,C,5\nC,B,1\nA,C,3\nC,A,1\n"),  # a segment of minimizers
        ("dpo", "A,B,3\nB,A,2\nC,B,5\nB,C,0\n"),  # none: C never lost
    ],
)
def test_without_one_minimizer_nothing_is_said_of_the_policy(cli, tmp_path, loss, preferences):
    (tmp_path / "p.csv").write_text(preferences.replace("B,C,0\n", ""), encoding="utf-8")
    (tmp_path / "r.csv").write_text("answer,logp\nA,-10\nB,-2\nC,-5\n", encoding="utf-8")
    files = ("--profile", str(tmp_path / "p.csv"), "--reference", str(tmp_path / "r.csv"))
    ran = cli("align", loss, *files, "--no-save")
    assert ran.code in (0, 1)  # the verdict stands
    assert "order of pi" not in ran.out
    assert "the minimizer is not proved unique" in ran.err


@pytest.mark.parametrize(
    ("loss", "reference", "more", "message"),
    [
        ("dpo", "A,0\nB,0\nC,0\n", ("--beta", "1e-400"), "beta must be from 1/1000000 to 1000000"),
        ("dpo", "A,1e9\nB,0\nC,0\n", (), "logp at most so large"),
        ("simpo", "A,0\nB,0\nC,0\n", (), "simpo has no reference policy"),
        ("dpo", "A,0\nB,0\n", (), "the answer 'C' is in only one of the two files"),
        ("dpo", "A,0\nA,0\n", (), "line 3: the answer 'A' appears twice"),
        ("dpo", "A,x\n", (), "logp"),
        ("dpo", "A,0\nB,0\nC,0\n", ("--beta", "0"), "it must be positive"),
    ],
)
def test_what_does_not_fit(cli, tmp_path, loss, reference, more, message):
    ran = asked(cli, tmp_path, loss, reference, *more)
    assert ran.code == 2
    assert message in ran.err


def test_it_is_asked_of_align_alone(cli):
    assert "align needs --reference FILE" in cli("align dpo --beta 0.1").err
    assert "beta does not fit: it belongs to --reference" in cli("align dpo --features f.csv --beta 0.1").err
    for option in ("--features", "--axiom", "--reference", "--beta"):
        ran = cli("check dpo", option, "x")
        said = f"{option} is an option of align; see consistency-lab align --help\n"
        assert (ran.code, ran.err) == (2, said)
