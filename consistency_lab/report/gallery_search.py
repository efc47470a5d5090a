"""Find the smallest witness for every named surrogate, and keep a folder of them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import join
from typing import Final

from consistency_lab.certify.witness import Witness
from consistency_lab.decide import Decision, decide
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.surrogates import Surrogate, surrogate, surrogate_names
from consistency_lab.phi import convexity_proof
from consistency_lab.report.gallery_index import entries
from consistency_lab.report.saving import save
from consistency_lab.search.effort import Effort

_EVERY_CONVEX_PHI: Final = "logistic"
"""The surrogate for which the witness against every convex phi is kept too: it is the same for all."""


def curate(folder: Path, seconds: float, report: Callable[[str], None] | None = None) -> Iterator[str]:
    """Search for each named surrogate in turn, save what is found, and say so, a sentence each.

    A file that the folder has for the same surrogate and condition gives way to the new one.

    Parameters
    ----------
    folder
        Made if need be.
    seconds
        The budget of each surrogate.
    report
        For a progress bar.
    """
    for name in surrogate_names():
        asked = surrogate(name)
        if any(convexity_proof(phi) is None for phi in asked.functions):
            continue
        decision = _decided(asked, seconds, report)
        found = _kept(decision)
        if not found:
            yield f"{name}: no witness ({', '.join(f'{a.condition} {a.verdict}' for a in decision.answers)})"
        for witness in found:
            path = save(witness.document, folder)
            yield f"{name}: {path.name}"
        if found:
            yield from _removed(folder, name, {witness.digest for witness in found})
        if decision.effort.interrupted:
            raise KeyboardInterrupt


def _decided(asked: Surrogate, seconds: float, report: Callable[[str], None] | None) -> Decision:
    """The answers under all conditions; the command in the file names the narrowest that fails."""
    effort = Effort(seconds=seconds, report=report)
    return decide(asked, effort=effort, command=join(["consistency-lab", "check", asked.name]))


def _kept(decision: Decision) -> list[Witness]:
    """The witness for the narrowest condition that fails, and a strict inversion where that one is a tie."""
    by_condition = {a.condition: a.witness for a in decision.answers if a.witness is not None}
    kept = [next(by_condition[c] for c in CONDITIONS if c in by_condition)] if by_condition else []
    if decision.strict is not None:
        kept.append(decision.strict)
    if decision.universal is not None and decision.surrogate.name == _EVERY_CONVEX_PHI:
        kept.append(decision.universal)
    return kept


def _removed(folder: Path, name: str, digests: set[str]) -> Iterator[str]:
    """Earlier witnesses for the same surrogate go, since a gallery has one for each."""
    for entry in entries(folder):
        if entry.witness.verified.surrogate == name and entry.witness.digest not in digests:
            (folder / entry.name).unlink()
            yield f"{name}: {entry.name} removed, as there is a new one"
