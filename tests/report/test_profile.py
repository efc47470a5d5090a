"""What is told about one distribution."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from consistency_lab import Distribution, Profile, check_profile, surrogate
from consistency_lab.data.rows import Contents, Tally, Unranked
from consistency_lab.report.profile import profile_answer, profile_heading
from consistency_lab.report.text import rendered


def told(name: str, profile: Profile) -> str:
    decision = check_profile(surrogate(name), profile.distribution, notes=profile.notes)
    lines = [*profile_heading(decision, profile), *profile_answer(decision, profile, {})]
    return " ".join(" ".join(rendered(lines)).split())


@dataclass(frozen=True)
class _Counted(Contents):
    """A distribution of so many votes."""

    distribution: Distribution
    counted: str  # type: ignore[misc]

    def total(self, kept: Sequence[int]) -> Fraction:
        return Fraction(10)

    def notes(self, kept: Sequence[int], unranked: Unranked) -> tuple[str, ...]:
        return ("a note of the data",)

    def votes(self, kept: Sequence[int], unranked: Unranked) -> None:
        return None

    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        weights = [10 * p for p in self.distribution.probabilities]
        return tuple(zip(self.distribution.graphs, weights, strict=True))


def profile(a: list[list[int]], counted: str = "voters") -> Profile:
    total = Fraction(10)
    p = Distribution.from_aggregate([[Fraction(x) / total for x in row] for row in a])
    return Profile.of(_Counted("no file", "", p.items, counted=counted, distribution=p), "A test")


HINGE_TIE = [[0, 1, 4], [0, 0, 1], [2, 0, 0]]


def test_a_wrong_pair_in_terms_of_voters() -> None:
    text = told("hinge", profile(HINGE_TIE))
    assert "INCONSISTENT here" in text
    assert "A majority of 1 (of 10 voters) prefers " in text
    assert "yet this minimizer scores both " in text
    assert "Note: a note of the data." in text
    assert "The failure is a tie" in text


def test_comparisons_are_not_voters() -> None:
    assert "comparison" in told("hinge", profile(HINGE_TIE, "comparisons"))
    assert "A weight of " in told("hinge", profile(HINGE_TIE, "probability"))


def test_a_right_order() -> None:
    text = told("regression", profile(HINGE_TIE))
    assert "CONSISTENT here" in text
    assert "(optimal)" in text
    assert "mean zero" not in text


def test_many_wrong_pairs_are_left_to_the_file() -> None:
    """The hinge ties whole blocks of a noisy tournament."""
    draw = Random(1).randrange
    text = told("hinge", profile([[0 if i == j else draw(30) for j in range(12)] for i in range(12)]))
    assert text.count(" minimizer scores ") == 6
    assert "more pairs are wrong; see show." in text


def test_what_is_not_convex_is_undecided() -> None:
    text = told("margin-ramp", profile(HINGE_TIE))
    assert "UNDECIDED here." in text
    assert "no certificate applies" in text


SEVERAL = [[0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 2], [1, 0, 0, 0]]
"""Four of the six integer minimizers of the hinge's risk can be right here, two are strictly wrong."""


def test_a_majority_is_one_of_the_comparisons_of_that_pair() -> None:
    """The two met three times, 2 to 1; the other five comparisons are of other pairs."""
    a = [[0, 2, 5], [1, 0, 0], [0, 0, 0]]
    text = told("hinge", profile([[row[k] for k in (1, 0, 2)] for row in (a[1], a[0], a[2])], "comparisons"))
    lone = told("hinge", profile(HINGE_TIE, "comparisons"))
    assert "of 10 comparisons" not in text + lone
    assert "A majority of 1 (of 1 comparison of these two) prefers" in lone


def test_where_no_minimizer_exists_its_escape_is_told_and_no_score() -> None:
    """A beats B, B beats C and nothing comes back: log(1+exp(-x)) falls forever."""
    text = told("logistic", profile([[0, 2, 0], [0, 0, 1], [0, 0, 0]], "comparisons"))
    assert "CONSISTENT here: W has no minimizer; every near-minimizer is certainly in A(p)" in text
    assert "order by addition: 1 > 2 > 3 (optimal)" in text
    assert "W keeps falling along the direction" in text
    assert "No minimizer exists: from every point W keeps falling along the direction 1 2, 2 1, 3 0" in text
    assert "50.0000" not in text and "order of the minimizer" not in text


def test_what_the_limit_leaves_open_is_in_braces_and_what_stays_finite_has_scores() -> None:
    """1 and 2 lie above 3, without a comparison of their own; 3 and 4 beat each other."""
    text = told("logistic", profile([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 3], [0, 0, 1, 0]], "comparisons"))
    assert "one order, by addition: 1 > 2 > 3 > 4 (optimal)" in text
    assert "W keeps falling along the direction 1 1, 2 1, 3 0, 4 0" in text


def test_the_hinge_keeps_its_minimizer_there() -> None:
    text = told("hinge", profile([[0, 2, 0], [0, 0, 1], [0, 0, 0]], "comparisons"))
    assert "every minimizer of W is certainly in A(p)" in text
    assert "order of the minimizer: 1 > 2 > 3" in text


def test_a_wrong_minimizer_beside_a_right_one_is_one_of_several() -> None:
    text = told("hinge", profile(SEVERAL))
    assert "INCONSISTENT here: a minimizer of W is certainly outside A(p); another one is right." in text
    assert "for this minimizer, not for every minimizer" in text
    assert "another minimizer, which is right: 1 1.0020, 2 1.0010, 3 1.0000, 4 0.0000" in text


def test_the_only_minimizer_is_every_one() -> None:
    text = told("logistic", profile([[0, 1, 6], [0, 0, 2], [3, 0, 0]]))
    assert "INCONSISTENT here: every minimizer of W is certainly outside A(p)." in text
    assert "not for every minimizer" not in text
