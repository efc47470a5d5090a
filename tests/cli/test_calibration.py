"""`calibration`: the law or the bounds, the risk bound, and the picture."""

import math
from fractions import Fraction
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from consistency_lab import surrogate
from consistency_lab.apps.measure.calibration import calibration
from consistency_lab.apps.measure.calibration_laws import Calibration
from consistency_lab.apps.measure.calibration_report import calibration_plot
from consistency_lab.search.effort import Effort


def test_the_linear_loss(cli) -> None:
    ran = cli("calibration", "linear", "--condition", "low-noise", "--items", "3")
    assert (ran.code, ran.err) == (0, "")
    assert "H(ε) = 9/16 ε², where 9/16 = 0.5625" in ran.out
    assert "16 convex quadratic programs" in ran.out
    assert "excess risk <= sqrt(excess surrogate risk / (9/16))" in ran.said
    assert max(map(len, ran.out.splitlines())) <= 100


def test_the_difference_graph(cli) -> None:
    ran = cli("calibration", "difference-logistic", "--condition", "acyclic", "--items", "6")
    assert ran.code == 0
    assert "H(ε) = log(2) ε, where log(2) ≈ 0.693147" in ran.out
    assert "excess risk <= excess surrogate risk / log(2)" in ran.said


def test_no_uniform_bound(cli) -> None:
    ran = cli("calibration", "regression", "--condition", "net-order")
    assert ran.code == 0
    assert "H(ε) = 0 for all ε" in ran.out
    assert "not uniformly" in ran.out
    assert "Risk bound: none" in ran.out


def test_json_has_exact_numbers(cli) -> None:
    document = cli(
        "calibration", "linear", "--nu", "2", "--items", "4", "--condition", "additive", "--json"
    ).document
    assert document["law"]["c"] == document["law"]["lower"] == document["law"]["upper"] == "1/5"
    assert document["law"]["attained"]["reach"] == "1"
    assert (document["condition"], document["items"], document["kind"]) == ("additive", 4, "closed form")
    assert document["points"] == []


def test_bounds_come_as_a_table_and_as_json(cli) -> None:
    ran = cli("calibration", "hinge", "--items", "2")
    assert ran.code == 0
    assert "H(ε) ≥" in ran.out
    document = cli("calibration", "hinge", "--items", "2", "--json").document
    assert document["kind"] == "bracket"
    assert [point["regret"] for point in document["points"]] == ["1/6", "1/3", "1/2", "2/3", "5/6", "1"]
    assert document["convex_minorant"][0] == ["0", "0"]


def test_the_numbers_go_into_a_table(cli) -> None:
    """9/16 of the square of each regret, and at a bracket bounds that are rounded outward."""
    assert cli("calibration", "linear", "--csv", "h.csv").code == 0
    head, *rows = Path("h.csv").read_text("utf-8").splitlines()
    assert head == "regret,lower,upper" and len(rows) == 21
    assert rows[10] == "0.5,0.140625,0.140625"
    assert cli("calibration", "hinge", "--items", "2", "--csv", "h.csv").code == 0
    document = cli("calibration", "hinge", "--items", "2", "--json").document
    found = [row.split(",") for row in Path("h.csv").read_text("utf-8").splitlines()[1:]]
    for (_, lower, upper), point in zip(found, document["points"], strict=True):
        assert Fraction(lower) <= Fraction(point["lower"]) and Fraction(point["upper"]) <= Fraction(upper)


def test_nothing_proved_is_an_open_question(cli) -> None:
    ran = cli("calibration", "linear", "--r", "x**4", "--items", "2")
    assert ran.code == 3
    assert "Nothing is proved here beyond H(ε) ≥ 0." in ran.out


@pytest.mark.parametrize(("name", "start"), [("h.svg", b"<?xml"), ("h.png", b"\x89PNG")])
def test_the_picture(cli, name: str, start: bytes) -> None:
    ran = cli("calibration", "linear", "--condition", "additive", "--plot", name)
    assert ran.code == 0
    assert ran.out.endswith(f"\nThe calibration function: {name}\n")
    assert Path(name).read_bytes().startswith(start)


def test_the_picture_in_json(cli) -> None:
    ran = cli("calibration", "regression", "--condition", "any", "--plot", "h.svg", "--json")
    assert ran.document["picture"] == "h.svg"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["linear", "--items", "3,4"], "one number of items"),
        (["linear", "--items", "9"], "at most 6 items"),
        (["linear", "--condition", "loud"], "there is no condition 'loud'"),
        (["linear", "--plot", "h.bmp"], "must end in .svg, .png or .pdf"),
        (["linear", "--budget", "0"], "positive number of seconds"),
        (["liner"], "there is no surrogate called 'liner'"),
        ([], "give either the name of a surrogate or --phi"),
    ],
)
def test_wrong_questions(refused, arguments: list[str], message: str) -> None:
    assert message in refused("calibration", *arguments)


def drawn(found: Calibration) -> Figure:
    figure = Figure()
    calibration_plot(found).draw(figure)
    return figure


def test_the_right_panel_is_the_inverse_of_the_left() -> None:
    figure = drawn(calibration(surrogate("linear"), "additive", 2))
    left, _, right = (axes.lines[0].get_xydata() for axes in figure.axes)
    assert (left[:, ::-1] == right).all()
    assert left[:, 1] == pytest.approx(left[:, 0] ** 2)  # c = 1


@pytest.mark.parametrize(("name", "power"), [("linear", 2), ("difference-logistic", 1)])
def test_the_slope_in_the_middle_says_how_it_leaves_zero(name: str, power: int) -> None:
    found = calibration(surrogate(name), "additive", 2)
    (x, y), (one, last) = drawn(found).axes[1].lines[-1].get_xydata()
    assert math.log(last / y) / math.log(one / x) == pytest.approx(power)


def test_without_a_bound_the_right_panel_says_so() -> None:
    figure = drawn(calibration(surrogate("linear"), "acyclic", 3))
    assert [text.get_text() for text in figure.axes[2].texts] == ["no bound"]


def test_bounds_are_drawn_as_a_band_above_a_convex_function() -> None:
    found = calibration(surrogate("hinge"), "additive", 2, effort=Effort())
    figure = drawn(found)
    labels = figure.axes[0].get_legend_handles_labels()[1]
    assert labels == ["H lies in here", "convex function below H"]
    curve = figure.axes[0].lines[0].get_xydata()
    assert (curve[:, 1] <= curve[:, 0]).all()  # H_2(eps) = eps
