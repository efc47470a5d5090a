"""Make a cell: the function that workers run, from plain data to plain data."""

import json
from collections.abc import Mapping
from typing import Final

from consistency_lab.apps.measure.atlas.cell import Cell
from consistency_lab.errors import UnsupportedError, reason
from consistency_lab.files import canonical

FORMAT: Final = "consistency-lab/atlas-cell/1"


def make(parameters: Mapping[str, object]) -> dict[str, object]:
    """The document of a cell.

    It holds neither times nor the name of a machine, and its budget is counted, not timed: a cell has the
    same digest whenever it is made. A part whose budget is used up says so; it would go further with more.
    """
    from consistency_lab.apps.measure.atlas.parts import MAKERS, Asked, Part, conclusion
    from consistency_lab.certify.document import sealed
    from consistency_lab.search.effort import Effort
    from consistency_lab.version import __version__

    cell = Cell.of(parameters)
    asked, parts = Asked(cell), dict[str, Part]()
    left = float(cell.budget)
    names = ("verdict", *cell.parts)
    for number, name in enumerate(names):
        effort = Effort(seconds=left / (len(names) - number))
        try:
            found = MAKERS[name](asked, effort)
        except UnsupportedError as error:
            found = {"unsupported": str(error)}
        if effort.interrupted:
            raise KeyboardInterrupt  # the best so far is not what the cell asks for
        left = max(left - effort.spent, 0.0)
        parts[name] = {**found, "budget_used_up": effort.used_up}
    document = sealed(
        {
            "format": FORMAT,
            "parameters": cell.parameters(),
            "command": cell.command,
            "tool": {"name": "consistency-lab", "version": __version__},
            "conclusion": conclusion(asked, parts),
            "parts": parts,
            "witnesses": {digest: dict(found.document) for digest, found in asked.witnesses.items()},
        }
    )
    # Exactly as it will be read again, and nothing in it but plain data.
    plain: dict[str, object] = json.loads(canonical(document))
    return plain


def tried(parameters: Mapping[str, object]) -> tuple[dict[str, object] | None, str]:
    """The document of a cell, or None and why there is none: one cell must not stop the others."""
    try:
        return make(parameters), ""
    except Exception as error:
        return None, reason(error)
