"""Witnesses about tasks, worked out by hand: each small enough to be checked on paper."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from ..oracle.tasks import TASK_FORMAT
from ..witnesses import HINGE, LOGISTIC, Document, sealed

GAIN: Final = "exp(s*log(2))-1"
DISCOUNT: Final = "log(1+j)/log(2)"


def grades(*values: int, items: int = 2) -> Document:
    return {"kind": "grades", "items": items, "grades": list(values)}


def ndcg(items: int = 2) -> Document:
    labels = grades(0, 1, 2, items=items)
    return {"loss": "ndcg", "labels": labels, "gain": GAIN, "discount": DISCOUNT, "k": None}


def err(items: int = 2) -> Document:
    labels = grades(0, 1, 2, items=items)
    return {"loss": "err", "labels": labels, "gain": f"({GAIN})/4", "discount": "j"}


def family(name: str, **parameters: object) -> Document:
    return {"family": name, "name": name, **parameters}


def labels(**probabilities: str) -> list[Document]:
    """From keywords such as y21="3/5": the digits are the label."""
    return [
        {"label": [int(digit) for digit in word[1:]], "probability": p} for word, p in probabilities.items()
    ]


def witness(
    target: Document,
    surrogate: Document,
    distribution: list[Document],
    prediction: str,
    better: str,
    regret: str,
    **others: object,
) -> Document:
    """A document with entries that are often the same, sealed; predictions are digits."""
    document: Document = {
        "format": TASK_FORMAT,
        "claim": "inconsistent",
        "target": target,
        "surrogate": surrogate,
        "decoder": "sort",
        "distribution": distribution,
        "condition": {"name": "any"},
        "scores": None,
        "prediction": [int(digit) for digit in prediction],
        "better": [int(digit) for digit in better],
        "regret": regret,
        "failure": "strict",
        "certificate": {"kind": "mean"},
        "provenance": {"citation": "", "tool": "by hand", "version": "1", "command": "", "note": ""},
    }
    return sealed({**document, **others})


def stationary(*slopes: object) -> Document:
    return {"kind": "stationary", "slopes": list(slopes)}


def softmax() -> Document:
    """E y = (6/5, 1) sorts item 1 first; E G/Z puts item 2 first, since a lone grade 1 counts fully."""
    return witness(
        ndcg(),
        family("softmax", labels="none"),
        labels(y21="3/5", y01="2/5"),
        "01",
        "10",
        "0.0256526",
        scores=["log(6/5)", "0"],
    )


def softmax_exp() -> Document:
    """E exp(y_1)/sum exp(y) = (3/5)·0.731 + (2/5)·0.269 > 1/2: irrational, so no scores are written."""
    return witness(
        ndcg(), family("softmax", labels="exp"), labels(y21="3/5", y01="2/5"), "01", "10", "0.0256526"
    )


def sigmoid() -> Document:
    """t = y/2: E t = (3/5, 1/2)."""
    return witness(
        ndcg(),
        family("sigmoid", f="grade"),
        labels(y21="3/5", y01="2/5"),
        "01",
        "10",
        "0.0256526",
        scores=["log(3/2)", "0"],
    )


def ranknet() -> Document:
    """(3/5) φ(x) + (2/5) φ(-x) is least at log(3/2)."""
    return witness(
        ndcg(),
        family("pairs", phi=LOGISTIC, weights="unit", normalized="none"),
        labels(y21="3/5", y01="2/5"),
        "01",
        "10",
        "0.0256526",
        scores=["log(3/2)", "0"],
        certificate=stationary("-2/5", "-3/5"),
    )


def hinge() -> Document:
    """(3/5) φ(x) + (2/5) φ(-x) has the minimum 1, from which the slope 2/3 of φ at 1 is chosen."""
    return witness(
        ndcg(),
        family("pairs", phi=HINGE, weights="unit", normalized="none"),
        labels(y21="3/5", y01="2/5"),
        "01",
        "10",
        "0.0256526",
        scores=["1", "0"],
        certificate=stationary("-2/3", "-1"),
    )


def list_mle() -> Document:
    """Item 2 comes first with probability 3/5; ERR counts (2/5)·(3/4)/2 against (3/5)·(1/4)/2."""
    return witness(
        err(),
        family("list-mle", ties="average"),
        labels(y20="2/5", y01="3/5"),
        "10",
        "01",
        "0.075",
        scores=["log(2)", "log(3)"],
        certificate=stationary(),
    )


def unique_softmax() -> Document:
    """Its own gain s² weighs the labels (1/5)·4 = (4/5)·1: a tie. ERR has (1/5)·(3/4)/2 < (4/5)·(1/4)/2."""
    return witness(
        err(),
        family("unique-softmax", gain="s**2"),
        labels(y20="1/5", y01="4/5"),
        "01",
        "10",
        "0.025",
        failure="tie",
        scores=["0", "0"],
        certificate=stationary(),
    )


def crammer_singer() -> Document:
    """Without a majority zero scores minimize, and tell no classes apart (Tewari and Bartlett 2007)."""
    return witness(
        {"loss": "zero-one", "labels": {"kind": "classes", "classes": 3}},
        family("crammer-singer"),
        labels(y0="2/5", y1="7/20", y2="1/4"),
        "2",
        "0",
        "0.15",
        decoder="argmax",
        failure="tie",
        scores=["0", "0", "0"],
        certificate=stationary(["0", "5/8", "3/8"], ["0", "5/7", "2/7"], ["0", "3/5", "2/5"]),
    )


def algorithm_1() -> Document:
    """4 → 1 is lightest and goes first, though no cycle needs it; then 4 may stand anywhere."""
    return witness(
        {"loss": "pairwise", "labels": {"kind": "dags", "items": 4}},
        family("pd-least-squares"),
        labels(y01="3/9", y12="3/9", y20="2/9", y30="1/9"),
        "0123",
        "3012",
        "0.111111",
        decoder="algorithm-1",
        failure="tie",
        scores=["1/3", "0", "0", "0", "1/3", "0", "2/9", "0", "0", "1/9", "0", "0"],
    )


def map_diagonal() -> Document:
    """E y/sum y = (5/16, 3/8, 5/16), but 5/12 · 5/8 > 2/3 · 3/8: the pair of items 1 and 3 goes first."""
    return witness(
        {"loss": "map", "labels": grades(0, 1, items=3)},
        family("map-diagonal"),
        labels(y010="3/8", y101="5/8"),
        "102",
        "021",
        "0.0104166",
        scores=["5/16", "3/8", "5/16"],
    )


def map_full() -> Document:
    """The same through the diagonal of E yy'/sum y (RAT13's predMAP)."""
    scores = ["5/16", "0", "5/16", "3/8", "0", "5/16"]
    return sealed(
        {**map_diagonal(), "surrogate": family("map-full"), "decoder": "diagonal", "scores": scores}
    )


def factor() -> Document:
    """Losses 1 + alpha beta, decoded with a wrong offset of the second column."""
    rows = [["0", "1", "2"], ["2", "1", "0"]]
    return witness(
        {"loss": "matrix", "labels": {"kind": "rows", "rows": 2}, "rows": rows},
        family("factor", alpha=[["-1"], ["1"]], beta=[["1"], ["0"], ["-1"]], offset=["0", "-1/2", "0"]),
        labels(y0="2/3", y1="1/3"),
        "1",
        "0",
        "0.333333",
        decoder="linear",
        scores=["-1/3"],
    )


def independent() -> Document:
    """A product measure: E y = (2/3, 3/4), but E G = (1/4, 3/16), and E G decides for ERR (DMJ13)."""
    return witness(
        err(),
        family("regression", f="grade"),
        labels(y21="1/4", y20="1/12", y01="1/2", y00="1/6"),
        "10",
        "01",
        "0.03125",
        scores=["2/3", "3/4"],
        condition={"name": "independent"},
    )


def xgboost() -> Document:
    """The shipped default of rank:pairwise, a gradient field, stands still where the order is wrong."""
    return witness(
        ndcg(),
        {
            "family": "field",
            "name": "xgboost:rank:pairwise",
            "library": "xgboost",
            "objective": "rank:pairwise",
            "lambdarank_pair_method": "topk",
            "lambdarank_num_pair_per_sample": 32,
            "lambdarank_normalization": True,
            "lambdarank_score_normalization": True,
        },
        labels(y01="2/5", y21="3/5"),
        "01",
        "10",
        "0.0256526",
        claim="wrong-equilibrium",
        certificate={"kind": "equilibrium", "box": [["61/100", "63/100"]], "attracting": True},
    )


WITNESSES: Final[Mapping[str, Callable[[], Document]]] = {
    "softmax": softmax,
    "softmax_exp": softmax_exp,
    "sigmoid": sigmoid,
    "ranknet": ranknet,
    "hinge": hinge,
    "list_mle": list_mle,
    "unique_softmax": unique_softmax,
    "crammer_singer": crammer_singer,
    "algorithm_1": algorithm_1,
    "map_diagonal": map_diagonal,
    "map_full": map_full,
    "factor": factor,
    "independent": independent,
    "xgboost": xgboost,
}

REGRETS: Final[Mapping[str, Fraction]] = {
    "list_mle": Fraction(3, 40),
    "unique_softmax": Fraction(1, 40),
    "crammer_singer": Fraction(3, 20),
    "algorithm_1": Fraction(1, 9),
    "map_diagonal": Fraction(1, 96),
    "map_full": Fraction(1, 96),
    "factor": Fraction(1, 3),
    "independent": Fraction(1, 32),
}
"""The regrets that are rational."""
