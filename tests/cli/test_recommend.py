"""`recommend`: a list of choices, or one program."""

from itertools import product

import torch

from consistency_lab.decide.answers import lies_inside
from consistency_lab.decide.remedies import where_right
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.designs import DESIGNS
from consistency_lab.model.surrogates import surrogate
from consistency_lab.theorems.catalogue import consistency_theorem


def test_choices_and_a_program(cli):
    listed = cli("recommend", "--target", "ndcg", "--library", "xgboost")
    assert (listed.code, listed.err) == (0, "")
    assert "Code: consistency-lab recommend zhang --target ndcg --library xgboost" in listed.out
    assert max(map(len, listed.out.splitlines())) <= 100
    printed = cli("recommend", "zhang", "--target", "ndcg")
    compile(printed.out, "recommended.py", "exec")
    assert "needs a target" in cli("recommend").err


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
