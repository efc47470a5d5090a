"""`check --target`: verdicts with their evidence, the two rows of a library, and every wrong question."""

import shlex
from pathlib import Path

import pytest

from consistency_lab import verify_file
from consistency_lab.cli.running import run

PAIRWISE = ("xgboost:rank:pairwise", "--target", "ndcg", "--items", "2", "--condition", "any")
WITNESS_KEYS = (
    "condition labels means scores box attracting reached_from_zero_in_floats prediction better "
    "expected_losses regret failure certificate file"
)


def test_softmax_is_inconsistent_for_ndcg_and_a_remedy_is_named(cli):
    """DMJ13 and RAT13: only a regression on gain/Z, or the like, is right without a condition."""
    ran = cli("check softmax --target ndcg --condition any --details")
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert lines[0] == "softmax can be wrong for NDCG."
    assert ran.out.count("NDCG 0.8") == 2 and "Witness against" not in ran.out
    assert "3 items with grades 0, 1, 2: 27 labels; 6 predictions" in ran.said
    assert "G(s) = 2**s-1, F(j) = log2(1+j)" in ran.said
    assert "Use instead: regression-gain-over-z (f = gain/Z), 3 scores" in ran.said
    (saved,) = (line.split()[-1] for line in lines if " show " in line)
    verified = verify_file(saved)
    assert verified.claim == "inconsistent"
    assert verified.recomputed == ("NDCG", "softmax", "sort")
    (check,) = (line.split("Check: ")[1] for line in lines if "Check: " in line)
    assert run(shlex.split(check)[1:]) == 0


def test_regression_on_gain_over_z_is_proved_for_all_sizes_and_by_exact_infeasibility(cli):
    """DMJ13, corollary on NDCG; RAT13 Theorem 6 states the same for its feature."""
    ran = cli("check regression --target ndcg --on gain/Z --condition any --json")
    assert ran.code == 0
    (answer,) = ran.document["answers"]
    assert (answer["verdict"], answer["scope"]) == ("CONSISTENT", "all m")
    assert {"statement", "how"} == answer["hypotheses"][0].keys()
    assert answer["proof"]["rescaled"]
    assert ran.document["prescriptions"] == []
    assert not Path("witnesses").exists()


def test_map_diagonal_needs_reinforcing_relevance(cli):
    """RAT13 Theorem 4 and Corollary 5."""
    asked = ("check", "map-diagonal", "--target", "map", "--items", "3", "--json")
    right = cli(*asked, "--condition", "reinforce")
    assert right.code == 0
    assert right.document["answers"][0]["proof"]["systems"] > 0
    wrong = cli(*asked, "--condition", "any")
    assert wrong.code == 1
    witness = wrong.document["answers"][0]["witness"]
    assert witness.keys() == {*WITNESS_KEYS.split()}
    assert witness["certificate"] == "mean"
    assert verify_file(witness["file"]).recomputed == ("MAP", "map-diagonal", "sort")


def test_a_library_gets_two_rows(cli):
    """xgboost#4177, LightGBM#4755: the plain loss is wrong, and so can be what is shipped."""
    ran = cli("check", *PAIRWISE, "--budget", "10", "--details")
    assert ran.code == 1
    text = ran.said
    assert ran.out.startswith("xgboost:rank:pairwise can train to a wrong order for NDCG, even with endless")
    assert "dmlc/xgboost" in text
    assert "Note: By default each pair's gradient is divided" in text
    assert "wrong as shipped any 2, grades 0 to 2 2 labels, below" in text
    assert "wrong plain logistic any 2, grades 0 to 2" in text
    assert "the mean gradient is zero there, and scores nearby are drawn to it (proved)" in text
    assert "From equal scores it arrives there (floats)." in text
    assert "Use instead: regression-gain-over-z" in text
    claims = sorted(verify_file(path).claim for path in Path("witnesses").iterdir())
    assert claims == ["inconsistent", "wrong-equilibrium"]


def test_a_library_as_json(cli):
    ran = cli("check", *PAIRWISE, "--budget", "10", "--json", "--no-save")
    document = ran.document
    assert list(document) == [
        *("format", "library", "target", "verdict", "plain", "shipped", "effort"),
        *("line1", "rows", "instead"),
    ]
    assert (document["verdict"], document["library"]["shipped"]) == ("INCONSISTENT", "field")
    assert document["shipped"]["finding"] == "wrong equilibrium"
    witness = document["shipped"]["witness"]
    assert witness.keys() == {*WITNESS_KEYS.split()}
    assert (len(witness["box"]), witness["file"]) == (1, None)
    assert witness["reached_from_zero_in_floats"] is True
    assert "reached from zero scores: yes (in floating point)" in document["shipped"]["reason"]
    assert document["plain"]["answers"][0]["witness"]["reached_from_zero_in_floats"] is None
    assert not Path("witnesses").exists()


def test_a_gradient_field_is_never_consistent(cli):
    ran = cli("check xgboost:rank:map --target map --items 2 --budget 1")
    assert ran.code == 3
    text = ran.said
    assert "rank:map is open for MAP: it minimizes no fixed loss, and no wrong order" in text
    assert "this proves nothing" in text


def test_an_objective_that_is_a_fixed_loss_has_one_row(cli):
    """Cossock and Zhang 2008; the grades themselves are not what NDCG asks for."""
    ran = cli("check lightgbm:regression --target ndcg --items 2 --json")
    assert ran.document["library"]["shipped"] == "same"
    assert ran.document["shipped"] is None
    assert ran.document["verdict"] == ran.document["plain"]["verdict"]


def test_a_shipped_loss_of_its_own_has_its_own_verdict(cli):
    ran = cli("check rax:pairwise_hinge_loss --target ndcg --items 2 --condition any --budget 1 --json")
    document = ran.document
    assert (ran.code, document["library"]["shipped"]) == (1, "loss")
    assert document["plain"]["surrogate"]["parameters"]["normalized"] == "none"
    assert document["shipped"]["surrogate"]["parameters"]["normalized"] == "pairs"
    assert document["shipped"]["verdict"] == "INCONSISTENT"


def test_what_is_not_decided_here_says_so(cli):
    """No gradient flows through its weights, so that it is no fixed loss."""
    ran = cli("check tf-ranking:circle_loss --target ndcg --items 2 --details")
    assert ran.code == 3
    assert "open as shipped any any not decided here" in ran.said
    assert "Note: No gradient flows" in ran.out


def test_a_loss_that_is_not_convex_has_a_verdict_and_equilibria(cli):
    ran = cli("check tf-ranking:approx_ndcg_loss --target ndcg --items 2 --budget 1 --details")
    assert ran.code == 1
    assert "Plackett-Luce rankings" in ran.said
    assert "approx_ndcg_loss can train to a wrong order for NDCG" in ran.said
    assert "Training can rest at these scores" in ran.said
    assert "Note: The loss is not convex" in ran.out


def test_other_labels_and_phi_in_place_of_a_name(cli):
    ran = cli(
        *("check", "--phi", "max(0, 1-x)", "--target", "pairwise", "--labels", "dags", "--items", "3"),
        *("--condition", "additive", "--budget", "10", "--details"),
    )
    assert ran.code == 1
    assert "labels: the 25 acyclic preference graphs on 3 items" in ran.said
    assert "phi(x) = max(0,1-x)" in ran.said


def test_a_matrix_has_the_surrogate_of_theorem_3(cli, refused):
    """RAT13 Theorem 3 makes a surrogate of any matrix; none of the others scores its rows."""
    Path("loss.csv").write_text("label,keep,drop\ngood,0,1\nbad,5,0\n", encoding="utf-8")
    assert "the surrogate constructed works for any matrix" in refused("check softmax --matrix loss.csv")
    ran = cli("check constructed --matrix loss.csv")
    assert ran.code == 0
    assert "RAT13 Theorem 3" in ran.out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("0,1\n1\n", "line 2"), ("", "empty"), ("0,1\n1,one\n", "'one'"), ("0,inf\n1,0\n", "'inf'")],
)
def test_a_bad_matrix_is_named(refused, text, sentence):
    Path("loss.csv").write_text(text, encoding="utf-8")
    said = refused("check softmax --matrix loss.csv")
    assert "loss.csv" in said and sentence in said
