"""What `check --profile --target` tells about one distribution over labels, and only about such."""

from collections.abc import Iterator, Sequence
from typing import Final

from consistency_lab.certify.witness import Witness
from consistency_lab.data.labels import LabelProfile
from consistency_lab.model.tasks.labels import LabelSpace
from consistency_lab.report.text import Line, chain, paragraph

_LABELS: Final = 12
"""More labels than these are left to the file, the most frequent are shown."""


def counted_labels(space: LabelSpace) -> str:
    """What the voters of a profile are called."""
    return "judges" if space.kind == "grades" else "voters"


def labels_title(profile: LabelProfile, space: LabelSpace) -> Iterator[Line]:
    """Where the labels are from."""
    named = ", ".join(f"{number} {item}" for number, item in enumerate(profile.items, start=1))
    yield from paragraph(
        f"{profile.title}: {len(profile.items)} items ({named}), {profile.voters} {counted_labels(space)}, "
        f"{len(profile.weights)} different labels",
        indent=0,
        hanging=2,
    )


def labels_that_occur(profile: LabelProfile, space: LabelSpace) -> Iterator[Line]:
    """The labels with their numbers."""
    often = sorted(profile.weights.items(), key=lambda entry: (-entry[1], entry[0]))
    for label, p in often[:_LABELS]:
        yield f"  {p * profile.voters} x {space.text(label)}"
    if len(often) > _LABELS:
        yield f"  and {len(often) - _LABELS} more"


def labels_evidence(witness: Witness, names: Sequence[str]) -> Iterator[Line]:
    """What is wrong, in the names of the items."""
    proof = witness.document["proof"]
    for title, key in (("a better order:       ", "better"), ("what may be returned: ", "prediction")):
        if key in proof:
            yield from paragraph(f"{title}{_order(names, proof[key])}", indent=2, hanging=4)
    if "regret" in proof:
        yield from paragraph(f"it costs at least {proof['regret']} more in expectation", indent=2)


def _order(names: Sequence[str], prediction: list[str] | str) -> str:
    """A prediction of a proof, whose items are numbered from 1, in the names of the profile."""
    numbers = prediction.split(" > ") if isinstance(prediction, str) else prediction
    return chain(names, [int(number) - 1 for number in numbers])
