"""`calibration`: the law, the risk bound, and the picture."""

import math
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from consistency_lab import surrogate
from consistency_lab.apps.measure.calibration import calibration
from consistency_lab.apps.measure.calibration_report import calibration_plot


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
