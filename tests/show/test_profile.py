"""What is told about one distribution."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from consistency_lab import Distribution, Profile, check_profile, surrogate
from consistency_lab.data.rows import Contents, Tally, Unranked
from consistency_lab.show.profile import profile_details, profile_screen
from consistency_lab.show.text import rendered


def told(name, profile):
    decision = check_profile(surrogate(name), profile.distribution, notes=profile.notes)
    lines = [*profile_screen(decision, profile, name, "f.csv", {}, True), *profile_details(decision, profile)]
    return " ".join(" ".join(rendered(lines)).split())


@dataclass(frozen=True)
class _Counted(Contents):
    """A distribution of so many votes."""

    distribution: Distribution
    counted: str

    def total(self, kept: Sequence[int]) -> Fraction:
        return Fraction(10)

    def notes(self, kept: Sequence[int], unranked: Unranked) -> tuple[str, ...]:
        return ("a note of the data",)

    def votes(self, kept: Sequence[int], unranked: Unranked) -> None:
        return None

    def tally(self, kept: Sequence[int], unranked: Unranked) -> Tally:
        weights = [10 * p for p in self.distribution.probabilities]
        return tuple(zip(self.distribution.graphs, weights, strict=True))


def profile(a, counted="voters"):
    total = Fraction(10)
    p = Distribution.from_aggregate([[Fraction(x) / total for x in row] for row in a])
    return Profile.of(_Counted("no file", "", p.items, counted=counted, distribution=p), "A test")


HINGE_TIE = [[0, 1, 4], [0, 0, 1], [2, 0, 0]]


def test_a_wrong_pair_in_terms_of_voters():
    text = told("hinge", profile(HINGE_TIE))
    assert text.startswith("hinge can rank these votes wrongly: ")
    assert "get one score, but 1 voters prefer 2 and 0 prefer 3." in text
    assert "Note: a note of the data." in text
    assert "The failure is a tie" in text


def test_comparisons_are_not_voters():
    assert "but 2 beats 3 by 1 : 0." in told("hinge", profile(HINGE_TIE, "comparisons"))
    assert "voters prefer" not in told("hinge", profile(HINGE_TIE, "probability"))


def test_a_right_order():
    text = told("regression", profile(HINGE_TIE))
    assert text.startswith("regression ranks these votes correctly. ")
    assert "best: " in text and "against" not in text
    assert "mean zero" not in text


def test_many_wrong_pairs_are_left_to_the_file():
    draw = Random(1).randrange
    text = told("hinge", profile([[0 if i == j else draw(30) for j in range(12)] for i in range(12)]))
    assert text.count(" Also ") == 6
    assert "more pairs are wrong; see show." in text


def test_what_is_not_convex_is_undecided():
    text = told("margin-ramp", profile(HINGE_TIE))
    assert text.startswith("It is open whether margin-ramp ranks these votes correctly: ")
    assert "no certificate applies" in text


SEVERAL = [[0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 2], [1, 0, 0, 0]]
"""Four of the six integer minimizers of the hinge's risk can be right here, two are strictly wrong."""


def test_where_no_minimizer_exists_its_escape_is_told_and_no_score():
    """A beats B, B beats C and nothing comes back: log(1+exp(-x)) falls forever."""
    text = told("logistic", profile([[0, 2, 0], [0, 0, 1], [0, 0, 0]], "comparisons"))
    assert "W has no minimizer; every near-minimizer is certainly in A(p)" in text
    assert "best: 1 > 2 > 3 (the only one; certified)" in text
    assert "W keeps falling along the direction" in text
    assert "No minimizer exists: from every point W keeps falling along the direction 1 2, 2 1, 3 0" in text
    assert "50.0000" not in text and "order of the minimizer" not in text


def test_what_the_limit_leaves_open_is_in_braces_and_what_stays_finite_has_scores():
    """1 and 2 lie above 3, without a comparison of their own; 3 and 4 beat each other."""
    text = told("logistic", profile([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 3], [0, 0, 1, 0]], "comparisons"))
    assert "best: 1 > 2 > 3 > 4 (one of" in text
    assert "W keeps falling along the direction 1 1, 2 1, 3 0, 4 0" in text


def test_the_hinge_keeps_its_minimizer_there():
    text = told("hinge", profile([[0, 2, 0], [0, 0, 1], [0, 0, 0]], "comparisons"))
    assert "Every minimizer of W is certainly in A(p)" in text
    assert "best: 1 > 2 > 3" in text


def test_a_wrong_minimizer_beside_a_right_one_is_one_of_several():
    text = told("hinge", profile(SEVERAL))
    assert "A minimizer of W is certainly outside A(p); another one is right." in text
    assert "for this minimizer, not for every minimizer" in text
    assert "Another minimizer, which is right: 1 1.0020, 2 1.0010, 3 1.0000, 4 0.0000" in text


def test_the_only_minimizer_is_every_one():
    text = told("logistic", profile([[0, 1, 6], [0, 0, 2], [3, 0, 0]]))
    assert "Every minimizer of W is certainly outside A(p)." in text
    assert "not for every minimizer" not in text
