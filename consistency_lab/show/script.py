"""A witness as a short Python program, which trains a library on it and prints the wrong order."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import lcm
from textwrap import fill
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.certify.minimizers import holds_of_every_minimizer
from consistency_lab.certify.witness import Witness
from consistency_lab.core.certificates import Equilibrium, KnownMean
from consistency_lab.core.document import TIE as TIED
from consistency_lab.core.orders import Sort
from consistency_lab.core.risk import Atom, Direction, Linear, LogSumExp, Max, PhiAtom
from consistency_lab.errors import InputError
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField
from consistency_lab.model.surrogates.tasks.fields import WEIGHTS, field
from consistency_lab.model.tasks.task import PRECISION, Prediction, Task, certainly_above
from consistency_lab.numbers.balls import ORIGIN, ball, rational
from consistency_lab.numbers.exact import working_precision
from consistency_lab.numbers.phi import Expression, enclose_value, parse
from consistency_lab.show.canvas import filled
from consistency_lab.show.decision import TITLES
from consistency_lab.show.task_proof import reached

LIBRARIES: Final = ("lightgbm", "xgboost", "catboost", "torch", "trl")
"""What scripts are written for."""

_LOGISTIC, _SQUARE = parse("log(1+exp(-x))"), parse("x**2")
_MOST_ITEMS, _MOST_ORDERS, _MOST_ROWS = 8, 24, 100_000
COPIES: Final = 20
"""How often a list is repeated, beside its probability, for what a library draws at random."""

_WIDTH: Final = 100

_OFF: Final = {"lambdarank_normalization": False, "lambdarank_score_normalization": False}
OBJECTIVES: Final[Mapping[str, Mapping[str, tuple[str, Mapping[str, object]]]]] = MappingProxyType(
    {
        "lightgbm": {
            "pairs": ("lambdarank", {"lambdarank_norm": False}),
            "squares": ("regression", {}),
            "sigmoids": ("cross_entropy", {}),
        },
        "xgboost": {
            "pairs": ("rank:pairwise", _OFF),
            "squares": ("reg:squarederror", {}),
            "sigmoids": ("reg:logistic", {}),
        },
        "catboost": {
            "pairs": ("PairLogit", {}),
            "squares": ("RMSE", {}),
            "sigmoids": ("CrossEntropy", {}),
            "softmax": ("QuerySoftMax", {}),
            "pair-squares": ("QueryRMSE", {}),
        },
    }
)
"""The objective of each library that is, with these parameters, one of the losses of the proof."""

_POINTWISE: Final = ("squares", "sigmoids")
_TREES: Final[Mapping[str, Mapping[str, object]]] = {
    "lightgbm": {
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0,
        "min_data_in_bin": 1,
        "num_threads": 1,
        "verbose": -1,
    },
    "xgboost": {"min_child_weight": 0, "nthread": 1, "verbosity": 0},
    "catboost": {
        "iterations": 2000,
        "l2_leaf_reg": 1e-6,
        "bootstrap_type": "No",
        "thread_count": 1,
        "allow_writing_files": False,
        "logging_level": "Silent",
    },
}
"""What keeps trees from splitting so few rows is turned off, and so is chance."""


def script(witness: Witness, library: str, source: str) -> str:
    """A program that trains a library on the distribution of a witness, and says what order it learns."""
    proof = witness.proof
    if type(library) is not str or library not in LIBRARIES:
        raise InputError(f"expected one of {', '.join(LIBRARIES)}, got {library!r}")
    if type(proof.decoder) is not Sort:
        raise InputError("a script sorts items by their scores, but this witness uses another decoder")
    if "features" in witness.document["named"]:
        raise InputError("a script has a free score for every item, but here scores are linear in features")
    m = len(proof.coordinates)
    if m > _MOST_ITEMS:
        raise InputError(f"a script tries all orders of at most {_MOST_ITEMS} items, but here are {m}")
    optimal = _optimal(witness)
    try:
        given = _given(witness, library)
    except InputError as error:
        others = [other for other in LIBRARIES if other != library and _fits(witness, other)]
        where = f"--script {' or '.join(others)} does" if others else "no other script does"
        raise InputError(f"{error}; {where}") from None
    return filled(
        __file__,
        f"script_{'boosted' if library in OBJECTIVES else 'torch'}.py.j2",
        **given,
        library=library,
        command=f"consistency-lab show {plain(source)} --script {library}",
        docstring=docstring(f"{given['about']} Proved: {witness.verified.sentence}."),
        items=f"[{', '.join(map(ascii, proof.coordinates))}]",
        optimal=laid("optimal = ", [ascii(order) for order in optimal]),
        m=m,
        tie=witness.failure == TIED,
    )


def _given(witness: Witness, library: str) -> Mapping[str, object]:
    return (_boosted if library in OBJECTIVES else _torch)(witness, library)


def _fits(witness: Witness, library: str) -> bool:
    try:
        return bool(_given(witness, library))
    except InputError:
        return False


def plain(text: str) -> str:
    """Text that may stand in a docstring or a comment."""
    return ascii(text)[1:-1].replace('"', "'").replace("\\", "/")


def docstring(text: str) -> str:
    """A docstring in lines that are not too long."""
    return fill(f'"""{text}"""', _WIDTH, break_long_words=False)


def laid(head: str, parts: Sequence[str], join: str = ", ", around: str = "[]") -> str:
    """Code that joins parts, in one line or in several; "" stands for brackets only around several."""
    around = around or "()" * (len(head) + len(join.join(parts)) > _WIDTH)
    start, end = around[:1], around[1:]
    return fill(
        join.join(part.replace(" ", "\0") for part in parts) + end,
        _WIDTH,
        initial_indent=head + start,
        subsequent_indent=" " * len(head + start),
        break_long_words=False,
        break_on_hyphens=False,
    ).replace("\0", " ")


def _optimal(witness: Witness) -> list[str]:
    if isinstance(witness.about, Distribution):
        orders = list(witness.optimum.orders(_MOST_ORDERS + 1))
    else:
        orders = of_least_loss(witness.asked.task, witness.asked.weights)
    if len(orders) > _MOST_ORDERS:
        raise InputError(f"more than {_MOST_ORDERS} orders are optimal here, too many for a short script")
    names = witness.proof.coordinates
    return [" > ".join(names[k] for k in order) for order in orders]


def of_least_loss(task: Task, weights: Mapping[Label, Fraction]) -> list[Prediction]:
    """The predictions that are not certainly worse than another one."""
    with working_precision(PRECISION):
        losses = {t: task.expected_loss(weights, t) for t in task.predictions}
        return [t for t, x in losses.items() if not any(certainly_above(x, y) for y in losses.values())]


# --- PyTorch: the risk of the proof, term by term ---------------------------------------------------------

# What is trained where the proof tells numbers f of each label: the scores s, which are v but for "chances".
_RISKS: Final[Mapping[str, str]] = {
    "squares": "((s - f) ** 2).sum()",
    "pair-squares": "((s[:, None] - s - f[:, None] + f) ** 2).sum() / 2",
    "softmax": "-(f * torch.log_softmax(s, 0)).sum()",
    "sigmoids": "(softplus(s) - f * s).sum()",
    "chances": "softplus(torch.where(f[:, None] > torch.arange({levels}), -v, v)).sum()",
    "soft-pairs": "(f * torch.sigmoid({gap})).sum()",
    "ndcg": "-(f / torch.log2(1 + rank(s))).sum()",
    "mrr": "-(f / rank(s)).sum()",
    "poly": (
        "(-(f * torch.log_softmax(s, 0)).sum() - {rate}(f / f.sum().clamp(1) * torch.softmax(s, 0)).sum())"
    ),
    "sorted-rows": "-(matrix(f) * matrix({rate}s).log()).sum() / {m} * f.any()",
    "sorted-gains": "-((matrix({rate}s) * f).sum(1) / torch.log2(torch.arange(2.0, {m} + 2))).sum()",
}
_RANK: Final = ("rank", "0.5 + torch.sigmoid({gap}).sum(1)")
_MATRIX: Final = ("matrix", "torch.softmax({rows}[:, None] * s - (s[:, None] - s).abs().sum(1), 1)")
_FUNCTIONS: Final = MappingProxyType(
    {"ndcg": _RANK, "mrr": _RANK, "sorted-rows": _MATRIX, "sorted-gains": _MATRIX}
)
_SMOOTH: Final = {"optimizer": "Adam", "rate": "0.05", "steps": 2000}
_KINKED: Final = {"optimizer": "Adagrad", "rate": "1", "steps": 3000, "decay": "0.997"}
_GENTLE: Final = {"optimizer": "SGD", "steps": 3000}
_STAYING: Final = {"optimizer": "SGD", "rate": "1e-5", "steps": 1000}
"""At a kink steps end only if their rate falls. The last two follow the gradient, where it matters which of
several minima is reached."""

# The losses that libraries ship as gradient fields: the risk, the numbers of a label, and the name of 1/T.
_LOSSES: Final[Mapping[str, tuple[str, str, str]]] = {
    "tf-ranking:pairwise_soft_zero_one_loss": ("soft-pairs", "pairs", "temperature"),
    "rax:pairwise_soft_zero_one_loss": ("soft-pairs", "mean", ""),
    "tf-ranking:approx_ndcg_loss": ("ndcg", "ndcg", "temperature"),
    "allrank:approxNDCGLoss": ("ndcg", "ndcg", "alpha"),
    "tf-ranking:approx_mrr_loss": ("mrr", "mrr", "temperature"),
    "rax:poly1_softmax_loss": ("poly", "grades", "epsilon"),
    "tf-ranking:neural_sort_cross_entropy_loss": ("sorted-rows", "grades", "temperature"),
    "tf-ranking:neural_sort_ndcg_loss": ("sorted-gains", "ndcg", "temperature"),
}


_REWARDS: Final = "0.1 * (torch.log_softmax(logits, 0) - reference)[:-1]  # rewards, beta log(pi / pi_ref)"


def _torch(witness: Witness, library: str) -> Mapping[str, object]:
    m, called = len(witness.proof.coordinates), plain(witness.verified.called)
    given: dict[str, Any] = {"about": f"PyTorch trains {called}.", "trained": "s", "start": f"zeros({m}"}
    given |= dict.fromkeys(("scores", "function", "data", "decay", "newton"), "")
    entry = witness.document["named"].get("surrogate", {})
    if library == "trl":
        if entry.get("family") not in ("edge", "answers") or entry.get("each", "0") != "0":
            raise InputError(
                "TRL trains on the rewards of a chosen and a rejected answer, and this loss has another form"
            )
        given |= {"start": repr([-30.0] * m + [0.0]), "trained": "logits", "scores": _REWARDS}
        given["about"] = f"PyTorch trains the loss {called} of TRL with a policy that is a table of logits."
    if type(witness.proof.certificate) is KnownMean:
        return given | _of_means(witness)
    return given | (_of_atoms(witness, library) if witness.verified.atoms else _of_field(witness))


def _of_atoms(witness: Witness, library: str) -> dict[str, Any]:
    atoms = witness.verified.atoms
    phis = list(dict.fromkeys(atom.phi for atom in atoms if isinstance(atom, PhiAtom)))
    called = {phi: "phi" if len(phis) == 1 else f"phi_{k}" for k, phi in enumerate(phis, start=1)}
    smooth = not any(isinstance(atom, Max) for atom in atoms) and not any(map(_has_kink, phis))
    given: dict[str, Any] = dict(_SMOOTH if smooth else _KINKED)
    if not holds_of_every_minimizer(witness.verified):
        if library == "trl":
            raise InputError(
                "the file is about one of several minimizers, and training may reach another one"
            )
        start = [round(_float(x.ball()), 6) for x in witness.scores]
        given = {**_STAYING, "start": f"tensor({start}"}
        given["about"] = f"PyTorch trains {plain(witness.verified.called)} from one of several minimizers."
    return {
        **given,
        "function": "\n".join(f"{called[phi]} = lambda x: {_in_torch(phi)}" for phi in phis),
        "loss": laid("    loss = ", [_part(atom, called) for atom in atoms], " + ", ""),
    }


def _of_means(witness: Witness) -> dict[str, Any]:
    proof, certificate, rate = witness.proof, witness.proof.certificate, Fraction(1)
    assert isinstance(certificate, KnownMean)
    risk, m, levels = certificate.risk, len(proof.coordinates), 0
    rows = [_texts(label.features) for label in proof.labels]
    if risk in ("positions", "soft-pairs"):
        loss = None if isinstance(witness.about, Distribution) else witness.asked.surrogate
        rate = 1 / Fraction(getattr(loss, "temperature", 1))
        if risk == "positions":
            risk = str(getattr(loss, "metric", risk))
        else:
            rows = [_square(m, label.features) for label in proof.labels]
    if risk not in _RISKS:
        raise InputError(f"the risk of {witness.verified.called} has no formula for PyTorch here")
    if risk == "chances":
        levels = max(int(_float(x)) for label in proof.labels for x in label.features)
    given = _risk(witness, risk, [f"torch.tensor({row})" for row in rows], rate, levels)
    chances = {"start": f"zeros({m}, {levels}", "trained": "v", "scores": "torch.sigmoid(v).sum(1)"}
    return given | chances if levels else given


def _of_field(witness: Witness) -> dict[str, Any]:
    loss, certificate = witness.asked.surrogate, witness.proof.certificate
    if not isinstance(loss, ShippedField) or loss.name not in _LOSSES:
        raise InputError(
            f"{witness.verified.called} is not the gradient of any loss, so PyTorch has nothing to minimize"
        )
    risk, numbers, name = _LOSSES[loss.name]
    value = Fraction(str(loss.field.parameters.get(name, 1)))
    rows = [_numbers(label, numbers) for label in witness.asked.weights]
    given = _risk(witness, risk, rows, 1 / value if name == "temperature" else value)
    if reached(witness.document):
        return given
    assert isinstance(certificate, Equilibrium)
    start = [*(round(float((low + high) / 2), 2) for low, high in certificate.box), 0.0]
    given["start"] = f"tensor({start}"
    if certificate.attracting:
        about = f"PyTorch trains {plain(loss.name)} from near the wrong equilibrium, which attracts."
        return given | {"about": about}
    about = f"Newton's method finds where {plain(loss.name)} stands still; training from zero ends elsewhere."
    return given | {"about": about, "newton": True}


def _risk(
    witness: Witness, risk: str, rows: Sequence[str], rate: Fraction, levels: int = 0
) -> dict[str, Any]:
    m, times = len(witness.proof.coordinates), "" if rate == 1 else f"{_wrapped(str(rate))} * "
    words = {
        "rate": times,
        "gap": f"{times}(s - s[:, None])" if times else "s - s[:, None]",
        "rows": f"torch.arange({m - 1}.0, -{m}, -2)",
        "levels": levels,
        "m": m,
    }
    parts = [f"({label.probability}, {row})" for label, row in zip(witness.proof.labels, rows, strict=True)]
    name, body = _FUNCTIONS.get(risk, ("", ""))
    largest = Fraction(1, 10) if name == "matrix" else Fraction(1)
    return {
        **(_GENTLE if name or risk == "soft-pairs" else _SMOOTH),
        **({"rate": repr(float(min(largest, 2 / rate**2)))} if name or risk == "soft-pairs" else {}),
        "data": laid("labels = ", parts),
        "function": f"{name} = lambda s: {body.format(**words)}" if name else "",
        "loss": f"    loss = sum(p * {_RISKS[risk].format(**words)} for p, f in labels)",
    }


def _texts(row: Iterable[Any]) -> str:
    return f"[{', '.join(map(_number, row))}]"


def _square(m: int, row: Iterable[Any]) -> str:
    """The numbers of the ordered pairs, row by row, as a matrix."""
    rest = iter(row)
    return f"[{', '.join(_texts([ORIGIN if i == j else next(rest) for j in range(m)]) for i in range(m))}]"


def _numbers(label: Label, kind: str) -> str:
    """What is written for a label: its grades, what it weighs the items with, or which pairs it prefers."""
    if kind == "grades":
        return f"torch.tensor({list(map(float, label))})"
    if kind in WEIGHTS:
        return f"torch.tensor({[round(float(x), 6) for x in WEIGHTS[kind](label)]})"
    pairs = [[int(a > b) for b in label] for a in label]
    count = sum(map(sum, pairs)) if kind == "mean" else 1
    return f"torch.tensor({pairs})" + (f" / {count}" if count > 1 else "")


def _part(atom: Atom, called: Mapping[Expression, str]) -> str:
    times = "" if atom.c == 1 else f"{atom.c} * "
    if isinstance(atom, PhiAtom):
        offset = "" if atom.b == ORIGIN else f" - {_wrapped(_number(atom.b))}"
        return f"{times}{called[atom.phi]}({_sum(atom.v)}{offset})"
    if isinstance(atom, LogSumExp):
        return f"{times}torch.logsumexp(s[{list(atom.over)}], 0)"
    if isinstance(atom, Max):
        pieces = ", ".join(f"{_sum(v)} + {_wrapped(str(b))}" for v, b in atom.pieces)
        return f"{times}torch.stack([{pieces}]).max()"
    assert isinstance(atom, Linear)
    return f"{atom.c} * ({_sum(atom.v)})"


def _sum(v: Direction) -> str:
    first, *rest = sorted(v, key=lambda entry: entry[1] < 0)
    parts = [("-" if first[1] < 0 else "") + _times(*first)]
    return " ".join(parts + [("- " if n < 0 else "+ ") + _times(k, n) for k, n in rest])


def _times(k: int, n: Fraction) -> str:
    return f"s[{k}]" if abs(n) == 1 else f"{abs(n)} * s[{k}]"


def _wrapped(text: str) -> str:
    return text if text.replace(".", "").isalnum() else f"({text})"


def _number(x: Any) -> str:
    exact = rational(x)
    return repr(_float(x)) if exact is None else str(exact)


def _float(x: Any) -> float:
    return float(ball(x).mid())


def _has_kink(e: Expression) -> bool:
    if e.op == "power" and e.exponent > 1:  # the square of max(0, 1-x) has none
        return False
    return e.op in ("abs", "max", "min") or any(map(_has_kink, e.args))


_SIGNS: Final = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "power": "**"}
_CHOICES: Final = {"max": ("clamp({}, min={})", "maximum"), "min": ("clamp({}, max={})", "minimum")}


def _in_torch(e: Expression) -> str:
    """An expression in x as PyTorch writes it; what has no x in it is a number."""
    if e.op == "variable":
        return "x"
    if not _varies(e):
        return _wrapped(str(e.value)) if e.value is not None else repr(_float(enclose_value(e, ORIGIN)))
    if e.op == "power":
        return f"{_tight(e.args[0])} ** {_wrapped(str(e.exponent))}"
    if e.op in _SIGNS:
        return f" {_SIGNS[e.op]} ".join(map(_tight, e.args))
    if e.op == "negate":
        return f"-{_tight(e.args[0])}"
    if e.op not in _CHOICES:
        return f"torch.{e.op}({_in_torch(e.args[0])})"
    clamp, function = _CHOICES[e.op]
    varying, fixed = ([_in_torch(one) for one in e.args if _varies(one) is x] for x in (True, False))
    found = reduce(lambda a, b: f"torch.{function}({a}, {b})", varying)
    return reduce(lambda a, b: f"torch.{clamp.format(a, b)}", fixed, found)


def _tight(e: Expression) -> str:
    """The same, in brackets where a sign beside it could take it apart."""
    text = _in_torch(e)
    return f"({text})" if _varies(e) and e.op in (*_SIGNS, "negate") else text


def _varies(e: Expression) -> bool:
    return e.op == "variable" or any(map(_varies, e.args))


# --- Libraries of boosted trees: an objective of their own that is this loss ------------------------------


def _boosted(witness: Witness, library: str) -> Mapping[str, object]:
    title, m, called = TITLES[library], len(witness.proof.coordinates), plain(witness.verified.called)
    loss = None if isinstance(witness.about, Distribution) else witness.asked.surrogate
    if isinstance(loss, ShippedField) and loss.name.partition(":")[0] in OBJECTIVES:
        kind, objective, own, rows = "lists", *_shipped(witness, loss, library)
        about = f"{title} trains {objective}, with its defaults but leaves of single rows."
    else:
        kind, rows = _kind(witness)
        if kind not in OBJECTIVES[library]:
            raise InputError(f"{title} has no objective that is {witness.verified.called} here")
        objective, own = OBJECTIVES[library][kind]
        about = f"{title} trains {objective}, which is {called} here."
    name = "loss_function" if library == "catboost" else "objective"
    return {
        "about": about,
        "imports": imports(library),
        "pairs": kind == "pairs",
        "data": _data(library, kind, rows),
        "grouped": kind not in _POINTWISE,
        "parameters": written({name: objective, **own, **trees(library, m)}),
    }


def _shipped(
    witness: Witness, loss: ShippedField, library: str
) -> tuple[str, Mapping[str, object], list[tuple[str, int]]]:
    """The objective and parameters of what a library ships by default, and the lists of the witness."""
    of, _, objective = loss.name.partition(":")
    if of != library:
        raise InputError(f"{TITLES[library]} does not ship {loss.name}")
    if not reached(witness.document):
        raise InputError(
            "training from zero scores does not end at the equilibrium of this witness (in floating point)"
        )
    named = {key: _value(x) for key, x in loss.field.parameters.items()}
    usual = field(loss.name).parameters
    chosen = {key: x for key, x in named.items() if loss.field.parameters[key] != usual[key]}
    if library == "catboost":  # It has the parameters of an objective in its name.
        objective += ":" + ";".join(f"{key}={str(x).lower()}" for key, x in named.items())
        chosen = {}
    labels = _counted([str(list(label)) for label in witness.asked.weights], witness.asked.weights.values())
    return objective, chosen, [(label, COPIES * n) for label, n in labels]


def _kind(witness: Witness) -> tuple[str, list[tuple[str, int]]]:
    """Which loss the risk is, and its lists or pairs with their counts; "" if it is none of those."""
    proof = witness.proof
    if type(proof.certificate) is KnownMean:
        rows = [_texts(label.features) for label in proof.labels]
        return proof.certificate.risk, _counted(rows, [label.probability for label in proof.labels])
    terms = [atom for atom in witness.verified.atoms if isinstance(atom, PhiAtom)]
    if len(terms) < len(witness.verified.atoms) or not terms:
        return "", []
    if all(t.phi == _LOGISTIC and t.b == ORIGIN and sorted(n for _, n in t.v) == [-1, 1] for t in terms):
        ends = [{int(n): k for k, n in t.v} for t in terms]
        return "pairs", _counted([str([end[1], end[-1]]) for end in ends], [t.c for t in terms])
    if all(t.phi == _SQUARE and [n for _, n in t.v] == [1] and t.c == 1 for t in terms):
        targets = {t.v[0][0]: t.b for t in terms}
        if sorted(targets) == list(range(len(proof.coordinates))) and len(targets) == len(terms):
            return "squares", [(_texts([targets[k] for k in sorted(targets)]), 1)]
    return "", []


def _data(library: str, kind: str, rows: Sequence[tuple[str, int]]) -> str:
    if kind != "pairs":
        return repeated("lists", rows) + "  # a number for each item"
    if library != "catboost":
        return repeated("pairs", rows) + "  # preferred, rejected"
    pairs, counts = laid("pairs = ", [pair for pair, _ in rows]), laid("counts = ", [str(n) for _, n in rows])
    return f"{pairs}  # preferred, rejected\n{counts}"


def repeated(name: str, rows: Sequence[tuple[str, int]]) -> str:
    """A list in which each row stands as often as it is counted."""
    return laid(f"{name} = ", [f"[{row}]" + (f" * {n}" if n > 1 else "") for row, n in rows], " + ", "")


def _counted(rows: Sequence[str], weights: Collection[Fraction]) -> list[tuple[str, int]]:
    """Each row with its weight as a whole number."""
    whole = lcm(*(p.denominator for p in weights))
    counts = [int(p * whole) for p in weights]
    if sum(counts) > _MOST_ROWS:
        raise InputError(f"the weights need {sum(counts)} rows, more than {_MOST_ROWS}")
    return list(zip(rows, counts, strict=True))


def imports(library: str) -> str:
    """What a program imports, in the order of the alphabet."""
    return "\n".join(sorted([f"import {library}", "import numpy as np"]))


def written(parameters: Mapping[str, object]) -> str:
    """Parameters of a library, in lines."""
    entries = [f'"{key}": {value!r}'.replace("'", '"') for key, value in parameters.items()]
    return laid("parameters = ", entries, around="{}")


def trees(library: str, m: int) -> Mapping[str, object]:
    """What lets a library learn a score for each of m items."""
    return {**({"num_leaves": m} if library == "lightgbm" else {}), **_TREES[library]}


def _value(x: object) -> object:
    """A parameter as libraries take it: rationals, which are texts here, as floats."""
    if isinstance(x, tuple):
        return list(map(_value, x))
    return float(Fraction(x)) if isinstance(x, str) and x[:1].isdigit() else x
