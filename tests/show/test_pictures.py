"""Pictures: what is drawn is where the mathematics puts it, and the same picture is the same file."""

import re
import subprocess
import sys
from fractions import Fraction
from itertools import permutations
from math import log
from pathlib import Path

import numpy as np
import pytest
from matplotlib import rcParams
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from consistency_lab import Distribution, InputError, certify_at, minimize, surrogate, verify
from consistency_lab.files import read_json
from consistency_lab.show import pictures
from consistency_lab.show.canvas import FORMATS, drawable

GALLERY = Path(__file__).parents[2] / "counterexamples"
UNIVERSAL = [[0, 3, 8], [0, 0, 1], [4, 0, 0]]
"""DMJ10 Theorem 11's construction with h(a) = a: h23 = 1 < h31 h12 / (h13 + h12) = 12/11."""


def plane(name, a, **options):
    p = Distribution.from_aggregate(a)
    return pictures.score_plane(surrogate(name).risk_terms(p), p.aggregate, p.items, **options)


def drawn(picture):
    figure = Figure()
    picture.draw(figure)
    return figure


def color_at(figure, point):
    (axes,) = figure.axes
    (patch,) = (patch for patch in axes.patches if patch.get_path().contains_point(point))
    return to_hex(patch.get_facecolor())


def labels(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_each_order_has_its_chamber():
    """The six chambers are the sign patterns of alpha_1 - alpha_2, alpha_2 - alpha_3, alpha_1 - alpha_3."""
    for order, start, end in pictures.CHAMBERS:
        for angle in np.radians(np.linspace(start, end, 9)[1:-1]):
            scores = pictures.scores_at(np.cos(angle), np.sin(angle))
            assert tuple(np.argsort(-scores)) == order
            assert abs(scores.sum()) < 1e-12
            assert np.allclose(pictures.point_of(scores), (np.cos(angle), np.sin(angle)))
    assert {order for order, _, _ in pictures.CHAMBERS} == set(permutations(range(3)))


def test_on_a_wall_two_items_tie():
    for a, b, i, j in pictures.WALLS:
        scores = pictures.scores_at(np.array(-b * 2.0), np.array(a * 2.0))
        assert scores[i] == pytest.approx(scores[j])


@pytest.mark.parametrize("name", ["logistic", "squared-hinge"])
def test_at_the_distribution_of_theorem_11_the_minimizer_is_in_a_wrong_chamber(name):
    p = Distribution.from_aggregate(UNIVERSAL)
    figure = drawn(plane(name, UNIVERSAL))
    best = pictures.point_of(minimize(surrogate(name).risk_terms(p), 3).scores.tolist())
    assert color_at(figure, best) == pictures.WRONG
    assert color_at(figure, pictures.point_of((2.0, 1.0, 0.0))) == pictures.RIGHT
    star = next(line for line in figure.axes[0].lines if line.get_marker() == "*")
    assert np.allclose(star.get_xydata(), [best], atol=1e-6)
    texts = {text.get_text(): text.get_weight() for text in figure.axes[0].texts}
    assert len(texts) == 6
    assert [text for text, weight in texts.items() if weight == "bold"] == ["1 > 2 > 3"]
    assert "A(p): the optimal order" in labels(figure)


def test_each_order_is_written_inside_its_chamber():
    figure = drawn(plane("logistic", UNIVERSAL))
    (axes,) = figure.axes
    for text in axes.texts:
        x, y = text.get_position()
        order = np.argsort(-pictures.scores_at(np.array(x), np.array(y))) + 1
        assert text.get_text() == " > ".join(map(str, order))
        assert axes.get_xlim()[0] < x < axes.get_xlim()[1]
        assert axes.get_ylim()[0] < y < axes.get_ylim()[1]


def test_a_right_minimizer_leaves_no_chamber_wrong():
    figure = drawn(plane("logistic", [[0, 3, 5], [1, 0, 3], [1, 1, 0]]))
    assert not any("wrong" in label for label in labels(figure))
    assert all(to_hex(patch.get_facecolor()) != pictures.WRONG for patch in figure.axes[0].patches)


def test_two_optimal_orders_are_both_shaded():
    """With d_23 = 0 both 1 > 2 > 3 and 1 > 3 > 2 are optimal."""
    figure = drawn(plane("logistic", [[0, 3, 3], [1, 0, 2], [1, 2, 0]]))
    assert color_at(figure, (0.1, 1.0)) == color_at(figure, (-0.1, 1.0)) == pictures.RIGHT
    assert "A(p): the optimal orders" in labels(figure)


def test_the_contours_are_those_of_the_risk():
    p = Distribution.from_aggregate(UNIVERSAL)
    picture = plane("logistic", UNIVERSAL)

    def risk(x, y):
        u = pictures.scores_at(np.array(x), np.array(y))
        return sum(
            c * log(1 + np.exp(u[j] - u[i])) for i, j, c in ((0, 1, 3), (0, 2, 8), (1, 2, 1), (2, 0, 4))
        )

    for x, y in [(0.0, 0.0), (1.0, -0.5), (-2.0, 1.5)]:
        assert picture.draw.risk.at((x, y)) == pytest.approx(risk(x, y))
    best = minimize(surrogate("logistic").risk_terms(p), 3)
    x, y = pictures.Window.around([(1.0, 1.0)]).grid(21)
    assert picture.draw.risk(x, y).min() >= best.value - 1e-9


@pytest.mark.parametrize("name", ["linear", "regression"])
def test_where_a_shift_matters_the_least_risk_over_all_shifts_is_drawn(name):
    """DMJ10 Eq. 15: for r = x**2/2 the minimizer is N_i = sum_j d_ij, and W is quadratic around it."""
    p = Distribution.from_aggregate([[0, 1, 0], [0, 0, 3], [0, 0, 0]])
    terms = surrogate(name).risk_terms(p)
    risk = pictures.score_plane(terms, p.aggregate).draw.risk
    best = minimize(terms, 3)
    assert pictures.point_of(best.scores.tolist()) == pytest.approx(pictures.point_of((1.0, 2.0, -3.0)))
    assert risk.at(pictures.point_of((1.0, 2.0, -3.0))) == pytest.approx(best.value)
    # Moving (2, -1, -1) away: the squares add up to 6.
    factor = {"linear": 0.5, "regression": 1.0}[name]
    assert risk.at(pictures.point_of((3.0, 1.0, -4.0))) - best.value == pytest.approx(factor * 6)


def test_a_flat_risk_shows_all_its_minimizers():
    p = Distribution.from_aggregate([[0, 1, 4], [0, 0, 1], [2, 0, 0]])
    picture = pictures.witness_plane(certify_at(surrogate("hinge"), p))
    figure = drawn(picture)
    assert "all minimizers of W" in labels(figure)
    assert "a minimizer of W" in labels(figure)
    assert "wrong: the order of the scores, by the tie rule" in labels(figure)
    assert len(picture.content("png")) > 1000


def test_without_a_minimum_there_is_no_star():
    """W falls for ever along 1 > 2 > 3 where nothing pulls back (DMJ10 Lemma 9's hypothesis fails)."""
    figure = drawn(plane("logistic", [[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    assert not [line for line in figure.axes[0].lines if line.get_marker() == "*"]


def test_a_witness_that_is_no_minimizer_is_marked_too():
    p = Distribution.from_aggregate(UNIVERSAL)
    found = certify_at(surrogate("logistic"), p)
    shown = " ".join(labels(drawn(pictures.witness_plane(found))))
    assert "minimizer of W" in shown
    assert "witness" in shown


def test_the_title_names_the_optimal_and_the_learned_order_with_its_ties():
    p = Distribution.from_aggregate([[0, 1, 4], [0, 0, 1], [2, 0, 0]])
    found = certify_at(surrogate("hinge"), p)
    tied = found.scores[0] == found.scores[1], found.scores[1] == found.scores[2]
    assert any(tied)
    title = pictures.witness_plane(found).title
    assert title.startswith("hinge, noise: ")
    optimal, learned = title.partition("\noptimal ")[2].split(", learned ")
    assert optimal == "1 > 2 > 3" and " = " in learned


def test_a_proof_about_features_has_two_orders_and_no_known_noise():
    document = read_json(GALLERY / "features" / "logistic-any-4items-6a9def79.json")
    picture = pictures.witness_picture(document, verify(document))
    assert picture.title == "logistic, noise: any" and drawn(picture).axes


def test_four_items_have_two_orders_with_the_turned_pairs_marked():
    p = Distribution.from_aggregate([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 0]])
    found = certify_at(surrogate("linear"), p)
    with pytest.raises(InputError, match="has 4 items; a picture shows 3 items"):
        pictures.witness_plane(found)
    figure = drawn(pictures.witness_picture(found.document, found.verified))
    (axes,) = figure.axes
    ends = {i: tuple(line.get_ydata()) for i, line in zip(found.better, axes.lines, strict=True)}
    turned = {
        i for i in ends for j in ends if (ends[i][0] < ends[j][0]) != (ends[i][1] < ends[j][1]) and i != j
    }
    assert turned == {i for i, line in zip(found.better, axes.lines, strict=True) if line.get_marker() == "s"}
    by_score = sorted(ends, key=lambda i: -ends[i][1])
    assert by_score == list(found.prediction)
    assert "optimal" in [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_picture_is_the_same_file(form):
    first, again = (plane("logistic", UNIVERSAL).content(form) for _ in range(2))
    assert first == again
    assert not re.search(rb"\d\d:\d\d:\d\d|CreationDate|<dc:date>|[Mm]atplotlib v", first)


def test_pictures_leave_the_settings_of_others_alone_and_ignore_them(monkeypatch):
    picture = plane("logistic", UNIVERSAL)
    first = picture.content("svg")
    monkeypatch.setitem(rcParams, "axes.facecolor", "black")
    before = dict(rcParams)
    assert picture.content("svg") == first
    assert dict(rcParams) == before


def test_no_global_state_of_pyplot_is_used():
    code = (
        "import sys\n"
        "from consistency_lab.show.pictures import lemma_10_region\n"
        "print('matplotlib' in sys.modules)\n"
        "lemma_10_region().content('svg')\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\nFalse\n"


def test_names_are_never_markup_and_always_drawable():
    assert drawable(["A very long name \x1b of something"]) == ("item 1",)
    p = Distribution.from_aggregate(UNIVERSAL, ["東京", "$x_1$ a^b", "Ω" * 30])
    picture = pictures.score_plane(
        surrogate("logistic").risk_terms(p), p.aggregate, p.items, title="$\\frac{"
    )
    assert picture.content("svg").startswith(b"<?xml")


def test_where_lemma_10_has_a_condition_every_minimizer_is_wrong():
    """Condition 1: h23 < h31 h12/(h13 + h12); Condition 2: h12 < h31 h23/(h13 + h23)."""
    region = pictures.lemma_10_region(Fraction(3), Fraction(2)).draw
    margins, ticks = region.args[3], np.linspace(0, 6, 61)[1:]
    h12, h23 = np.meshgrid(ticks, ticks)
    holds = (h23 < 2 * h12 / (3 + h12)) | (h12 < 2 * h23 / (3 + h23))
    assert set(margins) == set(pictures.PHI)
    for margin in margins.values():
        assert (margin[holds] <= 1e-9).all()
        assert (margin > 1e-9).any()
        assert (margin[~holds] < 0).any()  # for one phi they are not necessary


def test_logistic_and_squared_hinge_fail_on_the_same_weights():
    """Where two scores tie, both have phi'(-x) = 2 phi'(0) - phi'(x), and that is all that matters there."""
    margins = pictures.lemma_10_region().draw.args[3]
    logistic, hinge = margins["logistic"], margins["squared-hinge"]
    sure = abs(logistic) > 1e-6
    assert (np.sign(logistic) == np.sign(hinge))[sure].all()


def test_a_line_of_the_region_lies_where_the_minimizer_ties():
    """For the logistic loss at h13 = 2, h31 = 1 and h12 = 1: alpha_2 = alpha_3 at h23 = 1/2."""
    p = Distribution.from_aggregate([[0, 2, 4], [0, 0, 1], [2, 0, 0]])
    scores = minimize(surrogate("logistic").risk_terms(p), 3).scores
    assert scores[1] == pytest.approx(scores[2])
    (axes,) = drawn(pictures.lemma_10_region(phi=["logistic"])).axes
    (line,) = axes.collections[2:]
    path = np.concatenate([path.vertices for path in line.get_paths()])
    assert np.min(np.hypot(*(path - [1.0, 0.5]).T)) < 0.02


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"h13": Fraction(1), "h31": Fraction(1)}, "h13 > h31 > 0"),
        ({"most": Fraction(0)}, "must be positive"),
        ({"phi": ["logistic"] * 7}, "room for 6"),
        ({"phi": ["logistik"]}, "logistic"),
    ],
)
def test_a_region_that_cannot_be_drawn(arguments, message):
    with pytest.raises(InputError, match=message):
        pictures.lemma_10_region(**arguments)
