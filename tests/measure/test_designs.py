"""The worst regret with unequal counts: docs/theory.md, Unequal counts."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

import consistency_lab as lab
from consistency_lab import Effort, InputError, UnsupportedError, verify
from consistency_lab.apps.measure import worst
from consistency_lab.apps.measure.cones import pieces
from consistency_lab.apps.measure.report import over_plot, over_report
from consistency_lab.apps.measure.worst import worst_case
from consistency_lab.apps.measure.worst_bounds import OrderedPiece, SlopeTable, ceiling
from consistency_lab.apps.measure.worst_nearby import climb, zoom
from consistency_lab.certify.witness import certify
from consistency_lab.decide.theorems import unequal_counts as unequal
from consistency_lab.model.conditions import ADDITIVE, LOW_NOISE
from consistency_lab.model.designs import design
from consistency_lab.numbers.exact import LogRational

DOCS = Path(__file__).parents[2] / "docs"
RATIOS = [Fraction(text) for text in ("6/5", "2", "3", "33/10", "7/2", "5", "38/5", "77/10", "8", "20")]


@pytest.mark.parametrize("ratio", RATIOS, ids=str)
def test_it_is_the_largest_on_a_grid(ratio):
    """Over y = n_23 and n_12 with n_13 = 1: D <= n_12 and D <= y (1-y) / (1 + 2y)."""
    r = float(ratio)
    y, middle = np.meshgrid(np.linspace(1 / r, 1, 800), np.linspace(1 / r, 1, 800))
    regret = np.minimum(middle, y * (1 - y) / (1 + 2 * y)) / (1 + y + middle)
    found = float(unequal.unequal_counts(ratio).regret)
    assert regret.max() <= found + 1e-12
    assert found == pytest.approx(regret.max(), abs=5e-4)


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        ("1", 0),
        ("2", 1 / 16),
        ("3", 2 / 25),
        ("5", 5 * (29 - 2 * sqrt(3 * 6 * 11)) / 49),
        ("8", 1 / 2 - 1 / sqrt(6)),
        ("1000", 1 / 2 - 1 / sqrt(6)),
    ],
)
def test_closed_forms(ratio, expected):
    assert float(unequal.unequal_counts(Fraction(ratio)).regret) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("ratio", RATIOS, ids=str)
def test_the_witness_has_the_regret_and_the_core_accepts_it(ratio):
    found = unequal.unequal_counts(ratio)
    assert LOW_NOISE.holds(found.a)
    assert ADDITIVE.holds(found.a)
    assert design(f"ratio:{ratio}").holds(found.a)
    nought = LogRational(Fraction(0))
    below = LogRational(Fraction(0), (1 - found.tau) / (1 + found.tau))
    p = lab.Distribution.from_aggregate(found.a)
    witness = certify("logistic", p, [nought, nought, below])
    assert witness.verified.failure == "tie"
    assert witness.normalized_regret == found.reached
    assert 0 <= float(found.regret) - float(found.reached) < 1e-7


def test_a_ratio_below_1_is_refused():
    with pytest.raises(InputError, match="the ratio is 1/2; it must be at least 1"):
        unequal.unequal_counts(Fraction(1, 2))


def cubic(ratio):
    """The exponential loss with three items, up to a ratio of about 2.486."""
    (s,) = (
        root.real
        for root in np.roots([1, 3 + ratio, 1, 1 - ratio])
        if abs(root.imag) < 1e-12 and root.real >= 0
    )
    return float(s / (ratio + 2))


@pytest.mark.parametrize(
    ("name", "condition", "ratio", "expected"),
    [
        ("logistic", "low-noise", "6/5", 5 / 256),
        ("squared-hinge", "low-noise", "2", 1 / 16),
        ("square", "additive", "5", 5 * (29 - 2 * sqrt(3 * 6 * 11)) / 49),
        ("exponential", "additive", "2", cubic(2)),
        ("logistic", "net-order", "6/5", 1.2 / 6.8),
        ("exponential", "net-order", "1", sqrt(3) / 9),
    ],
)
def test_formulas_are_what_boxes_prove_and_floats_find(name, condition, ratio, expected):
    """No theorem is used here: only linear programs on boxes of score gaps, and a climb in floats."""
    table = SlopeTable(lab.surrogate(name).phi)
    parts = pieces(condition, 3, ratio=Fraction(ratio))
    cells = tuple(OrderedPiece(piece, order) for piece in parts for order in piece.orders())
    found = climb(cells, table, Effort(60.0))[0].regret
    assert found == pytest.approx(expected, abs=1e-7)
    assert ceiling(cells, table, Fraction(expected * 1.001), Effort(60.0)).finished


@pytest.mark.parametrize("ratio", ["3", "8"])
def test_the_family_of_four_items_is_a_best_one_near_its_scores(ratio):
    guess = worst.conjectured(lab.surrogate("logistic"), "low-noise", Fraction(ratio), 4)
    chains = pieces("low-noise", 4, ratio=Fraction(ratio))[0]
    table = SlopeTable(lab.surrogate("logistic").phi)
    found = zoom(OrderedPiece(chains, (1, 0, 3, 2)), np.array([0, 1.5, 0]), table, Effort(60.0))
    assert found.regret == pytest.approx(guess[1], abs=1e-7)
    assert found.gaps[0] == found.gaps[2] == 0


def test_under_equal_counts_a_theorem_answers():
    for name, condition in (
        ("logistic", "low-noise"),
        ("exponential", "additive"),
        ("logistic", "net-order"),
    ):
        found = worst_case(name, condition, 4, design="balanced")
        assert (found.lower, found.upper, found.witness) == (0, 0, None)
        assert "docs/theory.md, Designs" in found.note


@pytest.mark.parametrize("ratio", RATIOS[::3], ids=str)
def test_the_worst_case_of_three_items_is_the_proved_one(ratio):
    found = worst_case("squared-hinge" if ratio == 3 else "logistic", "low-noise", 3, design=f"ratio:{ratio}")
    assert verify(found.witness.document).claim == "inconsistent"
    assert design(f"ratio:{ratio}").holds(found.witness.distribution.aggregate)
    assert found.closed_form.proved
    assert found.lower <= float(found.closed_form.value.partition("/")[0]) or found.lower == found.upper
    assert 0 <= found.upper - found.lower < Fraction(1, 10**7)


def test_a_bracket_under_a_ratio_has_a_witness_with_that_ratio():
    wide = worst_case("exponential", "low-noise", 3, design="ratio:3")
    found = worst_case("exponential", "low-noise", 3, design="ratio:2", near=wide)
    for case, most in ((wide, 3), (found, 2)):
        assert design(f"ratio:{most}").holds(case.witness.distribution.aggregate)
        assert case.lower <= case.upper <= case.lower * Fraction(1001, 1000)
    assert float(found.lower) <= cubic(2) <= float(found.upper or 0)


@pytest.mark.parametrize("ratio", ["3/2", "5/2"])
def test_with_three_items_the_margin_is_exact(ratio):
    r = Fraction(ratio)
    g = (r - 1) / (r + 2) / 2
    assert worst.harmless_ratio(g, 3) == r
    assert worst.harmless_margin(lab.surrogate("logistic"), "low-noise", r, 3) == g
    a = unequal.unequal_counts(r).a
    assert min(a[i][j] / (a[i][j] + a[j][i]) for i, j in combinations(range(3), 2)) == Fraction(1, 2) + g
    for more, wrong in ((Fraction(1, 100), False), (Fraction(-1, 100), True)):
        assert (_worst_with_margin(3, g + more, r) > 1e-6) is wrong


def _worst_with_margin(m, g, ratio):
    """The worst that floats find where each pair is won with 1/2 + g or more."""
    table = SlopeTable(lab.surrogate("logistic").phi)
    (piece,) = (
        part for part in pieces("low-noise", m, ratio=ratio) if len(part.relation) == m * (m - 1) // 2
    )
    edges = sorted(piece.relation)
    rows = [[100 * g.denominator * ((e == (i, j)) - (e == (j, i))) for e in piece.pairs] for i, j in edges]
    counts = [[200 * g.numerator * (set(e) == {i, j}) for e in piece.pairs] for i, j in edges]
    more = tuple(
        tuple(Fraction(x - y) for x, y in zip(row, count, strict=True))
        for row, count in zip(rows, counts, strict=True)
    )
    within = replace(piece, schedule=piece.schedule + more)
    cells = tuple(OrderedPiece(within, order) for order in within.orders())
    found = climb(cells, table, Effort(60.0))
    return found[0].regret if found else 0.0


def test_one_pair_with_a_margin_is_turned_around_by_a_ratio_near_1():
    """Six items, strongly transitive: P = 11/20 for one pair, 3/4 for all others, counts 3 and 4."""
    n = [[0, 4, 3, 4, 4, 4], [4, 0, 3, 3, 3, 4], [3, 3, 0, 4, 4, 3]]
    n += [[4, 3, 4, 0, 4, 4], [4, 3, 4, 4, 0, 4], [4, 4, 3, 4, 4, 0]]
    chance = {(i, j): Fraction(11 if (i, j) == (1, 2) else 15, 20) for i, j in combinations(range(6), 2)}
    a = [
        [n[i][j] * (chance[i, j] if i < j else 1 - chance.get((j, i), 1)) for j in range(6)] for i in range(6)
    ]
    assert design("ratio:4/3").holds(a)
    witness = certify("logistic", lab.Distribution.from_aggregate(a))
    assert witness.verified.failure == "strict"
    assert witness.fails_under("strong-stochastic-transitivity")


@pytest.mark.parametrize(
    ("g", "m", "expected"),
    [("1/10", 3, "7/4"), ("1/10", 4, "7/5"), ("1/20", 20, "10/9"), ("1/2", 3, "4"), ("1/5", 3, "30/11")],
)
def test_harmless_ratios(g, m, expected):
    assert worst.harmless_ratio(Fraction(g), m) == Fraction(expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: worst.harmless_ratio(Fraction(0), 3), "the margin is 0; it must be above 0"),
        (lambda: worst.harmless_ratio(Fraction(1, 10), 2), "2 items; ratios of counts need at least 3"),
        (lambda: worst_case("logistic", "low-noise", 3, design="ratio:1/2"), "must be at least 1"),
        (lambda: worst_case("logistic", "low-noise", 3, design="product"), "known for balanced, ratio:R"),
        (lambda: worst_case("difference-logistic", "any", 3, design="ratio:2"), "ignores how often"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises((InputError, UnsupportedError), match=message):
        call()


# --- The table and the picture of the docs ------------------------------------------------------------------


def _committed():
    document = json.loads((DOCS / "designs.json").read_text(encoding="utf-8"))
    assert document["format"] == "consistency-lab/measure-over/1"
    ends = tuple(
        worst.Ends(
            end["surrogate"], end["items"], *(Fraction(end[key]) for key in ("ratio", "lower", "upper"))
        )
        for end in document["ends"]
    )
    return worst.OverRatio(document["condition"], ends)


def test_the_picture_of_the_docs_shows_these_numbers():
    assert over_plot(_committed()).content("svg") == (DOCS / "designs.svg").read_bytes()


def test_the_figures_of_the_docs_are_these_numbers():
    rows = {line.split()[0]: line for line in map(str, over_report(_committed())) if line.startswith("  ")}
    text = " ".join((DOCS / "designs.md").read_text(encoding="utf-8").split())
    said = "{} % with three items and {} to {} % with four; at r = 12, {} to {} % and {} to {} %"
    shown = [re.findall(r"\d+\.\d\d", rows[ratio]) for ratio in ("2", "12")]
    assert said.format(*shown[0][:3], *shown[1][:4]) in text


def test_the_numbers_of_the_docs_are_those_of_the_formulas():
    found = _committed()
    assert list(found.curves) == [(name, m) for name in ("logistic", "exponential") for m in (3, 4)]
    for end in found.ends:
        assert end.lower <= end.upper <= end.lower * Fraction(101, 100)
        if end.surrogate == "exponential":
            expected = cubic(float(end.ratio)) if end.m == 3 and end.ratio <= 2 else float(end.upper)
        elif end.m == 3:
            known = unequal.unequal_counts(end.ratio)
            assert (end.lower, end.upper) == (known.reached, known.upper)
            continue
        else:
            guess = worst.conjectured(lab.surrogate("logistic"), "low-noise", end.ratio, 4)
            expected = guess[1]
        assert float(end.lower) - 1e-12 <= expected <= float(end.upper) + 1e-12
