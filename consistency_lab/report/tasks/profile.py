"""What `check --profile --target` tells about one distribution over labels."""

from collections.abc import Iterator, Sequence
from typing import Final

from consistency_lab.certify.witness import Witness
from consistency_lab.decide.tasks.profile import LabelProfileDecision
from consistency_lab.report.answer import Files
from consistency_lab.report.decision import saved
from consistency_lab.report.tasks.document import (
    surrogate_document,
    target_document,
)
from consistency_lab.report.tasks.heading import surrogate_lines, target_lines
from consistency_lab.report.text import Line, chain, paragraph

_LABELS: Final = 12
"""More labels than these are left to the file, the most frequent are shown."""


def labels_heading(decision: LabelProfileDecision) -> Iterator[Line]:
    """The question: surrogate, target, and the labels that occur."""
    profile, space = decision.profile, decision.task.space
    yield from surrogate_lines(decision.surrogate, decision.task)
    yield from target_lines(decision.task)
    who = "judges" if space.kind == "grades" else "voters"
    named = ", ".join(f"{number} {item}" for number, item in enumerate(profile.items, start=1))
    yield from paragraph(
        f"{profile.title}: {len(profile.items)} items ({named}), {profile.voters} {who}, "
        f"{len(profile.weights)} different labels",
        indent=0,
        hanging=2,
    )
    for note in profile.notes:
        yield from paragraph(f"Note: {note}.", indent=0, hanging=2)
    often = sorted(profile.weights.items(), key=lambda entry: (-entry[1], entry[0]))
    for label, p in often[:_LABELS]:
        yield f"  {p * profile.voters} x {space.text(label)}"
    if len(often) > _LABELS:
        yield f"  and {len(often) - _LABELS} more"
    yield ""


def labels_answer(decision: LabelProfileDecision, files: Files) -> Iterator[Line]:
    """The verdict and its evidence."""
    yield from paragraph(f"{decision.verdict} here: {decision.reason}.", indent=0, hanging=2)
    witness = decision.witness
    if witness is None:
        return
    names, proof = decision.profile.items, witness.document["proof"]
    for title, key in (("a better order:       ", "better"), ("what may be returned: ", "prediction")):
        if key in proof:
            yield from paragraph(f"{title}{_order(names, proof[key])}", indent=2, hanging=4)
    if "regret" in proof:
        yield from paragraph(f"it costs at least {proof['regret']} more in expectation", indent=2)
    path = files.get(str(witness.document["digest"]))
    if path is not None:
        yield from saved(path)


def _order(names: Sequence[str], prediction: list[str] | str) -> str:
    """A prediction of a proof, whose items are numbered from 1, in the names of the profile."""
    numbers = prediction.split(" > ") if isinstance(prediction, str) else prediction
    return chain(names, [int(number) - 1 for number in numbers])


def labels_document(decision: LabelProfileDecision, files: Files) -> dict[str, object]:
    """The answer as a JSON document."""
    profile, witness = decision.profile, decision.witness
    return {
        "target": target_document(decision.task),
        "surrogate": surrogate_document(decision.surrogate, decision.task),
        "items": list(profile.items),
        "voters": str(profile.voters),
        "labels": [
            {"label": list(label), "probability": str(p)} for label, p in sorted(profile.weights.items())
        ],
        "notes": list(profile.notes),
        "verdict": str(decision.verdict),
        "reason": decision.reason,
        "proof": None if witness is None else _proof(witness, files),
    }


def _proof(witness: Witness, files: Files) -> dict[str, object]:
    proof, path = witness.document["proof"], files.get(str(witness.document["digest"]))
    stated = {key: proof.get(key) for key in ("claim", "prediction", "better", "failure", "regret", "scores")}
    return {
        **stated,
        "certificate": proof["certificate"]["kind"],
        "file": None if path is None else str(path),
    }
