"""`recommend`: a list of choices, or one program."""

from itertools import product

import pytest
import torch

from consistency_lab.decide.answers import lies_inside
from consistency_lab.decide.remedies import where_right
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.designs import DESIGNS
from consistency_lab.model.surrogates import surrogate


@pytest.mark.parametrize(
    ("asked", "opening"),
    [
        ("ndcg --library xgboost", "For NDCG with XGBoost train reg:squarederror on other labels"),
        ("ndcg@10 --labels 0..4", "For NDCG@10 with LightGBM train regression on other labels"),
        ("ndcg --library catboost", "For NDCG with CatBoost train RMSE on other labels"),
        (
            "pairwise --library pytorch",
            "For pairwise disagreement with PyTorch train regression-net as a",
        ),
        ("map", "For MAP with LightGBM no program is known; map-full is right whatever the"),
        ("kendall", "For Kendall tau with LightGBM no program is known; pd-least-squares is right"),
        ("err", "For ERR with LightGBM no program is known; constructed is right whatever the"),
        ("eru", "For expected rank utility with LightGBM train regression on other labels"),
        ("precision@2", "For precision@2 with LightGBM train regression on other labels (regression):"),
    ],
)
def test_what_to_train_for_a_target_is_on_one_screen(cli, asked, opening):
    ran = cli("recommend", "--target", *asked.split())
    lines = ran.out.splitlines()
    assert (ran.code, ran.err) == (0, "")
    assert lines[0].startswith(opening)
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    document = cli("recommend", "--target", *asked.split(), "--json").document
    assert document["line1"].startswith(opening)
    details = cli("recommend", "--target", *asked.split(), "--details").out
    assert all(row["command"] in details for row in document["rows"])


def test_positions_beyond_the_cut_count_in_longer_lists_only(cli):
    listed = cli("recommend", "--target", "ndcg@10").said
    assert "Z = sum of the list's first 10 gains" in listed
    command = "recommend regression-gain-over-z --target ndcg --k 10 --library lightgbm"
    assert command in listed
    assert "[:10].sum()" in cli(*command.split()).out


def test_a_program_compiles_and_a_target_is_needed(cli):
    printed = cli("recommend", "zhang", "--target", "ndcg")
    compile(printed.out, "recommended.py", "exec")
    assert "needs a target" in cli("recommend").err
    assert "--json does not fit a program" in cli("recommend", "zhang", "--target", "ndcg", "--json").err


def test_a_loss_type_of_trl_and_what_the_pairs_have_to_be_like(cli):
    lines = cli("recommend", "--library", "trl").out.splitlines()
    assert lines[0].startswith('Use loss_type="sigmoid" (dpo): wherever another convex loss of TRL is proved')
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    said = " ".join(" ".join(lines).split())
    assert 'DPOConfig(loss_type="sigmoid")' in said
    assert "surplus (3 : 1 becomes 2 : 0)" in said and "rewards may then grow without bound" in said
    document = cli("recommend", "--library", "trl", "--json").document
    assert document["line1"] == " ".join(lines[:2])
    rows = {(row["condition"], row["design"]): row["losses"].split(", ") for row in document["rows"]}
    assert rows["bradley-terry", "any"] == ["sigmoid"]
    assert rows["any", "forest"] == ["sigmoid", "hinge", "ipo", "alphapo"]
    assert {one for row in rows.values() for one in row}.isdisjoint({"apo_down", "simpo", "orpo"})
    assert "leave out --target" in cli("recommend", "--library", "trl", "--target", "ndcg").err
    assert "list --library trl" in cli("recommend", "trl").err


def test_the_rows_are_those_of_the_theorems():
    names = ("dpo", "hinge", "nca", "exo")
    found = where_right(names)
    for pair in product(CONDITIONS, DESIGNS):
        right = {name for name in names if consistency_theorem(surrogate(name), pair[0], design=pair[1])}
        wider = [row for at, row in found.items() if lies_inside(pair, at)]
        assert right == {name for row in wider for name in row}


def test_training_on_the_surplus_of_each_pair_mends_the_order():
    """A table of rewards by descent, on the 12 comparisons that fool DPO (1 > 2 > 3 is right)."""

    def learned(wins: list[list[float]]) -> list[int]:
        counts = torch.tensor(wins)
        rewards = torch.zeros(3, requires_grad=True)
        for _ in range(3000):
            gaps = rewards[:, None] - rewards
            (slope,) = torch.autograd.grad(-(counts * torch.nn.functional.logsigmoid(gaps)).sum(), rewards)
            rewards = (rewards - 0.05 * slope).detach().requires_grad_()
        return rewards.argsort(descending=True).tolist()

    wins = [[0.0, 1, 6], [0, 0, 2], [3, 0, 0]]
    surplus = [[max(0, wins[i][j] - wins[j][i]) for j in range(3)] for i in range(3)]
    assert learned(wins) == [1, 0, 2]
    assert learned(surplus) == [0, 1, 2]
