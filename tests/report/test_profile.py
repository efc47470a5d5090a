"""What is told about one distribution."""

from fractions import Fraction
from random import Random

from consistency_lab import Distribution, Profile, check_profile, surrogate
from consistency_lab.report.profile import profile_answer, profile_heading
from consistency_lab.report.text import rendered


def told(name: str, profile: Profile) -> str:
    decision = check_profile(surrogate(name), profile.distribution, notes=profile.notes)
    lines = [*profile_heading(decision, profile), *profile_answer(decision, profile, None, {})]
    return " ".join(" ".join(rendered(lines)).split())


def profile(a: list[list[int]], counted: str = "voters") -> Profile:
    total = Fraction(10)
    p = Distribution.from_aggregate([[Fraction(x) / total for x in row] for row in a])
    return Profile(p, "A test", 10, "no file", ("a note of the data",), counted)


HINGE_TIE = [[0, 1, 4], [0, 0, 1], [2, 0, 0]]


def test_a_wrong_pair_in_terms_of_voters() -> None:
    text = told("hinge", profile(HINGE_TIE))
    assert "INCONSISTENT here" in text
    assert "A majority of 1 (of 10 voters) prefers " in text
    assert "yet the minimizer scores both " in text
    assert "Note: a note of the data." in text
    assert "The failure is a tie" in text


def test_comparisons_are_not_voters() -> None:
    assert "(of 10 comparisons)" in told("hinge", profile(HINGE_TIE, "comparisons"))
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
    assert text.count("yet the minimizer scores") == 6
    assert "more pairs that are wrong." in text


def test_what_is_not_convex_is_undecided() -> None:
    text = told("ramp", profile(HINGE_TIE))
    assert "UNDECIDED here." in text
    assert "no certificate applies" in text
