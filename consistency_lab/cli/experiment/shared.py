"""What the experiments' commands have in common: lists of numbers, and where figures go."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from consistency_lab.cli.streams import warn
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.report.canvas import Picture


def whole_numbers(option: str, text: str) -> tuple[int, ...]:
    """Numbers with commas between them.

    Examples
    --------
    >>> whole_numbers("--orders", "1, 10,100")
    (1, 10, 100)
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 10 and int(part) > 0 for part in parts):
        raise InputError(f"{option} is {text[:40]!r}; it must read like 1,10,100")
    return tuple(dict.fromkeys(map(int, parts)))


def decimals(option: str, text: str) -> tuple[float, ...]:
    """The same with decimals above 0.

    Examples
    --------
    >>> decimals("--lambdas", "1e-3,0.5")
    (0.001, 0.5)
    """
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = (0.0,)
    if not all(0 < value < float("inf") for value in found):
        raise InputError(f"{option} is {text[:40]!r}; it must read like 0.001,0.1,1, all above 0")
    return found


def check_figures(folder: Path | None) -> None:
    """Find out before the work whether figures can be drawn and written."""
    if folder is not None:
        from consistency_lab.extras import need
        from consistency_lab.files import prepare_folder

        need("matplotlib", "a figure")
        prepare_folder(folder, "figures")


def save_figures(folder: Path | None, pictures: "Mapping[str, Picture]") -> None:
    """Write each figure as SVG and as PNG, and say so."""
    if folder is None:
        return
    for name, picture in pictures.items():
        for form in ("svg", "png"):
            picture.save(folder / f"{name}.{form}")
    warn(f"written: {', '.join(f'{name}.svg' for name in pictures)} and the same as PNG, in {folder}")
