"""``consistency-lab experiment movielens``: DMJ10 Table 1, beside the printed numbers."""

from pathlib import Path
from typing import Annotated

from consistency_lab.cli.grammar import Option
from consistency_lab.errors import UnsupportedError


def movielens(
    data: Annotated[
        Path | None, Option(metavar="DIR", help="The folder of MovieLens 100k, with u.data and u.item.")
    ] = None,
) -> int:
    """DMJ10 Table 1: hinge, logistic and linear loss on MovieLens 100k."""
    raise UnsupportedError(f"the experiment on {data} is not there yet")
