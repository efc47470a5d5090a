"""The losses that language models are trained with: docs/alignment.md says what `check` says."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from consistency_lab import Distribution, InputError, UnsupportedError, Verdict, surrogate
from consistency_lab.certify.proofs.file import verify
from consistency_lab.certify.witness import certify
from consistency_lab.decide.surrogate import decide
from consistency_lab.model.surrogates.answers import OTHER_NAMES
from consistency_lab.model.surrogates.catalogue import answer_names
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.model.surrogates.tasks.libraries import PAIR_LIBRARIES, pair_entry
from consistency_lab.numbers.phi import OF_ANSWERS, named
from consistency_lab.search.effort import Effort

PAGE = Path(__file__).parent.parent.parent / "docs" / "alignment.md"
COLUMNS = (
    ("bradley-terry", "forest"),
    ("bradley-terry", "any"),
    ("sst", "product"),
    ("net-order", "balanced"),
)
ROWS = {
    name: [cell.strip() for cell in cells[2:-1]]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| `") and len(cells := line.split("|")) == 7
    for name in cells[1].replace("`", "").replace(",", " ").split()
}


@pytest.mark.long
@pytest.mark.parametrize("name", ROWS)
def test_the_page_says_what_check_says(name):
    found = []
    for condition, design in COLUMNS:
        decision = decide(name, condition, design=design, effort=Effort(5), prescribe=False)
        wrong = decision.verdict is Verdict.INCONSISTENT
        claim = "inconsistent" if wrong else "wrong-equilibrium"
        assert all(verify(witness.document).claim == claim for witness in decision.witnesses)
        found.append(str(decision.verdict))
    assert found == ROWS[name]


def test_the_page_has_every_loss():
    assert {*ROWS} == {"dpo", "ipo", "slic", *answer_names()} - {"robust"}


def test_robust_is_refused_and_wrong_on_a_ring_where_it_is_bounded_below():
    """Bradley-Terry strengths 6 : 5 : 3 : 1; no set wins nine in ten of its comparisons."""
    with pytest.raises(InputError, match="not bounded below"):
        decide("robust", "any")
    ring = [[0, 6, 8000, 0], [5, 0, 0, 10000], [4000, 0, 0, 9000], [0, 2000, 3000, 0]]
    found = certify(surrogate("robust"), Distribution.from_aggregate(ring))
    assert found.fails_under("bradley-terry")
    assert (found.failure, found.verified.every, found.prediction) == ("strict", True, (1, 0, 2, 3))


def test_names_as_people_say_them():
    for name, other in {"dpo": "logistic", "ipo": "square", "slic": "hinge"}.items():
        assert surrogate(name) == surrogate(other)
    for other, name in OTHER_NAMES.items():
        assert surrogate(other) == surrogate(name)
    assert surrogate("EXO_pair").name == "exo"
    with pytest.raises(InputError, match="without h; leave it out"):
        surrogate("bco", h="a")


@pytest.mark.parametrize("name", OF_ANSWERS)
def test_functions_of_differences_are_written_plainly(name):
    assert str(named(name).expression) == OF_ANSWERS[name].text


def test_what_is_shipped_is_one_of_ours_or_open():
    for line in PAIR_LIBRARIES.values():
        assert line.note.endswith(".")
        assert ". " not in line.note
        assert line.release.version in line.citation
        if line.loss is None:
            with pytest.raises(UnsupportedError, match="is not decided here"):
                as_surrogate(line.name)
        else:
            assert as_surrogate(line.name) == surrogate(line.loss)
    assert pair_entry("orpo") is PAIR_LIBRARIES["trl:orpo"]
    with pytest.raises(InputError, match="did you mean 'trl:ipo'"):
        as_surrogate("trl:ip")


def test_likelihood_is_that_of_the_shares_of_wins():
    """sft at 4 : 3 and 21 : 7: the chances are wins / 35."""
    p = Distribution.from_aggregate([[0, 4, 0], [3, 0, 21], [0, 7, 0]])
    found = certify(surrogate("sft"), p)
    assert [score.q for score in found.scores] == [Fraction(n, 35) for n in (4, 24, 7)]


def test_dpo_learns_the_wrong_answer_from_16_preferences():
    """1 over 2 3:0, 2 over 3 1:0, 1 over 3 8:4; with every pair weighted by 1/n_ij it does not."""
    raw = [[0, 3, 8], [0, 0, 1], [4, 0, 0]]
    weighed = [[Fraction(raw[i][j], raw[i][j] + raw[j][i] or 1) for j in range(3)] for i in range(3)]
    found = [certify(surrogate("dpo"), Distribution.from_aggregate(a)) for a in (raw, weighed)]
    assert [one is not None and one.inconsistent for one in found] == [True, False]


def test_a_tie_of_the_hinge_is_followed_by_an_inversion():
    decision = decide("slic", "bradley-terry", prescribe=False)
    assert decision.verdict is Verdict.INCONSISTENT
    assert sum(map(sum, decision.strict.distribution.aggregate)) == 24


def test_trl_computes_these_losses_and_learns_these_orders():
    """docs/measure_trl.py wrote it; TRL has the 0.001 of exo in single precision."""
    stored = json.loads((PAGE.parent / "alignment_trained.json").read_text(encoding="utf-8"))
    (release,) = {line.release for line in PAIR_LIBRARIES.values()}
    assert stored["versions"]["trl"] == release.version
    known = {"dpo", "ipo", "slic", *answer_names()}
    assert known - {*stored["differences"]} == {"sft", "cpo", "cpo-simpo"}
    assert all(x < (1e-7 if name == "exo" else 1e-13) for name, x in stored["differences"].items())
    for name, found in stored["orders"].items():
        p = Distribution.from_aggregate([list(map(Fraction, row)) for row in found["counts"]])
        witness = certify(surrogate(name), p)
        assert witness is not None and witness.verified.failure == "strict"
        order = sorted(range(p.m), key=lambda k: -float(witness.scores[k]))
        assert found["learned"] == found["proved"] == order != found["better"]
