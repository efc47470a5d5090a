"""What the page on rewards learned from many people computes, and what refutes its false variants."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import Final

from consistency_lab.apps.book.statement import Line, Refutation
from consistency_lab.apps.book.statements.designs import built
from consistency_lab.model.conditions import net
from consistency_lab.model.distribution import Distribution
from consistency_lab.numbers.exact import Matrix

__all__ = ["built", "falls", "free_scores", "mean_utility", "misreported", "right_weights"]

Votes = Sequence[tuple[int, str]]
"""How many people, and their order of the answers."""

# --- Borda counts ----------------------------------------------------------------------------------------


def _wins(votes: Votes) -> Matrix:
    """How many put the one above the other, in alphabetical order."""
    items = sorted(votes[0][1])
    return [
        [Fraction(sum(n for n, t in votes if t.index(i) < t.index(j)) if i != j else 0) for j in items]
        for i in items
    ]


def _net(votes: Votes) -> list[Fraction]:
    return net(Distribution.from_aggregate(_wins(votes)).difference)


def mean_utility(weak: str, strong: str) -> Refutation:
    # Two answers: `weak` contexts find the first better by 1, `strong` ones the second by 10.
    n, k = int(weak), int(strong)
    borda, mean = _net([(n, "12"), (k, "21")]), Fraction(n - 10 * k, n + k)
    return Refutation(
        borda[0] > borda[1] and mean < 0,
        f"u_1 − u_2 = 1 in {n} of {n + k} contexts, −10 in the others: B_1 > B_2, but the mean is {mean}",
    )


def misreported() -> bool:
    true, said = _net([(3, "123"), (2, "213")]), _net([(3, "123"), (2, "231")])
    return true[0] > max(true[1:]) and said[1] > max(said[0], said[2])


# --- Scores that are linear in features ------------------------------------------------------------------

_FEATURES: Final = ((0, 0), (0, 3), (2, 1), (3, 2))
_PROFILE: Final = ((3, "BADC"), (1, "DCAB"))
_ALONG: Final = (1, -1)
"""Weights (s, −s) give C and D one score."""
_ACROSS: Final = (-1, -1)
"""x_C − x_D."""


def _dot(x: Sequence[int], y: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(x, y, strict=True))


def _slope(x: Fraction, power: int) -> Fraction:
    """φ'(k s) of the logistic loss, x = e^s."""
    return -1 / (1 + x**power)


def _terms(direction: Sequence[int]) -> Iterator[tuple[Fraction, int]]:
    """(c, k): at w = (s, −s) the derivative of W along a direction is the sum of c φ'(k s)."""
    wins = _wins(_PROFILE)
    for i, j in permutations(range(4), 2):
        gap = tuple(a - b for a, b in zip(_FEATURES[i], _FEATURES[j], strict=True))
        yield wins[i][j] * _dot(gap, direction), _dot(gap, _ALONG)


def falls(low: str, high: str) -> Iterator[Mapping[str, str] | Line]:
    ends = Fraction(low), Fraction(high)
    at_low, at_high = (sum((c * _slope(x, k) for c, k in _terms(_ALONG)), Fraction(0)) for x in ends)
    most = sum((max(c * _slope(x, k) for x in ends) for c, k in _terms(_ACROSS)), Fraction(0))
    yield {"low": low, "high": high, "slope": f"{float(most):.2f}"}
    yield Line(f"along the line: {float(at_low):.2f} < 0 at {low}", at_low < 0)
    yield Line(f"along the line: {float(at_high):.2f} > 0 at {high}", at_high > 0)
    yield Line(f"along v: at most {float(most):.2f} < 0 between them", most < 0)
    yield Line("nobody puts C above D, and w·v = 0 on the line", _wins(_PROFILE)[2][3] == _along_v() == 0)


def _along_v() -> int:
    return _dot(_ALONG, _ACROSS)


def right_weights(*weights: str) -> Refutation:
    scores = [_dot(x, [int(w) for w in weights]) for x in _FEATURES]
    wins = _wins(_PROFILE)
    right = all((wins[i][j] > wins[j][i]) == (scores[i] > scores[j]) for i, j in combinations(range(4), 2))
    return Refutation(right, f"w = ({', '.join(weights)}) gives A, B, C, D the scores {tuple(scores)}")


def free_scores() -> Refutation:
    found = _net(_PROFILE)
    return Refutation(
        found[3] > found[2],
        f"net preferences {', '.join(map(str, found))} of A to D: D is above C (weighted-borda)",
    )
