"""Building a surrogate from the name of its family and its parameters."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.list_mle import ListMleSurrogate
from consistency_lab.model.surrogates.tasks.listwise import Softmax
from consistency_lab.model.surrogates.tasks.ordinal import OrdinalSurrogate
from consistency_lab.model.surrogates.tasks.pair_absolute import PairAbsolute
from consistency_lab.model.surrogates.tasks.pair_square import PairSquareSurrogate
from consistency_lab.model.surrogates.tasks.pairs import PairsSurrogate
from consistency_lab.model.surrogates.tasks.pointwise import Sigmoid
from consistency_lab.model.surrogates.tasks.regression import Regression
from consistency_lab.model.surrogates.tasks.relaxed import SmoothPositions, SoftPairs
from consistency_lab.model.surrogates.tasks.unique_softmax import UniqueSoftmax
from consistency_lab.phi import parse

Parameters = Mapping[str, str | int | None]


def _pairs(name: str, given: Parameters) -> TaskSurrogate:
    return PairsSurrogate(name, parse(str(given["phi"])), str(given["weights"]), str(given["normalized"]))


def _ordinal(name: str, given: Parameters) -> TaskSurrogate:
    n = given["n"]
    return OrdinalSurrogate(name, None if n is None else int(n))


BUILDERS: Final[Mapping[str, Callable[[str, Parameters], TaskSurrogate]]] = MappingProxyType(
    {
        "pairs": _pairs,
        "pair-square": lambda name, given: PairSquareSurrogate(name, str(given["weights"])),
        "list-mle": lambda name, given: ListMleSurrogate(name, str(given["ties"])),
        "pair-absolute": lambda name, given: PairAbsolute(str(given["normalized"]), name),
        "unique-softmax": lambda name, given: UniqueSoftmax(parse(str(given["gain"]), "s"), name),
        "softmax": lambda name, given: Softmax(str(given["labels"]), name),
        "regression": lambda name, given: Regression(str(given["f"]), name),
        "smooth-positions": lambda name, given: SmoothPositions(
            str(given["metric"]), Fraction(str(given["temperature"])), name
        ),
        "soft-pairs": lambda name, given: SoftPairs(str(given["normalized"]), name),
        "sigmoid": lambda name, given: Sigmoid(str(given["f"]), name),
        "ordinal": _ordinal,
    }
)
"""By the names of families in witness documents."""
