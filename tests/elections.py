"""Rules of elections, by pref_voting, which `make elections` installs in an environment of its own."""

import json
import subprocess
import sys

import pytest

import consistency_lab as lab
from consistency_lab.apps.audit.audit import audit
from consistency_lab.apps.audit.elections import ELECTIONS, elected

QUICK = {"resamples": 0, "simulations": 0}


def winners(profile: lab.Profile, rule: str) -> list[str]:
    return [profile.items[k] for k in elected(profile, rule).winners]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(
        [sys.executable, "-m", "consistency_lab", *words], capture_output=True, text=True, check=False
    )
    assert ran.stderr.count("\n") <= 1, ran.stderr
    return ran


def ballots(tmp_path, text: str) -> lab.Profile:
    file = tmp_path / "given.toc"
    file.write_text(text, encoding="utf-8")
    return lab.read_profile(str(file))


def test_burlington_elected_a_mayor_whom_a_majority_beat() -> None:
    """2009: Wright led, Kiss won the runoff, Montroll beat both (Gierzynski et al. 2009)."""
    profile = lab.read_profile("burlington.toc")
    assert {rule: winners(profile, rule) for rule in ELECTIONS} == {
        "plurality": ["Wright"],
        "irv": ["Kiss"],
        "schulze": ["Montroll"],
        "minimax": ["Montroll"],
        "split-cycle": ["Montroll"],
    }


TENNESSEE = """# ALTERNATIVE NAME 1: Memphis
# ALTERNATIVE NAME 2: Nashville
# ALTERNATIVE NAME 3: Chattanooga
# ALTERNATIVE NAME 4: Knoxville
42: 1,2,3,4
26: 2,3,4,1
15: 3,4,2,1
17: 4,3,2,1
"""


def test_the_capital_of_tennessee(tmp_path) -> None:
    """The textbook example: each rule names another city."""
    profile = ballots(tmp_path, TENNESSEE)
    assert winners(profile, "plurality") == ["Memphis"]
    assert winners(profile, "irv") == ["Knoxville"]
    assert all(winners(profile, rule) == ["Nashville"] for rule in ("schulze", "minimax", "split-cycle"))


def test_what_is_put_last_together_is_unranked_and_other_ties_are_refused(tmp_path) -> None:
    names = "".join(f"# ALTERNATIVE NAME {k}: {name}\n" for k, name in enumerate("ABC", 1))
    exhausted = ballots(tmp_path, f"{names}3: 1,{{2,3}}\n2: 2,3,1\n2: 3,2,1\n")
    assert winners(exhausted, "plurality") == ["A"]
    assert winners(exhausted, "irv") == ["A"]  # B and C come last together and both leave
    found = elected(ballots(tmp_path, f"{names}3: {{1,2}},3\n2: 2,3,1\n"), "irv")
    assert found.winners == () and found.why == "it needs strict orders, and 3 ballots tie items above others"


def test_comparisons_have_majorities_and_no_ballots() -> None:
    pairs = lab.Profile.from_pairs({("A", "B"): 3, ("B", "C"): 1, ("C", "A"): 2})
    assert winners(pairs, "schulze") == winners(pairs, "minimax") == ["C"]
    assert elected(pairs, "plurality").why == "it needs ranked ballots, and these data are comparisons"


@pytest.mark.parametrize("asked", ["plurality,irv,borda,schulze", "Ranked Choice,fptp,beat_path"])
def test_the_screen_names_each_winner(asked: str) -> None:
    ran = run("audit", "burlington", "--loss", asked, "--resamples", "40", "--simulations", "0")
    told = " ".join(ran.stdout.split())
    assert ran.returncode == 0 and len(ran.stdout.splitlines()) <= 24
    assert all(said in told for said in ("IRV: Kiss", "plurality: Wright", "Schulze: Montroll"))
    assert "Montroll beats everybody (Condorcet winner)" in told


def test_json_has_the_winners() -> None:
    ran = run(
        "audit", "burlington", "--loss", "irv,borda", "--resamples", "0", "--simulations", "0", "--json"
    )
    document = json.loads(ran.stdout)
    assert document["elected"] == [{"rule": "irv", "winners": ["Kiss"], "why": ""}]
    assert [one["loss"] for one in document["findings"]] == ["borda"]


def test_rules_alone_are_audited_beside_borda() -> None:
    found = audit(lab.read_profile("burlington.toc"), ["irv"], **QUICK)
    assert [one.rule.name for one in found.findings] == ["borda"] and len(found.elected) == 1
