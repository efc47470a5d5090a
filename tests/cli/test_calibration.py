"""`calibration`: the law or the bounds, the risk bound, and the picture."""

import math
from fractions import Fraction
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from consistency_lab import surrogate
from consistency_lab.apps.measure.calibration import calibration
from consistency_lab.apps.measure.calibration_report import calibration_plot
from consistency_lab.search.effort import Effort


def test_the_linear_loss(cli):
    ran = cli("calibration", "linear", "--condition", "low-noise", "--items", "3")
    assert (ran.code, ran.err) == (0, "")
    assert "H(ε) = 9/16 ε², where 9/16 = 0.5625" in ran.out
    assert "16 convex quadratic programs" in ran.out
    assert "excess risk <= sqrt(excess surrogate risk / (9/16))" in ran.said
    assert max(map(len, ran.out.splitlines())) <= 100


def test_json_has_exact_numbers(cli):
    document = cli(
        "calibration", "linear", "--nu", "2", "--items", "4", "--condition", "additive", "--json"
    ).document
    assert document["law"]["c"] == document["law"]["lower"] == document["law"]["upper"] == "1/5"
    assert document["law"]["attained"]["reach"] == "1"
    assert (document["condition"], document["items"], document["kind"]) == ("additive", 4, "closed form")
    assert document["points"] == []


def test_bounds_come_as_tables_and_as_json(cli):
    ran = cli("calibration", "hinge", "--items", "2", "--budget", "2", "--csv", "h.csv")
    assert ran.code == 0 and "H(ε) ≥" in ran.out
    document = cli("calibration", "hinge", "--items", "2", "--budget", "2", "--json").document
    assert document["kind"] == "bracket"
    assert [point["regret"] for point in document["points"]] == ["1/6", "1/3", "1/2", "2/3", "5/6", "1"]
    assert document["convex_minorant"][0] == ["0", "0"]
    found = [row.split(",") for row in Path("h.csv").read_text("utf-8").splitlines()[1:]]
    for (_, lower, upper), point in zip(found, document["points"], strict=True):
        assert Fraction(lower) <= Fraction(point["lower"]) and Fraction(point["upper"]) <= Fraction(upper)


def test_the_numbers_of_a_law_go_into_a_table(cli):
    """9/16 of the square of each regret."""
    assert cli("calibration", "linear", "--csv", "h.csv").code == 0
    head, *rows = Path("h.csv").read_text("utf-8").splitlines()
    assert head == "regret,lower,upper" and len(rows) == 21
    assert rows[10] == "0.5,0.140625,0.140625"


@pytest.mark.parametrize(("name", "start"), [("h.svg", b"<?xml"), ("h.png", b"\x89PNG")])
def test_the_picture(cli, name, start):
    asked = ("calibration", "linear", "--condition", "additive", "--plot", name)
    assert cli(*asked).out.endswith(f"\nThe calibration function: {name}\n")
    assert Path(name).read_bytes().startswith(start)
    assert cli(*asked, "--json").document["picture"] == name


def drawn(found):
    figure = Figure()
    calibration_plot(found).draw(figure)
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


def test_bounds_are_drawn_as_a_band_above_a_convex_function():
    found = calibration(surrogate("hinge"), "additive", 2, effort=Effort(2))
    figure = drawn(found)
    labels = figure.axes[0].get_legend_handles_labels()[1]
    assert labels == ["H lies in here", "convex function below H"]
    curve = figure.axes[0].lines[0].get_xydata()
    assert (curve[:, 1] <= curve[:, 0]).all()  # H_2(eps) = eps
