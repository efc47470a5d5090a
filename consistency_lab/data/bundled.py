"""The samples that come with the package; what is called made-up is invented by us, and says nothing."""

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent / "samples"


def samples() -> tuple[str, ...]:
    """Names of the bundled samples, which whatever reads preferences takes as they are.

    Examples
    --------
    >>> samples()[-2:]
    ('san-francisco.csv', 'vermont.toc')
    """
    return tuple(sorted(path.name for path in _FOLDER.iterdir() if path.is_file()))


def sample_path(name: str) -> Path | None:
    """Where the sample of this name lies, or None if there is none."""
    return _FOLDER / name if name in samples() else None


def place_of(name: str) -> tuple[Path, tuple[str, ...]]:
    """The file of this name, else the sample of that name if there is one, and what must be said of it."""
    path, sample = Path(name), sample_path(name)
    if sample is None or path.exists():
        return path, ()
    return sample, (f"{name} is not in this folder; the sample of that name in the package is read",)
