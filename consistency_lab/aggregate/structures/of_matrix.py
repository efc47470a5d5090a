"""Scores that are made from the matrix of another structure."""

from abc import ABC
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from consistency_lab.aggregate.structures.base import MatrixStructure, ScoreStructure
from consistency_lab.errors import InputError


class ScoresOfMatrix(ScoreStructure, ABC):
    """Scores that are made from the matrix of the structure `of`: a compiled formula for each such structure.

    Attributes
    ----------
    kernel_of
        The formula for each class of `of`.
    """

    __slots__ = ()

    of: MatrixStructure
    kernel_of: ClassVar[Mapping[type, Callable[..., Any]]]

    def __post_init__(self) -> None:
        if type(self.of) not in self.kernel_of:
            known = ", ".join(f"{one.__name__}()" for one in self.kernel_of)
            raise InputError(f"the scores are made of {self.of!r}; it must be one of {known}")

    @property
    def shares(self) -> bool:  # type: ignore[override]
        return self.of.shares

    @property
    def smoothing(self) -> float:
        return self.of.smoothing

    @property
    def kernel(self) -> Callable[..., Any]:
        return self.kernel_of[type(self.of)]
