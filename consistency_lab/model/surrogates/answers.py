"""Losses of single answers that language models are trained with, beside those of differences in `phi.table`.

An answer i has a score alpha_i: its reward, beta log(pi/pi_ref), or log pi itself. docs/alignment.md says
which loss has which score, and what is right when.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from consistency_lab.frozen import frozen
from consistency_lab.model.distribution import PreferenceGraph
from consistency_lab.model.surrogates.families import Family, GraphSurrogate, Term, pair
from consistency_lab.numbers.phi import Expression, parse, spelled

_NOTHING: Final = parse("0")


@frozen
class AnswerSurrogate(GraphSurrogate):
    """sum of a_ij (phi(alpha_i - alpha_j) + won(alpha_i) + lost(-alpha_j) + sum_k each(alpha_k))."""

    name: str  #: A name of `ANSWERS`.
    phi: Expression  #: Of the difference, 0 if there is none.
    won: Expression  #: Of the score of the chosen answer.
    lost: Expression  #: Of the negative score of the rejected one.
    each: Expression  #: Of the score of every answer.
    family = Family(
        "answers",
        "sum over i→j of a_ij (phi(alpha_i - alpha_j) + won(alpha_i) + lost(-alpha_j) + sum_k each(alpha_k))",
        "docs/alignment.md",
        proof="sum over edges i → j of a (φ(α_i - α_j) + f(α_i) + g(-α_j) + sum_k e(α_k)), φ(x) = {phi}, "
        "f(x) = {won}, g(x) = {lost}, e(x) = {each}",
        of_aggregate=True,
    )

    @property
    def functions(self) -> tuple[Expression, ...]:
        """Those that are not 0."""
        every = (self.phi, self.won, self.lost, self.each)
        return tuple(dict.fromkeys(part for part in every if part != _NOTHING))

    def graph_terms(self, graph: PreferenceGraph, m: int) -> Iterable[Term]:
        """Those of each edge."""
        for i, j, w in graph:
            parts = [pair(w, self.phi, i, j), Term(w, self.won, ((i, 1),)), Term(w, self.lost, ((j, -1),))]
            parts += [Term(w, self.each, ((k, 1),)) for k in range(m)]
            yield from (part for part in parts if part.phi != _NOTHING)


_LOGISTIC: Final = "log(1+exp(-x))"
_FALLING, _RISING = "1/(1+exp(x))", "1/(1+exp(-x))"

# Name, other names, phi, won, lost, each; alpha = beta log(pi/pi_ref), twice that for sppo, or log pi.
# fmt: off
_ROWS: Final = (
    ("bco", ("bco-pair",), "0", _LOGISTIC, _LOGISTIC, "0"),
    ("nca", ("nca-pair",), "0", f"{_LOGISTIC}+1/2*log(1+exp(x))", f"1/2*{_LOGISTIC}", "0"),
    ("sppo", ("sppo-hard",), "0", "(1-x)**2", "(1-x)**2", "0"),
    ("sft", (), "0", "-x", "0", "exp(x)"),
    ("cpo", (), "log(1+exp(-1/10*x))", "-x", "0", "exp(x)"),
    ("cpo-simpo", (), "log(1+exp(1/2-1/10*x))", "-x", "0", "exp(x)"),
    ("apo-zero", ("apo", "kto"), "0", _FALLING, _FALLING, "0"),
    ("apo-down", (), _FALLING, _RISING, "0", "0"),
)
# fmt: on

ANSWERS: Final[Mapping[str, Sequence[str]]] = MappingProxyType({name: parts for name, _, *parts in _ROWS})
"""Their phi, won, lost and each; beta = 1/10 where there are other parts than functions of beta alpha."""

OTHER_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {other: name for name, others, *_ in _ROWS for other in others}
)
"""What else they are called."""


@cache
def answers(name: str) -> AnswerSurrogate | None:
    """The loss of a name, None if there is none."""
    key = spelled(name)
    key = OTHER_NAMES.get(key, key)
    return AnswerSurrogate(key, *map(parse, ANSWERS[key])) if key in ANSWERS else None
