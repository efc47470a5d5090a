"""The surrogates that have a name, and how to build one from what a user typed."""

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from math import inf
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.errors import InputError, nearest
from consistency_lab.model.checked import checked
from consistency_lab.model.surrogates.answers import ANSWERS, OTHER_NAMES, AnswerSurrogate, answers
from consistency_lab.model.surrogates.families import (
    UNKNOWN,
    DifferenceSurrogate,
    EdgeSurrogate,
    Family,
    LinearSurrogate,
    MarginSurrogate,
    RegressionSurrogate,
    Surrogate,
)
from consistency_lab.numbers.phi import (
    NAMED,
    OF_ANSWERS,
    SHORT,
    Expression,
    PiecewisePolynomial,
    X,
    facts,
    named,
    parse,
    spelled,
)

IDENTITY: Final = "a"
DEFAULT_R: Final = "x**2/2"


FAMILIES: Final[Mapping[type[Surrogate], Family]] = MappingProxyType(
    {
        kind: kind.family
        for kind in (
            EdgeSurrogate,
            MarginSurrogate,
            DifferenceSurrogate,
            LinearSurrogate,
            RegressionSurrogate,
            AnswerSurrogate,
        )
    }
)
"""The classes that theorems, closed forms and the core know; a class derived from one is none of them."""


def family_of(surrogate: Surrogate) -> Family:
    """What is known of all surrogates of its very class; nothing of a class of the user's own."""
    return FAMILIES.get(type(surrogate), UNKNOWN)


FORMS: Final[Mapping[str, type[Surrogate]]] = MappingProxyType(
    {family.name: kind for kind, family in FAMILIES.items() if family.prefix is not None}
)
"""Ways of making a ranking loss from a scalar loss phi: their classes, which take phi, and perhaps h."""

WITHOUT_PHI: Final = tuple(family.name for family in FAMILIES.values() if family.prefix is None)
"""Surrogates that are not made from a scalar loss."""

_PREFIXES: Final = {name: kind.family.prefix or "" for name, kind in FORMS.items()}


RULES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "borda": ("borda-count",),
        "copeland": ("copeland-score",),
        "winrate": ("win-rate", "win-percentage", "winning-percentage"),
        "thurstone": ("probit", "thurstone-mosteller"),
        "kemeny": ("kemeny-young", "best"),
    }
)
"""Rules that order items by their wins and that audits compare with losses: their other names."""

_IN_ORDER: Final = (
    "depends on the order of the games, which is not known here; use bradley-terry, the model behind "
    "it, fitted to all games at once"
)
_WHOLE: Final = (
    "is a model of whole rankings, but preferences here are between pairs; for two items it is "
    "bradley-terry, which is known"
)
NO_LOSS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "elo": _IN_ORDER,
        "glicko": _IN_ORDER,
        "trueskill": _IN_ORDER,
        "plackett": _WHOLE,
        "plackett-luce": _WHOLE,
        "luce": _WHOLE,
    }
)
"""Ways to rank that are no function of the wins alone, and why."""


def is_taken(name: str) -> bool:
    """Whether a name means, or may come to mean, a surrogate of graphs, of a task or of a library."""
    from consistency_lab.model.surrogates.tasks.catalogue import is_task_surrogate
    from consistency_lab.model.surrogates.tasks.libraries import is_library_name, is_pair_name

    if is_task_surrogate(name) or is_library_name(name.strip()) or is_pair_name(name):
        return True
    said = name.strip().lower()
    known = {*NAMED, *OF_ANSWERS, *ANSWERS, *OTHER_NAMES, *_aliases()}
    return (
        said.startswith((*filter(None, _PREFIXES.values()), *WITHOUT_PHI))
        or said.partition(" with ")[0] in known
    )


def surrogate_names() -> tuple[str, ...]:
    """Every name that `surrogate` knows, in the order of the tables.

    Without aliases, and without the losses that language models are trained with: see `answer_names`.
    """
    return (*(prefix + phi for prefix in _PREFIXES.values() for phi in NAMED), *WITHOUT_PHI)


def answer_names() -> tuple[str, ...]:
    """The names of the losses that language models are trained with, aliases apart: docs/alignment.md."""
    return (*OF_ANSWERS, *ANSWERS)


@checked
def surrogate(
    name: str | None = None,
    *,
    phi: str | None = None,
    form: str | None = None,
    h: str | None = None,
    r: str | None = None,
    nu: object = 1,
) -> Surrogate:
    """Build a surrogate from a name, or from a scalar loss given as an expression.

    Parameters
    ----------
    name
        A name of `surrogate_names`, or an alias of a scalar loss ("ranknet"), alone or behind
        "margin-" or "difference-".
    phi
        In place of a name: the scalar loss as an expression in x.
    form
        "edge" (default), "margin" or "difference".
    h
        An expression in a, "a" if not given.
    r, nu
        For "linear": the regularizer as an expression in x, and its positive weight.

    Examples
    --------
    >>> surrogate("ranknet").name
    'logistic'
    >>> surrogate(phi="exp(-2*x)", form="margin").name
    'margin-exp(-2*x)'
    """
    if (name is None) == (phi is None):
        raise InputError("give either the name of a surrogate or --phi EXPRESSION, and not both")
    if name is not None and spelled(name) in WITHOUT_PHI:
        return _without_phi(spelled(name), form, h, r, nu)
    if name is not None and (single := answers(name)) is not None:
        for option, value in (("form", form), ("h", h), ("r", r), ("nu", None if nu == 1 else nu)):
            if value is not None:
                raise InputError(f"{single.name} is a loss of single answers, without {option}; leave it out")
        return single
    if r is not None or nu != 1:
        raise InputError("r and nu belong to the surrogate 'linear' only")
    if phi is not None:
        base, expression = _scalar(phi)
        kind = form or "edge"
    else:
        kind, base = _split(name or "")
        if form not in (None, kind) and kind != "edge":
            raise InputError(f"{name!r} is of the form {kind!r} already; leave --form out")
        kind, expression = form or kind, named(base).expression
    if kind not in FORMS:
        raise InputError(f"the form {kind!r} is not known; forms are {', '.join(FORMS)}")
    if kind == "difference" and h not in (None, IDENTITY):
        raise InputError("the difference form has no h; leave --h out")
    weight = parse(h or IDENTITY, "a")
    label = _PREFIXES[kind] + base + ("" if weight == X else f" with h={weight.text('a')}")
    given = (expression, weight)[: len(FORMS[kind].arguments())]
    return FORMS[kind](label, *given)  # type: ignore[call-arg]


def called_so(called: str) -> Surrogate | None:
    """The surrogate that a name in a file means: in place of the name of phi there may be its text."""
    base, _, rest = called.partition(" with ")
    given: dict[str, Any] = dict(part.partition("=")[::2] for part in rest.split())
    if called != called.strip().lower() or not given.keys() <= {"h", "r", "nu"}:
        return None
    texts = [(form, base.removeprefix(x)) for form, x in _PREFIXES.items() if base.startswith(x)]
    if base in WITHOUT_PHI or any(phi in NAMED or phi in OF_ANSWERS for _, phi in texts):
        texts = []  # names are no formulas
    for asked in (*({"phi": phi, "form": form} for form, phi in texts), {"name": base}):
        with suppress(InputError):
            return surrogate(**asked, **given)
    return None


def _scalar(text: str) -> tuple[str, Expression]:
    """The name and tree of phi; an expression that is a named function gets its name."""
    expression = parse(text)
    for entry in (*NAMED.values(), *OF_ANSWERS.values()):
        if parse(entry.text) == expression:
            return entry.name, expression
    return str(expression), expression


def _split(name: str) -> tuple[str, str]:
    for kind, prefix in _PREFIXES.items():
        if prefix and spelled(name).startswith(prefix):
            return kind, named(spelled(name).removeprefix(prefix)).name
    try:
        return "edge", named(name).name
    except InputError:
        said = spelled(name)
        if said in NO_LOSS:
            raise InputError(f"{name.strip()} {NO_LOSS[said]}") from None
        if said in RULES or any(said in others for others in RULES.values()):
            raise InputError(
                f"{name.strip()} is a rule and minimizes no known loss; audit compares it with losses, and "
                "linear and regression order by wins minus losses, as borda does"
            ) from None
        if (meant := _something_else(said)) is not None:
            raise InputError(f"{name.strip()} {meant}") from None
        every = [*surrogate_names(), *answer_names(), *OTHER_NAMES, *_aliases()]
        near = nearest(said, every, alike=0.65)  # margin-hinge is no MarginRankingLoss
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"there is no surrogate called {name!r}{hint} (see consistency-lab list; or give --phi "
            "EXPRESSION, or your own class as module:object)"
        ) from None


def _something_else(said: str) -> str | None:
    """What a name is, if it is no loss, and what to type."""
    from consistency_lab.model.surrogates.tasks.libraries import PAIR_LIBRARIES, of_framework
    from consistency_lab.model.surrogates.tasks.shipped import LIBRARIES
    from consistency_lab.model.tasks.catalogue import TARGETS

    if said.partition("@")[0] in TARGETS:
        return f"is a target; name a loss too, as in softmax --target {said}"
    if said in SHORT:
        return "is a function and no loss; give a formula in x, such as --phi 'softplus(-x)'"
    for objective in (*LIBRARIES, *PAIR_LIBRARIES):
        if said == objective.partition(":")[0]:
            return f"is a library; name its objective too, as in {objective} (see list libraries)"
    return of_framework(said)


def _aliases() -> list[str]:
    return [alias for entry in (*NAMED.values(), *OF_ANSWERS.values()) for alias in entry.aliases]


def _without_phi(name: str, form: str | None, h: str | None, r: str | None, nu: object) -> Surrogate:
    from consistency_lab.numbers.exact import rational

    if form is not None or h is not None:
        raise InputError(f"the surrogate {name!r} has neither a form nor an h; leave --form and --h out")
    if name == "regression":
        if r is not None or nu != 1:
            raise InputError("r and nu belong to the surrogate 'linear' only")
        return RegressionSurrogate(name)
    weight = rational(nu, "nu")
    if weight <= 0:
        raise InputError(f"nu is {weight}; the weight of the regularizer must be positive")
    regularizer = parse(r or DEFAULT_R)
    if not facts(regularizer).convex:
        raise InputError(f"r = {regularizer} is not proved convex; the regularizer must be strictly convex")
    form_of_r = PiecewisePolynomial.of(regularizer)
    if form_of_r is not None and inf not in form_of_r.recession():
        raise InputError(
            f"r = {regularizer} grows no faster than linearly; the regularizer must be 1-coercive"
        )
    plain = regularizer == parse(DEFAULT_R) and weight == Fraction(1)
    return LinearSurrogate(
        "linear" if plain else f"linear with r={regularizer} nu={weight}", regularizer, weight
    )
