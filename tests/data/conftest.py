"""Files of preferences that a test writes, and what is read of them."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from consistency_lab import InputError, Profile, Reading


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """`write("t.csv", text)`."""

    def made(name: str, text: str | bytes, encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    return made


@pytest.fixture
def read(write: Callable[..., Path]) -> Callable[..., Profile]:
    """The one profile of a text."""

    def made(text: str, name: str = "t.csv", encoding: str = "utf-8", **options: object) -> Profile:
        (profile,) = Reading(**options).profiles(write(name, text, encoding))  # type: ignore[arg-type]
        return profile

    return made


@pytest.fixture
def refusal() -> Callable[..., str]:
    """Why a file is not read."""

    def made(path: Path | str, **options: object) -> str:
        with pytest.raises(InputError) as caught:
            list(Reading(**options).profiles(path))  # type: ignore[arg-type]
        return str(caught.value)

    return made


@pytest.fixture
def wins() -> Callable[[Profile], dict[tuple[str, str], Fraction]]:
    """How often one was preferred to another, by their names."""

    def of(profile: Profile) -> dict[tuple[str, str], Fraction]:
        names, rows = profile.items, profile.wins
        return {(names[i], names[j]): x for i, row in enumerate(rows) for j, x in enumerate(row) if x}

    return of
