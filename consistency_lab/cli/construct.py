"""``consistency-lab construct``: the smallest calibrated surrogate of the form of RAT13 Theorem 3."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from consistency_lab.cli.arguments import label_values
from consistency_lab.cli.grammar import CONSISTENT, Argument, Option
from consistency_lab.cli.streams import say, say_json, say_report
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.model.tasks.construction import Offsets
    from consistency_lab.model.tasks.discrete import LossMatrix

CONSTRUCTIONS: Final = Path("constructions")


def construct(
    file: Annotated[
        str | None,
        Argument(
            metavar="FILE.csv|json",
            help="A loss matrix, one line a label; or a construction, to be checked again.",
        ),
    ] = None,
    target: Annotated[
        str | None, Option(metavar="NAME", help="In place of a file: a target loss (see list).")
    ] = None,
    items: Annotated[
        int | None, Option(metavar="M", help="With --target: how many items or classes (3).")
    ] = None,
    labels: Annotated[
        str | None,
        Option(metavar="0..2|rankings|dags", help="With --target: grades, or what labels are."),
    ] = None,
    gain: Annotated[str | None, Option(metavar="EXPR", help="With --target: the gain G(s).")] = None,
    discount: Annotated[str | None, Option(metavar="EXPR", help="With --target: the discount F(j).")] = None,
    k: Annotated[int | None, Option(metavar="K", help="With --target: how many positions count.")] = None,
    v: Annotated[
        str | None, Option(metavar="Q", help="With --target eru or mrr: the neutral grade (0).")
    ] = None,
    w: Annotated[str | None, Option(metavar="Q", help="With --target eru: the half-life (2).")] = None,
    offsets: Annotated[
        str | None,
        Option(
            metavar="none|constant|label|both",
            help="What may be added to <alpha, beta>: the fewest that make the dimension least.",
        ),
    ] = None,
    out: Annotated[Path, Option(metavar="DIR", help="Where the two files are saved.")] = CONSTRUCTIONS,
    save: Annotated[bool, Option(help="Save a JSON document and a module.")] = True,
    json: Annotated[bool, Option(help="Print one JSON document.")] = False,
) -> int:
    """Factor a loss matrix exactly, and make a calibrated surrogate and its decoder of it.

    loss(y, t) = <alpha_y, beta_t> + c_y + b_t with as few coordinates as possible gives the surrogate
    psi(y, u) = sum_i (u_i - alpha_yi)^2 and the decoder argmin_t <u, beta_t> + b_t, which is calibrated for
    every distribution (RAT13 Theorem 3).

    The answer is saved as a JSON document and as a Python module. A saved document is checked again.
    """
    given = {
        "--target": target,
        "--items": items,
        "--labels": labels,
        "--gain": gain,
        "--discount": discount,
        "--k": k,
        "--v": v,
        "--w": w,
        "--offsets": offsets,
    }
    asked = {name: str(value) for name, value in given.items() if value is not None}
    _refuse_mixed(file, asked)
    if file is not None and file.lower().endswith(".json"):
        return _again(file, asked, json)
    kind = _offsets(offsets)
    if save:
        from consistency_lab.files import check_writable

        check_writable(out)
    from consistency_lab.model.tasks.construction import construct as build
    from consistency_lab.report.construction import answer, document_of, report
    from consistency_lab.report.construction import save as save_files

    if file is not None:
        from consistency_lab.data.matrix import read_matrix

        name, title, matrix = Path(file).stem, Path(file).name, read_matrix(file)
    else:
        name, title, matrix = _target(asked)
    construction = build(matrix, kind)
    command = _command(file, asked)
    document = document_of(construction, {"source": title, "command": command})
    saved = save_files(construction, document, name, out) if save else None
    if json:
        say_json(answer(construction, document, saved))
        return CONSISTENT
    say_report(report(construction, title))
    if saved is not None:
        say(f"\nThe construction, to be checked again: {saved.document}")
        say(f"Python that needs no package:          {saved.module}")
    return CONSISTENT


def _again(file: str, asked: Mapping[str, str], json: bool) -> int:
    if asked:
        raise InputError(f"{next(iter(asked))} does not go with a construction; it is only checked again")
    from consistency_lab.data.matrix import read_construction
    from consistency_lab.report.construction import report

    construction = read_construction(file)
    if json:
        say_json({"file": file, "status": "ok", "dimension": construction.dimension})
        return CONSISTENT
    say_report(report(construction, Path(file).name))
    say("\nAll of it was checked again: the identity, the least dimensions, the bound, the digest.")
    return CONSISTENT


def _refuse_mixed(file: str | None, asked: Mapping[str, str]) -> None:
    if file is None and "--target" not in asked:
        raise InputError("there is no loss; name a CSV file with a loss matrix, or give --target NAME")
    others = [name for name in asked if name != "--offsets"]
    if file is not None and others:
        raise InputError(f"{others[0]} and a file are two questions; give one of them")


def _offsets(text: str | None) -> "Offsets | None":
    from consistency_lab.model.tasks.construction import Offsets

    if text is None:
        return None
    known = [str(kind) for kind in Offsets]
    if text not in known:
        raise InputError(f"--offsets is {text[:40]!r}; it must be one of {', '.join(known)}")
    return Offsets(text)


def _target(asked: Mapping[str, str]) -> "tuple[str, str, LossMatrix]":
    """What the task is called in a file's name and in a report, and its losses."""
    from consistency_lab.exact import rational
    from consistency_lab.model.tasks.catalogue import target
    from consistency_lab.model.tasks.discrete import matrix_of
    from consistency_lab.model.tasks.task import ITEMS

    task = target(
        asked["--target"],
        items=int(asked.get("--items", ITEMS)),
        labels=label_values(asked["--labels"]) if "--labels" in asked else None,
        gain=asked.get("--gain"),
        discount=asked.get("--discount"),
        k=int(asked["--k"]) if "--k" in asked else None,
        v=rational(asked["--v"], "--v") if "--v" in asked else None,
        w=rational(asked["--w"], "--w") if "--w" in asked else None,
    )
    name = f"{asked['--target']}-{task.space.m}"
    return name, f"{task.title}, {task.space.m} {_UNITS.get(task.space.kind, 'items')}", matrix_of(task)


_UNITS: Final = {"classes": "classes", "rows": "rows"}


def _command(file: str | None, asked: Mapping[str, str]) -> str:
    words = ["consistency-lab", "construct", *([] if file is None else [Path(file).name])]
    return shlex.join([*words, *(word for option in asked.items() for word in option)])
