"""One case by hand of functions that the oracles, theorems and libraries of other tests do not reach."""

from fractions import Fraction

import numpy as np
import pytest

from consistency_lab.apps.embed.asked import bayes_hinge
from consistency_lab.core.risk import Linear
from consistency_lab.model import conditions, distribution
from consistency_lab.model.checked import fitting, shown
from consistency_lab.model.designs import design, design_implies, nearest_product
from consistency_lab.model.labels import Classes, Grades, Rankings, Rows, differences
from consistency_lab.model.polyhedral import condition_cones, polyhedral, target_losses
from consistency_lab.model.posets import net_gap, weak_orders
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.surrogates.catalogue import family_of, is_taken
from consistency_lab.model.surrogates.own import as_surrogate, failure
from consistency_lab.model.surrogates.tasks import libraries, means
from consistency_lab.model.surrogates.tasks.catalogue import (
    described_surrogate,
    is_task_surrogate,
    task_surrogate,
    unknown,
)
from consistency_lab.model.surrogates.tasks.decoders import (
    algorithm_1,
    algorithm_1_cell,
    decoder_name,
    returned_at,
)
from consistency_lab.model.surrogates.tasks.forms import Forms, constant, form_text, ratio_of, score, summands
from consistency_lab.model.surrogates.traced import arguments, name_of, trace
from consistency_lab.model.tasks import discrete
from consistency_lab.model.tasks.catalogue import any_target, described_task, target
from consistency_lab.model.tasks.positional import discounts_of, gains_of
from consistency_lab.model.tasks.task import TargetOptions, contained, of_size
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.expression import X, build, fold, number
from consistency_lab.numbers.normal_form import add_up
from consistency_lab.numbers.phi import parse

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
A = [[ZERO, Fraction(3)], [ONE, ZERO]]
LOG_3 = LogRational(ZERO, Fraction(3))
SPAM = ((ZERO, ONE), (Fraction(5), ZERO))
NDCG = target("ndcg")
PAIRS = task_surrogate("logistic")
ALONG = [((0, 1), (1, -1)), ((0, 1), (2, -1)), ((1, -1), (2, 1))]
TOP = fold(build("max", number(0), 1 - X), Forms(score(0)))

TAKEN = ("RankNet", "margin-mine", "logistic with h=a**2", "softmax", "mine")
EXAMPLES = {
    "fitting": (lambda: fitting(["1/2"], "scores", list[Fraction]), (HALF,)),
    "shown": (lambda: [*map(shown, ("5 s", 10**50, [1]))], ["'5 s'", "an int of 167 bits", "a list of 1"]),
    "a cycle": (lambda: conditions.has_no_cycle([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]), False),
    "weak orders": (lambda: [*map(sorted, weak_orders(2))], [[(0, 1)], []]),
    "numbered": (lambda: [conditions.numbered(name) for name in ("low-noise", "any")], [True, False]),
    "shapes": (lambda: [len(conditions.fewest_shapes(c, 3)) for c in ("low-noise", "net-order")], [5, 1]),
    "words of a ratio": (lambda: design("ratio:3/2").words, "no n_ij is more than 3/2 times another"),
    "a wider ratio": (lambda: [design_implies("ratio:2", x) for x in ("ratio:3", "product")], [True, False]),
    "product": (
        lambda: nearest_product(np.array([[0.0, 2, 3], [2, 0, 6], [3, 6, 0]])).round(6).tolist(),
        [1.0, 2.0, 3.0],
    ),
    "differences": (lambda: differences(Grades(2, (0, 1)), {(1, 0): 3 * HALF, (0, 1): ONE})[0][1], HALF),
    "classes": (lambda: Classes(3).labels, ((0,), (1,), (2,))),
    "net gap": (lambda: net_gap(0, 2, 3), {(0, 1): 1, (0, 2): 2, (1, 2): 1}),
    "affine": (lambda: [family_of(surrogate(x)).affine for x in ("linear", "logistic")], [True, False]),
    "taken": (lambda: [*map(is_taken, TAKEN)], [True] * 4 + [False]),
    "as surrogate": (lambda: as_surrogate("ranknet").name, "logistic"),
    "failure": (lambda: failure(ZeroDivisionError("no")), "ZeroDivisionError: no"),
    "a derived class": (lambda: unknown(type("Mine", (means.Regression,), {})(), NDCG), "the surrogate Mine"),
    "task surrogates": (lambda: [*map(is_task_surrogate, ("Softmax", "list_mle", "x"))], [True, True, False]),
    "described surrogate": (
        lambda: described_surrogate({"family": "softmax", "name": "listnet", "labels": "exp"}, "sort"),
        means.Softmax("exp", name="listnet"),
    ),
    "Algorithm 1": (lambda: algorithm_1([ONE, ZERO, ZERO, 2 * ONE, 3 * ONE, ZERO], 3), ((1, 2, 0),)),
    "its cell": (lambda: algorithm_1_cell([ONE, ZERO], (0, 1)), (((1, -1), 0),)),
    "a tie": (lambda: returned_at(means.Regression(), target("ndcg", items=2), [ONE, ONE]), ((0, 1), (1, 0))),
    "decoder": (lambda: decoder_name("MWFAS"), "linear"),
    "text": (
        lambda: form_text(fold(build("log", 1 + build("exp", X)), Forms(add_up([*score(1), *constant(-1)])))),
        "log(1+exp(-1+u_2))",
    ),
    "summands": (lambda: summands(add_up((*TOP, *score(1))), 2)[1], Linear(ONE, ((1, ONE),))),
    "ratio of forms": (lambda: ratio_of(add_up(2 * [*score(0)]), add_up([*score(0), *constant(3)]), None), 2),
    "pair entry": (lambda: getattr(libraries.pair_entry_of("dpo"), "name", None), "trl:sigmoid"),
    "no pair entry": (lambda: libraries.pair_entry_of("logistic"), None),
    "full names": (
        lambda: [*map(libraries.full_name, ("LambdaMART", "softmax", 'loss_type="ipo"'))],
        ["lightgbm:lambdarank", "softmax", "trl:ipo"],
    ),
    "torch": (
        lambda: libraries.of_framework("torch.nn.SoftMarginLoss()"),
        "is logistic on differences of scores with target 1: type logistic",
    ),
    "entries": (lambda: libraries.library_losses("lightgbm")[1].objective, "rank_xendcg"),
    "arguments": (lambda: arguments(lambda x, y, z=0: x), 2),
    "trace": (lambda: str(trace(lambda x: max(0, 1 - x) ** 2).of), "max(0,1-x)**2"),
    "name of": (
        lambda: [name_of(parse(x)) for x in ("-(-log(exp(-x)+1))", "max(1-x,0)", "2*exp(-x)")],
        ["logistic", "hinge", None],
    ),
    "order of": (lambda: distribution.order_of([LogRational(ONE), LOG_3, LogRational(ONE)]), (1, 2, 0)),
    "losses": (lambda: [distribution.loss(A, order) for order in ((0, 1), (1, 0))], [1, 3]),
    "loss of a tie": (lambda: distribution.scores_loss(A, [LogRational(ZERO)] * 2), 3),
    "regret of a tie": (lambda: distribution.normalized_regret(A, [LogRational(ZERO)] * 2, ONE), HALF),
    "any target": (lambda: any_target("precision@2", TargetOptions(2)).loss((1, 0), (1, 0)), HALF),
    "described task": (lambda: described_task(target("ndcg@2").describe()), target("ndcg@2")),
    "next year's": (lambda: described_task({"loss": "x", "labels": {"kind": "classes", "classes": 3}}), None),
    "contained": (
        lambda: [(t.space.m, len(t.space.labels)) for t in contained(target("ndcg", items=4, labels=(0, 1)))],
        [(3, 8), (2, 4)],
    ),
    "of size": (lambda: of_size(target("ndcg@4", items=4), 3).title, "NDCG@4 (NDCG for 3 items)"),
    "matrix": (lambda: discrete.matrix_of(target("wta", items=2)).labels[1:3], ("(0, 1)", "(1, 0)")),
    "matrix task": (lambda: discrete.MatrixTask(Rows(("a", "b")), ("s", "t"), SPAM).loss((1,), (0,)), 5),
    "Kendall": (lambda: discrete.Kendall(Rankings(3)).loss((0, 1, 2), (1, 0, 2)), ONE / 3),
    "gains": (lambda: gains_of(parse("2**s-1", "s"), (0, 1, 2))[2], 3),
    "discounts": (lambda: discounts_of(parse("j", "j"), 3, k=2), (1, HALF, 0)),
    "size": (lambda: [target("ndcg").size, target("zero-one", items=4).size], ["3 items", "4 classes"]),
    "order of atoms": (lambda: [a.v for a in PAIRS.atoms(NDCG, (2, 0, 1))], ALONG),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_by_hand(name):
    found, expected = EXAMPLES[name]
    assert found() == expected


def test_sums_of_maxima():
    psi = polyhedral("crammer-singer", 3)
    hinges = [bayes_hinge(target_losses(psi, name)) for name in ("zero-one", "abstain")]
    assert [len(one.psi[0][0].pieces) for one in hinges] == [7, 6]
    assert target_losses(psi, "abstain:1/4").rows[0] == (0, 1, 1, Fraction(1, 4))
    # Difference graphs of three numbered items without a cycle, and transitive ones (OEIS A003024, A001035).
    cones = [condition_cones(polyhedral("ranksvm", 3), name) for name in ("acyclic", "low-noise")]
    assert list(map(len, cones)) == [25, 19]
