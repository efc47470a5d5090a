"""What a witness file is called."""

import re
from collections.abc import Mapping
from typing import Final

from consistency_lab.model.conditions import CONDITIONS

_LONGEST: Final = 60


def slug(text: str) -> str:
    """A text as a part of a file name.

    Examples
    --------
    >>> slug("margin-log(1+exp(-2*x))")
    'margin-log-1-exp-2-x'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_LONGEST].rstrip("-") or "surrogate"


def narrowest(conditions: Mapping[str, object]) -> str:
    """The first of the conditions that hold: none of the others implies it."""
    return next(name for name in CONDITIONS if conditions.get(name))


def file_name(document: Mapping[str, object]) -> str:
    """``<surrogate>-<condition>-<m>items-<digest8>.json``, behind the surrogate the target if it is a task.

    Examples
    --------
    >>> file_name(
    ...     {
    ...         "named": {"surrogate": {"name": "logistic"}, "conditions": {"low-noise": True}},
    ...         "proof": {"coordinates": ["1", "2", "3"]},
    ...         "digest": "sha256:0123456789abcdef",
    ...     }
    ... )
    'logistic-low-noise-3items-01234567.json'
    """
    proof, named = document["proof"], document["named"]
    assert isinstance(proof, Mapping) and isinstance(named, Mapping)
    said, target = named.get("surrogate", {"name": "proof"}), named.get("target")
    name, conditions = str(said["name"]).removeprefix("own: "), named.get("conditions", {})
    number, unit = named.get("items", len(proof.get("coordinates", ()))), "items"
    if isinstance(target, Mapping) and "labels" in target:
        stem = slug("-".join((name, str(target["loss"]), *(conditions or ["any"]))))
        unit = next(key for key in ("items", "classes", "rows") if key in target["labels"])
        number = target["labels"][unit]
    else:  # a condition that is not known does not count
        condition = str(named.get("condition", narrowest({**conditions, "any": True})))
        stem = f"{slug(name)}-{slug(condition)}"
    digest = str(document["digest"]).removeprefix("sha256:")[:8]
    return f"{stem}-{number}{unit}-{digest}.json"
