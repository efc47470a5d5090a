"""`calibration`: the law, the risk bound, and the picture."""

import math
from fractions import Fraction
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from consistency_lab import surrogate
from consistency_lab.apps.measure.calibration import bounded_calibration, calibration
from consistency_lab.apps.measure.calibration_report import calibration_plot
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import enclose_value


def test_the_linear_loss(cli):
    ran = cli("calibration linear --condition low-noise --items 3")
    assert (ran.code, ran.err) == (0, "")
    assert "H(ε) = 9/16 ε², where 9/16 = 0.5625" in ran.out
    assert "16 convex quadratic programs" in ran.out
    assert "excess risk <= sqrt(excess surrogate risk / (9/16))" in ran.said
    assert max(map(len, ran.out.splitlines())) <= 100


def test_json_has_exact_numbers(cli):
    document = cli("calibration linear --nu 2 --items 4 --condition additive --json").document
    assert document["law"]["c"] == document["law"]["lower"] == document["law"]["upper"] == "1/5"
    assert document["law"]["attained"]["reach"] == "1"
    assert (document["condition"], document["items"], document["kind"]) == ("additive", 4, "closed form")


def test_without_a_law_it_says_what_to_run_and_writes_nothing(cli):
    ran = cli("calibration logistic --items 4 --csv h.csv --plot h.svg")
    assert ran.code == 3 and not list(Path().iterdir())
    assert "No closed law of the calibration function of logistic under low-noise" in ran.said
    assert "consistency-lab measure logistic --items 4 --worst" in ran.said
    assert "--csv: nothing is written" in ran.err
    document = cli("calibration logistic --json").document
    assert (document["kind"], document["law"]) == ("none", None)


def test_the_numbers_of_a_law_go_into_a_table(cli):
    """9/16 of the square of each regret."""
    assert cli("calibration linear --csv h.csv").code == 0
    head, *rows = Path("h.csv").read_text("utf-8").splitlines()
    assert head == "regret,lower,upper" and len(rows) == 21
    assert rows[10] == "0.5,0.140625,0.140625"


def test_of_bounded_classes_h_is_as_the_book_has_it(cli):
    """The page bounded_scores: the hinge, and the exponential loss."""
    for b in (Fraction(1, 3), Fraction(1), Fraction(7, 3)):
        rows = bounded_calibration("hinge", b).rows
        assert rows == tuple((eps, eps * min(b, 1), eps * min(b, 1)) for eps, *_ in rows)
    for b in (Fraction(1, 2), Fraction(3)):
        for eps, lower, upper in bounded_calibration("exponential", b).rows:
            free, e = math.tanh(b) >= eps, float(eps)
            h = 1 - math.sqrt(1 - e * e) if free else 1 - math.cosh(b) + e * math.sinh(b)
            assert float(lower) - 1e-12 <= h <= float(upper) + 1e-12 and upper - lower < Fraction(1, 10**8)


@pytest.mark.parametrize("name", ["logistic", "squared-hinge", "huberized-hinge"])
def test_of_bounded_classes_bounds_hold_on_a_grid(name):
    phi, b = surrogate(name).phi, Fraction(3, 4)
    found = bounded_calibration(name, b)
    values = {k: float(enclose_value(phi, LogRational(Fraction(k, 40))).mid()) for k in range(-30, 31)}
    for eps, lower, upper in found.rows:
        e = float(eps)
        tried = [values[0] - ((1 + e) * values[k] + (1 - e) * values[-k]) / 2 for k in range(31)]
        assert max(tried) <= float(upper) + 1e-9 and float(lower) <= max(tried) + 2e-3
        assert float(upper) <= float(found.slope * b) * e + 1e-9


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("hinge --class lipschitz:2", "it must read like bounded:1/2"),
        ("hinge --class bounded:0", "must have a bound above 0"),
        ("hinge --class bounded:x", "--class bounded"),
        ("hinge --class bounded:1 --items 4", "--class asks about two items"),
        ("hinge --class bounded:1 --plot h.svg", "--plot does not fit"),
        ("linear --class bounded:1", "is no edge loss"),
        ("--phi max(0,-x) --class bounded:1", "differentiable at 0"),
    ],
)
def test_a_class_that_is_not_known_is_refused(cli, asked, said):
    ran = cli("calibration", *asked.split())
    assert ran.code == 2 and said in ran.err.replace("\n", " ")


def test_a_bounded_class_as_text_table_and_json(cli):
    ran = cli("calibration", "hinge", "--class", "bounded:1/2", "--csv", "h.csv")
    assert ran.code == 0 and "is at most 1/2 = 0.5 ε" in ran.said and len(ran.out.splitlines()) <= 24
    assert Path("h.csv").read_text("utf-8").splitlines()[:2] == ["regret,lower,upper", "0.1,0.05,0.05"]
    document = cli("calibration", "hinge", "--class", "bounded:1/2", "--json").document
    assert document["bound"] == "1/2"
    assert document["rows"][9] == {"regret": "1", "lower": "1/2", "upper": "1/2"}


@pytest.mark.long
@pytest.mark.parametrize(("name", "start"), [("h.svg", b"<?xml"), ("h.png", b"\x89PNG")])
def test_the_picture(cli, name, start):
    asked = ("calibration", "linear", "--condition", "additive", "--plot", name)
    assert cli(*asked).out.endswith(f"\nThe calibration function: {name}\n")
    assert Path(name).read_bytes().startswith(start)
    assert cli(*asked, "--json").document["picture"] == name


def drawn(found):
    figure = Figure()
    assert found.law is not None
    calibration_plot(found, found.law).draw(figure)
    return figure


def test_the_right_panel_is_the_inverse_of_the_left():
    figure = drawn(calibration(surrogate("linear"), "additive", 2))
    left, _, right = (axes.lines[0].get_xydata() for axes in figure.axes)
    assert (left[:, ::-1] == right).all()
    assert left[:, 1] == pytest.approx(left[:, 0] ** 2)  # c = 1


@pytest.mark.parametrize(("name", "power"), [("linear", 2), ("difference-logistic", 1)])
def test_the_slope_in_the_middle_says_how_it_leaves_zero(name, power):
    found = calibration(surrogate(name), "additive", 2)
    (x, y), (one, last) = drawn(found).axes[1].lines[-1].get_xydata()
    assert math.log(last / y) / math.log(one / x) == pytest.approx(power)
