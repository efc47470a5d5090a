"""What is written out in a format is read back as it was."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.data.profile import Profile, read_profile

Levels = list[list[int]]


@st.composite
def profiles(draw: st.DrawFn) -> tuple[int, list[tuple[int, Levels]]]:
    """Weak orders, some of them incomplete, with counts."""
    m = draw(st.integers(2, 6))

    def levels(items: list[int], cuts: list[bool]) -> Levels:
        found: Levels = [[items[0]]]
        for item, cut in zip(items[1:], cuts, strict=False):
            if cut:
                found.append([item])
            else:
                found[-1].append(item)
        return found

    ballot = st.builds(
        levels,
        st.lists(st.integers(0, m - 1), min_size=1, max_size=m, unique=True),
        st.lists(st.booleans(), min_size=m - 1, max_size=m - 1),
    )
    return m, draw(st.lists(st.tuples(st.integers(1, 10**6), ballot), min_size=1, max_size=8))


def order_text(ballot: Levels) -> str:
    levels = [",".join(str(item + 1) for item in level) for level in ballot]
    return ",".join(f"{{{text}}}" if "," in text else text for text in levels)


def present(m: int, ballots: list[tuple[int, Levels]]) -> str:
    voters = sum(count for count, _ in ballots)
    names = "".join(f"# ALTERNATIVE NAME {i + 1}: item {i}\n" for i in range(m))
    header = (
        f"# NUMBER ALTERNATIVES: {m}\n# NUMBER VOTERS: {voters}\n# NUMBER UNIQUE ORDERS: {len(ballots)}\n"
    )
    return header + names + "".join(f"{count}: {order_text(ballot)}\n" for count, ballot in ballots)


def older(m: int, ballots: list[tuple[int, Levels]]) -> str:
    voters = sum(count for count, _ in ballots)
    names = "".join(f"{i + 1},item {i}\n" for i in range(m))
    body = "".join(f"{count},{order_text(ballot)}\n" for count, ballot in ballots)
    return f"{m}\n{names}{voters},{voters},{len(ballots)}\n{body}"


def expected(m: int, ballots: list[tuple[int, Levels]], unranked: str) -> Counter[tuple[int, int]]:
    """Pair counts from the level numbers, item by item."""
    found: Counter[tuple[int, int]] = Counter()
    for count, ballot in ballots:
        depth = {item: place for place, level in enumerate(ballot) for item in level}
        if unranked == "last":
            depth |= {item: len(ballot) for item in range(m) if item not in depth}
        found.update({(i, j): count for i in depth for j in depth if depth[i] < depth[j]})
    return found


def written(name: str, text: str, unranked: Literal["last", "unknown"] = "last") -> Profile:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        return read_profile(path, unranked)


def found_counts(profile: Profile) -> dict[tuple[int, int], Fraction]:
    a = profile.distribution.aggregate
    return {(i, j): x * profile.voters for i, row in enumerate(a) for j, x in enumerate(row) if x}


@pytest.mark.parametrize("write", [present, older])
@pytest.mark.parametrize("unranked", ["last", "unknown"])
@given(case=profiles())
def test_ballots(write, unranked, case) -> None:  # type: ignore[no-untyped-def]
    m, ballots = case
    profile = written("v.toi", write(m, ballots), unranked)
    assert found_counts(profile) == expected(m, ballots, unranked)
    assert profile.voters == sum(count for count, _ in ballots)
    assert sum(profile.distribution.probabilities) == 1
    assert profile.distribution.items == tuple(f"item {i}" for i in range(m))


@given(case=profiles())
def test_restriction_commutes_with_reading(case) -> None:  # type: ignore[no-untyped-def]
    """Unknown items carry no edge, so keeping some items first or last is the same."""
    m, ballots = case
    kept = tuple(reversed(range(m)))[:2]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "v.toi"
        path.write_text(present(m, ballots), encoding="utf-8")
        small = read_profile(path, "unknown", items=[f"item {i}" for i in kept]).distribution
        large = read_profile(path, "unknown").distribution
    assert small.aggregate == large.restricted(kept).aggregate


pairs = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda pair: pair[0] != pair[1]),
    st.integers(1, 10**9),
    min_size=1,
)


@given(counts=pairs)
def test_pair_counts(counts) -> None:  # type: ignore[no-untyped-def]
    text = "".join(f"{i},{j},{count}\n" for (i, j), count in counts.items())
    profile = written("v.csv", text)
    names = profile.distribution.items
    assert {
        (int(names[i]), int(names[j])): count for (i, j), count in found_counts(profile).items()
    } == counts


@given(counts=pairs)
def test_distribution(counts) -> None:  # type: ignore[no-untyped-def]
    total = sum(counts.values())
    graphs = [
        {"probability": str(Fraction(count, total)), "edges": [[str(i), str(j), "1"]]}
        for (i, j), count in counts.items()
    ]
    profile = written("v.json", json.dumps({"items": [str(i) for i in range(5)], "graphs": graphs}))
    assert {pair: x * total for pair, x in found_counts(profile).items()} == counts
