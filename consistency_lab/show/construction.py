"""A construction as a person reads it, as JSON, and as a Python module."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final, Literal, NamedTuple, final

from consistency_lab.certify.proofs.file import slug
from consistency_lab.data.matrix import construction_document
from consistency_lab.errors import InputError
from consistency_lab.files import MAX_BYTES, check_writable, make_folder, write_atomic
from consistency_lab.model.tasks.construction import Construction, Offsets
from consistency_lab.show.canvas import filled
from consistency_lab.show.documents import Record
from consistency_lab.show.text import Line, cells, columns, flush, number, paragraph, tabular, tight
from consistency_lab.shown import WIDTH

# --- A construction as a Python module that needs nothing but the standard library -----------------------
# Only numbers and escaped names go into the code: a text of a user's is never part of it but in a literal.


def module_text(construction: Construction, digest: str) -> str:
    """The code of the module."""
    matrix, factors = construction.matrix, construction.factors
    return filled(
        __file__,
        "construction.py.j2",
        digest=ascii(digest).strip("'"),
        labels=_lines(map(ascii, matrix.labels)),
        predictions=_lines(map(ascii, matrix.predictions)),
        dimension=construction.dimension,
        loss=_lines(map(_code, matrix.rows)),
        alpha=_lines(map(_code, factors.left)),
        beta=_lines(map(_code, factors.right)),
        label_offsets=_code(construction.label_offsets),
        prediction_offsets=_code(construction.prediction_offsets),
        squared_distance=_code(construction.squared_distance),
    )


def _code(numbers: Iterable[Fraction | int] | Fraction | int) -> str:
    """A number or a tuple of numbers, whole ones without a denominator."""
    shown = ascii(tuple(numbers) if isinstance(numbers, Iterable) else numbers)
    return re.sub(r"Fraction\((-?\d+), 1\)", r"\1", shown).replace("Fraction", "F")


def _lines(rows: Iterable[str]) -> str:
    return "".join(["(\n", *(f"    {row},\n" for row in rows), ")"])


# --- A construction as a person reads it, as JSON, and as two files --------------------------------------

_OFFSETS: Final[Mapping[Offsets, tuple[str, str]]] = {
    Offsets.NONE: ("", "⟨α_y, β_t⟩ alone"),
    Offsets.CONSTANT: (" + c", "with one constant c, as in RAT13 Theorem 3"),
    Offsets.LABEL: (" + c_y", "with an offset c_y of the label, which no regret sees"),
    Offsets.BOTH: (" + c_y + b_t", "with c_y, and an offset b_t that the decoder adds"),
}
"""What is added to ⟨α_y, β_t⟩, and its meaning."""
_MOST_LINES: Final = 5
_MOST_SCORES: Final = 24
_MOST_DIGITS: Final = 24
_SHORT: Final = 8


@final
class Saved(NamedTuple):
    """The two files of a construction."""

    document: Path
    module: Path


def report(construction: Construction, source: str, details: bool = True) -> Iterator[Line]:
    """The lines of the report."""
    kind = construction.offsets
    yield from flush(first_line(construction, source))
    yield from ("", "Surrogate and decoder")
    yield "   ψ(y, u) = Σ_i (u_i − α_yi)²"
    yield f"   pred(u) ∈ argmin_t ⟨u, β_t⟩{' + b_t' if kind is Offsets.BOTH else ''}, ties broken in any way"
    yield from _tables(construction)
    if details:
        yield from _details(construction)


def first_line(construction: Construction, source: str) -> str:
    """How many scores the losses need, in a sentence."""
    matrix, d = construction.matrix, construction.dimension
    return (
        f"{source} with {len(matrix.labels)} labels and {len(matrix.predictions)} predictions needs {d} "
        f"{'score' if d == 1 else 'scores'}: ℓ(y, t) = ⟨α_y, β_t⟩{_OFFSETS[construction.offsets][0]}, "
        "checked exactly."
    )


def _details(construction: Construction) -> Iterator[Line]:
    """The least dimension with each kind of offsets, and the bound on the calibration function."""
    kind = construction.offsets
    yield from ("", "Least dimension")
    least = construction.dimensions.of
    rows = [[str(least[one]), _OFFSETS[one][1] + ": this construction" * (one is kind)] for one in Offsets]
    yield from tabular(rows, right=[0], head=False)
    constant = construction.dimensions.constant
    if constant:
        text = number(constant)
        shown = text if text.startswith("≈") else f"= {text}"
        yield from paragraph(f"The constant that saves one is c {shown}; no other does.")
    yield from ("", "How far a wrong prediction is")
    yield from paragraph(bound_sentence(construction))


def bound_sentence(construction: Construction) -> str:
    """The bound on the calibration function, exactly."""
    squared = construction.squared_distance
    if not squared:
        return "All β are equal, so the decoder returns a prediction of least expected loss whatever u is."
    first, second = (tight(construction.matrix.predictions[t]) for t in construction.farthest)
    if len(str(squared)) > _MOST_DIGITS:
        bound, size = "ε²/D²", f"D² ≈ {float(squared):.6g} (exactly in the files)"
    else:
        factor = 1 / squared
        times = "" if factor == 1 else f"{factor}·" if factor.denominator == 1 else f"({factor})·"
        bound, size = f"ε²/D² = {times}ε²", f"D² = {number(squared)}"
    return (
        f"H(ε) ≥ {bound}: by the Cauchy–Schwarz inequality a prediction of regret ε costs ψ an excess of at "
        f"least that. {size} is the largest squared distance of two β, that of {first} and {second}."
    )


def _tables(construction: Construction) -> Iterator[Line]:
    matrix, kind, factors = construction.matrix, construction.offsets, construction.factors
    c = construction.label_offsets if kind in (Offsets.LABEL, Offsets.BOTH) else ()
    b = construction.prediction_offsets if kind is Offsets.BOTH else ()
    yield from _factor_table(("label", "α_y", "c_y"), matrix.labels, factors.left, c)
    yield from _factor_table(("prediction", "β_t", "b_t"), matrix.predictions, factors.right, b)


def _factor_table(
    heads: tuple[str, str, str],
    names: Sequence[str],
    vectors: Sequence[Sequence[Fraction | int]],
    offsets: Sequence[Fraction],
) -> Iterator[Line]:
    """A row for each name, or where a page has no room a sentence."""
    what, vector, offset = heads
    width = len(vectors[0])
    header = [what, *([vector] if width else []), *[""] * (width - 1), *([offset] if offsets else [])]
    ends = [[str(x)] for x in offsets] or [[]] * len(names)
    rows = [[name, *map(str, v), *end] for name, v, end in zip(names, vectors, ends, strict=True)]
    lines = columns([header, *rows], right=range(1, len(header)))
    fits = len(names) <= _MOST_LINES and width <= _MOST_SCORES and max(map(cells, lines)) <= WIDTH
    told = f"(The table of {len(names)} rows and {width} scores is in the files.)"
    yield from ("", *(lines if fits else paragraph(told)))


answer: Final = Record(
    Construction,
    "dimension regret_bound=squared_distance files=. construction=.",
    format="consistency-lab/construct/1",
    may={"line1": str},
    regret_bound=(Fraction | None, lambda squared: 1 / squared if squared else None),
    files=(dict[str, str] | None, lambda _, saved: None if saved is None else saved._asdict()),
    construction=(dict[str, object], lambda _, saved, document: document),
)
"""What follows from a construction, where it was saved, and its document."""

AGAIN: Final = Record(
    Construction,
    "file=. status=. dimension",
    format="consistency-lab/construct-check/1",
    may={"line1": str},
    file=(str, lambda _, file: file),
    status=(Literal["ok"], lambda _: "ok"),
)
"""The answer about a construction that was checked again."""


def document_of(construction: Construction, provenance: Mapping[str, str]) -> dict[str, object]:
    """The JSON document of a construction, with where the theorem comes from."""
    from consistency_lab.version import __version__

    return construction_document(
        construction,
        {"citation": "RAT13 Theorem 3", "tool": "consistency-lab", "version": __version__, **provenance},
    )


def save(construction: Construction, document: Mapping[str, object], source: str, folder: Path) -> Saved:
    """Write the document and the module into a folder, which is made if need be."""
    check_writable(folder)
    long = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False) + "\n"
    text = (
        long if len(long) < MAX_BYTES // _SHORT else json.dumps(document, sort_keys=True, ensure_ascii=False)
    )
    if len(text.encode()) > MAX_BYTES:
        raise InputError(
            f"the construction is {len(text.encode()):_} bytes long as JSON; at most {MAX_BYTES:_} can be "
            "read again, so nothing is saved (give --no-save)"
        )
    digest = str(document["digest"]).removeprefix("sha256:")
    # A module's name has no dash.
    name = f"{slug(source)}_{construction.dimension}d_{digest[:_SHORT]}".replace("-", "_")
    if not name[0].isalpha():
        name = f"loss_{name}"
    make_folder(folder)
    saved = Saved(folder / f"{name}.json", folder / f"{name}.py")
    write_atomic(saved.document, text)
    write_atomic(saved.module, module_text(construction, digest))
    return saved
