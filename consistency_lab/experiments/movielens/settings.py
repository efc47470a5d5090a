"""What the experiment does: its sizes, what the paper leaves open, and what the paper printed."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import Final, final

from consistency_lab.errors import InputError

METHODS: Final = ("hinge", "logistic", "linear")
PAIRS: Final = (20_000, 40_000, 80_000, 120_000, 160_000)
PARTS: Final = 5

_HINGE: Final = ((0.478, 0.008), (0.477, 0.008), (0.480, 0.007), (0.477, 0.008), (0.474, 0.007))
_LOGISTIC: Final = ((0.479, 0.010), (0.478, 0.010), (0.478, 0.009), (0.477, 0.009), (0.474, 0.007))
_LINEAR: Final = ((0.465, 0.006), (0.464, 0.006), (0.462, 0.005), (0.463, 0.006), (0.461, 0.004))

PAPER: Final[Mapping[tuple[str, int], dict[str, float]]] = MappingProxyType(
    {
        (method, pairs): {"mean": mean, "standard_error": error}
        for method, row in zip(METHODS, (_HINGE, _LOGISTIC, _LINEAR), strict=True)
        for pairs, (mean, error) in zip(PAIRS, row, strict=True)
    }
)
"""DMJ10 Table 1: mean and standard error by method and number of training pairs."""


@final
@dataclass(frozen=True)
class Variant:
    """What the paper leaves open, decided.

    Parameters
    ----------
    about
        How it differs from the others.
    standardize
        Whether features are shifted and scaled to mean 0 and standard deviation 1 on the training part.
    apart
        Whether the features of a training rating are made of the other folds, not of all training ratings.
    left_out
        Features into which a training rating does not enter where they describe itself, if not apart.
    shipped
        Whether the parts are the five subsets of GroupLens, not random.
    by, ties
        How pairs are drawn: see `consistency_lab.experiments.movielens.pairs.sample`.
    without
        Features that are not used.
    solver
        Of the hinge and the logistic loss: "sgd", or "batch", which sees all pairs at once.
    largest
        The largest λ.
    """

    about: str
    standardize: bool = True
    apart: bool = True
    left_out: tuple[str, ...] = ()
    shipped: bool = False
    by: str = "user"
    ties: bool = False
    without: tuple[str, ...] = ()
    solver: str = "batch"
    largest: float = inf


_NEIGHBORS: Final = ("similar users", "dissimilar users")
_OTHERS: Final = ("genre average", *_NEIGHBORS)

VARIANTS: Final[Mapping[str, Variant]] = MappingProxyType(
    {
        "plain": Variant("all three losses minimized"),
        "steps": Variant("hinge and logistic loss by 200,000 steps of stochastic gradient", solver="sgd"),
        "ties": Variant("pairs with equal ratings are drawn too, with weight 0", ties=True),
        "pairs": Variant("all pairs are equally likely, so that busy users count more", by="pair"),
        "raw": Variant("features are neither shifted nor scaled", standardize=False),
        "no-neighbors": Variant("without ratings by similar and dissimilar users", without=_NEIGHBORS),
        "film-alone": Variant("no feature knows the user", without=("genre average", *_NEIGHBORS)),
        "own-rating": Variant("features of training pairs contain the ratings of the pair", apart=False),
        "leave-one-out": Variant(
            "averages over a user's ratings leave out the rating that they describe; λ ≤ 10",
            apart=False,
            left_out=_OTHERS,
            largest=10,
        ),
        "grouplens": Variant(
            "leave-one-out, on the five subsets that ship with the data; λ ≤ 10",
            apart=False,
            left_out=_OTHERS,
            largest=10,
            shipped=True,
        ),
        "leave-one-out-wide": Variant("leave-one-out; λ ≤ 10⁶", apart=False, left_out=_OTHERS),
        "grouplens-wide": Variant("grouplens; λ ≤ 10⁶", apart=False, left_out=_OTHERS, shipped=True),
        "leave-films-out": Variant(
            "leave-one-out, and the film's average leaves out the rating too; λ ≤ 10",
            apart=False,
            left_out=(*_OTHERS, "film average"),
            largest=10,
        ),
    }
)
"""The experiment, and what explains its differences to the printed numbers."""


@final
@dataclass(frozen=True)
class Settings:
    """What is asked.

    Parameters
    ----------
    pairs
        Numbers of training pairs.
    runs
        How many runs.
    seed
        Of the partitions and of all that is drawn.
    variant
        A key of `VARIANTS`.
    tested
        How many test pairs there are, and how many validation pairs.

    Raises
    ------
    InputError
        If a number is out of range, or there is no such variant.
    """

    pairs: tuple[int, ...] = PAIRS
    runs: int = 15
    seed: int = 0
    variant: str = "plain"
    tested: int = 40_000

    def __post_init__(self) -> None:
        for count in (*self.pairs, self.tested):
            if not 1 <= count <= 10**6:
                raise InputError(f"{count} pairs are asked for; their number must be from 1 to 1000000")
        if not 1 <= self.runs <= 1000:
            raise InputError(f"{self.runs} runs are asked for; their number must be from 1 to 1000")
        if self.seed < 0:
            raise InputError(f"the seed is {self.seed}; it must be at least 0")
        if self.variant not in VARIANTS:
            raise InputError(f"there is no variant {self.variant[:40]!r}; they are {', '.join(VARIANTS)}")
