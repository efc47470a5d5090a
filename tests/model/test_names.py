"""Names as people type them: what each means, and what a refusal says would be right."""

import pytest

import consistency_lab as lab
from consistency_lab.cli.losses import refuse_without_target
from consistency_lab.model.surrogates.tasks.libraries import full_name, pair_entry
from consistency_lab.show.text import rendered
from consistency_lab.show.witness import surrogate_lines


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Bradley–Terry", "logistic"),
        ("margin_logistic", "margin-logistic"),
        ("DIFFERENCE logistic", "difference-logistic"),
        (" Linear", "linear"),
        ("BCO_pair", "bco"),
    ],
)
def test_case_blanks_and_dashes_do_not_matter(typed, name):
    assert lab.surrogate(typed).name == name


def test_nor_do_they_for_labels_targets_and_conditions():
    assert lab.task_surrogate("Unique softmax").name == "unique-softmax"
    assert lab.target("NDCG@2") == lab.target("ndcg", k=2)
    assert lab.check("linear", "Low noise").answers == lab.check("linear", "low-noise").answers


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("ndcg@10", "ndcg@10 is a target; name a loss too, as in softmax --target ndcg@10"),
        ("XGBoost", "XGBoost is a library; name its objective too, as in xgboost:rank:pairwise"),
        ("softplus", "softplus is a function and no loss; give a formula in x, such as --phi"),
        ("DIFERENCE-LOGISTIC", "did you mean 'difference-logistic'?"),
    ],
)
def test_what_is_no_loss_is_told_apart(typed, said):
    with pytest.raises(lab.InputError) as refused:
        lab.surrogate(typed)
    assert said in str(refused.value)


def test_an_objective_that_a_library_lacks():
    with pytest.raises(lab.InputError, match="lightgbm has no objective 'lightgbm:rank' here; those known"):
        refuse_without_target("lightgbm:rank")
    with pytest.raises(lab.InputError, match="did you mean 'trl:robust'"):
        pair_entry("trl:robst")


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        *((name, "lightgbm:lambdarank") for name in ("lambda-rank", "LambdaMART", "Lambda Rank")),
        *((f"rank:{name}", f"xgboost:rank:{name}") for name in ("ndcg", "pairwise", "map")),
        ("YetiRank", "catboost:YetiRank"),
        ("objective=lambdarank", "lightgbm:lambdarank"),
        ("objective: rank:map,", "xgboost:rank:map"),
        ('"objective": "rank_xendcg"', "lightgbm:rank_xendcg"),
        ("objective=reg:squarederror", "xgboost:reg:squarederror"),
        ("objective=regression", "lightgbm:regression"),
        ("loss_function='PairLogit'", "catboost:PairLogit"),
        ('loss_type="ipo"', "trl:ipo"),
        ('loss_type="sigmoid"', "trl:sigmoid"),
        ("mymodule:objective", "mymodule:objective"),
        ("sigmoid", "sigmoid"),
    ],
)
def test_settings_of_libraries_name_their_objectives(typed, name):
    assert full_name(typed) == name


@pytest.mark.parametrize(
    ("typed", "loss"), [("trl:dpo", "dpo"), ('loss_type="sigmoid"', "dpo"), ("trl:exo", "exo")]
)
def test_a_loss_of_ours_is_found_in_trl(typed, loss):
    assert pair_entry(typed).loss == loss


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("MarginRankingLoss", "type hinge"),
        ("torch.nn.BCEWithLogitsLoss()", "type logistic, or sigmoid"),
        ("F.cross_entropy", "type softmax"),
        ("InfoNCE", "type softmax"),
        ("losses.MultipleNegativesRankingLoss", "type softmax"),
        *((name, "") for name in ("CosineSimilarityLoss", "FocalLoss", "TripletLoss", "ContrastiveLoss")),
    ],
)
def test_losses_of_frameworks_say_which_of_ours_they_are(typed, right):
    for ask in (lab.surrogate, lab.task_surrogate):
        with pytest.raises(lab.InputError) as refused:
            ask(typed)
        assert right in str(refused.value)
        assert "did you mean" not in str(refused.value)


def test_a_refusal_speaks_of_what_was_typed():
    """The halves of an aggregate are doubled inside."""
    with pytest.raises(lab.InputError, match="the aggregate entry 1 → 2 is -1;"):
        lab.Distribution.from_aggregate([[0, -1], [1, 0]])
    with pytest.raises(lab.InputError, match=r"such as 0..2 \(in Python range\(3\)\)"):
        lab.target("ndcg", labels="0..2")
    with pytest.raises(lab.InputError, match="consistency-lab check lightgbm:lambdarank --target NAME"):
        lab.task_surrogate("lambdarank")


@pytest.mark.parametrize(
    ("target", "said"), [("pairwise", "with G(s) = s"), ("eru", "with G(s) = max(s-v,0)"), ("ndcg", "")]
)
def test_an_answer_defines_the_gain_that_it_names(target, said):
    task = lab.target(target, items=2, labels=(0, 1))
    line = " ".join(rendered(surrogate_lines(lab.task_surrogate("regression"), task)))
    assert (said in line and said != "") or "with G" not in line


def test_a_seed_below_zero_is_refused():
    with pytest.raises(lab.InputError, match="seed is -1; pass a whole number from 0 to"):
        lab.check("logistic", "additive", seed=-1)
