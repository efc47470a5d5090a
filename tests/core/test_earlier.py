"""Proofs that earlier releases wrote: a published format is read forever, equality included."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from consistency_lab import RejectedError, verify_file
from consistency_lab.core import verify_proof
from consistency_lab.core.certificates import KINDS, RISKS

from .proofs import PROOFS

FOLDER = Path(__file__).parents[1] / "fixtures" / "earlier"
FILES = sorted(FOLDER.glob("*.json"))


def proof_of(path):
    return json.loads(path.read_text("utf-8"))["proof"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_proof_of_an_earlier_release_is_accepted(path):
    """Those called equal exceed W at the scores by exactly the gap, at scores that are no binary numbers."""
    assert verify_file(path).claim == proof_of(path)["claim"]


def test_every_kind_of_proof_is_there():
    stated = [proof_of(path) for path in FILES]
    kinds = {proof["certificate"]["kind"] for proof in stated if "certificate" in proof}
    risks = {proof["certificate"].get("risk") for proof in stated if "certificate" in proof}
    assert kinds == set(KINDS)
    assert risks - {None} == set(RISKS) - {"signed"}  # which is never wrong in a file
    assert {"infeasible", "consistent-at-p", "inconsistent", "wrong-equilibrium"} == {
        proof["claim"] for proof in stated
    }


THIRD = Fraction(1, 3)
ABOVE = Fraction(1, 10**200)


def stretched():
    """`chain` with its bounds exceeded by exactly 1/3 and 1/7, at kinks and slopes that are thirds."""
    entry = PROOFS["chain"]()
    for block, size in zip(entry["labels"][0]["psi"], ("1/3", "1/7"), strict=True):
        block["terms"][0][0] = size
    entry["certificate"]["gap"] = "1/7"
    return entry


def nearby():
    """`common_chain` with slopes that are attained at the very end of their radii, of a third."""
    entry = PROOFS["common_chain"]()
    for block in entry["labels"][0]["psi"]:
        block["phi"] = "max(0,(1-x)/3)+max(0,x-4/3)/3"
    entry["certificate"]["common"] = {"slopes": ["0", "0"], "radii": ["0", "1/3"]}
    for bound in entry["certificate"]["bounds"]:
        bound["slopes"], bound["brackets"] = ["-1/3"], [["1", "1"]]
    entry["certificate"]["gap"] = "1/9"
    return entry


@pytest.mark.parametrize("made", [stretched, nearby])
def test_a_bound_that_is_exactly_the_gap_is_accepted_and_no_more(made):
    entry = made()
    assert verify_proof(entry).every
    entry["certificate"]["gap"] = str(Fraction(entry["certificate"]["gap"]) + ABOVE)
    with pytest.raises(RejectedError, match="not certainly by"):
        verify_proof(entry)


@pytest.mark.parametrize("name", ["tie", "chain"])
def test_a_regret_is_stated_from_its_share_on_and_no_more(name):
    entry = PROOFS[name]()
    exact = Fraction(entry["regret"])
    for stated in (exact, exact * Fraction(99, 100)):
        assert verify_proof({**entry, "regret": str(stated)}).regret == exact
    for stated in (exact + ABOVE, exact * Fraction(99, 100) - ABOVE):
        with pytest.raises(RejectedError, match="the regret is stated as"):
            verify_proof({**entry, "regret": str(stated)})
