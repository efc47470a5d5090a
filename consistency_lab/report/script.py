"""A witness as a short Python program, which trains a library on it and prints the wrong order."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import lcm
from textwrap import fill
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.certify.minimizers import holds_of_every_minimizer
from consistency_lab.certify.witness import Witness
from consistency_lab.core.certificates import KnownMean
from consistency_lab.core.document import TIE as TIED
from consistency_lab.core.numbers import ball, rational
from consistency_lab.core.orders import Sort
from consistency_lab.core.risk import Atom, Direction, Linear, LogSumExp, Max, Term
from consistency_lab.errors import InputError
from consistency_lab.exact import LogRational, working_precision
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField
from consistency_lab.model.tasks.task import PRECISION, Prediction, Task, certainly_above
from consistency_lab.phi import Expression, enclose_value, parse
from consistency_lab.report.pages import filled
from consistency_lab.report.task_proof import reached

LIBRARIES: Final = ("lightgbm", "xgboost", "catboost", "torch", "trl")
"""What scripts are written for."""

TITLES: Final = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "catboost": "CatBoost"}
_LOGISTIC, _SQUARE = parse("log(1+exp(-x))"), parse("x**2")
TIE: Final = MappingProxyType(dict.fromkeys(LIBRARIES, "1e-3") | {"torch": "1e-5", "trl": "1e-5"})
_MOST_ITEMS, _MOST_ORDERS, _MOST_ROWS = 8, 24, 100_000
_COPIES: Final = 20
"""How often a list is repeated, beside its probability, for what a library draws at random."""

# The objective of each library that is, with these parameters, one of the losses of the proof.
_OFF: Final = {"lambdarank_normalization": False, "lambdarank_score_normalization": False}
_OBJECTIVES: Final[Mapping[str, Mapping[str, tuple[str, Mapping[str, object]]]]] = MappingProxyType(
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
_POINTWISE: Final = ("squares", "sigmoids")
_SAME_AGAIN: Final[Mapping[str, Mapping[str, object]]] = MappingProxyType(
    {
        "lightgbm": {
            "min_data_in_leaf": 1,
            "min_sum_hessian_in_leaf": 0,
            "min_data_in_bin": 1,
            "feature_pre_filter": False,
            "num_threads": 1,
            "deterministic": True,
            "force_row_wise": True,
            "seed": 0,
            "verbose": -1,
        },
        "xgboost": {"min_child_weight": 0, "nthread": 1, "seed": 0, "verbosity": 0},
        "catboost": {
            "iterations": 2000,
            "l2_leaf_reg": 1e-6,
            "bootstrap_type": "No",
            "thread_count": 1,
            "random_seed": 0,
            "allow_writing_files": False,
            "logging_level": "Silent",
        },
    }
)
"""What keeps trees from splitting so few rows is turned off, and so is chance."""


def script(witness: Witness, library: str, source: str) -> str:
    """A program that trains a library on the distribution of a witness, and says what order it learns.

    Parameters
    ----------
    witness
        About an order of items.
    library
        One of `LIBRARIES`.
    source
        The name of its file.

    Raises
    ------
    InputError
        If the library has no such loss, with one that has.

    Examples
    --------
    >>> from consistency_lab.certify.witness import certify
    >>> from consistency_lab.model.distribution import Distribution
    >>> from consistency_lab.model.surrogates import surrogate
    >>> counts = Distribution.from_aggregate([[0, 3, 8], [0, 0, 1], [4, 0, 0]])
    >>> text = script(certify(surrogate("logistic"), counts), "catboost", "mine.json")
    >>> [line for line in text.splitlines() if line.startswith("PAIRS")]
    ['PAIRS = [(0, 1, 3), (0, 2, 8), (1, 2, 1), (2, 0, 4)]  # preferred, rejected, how often']
    """
    proof = witness.proof
    if type(library) is not str or library not in LIBRARIES:
        raise InputError(f"expected one of {', '.join(LIBRARIES)}, got {library!r}")
    if type(proof.decoder) is not Sort:
        raise InputError("a script sorts items by their scores, and this witness has another decoder")
    if "features" in witness.document["named"]:
        raise InputError("a script has a score for every item, and the scores here are linear in features")
    m = len(proof.coordinates)
    if m > _MOST_ITEMS:
        raise InputError(f"a script tries all orders of at most {_MOST_ITEMS} items, and here are {m}")
    common = {
        "library": library,
        "command": f"consistency-lab show {plain(source)} --script {library}",
        "loss": plain(witness.verified.called),
        "proved": witness.verified.sentence,
        "items": literal(proof.coordinates),
        "optimal": literal(_optimal(witness)),
        "m": m,
        "tie": TIE[library],
    }
    try:
        return filled(_TEMPLATES[library], **common | dict(_FILLED[library](witness, library)))
    except InputError as error:
        others = [other for other in LIBRARIES if other != library and _fits(witness, other)]
        where = f"--script {' or '.join(others)} does" if others else "no other script does"
        raise InputError(f"{error}; {where}") from None


def _fits(witness: Witness, library: str) -> bool:
    try:
        _FILLED[library](witness, library)
    except InputError:
        return False
    return True


def plain(text: str) -> str:
    """Text that may stand in a docstring."""
    return ascii(text)[1:-1].replace('"', "'").replace("\\", "/")


def literal(names: Sequence[str]) -> str:
    """A list of texts."""
    return "[" + ", ".join(ascii(name) for name in names) + "]"


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

_MEANS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "squares": "((s - f) ** 2).sum()",
        "pair-squares": "((s[:, None] - s - f[:, None] + f) ** 2).sum() / 2",
        "softmax": "-(f * torch.log_softmax(s, 0)).sum()",
        "sigmoids": 'torch.nn.functional.binary_cross_entropy_with_logits(s, f, reduction="sum")',
        "chances": (
            "torch.nn.functional.softplus(torch.where(f[:, None] > torch.arange(s.shape[1]), -s, s)).sum()"
        ),
    }
)
"""The convex risks of which the mean of numbers is known, for the scores s and the numbers f of a label."""


def _torch(witness: Witness, library: str) -> Mapping[str, object]:
    proof, m = witness.proof, len(witness.proof.coordinates)
    trl = library == "trl"
    if trl:
        entry = witness.document["named"].get("surrogate", {})
        if entry.get("family") not in ("edge", "answers") or entry.get("each", "0") != "0":
            raise InputError("TRL trains rewards of a chosen and a rejected answer, and this loss is another")
    given: dict[str, object] = {"start": "", "raw": False, "shape": str(m), "scores": "w", "smooth": True}
    if trl:
        given["start"] = repr([-30.0] * m + [0.0])
    if type(proof.certificate) is KnownMean:
        risk = proof.certificate.risk
        if risk not in _MEANS:
            raise InputError(
                f"the risk of {witness.verified.called} is not convex, and training may end anywhere"
            )
        if risk == "chances":
            most = max(int(_float(x)) for label in proof.labels for x in label.features)
            given |= {"raw": True, "shape": f"{m}, {most}", "scores": "torch.sigmoid(w).sum(1)"}
        parts = [
            f"+ {label.probability} * loss(s, [{', '.join(map(_number, label.features))}])"
            for label in proof.labels
        ]
        return {
            **given,
            "functions": [
                ("loss(s, f)", ["f = torch.tensor(f, dtype=torch.float64)", f"return {_MEANS[risk]}"])
            ],
            "parts": parts,
        }
    atoms = witness.verified.atoms
    if not atoms:
        raise InputError(
            f"{witness.verified.called} is a gradient field, and no loss that torch could descend"
        )
    phis = list(dict.fromkeys(atom.phi for atom in atoms if isinstance(atom, Term)))
    called = {phi: "phi" if len(phis) == 1 else f"phi_{k}" for k, phi in enumerate(phis, start=1)}
    smooth = not any(isinstance(atom, Max) for atom in atoms) and not any(map(_has_kink, phis))
    every = holds_of_every_minimizer(witness.verified)
    if not every and (trl or witness.failure == TIED):
        raise InputError("the file is about one of several minimizers, and training may end at another one")
    if not every:
        given["start"] = repr([round(_float(x.ball()), 6) for x in witness.scores])
    whole = sum(
        (atom.c * sum(abs(n) for v in atom.directions() for _, n in v) for atom in atoms), Fraction(0)
    )
    return {
        **given,
        "functions": [(f"{called[phi]}(x)", [f"return {_in_torch(phi)}"]) for phi in phis],
        "parts": [f"+ {_part(atom, called)}" for atom in atoms],
        "smooth": smooth,
        "total": str(float(whole)),
        **({} if smooth else {"tie": "1e-2"}),
    }


def _part(atom: Atom, called: Mapping[Expression, str]) -> str:
    if isinstance(atom, Term):
        offset = "" if atom.b == LogRational(Fraction(0)) else f" - {_wrapped(_number(atom.b))}"
        return f"{atom.c} * {called[atom.phi]}({_sum(atom.v)}{offset})"
    if isinstance(atom, LogSumExp):
        return f"{atom.c} * torch.logsumexp(s[{list(atom.over)}], 0)"
    if isinstance(atom, Max):
        pieces = ", ".join(f"{_sum(v)} + {_wrapped(str(b))}" for v, b in atom.pieces)
        return f"{atom.c} * torch.stack([{pieces}]).max()"
    assert isinstance(atom, Linear)
    return f"{atom.c} * ({_sum(atom.v)})"


def _sum(v: Direction) -> str:
    parts = [f"s[{k}]" if abs(n) == 1 else f"{abs(n)} * s[{k}]" for k, n in v]
    signs = ["-" if n < 0 else "+" for _, n in v]
    rest = "".join(f" {sign} {part}" for sign, part in zip(signs[1:], parts[1:], strict=True))
    return f"{'-' if signs[0] == '-' else ''}{parts[0]}{rest}"


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
        return _wrapped(str(e.value)) if e.value is not None else repr(_float(enclose_value(e, _ZERO)))
    if e.op == "power":
        return f"({_in_torch(e.args[0])}) ** ({e.exponent})"
    parts = [_in_torch(child) for child in e.args]
    if e.op in _SIGNS:
        left, right = (
            p if child.op in ("variable", "number", "exp", "log") else f"({p})"
            for p, child in zip(parts, e.args, strict=True)
        )
        return f"{left} {_SIGNS[e.op]} {right}"
    if e.op == "negate":
        return f"-{parts[0]}" if e.args[0].op == "variable" else f"-({parts[0]})"
    if e.op not in _CHOICES:
        return f"torch.{e.op}({parts[0]})"
    clamp, function = _CHOICES[e.op]
    varying = [p for p, child in zip(parts, e.args, strict=True) if _varies(child)]
    found = reduce(lambda a, b: f"torch.{function}({a}, {b})", varying)
    for p, child in zip(parts, e.args, strict=True):
        if not _varies(child):
            found = f"torch.{clamp.format(found, p)}"
    return found


_ZERO: Final = LogRational(Fraction(0))


def _varies(e: Expression) -> bool:
    return e.op == "variable" or any(map(_varies, e.args))


# --- Libraries of boosted trees: an objective of their own that is this loss ------------------------------


def _boosted(witness: Witness, library: str) -> Mapping[str, object]:
    shipped = _shipped(witness)
    if shipped is not None:
        return _shipped_lists(witness, library, *shipped)
    kind, data = _kind(witness)
    known = _OBJECTIVES[library]
    if kind not in known:
        raise InputError(f"{TITLES[library]} has no objective that is {witness.verified.called} here")
    objective, parameters = known[kind]
    given = {"title": TITLES[library], "objective": objective, "pairs": "", "lists": "", "what": "target"}
    given["about"] = f"the loss {plain(witness.verified.called)} here"
    given["pairs" if kind == "pairs" else "lists"] = data
    return {
        **given,
        "grouped": kind not in _POINTWISE,
        "parameters": written({**parameters, **trees(library, len(witness.proof.coordinates))}),
    }


def _kind(witness: Witness) -> tuple[str, str]:
    """Which loss the risk is, and its data as the program has them; "" if it is none of those."""
    proof = witness.proof
    if type(proof.certificate) is KnownMean:
        counts = _whole([label.probability for label in proof.labels])
        rows = [
            (tuple(map(_number, label.features)), n) for label, n in zip(proof.labels, counts, strict=True)
        ]
        return proof.certificate.risk, _lists(rows)
    terms = [atom for atom in witness.verified.atoms if isinstance(atom, Term)]
    if len(terms) < len(witness.verified.atoms) or not terms:
        return "", ""
    if all(t.phi == _LOGISTIC and t.b == _ZERO and sorted(n for _, n in t.v) == [-1, 1] for t in terms):
        counts = _whole([t.c for t in terms])
        ends = [{int(n): k for k, n in t.v} for t in terms]
        pairs = [(end[1], end[-1], n) for end, n in zip(ends, counts, strict=True)]
        return "pairs", repr(pairs)
    if all(t.phi == _SQUARE and [n for _, n in t.v] == [1] and t.c == 1 for t in terms):
        targets = {t.v[0][0]: _number(t.b) for t in terms}
        if sorted(targets) == list(range(len(proof.coordinates))) and len(targets) == len(terms):
            return "squares", _lists([(tuple(targets[k] for k in sorted(targets)), 1)])
    return "", ""


def _lists(rows: Sequence[tuple[tuple[str, ...], int]]) -> str:
    return "[" + ", ".join(f"(({', '.join(values)}), {n})" for values, n in rows) + "]"


def _whole(weights: Sequence[Fraction]) -> list[int]:
    whole = lcm(*(p.denominator for p in weights))
    counts = [int(p * whole) for p in weights]
    if sum(counts) > _MOST_ROWS:
        raise InputError(f"the weights need {sum(counts)} rows, more than {_MOST_ROWS}")
    return counts


def written(parameters: Mapping[str, object]) -> str:
    """Parameters of a library, in lines."""
    entries = ", ".join(f'"{key}": {value!r}'.replace("'", '"') for key, value in parameters.items())
    return fill(entries, 100, initial_indent="    ", subsequent_indent="    ")


def trees(library: str, m: int) -> Mapping[str, object]:
    """What lets a library learn a score for each of m items."""
    return {**({"num_leaves": m} if library == "lightgbm" else {}), **_SAME_AGAIN[library]}


def _shipped(witness: Witness) -> tuple[str, str] | None:
    """Library and objective, if the witness is about what a library ships by default."""
    if isinstance(witness.about, Distribution) or not isinstance(witness.asked.surrogate, ShippedField):
        return None
    library, _, objective = witness.asked.surrogate.name.partition(":")
    return (library, objective) if library in _OBJECTIVES else None


def _shipped_lists(witness: Witness, library: str, of: str, objective: str) -> Mapping[str, object]:
    if of != library:
        raise InputError(f"{TITLES[library]} does not ship {of}:{objective}")
    if not reached(witness.document):
        raise InputError(
            "training from zero scores does not end at the equilibrium of this witness (in floating point)"
        )
    assert isinstance(witness.asked.surrogate, ShippedField)
    field = witness.asked.surrogate.field
    chosen = {key: value for key, value in field.describe().items() if type(value) in (bool, int)}
    if library == "catboost":  # It has the parameters of an objective in its name.
        named = {key: float(Fraction(str(x))) if type(x) is str else x for key, x in field.parameters.items()}
        objective += ":" + ";".join(f"{key}={str(x).lower()}" for key, x in named.items())
        chosen = {}
    counts = _whole(list(witness.asked.weights.values()))
    rows = [(tuple(map(str, y)), _COPIES * n) for y, n in zip(witness.asked.weights, counts, strict=True)]
    return {
        "title": TITLES[library],
        "objective": objective,
        "pairs": "",
        "lists": _lists(rows),
        "what": "grade",
        "about": "with its defaults, but trees that may split so few rows",
        "grouped": True,
        "parameters": written({**chosen, **trees(library, len(witness.proof.coordinates))}),
    }


_FILLED: Final = MappingProxyType(
    dict.fromkeys(_OBJECTIVES, _boosted) | dict.fromkeys(("torch", "trl"), _torch)
)
_TEMPLATES: Final = MappingProxyType(
    dict.fromkeys(_OBJECTIVES, "script_boosted.py.j2") | dict.fromkeys(("torch", "trl"), "script_torch.py.j2")
)
