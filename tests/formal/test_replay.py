"""Proof files as theorems for Coq, as far as it can be seen without Coq; `make replay` compiles them."""

import random
import runpy
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from consistency_lab.apps.book.coq.export import theorem
from consistency_lab.apps.book.coq.source import Source
from consistency_lab.certify.proofs.file import sealed, verify
from consistency_lab.certify.witness import certify
from consistency_lab.core.verify import verify_proof
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate

REPLAY = runpy.run_path(str(Path(__file__).resolve().parents[2] / "formal" / "replay.py"))
ITEMS = ("A", "B", "C")


def by_addition(counts, phi, pairs, **claim):
    """A proof by addition at counts, all of them one label."""
    terms = [[str(x), {i: "1", j: "-1"}] for (i, j), x in counts.items()]
    label = {
        "probability": "1",
        "prefers": [[i, j, str(x)] for (i, j), x in counts.items()],
        "psi": [{"phi": phi, "offset": "0", "terms": terms}],
    }
    keys = ("above", "below", "rule", "factor")
    proof = {
        "coordinates": list(ITEMS),
        "decoder": "sort",
        "labels": [label],
        "scores": None,
        "certificate": {"kind": "addition", "pairs": [dict(zip(keys, pair, strict=True)) for pair in pairs]},
        **claim,
    }
    return source(proof)


def source(proof):
    """The proof, accepted by the core."""
    return Source("made.json", {}, proof, verify(sealed(proof, {}, {})))


# A wins against B by one vote, but B has more net wins, and C meets both equally often.
REVERSED = {("A", "B"): 5, ("B", "A"): 4, ("B", "C"): 9, ("A", "C"): 5, ("C", "A"): 4}
# A never loses, and B wins against C alone.
GOOD = {("A", "B"): 3, ("C", "B"): 2, ("B", "C"): 1, ("A", "C"): 3}
PLAIN = [("A", "C", "domination", "1"), ("C", "B", "domination", "1")]
LOGISTIC = "log(1+exp(-x))"


def test_a_pair_against_the_majority_refutes_definition_2():
    found = by_addition(
        REVERSED,
        LOGISTIC,
        [("B", "A", "gap", "1")],
        claim="inconsistent",
        prediction=["B", "A", "C"],
        better=["A", "B", "C"],
        failure="strict",
        regret="1",
    )
    text = theorem(found)
    assert "Lemma contradicted : against_majority m c pairs 1 0 []%nat = true." in text
    assert "~ consistent_at (edge_loss identity logistic m p) p." in text


def test_certified_pairs_at_every_factor_prove_it():
    pairs = [
        ("A", "C", "domination", "2/3"),
        ("C", "B", "domination", "0"),
        ("A", "B", "domination", "infinity"),
    ]
    text = theorem(by_addition(GOOD, "exp(-x)", pairs, claim="consistent-at-p"))
    for pair in ("Pair 0 2 Domination (2) 3", "Pair 2 1 Domination (0) 1", "Pair 0 1 Domination 1 0"):
        assert pair in text
    assert "  net_order m (aggregate p) /\\\n" in text
    assert "Lemma is_net_order p : described m labels p -> net_order m (aggregate p)." in text
    assert "low_noise" not in text
    assert "  consistent_at (edge_loss identity exponential m p) p." in text


def test_weights_with_a_common_divisor_keep_a_unit_that_is_a_whole_number():
    doubled = {pair: 2 * count for pair, count in GOOD.items()}
    text = theorem(by_addition(doubled, "exp(-x)", PLAIN, claim="consistent-at-p"))
    assert "Definition unit : Z := 1%Z." in text
    assert "[0; 6; 6];" in text


def test_two_items_have_a_theorem_with_all_their_conditions():
    found = certify(surrogate("margin-hinge"), Distribution.from_aggregate([[0, 3], [1, 0]]))
    made = Source("two.json", found.document["named"], found.document["proof"], verify(found.document))
    assert "bipartite m (aggregate (real p))" in theorem(made)


def test_other_losses_are_refused():
    with pytest.raises(InputError, match="is not one of those with a proof in Coq that it is regular"):
        theorem(by_addition(GOOD, "exp(-2*x)", PLAIN, claim="consistent-at-p"))


def test_systems_keep_their_rows():
    system = {
        "rows": [["1", "-1/2"]],
        "right": ["-1"],
        "equal_rows": [["0", "1"]],
        "equal_right": ["0"],
        "y": ["1"],
        "z": ["1/2"],
    }
    text = theorem(source({"claim": "infeasible", "systems": [system]}))
    assert "(System [([1; (-1 # 2)], (-1))]\n    [([0; 1], 0)], [1], [(1 # 2)])" in text
    assert "~ exists x : nat -> R, solves" in text


def test_systems_are_not_called_those_of_a_loss():
    system = {"rows": [["1"]], "right": ["-1"], "equal_rows": [], "equal_right": [], "y": ["1"], "z": []}
    made = source({"claim": "infeasible", "systems": [system]})
    told = replace(made, verified=replace(made.verified, recomputed=("linear",)))
    assert "That these are the systems of linear is no part of it." in theorem(told)


def test_changed_proofs_are_the_same_for_the_same_seed_and_change_one_number_of_the_proof():
    made = by_addition(GOOD, "exp(-x)", PLAIN, claim="consistent-at-p")
    rejected = 0
    for seed in range(60):
        one, two = ({"proof": deepcopy(dict(made.document)), "named": {}} for _ in range(2))
        what = REPLAY["changed"](one, random.Random(seed))
        assert what == REPLAY["changed"](two, random.Random(seed))
        assert one == two
        assert bool(what) == (one["proof"] != made.document)
        if ".prefers" in what:
            (label,) = one["proof"]["labels"]
            stated = {(i, j): Fraction(x) for i, j, x in label["prefers"]}
            terms = [(Fraction(c), v) for c, v in label["psi"][0]["terms"]]
            assert [(x, {i: "1", j: "-1"}) for (i, j), x in stated.items()] == terms
        try:
            verify_proof(one["proof"])
        except (InputError, RejectedError):
            rejected += 1
    assert 10 < rejected < 60


def test_a_sample_is_the_same_for_the_same_seed():
    paths = sorted(REPLAY["GALLERY"].glob("hinge-*.json"))
    one, two = (REPLAY["sample"](paths, 2, "a commit") for _ in range(2))
    assert one == two
    assert len(set(one)) == 2
