"""``consistency-lab experiment``: the experiments of the papers, run again."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from consistency_lab.cli.grammar import Group

__all__ = ["EXPERIMENTS", "experiment"]

EXPERIMENTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "movielens": "experiment.movielens.movielens",
        "web": "experiment.web.web",
        "judges": "experiment.judges.judges",
    }
)
"""The module and the function of each."""

experiment: Final = Group(
    "Run the experiments of the papers again, on your copy of the data.", EXPERIMENTS, kind="experiment"
)
