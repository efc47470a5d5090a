"""Separations whose bounds share slopes: what a slope loses, what is refused, and the other form."""

import re
from contextlib import suppress
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from consistency_lab.core import certificates as separation
from consistency_lab.core import verify_proof
from consistency_lab.core.certificates import Bound, Common, Separation, check_separation, margins
from consistency_lab.core.risk import Linear, PhiAtom, combined, near_losses, near_rest
from consistency_lab.errors import ConsistencyLabError, RejectedError
from consistency_lab.numbers.balls import ORIGIN, ball
from consistency_lab.numbers.exact import ONE, LogRational, enclose, lower_decimal, working_precision
from consistency_lab.numbers.expression import parse
from consistency_lab.solve.edges import minimize_edges
from consistency_lab.solve.order_bounds import order_bounds

from .numbers import evaluate
from .proofs import PROOFS

FUNCTIONS = (
    *("max(0,1-x)", "abs(x)+x/3", "max(0,1-x)**2", "log(1+exp(-x))", "exp(-x)"),
    *("max(0,1-x,-3*x)+x**2/10", "exp(-x)+max(0,-x)"),
)


def loss(phi, s, x):
    """phi(x) + phi*(s) - s x, from below: the supremum over a grid."""
    grid = np.append(np.linspace(-12, 12, 2401), x)
    return float((evaluate(phi, x) - evaluate(phi, grid) + s * (grid - x)).max())


def slope(phi, x, side):
    return (evaluate(phi, x + side) - evaluate(phi, x)) / side


@pytest.mark.parametrize("phi", FUNCTIONS)
def test_a_slope_attained_nearby_loses_no_more_than_is_said(phi):
    rng = np.random.default_rng(7)
    taken = 0
    for _ in range(60):
        x, r = Fraction(int(rng.integers(-8, 9)), 4), Fraction(int(rng.integers(0, 5)), 4)
        low, high = slope(phi, float(x - r), -1e-6), slope(phi, float(x + r), 1e-6)
        s = Fraction(round(float(rng.uniform(low - 0.2, high + 0.2)) * 16), 16)
        try:
            with working_precision(64):
                said = ball(near_rest(parse(phi), s, LogRational(x), r, 64))
        except RejectedError:
            assert not low + 1e-4 < s < high - 1e-4
            continue
        taken += 1
        assert low - 1e-4 <= s <= high + 1e-4
        assert float(said.upper()) >= loss(phi, float(s), float(x)) - 1e-9
    assert taken > 10


def test_a_kink_at_the_very_point_loses_nothing():
    hinge, one = parse("max(0,1-x)"), LogRational(Fraction(1))
    assert near_rest(hinge, Fraction(-1, 3), one, Fraction(0), 64) == ORIGIN
    with pytest.raises(RejectedError, match="not certainly attained within 0 of 1"):
        near_rest(hinge, Fraction(1, 3), one, Fraction(0), 64)
    with pytest.raises(RejectedError, match="the radius -1 is negative"):
        near_rest(hinge, Fraction(0), one, Fraction(-1), 64)


@pytest.mark.parametrize("phi", FUNCTIONS)
def test_atoms_lose_together_what_each_loses_alone(phi):
    rng, scores = np.random.default_rng(8), [LogRational(Fraction(n, 8), Fraction(3, n)) for n in range(1, 6)]
    stated = []
    for i, j in permutations(range(5), 2):
        atom = PhiAtom(Fraction(i + 1, 3), parse(phi), tuple(sorted([(i, ONE), (j, -ONE)])), ORIGIN)
        s = Fraction(slope(phi, float(scores[i] - scores[j]), 1e-6)).limit_denominator(500)
        stated.append((atom, s, Fraction(int(rng.integers(0, 4)), 8)))
    stated.append((Linear(ONE, ((0, ONE),)), None, None))
    accepted = []
    with working_precision(64):
        for one in stated:
            try:
                alone = one[0].near_loss(*one[1:], scores, 64)
            except RejectedError as error:
                with pytest.raises(type(error), match=re.escape(str(error))):
                    near_losses([one], scores, 64)
                continue
            accepted.append((one, alone))
        together = near_losses([one for one, _ in accepted], scores, 64)
    assert len(accepted) > 3
    for (_, (direction, rest)), (v, factor, lost) in zip(accepted, together, strict=True):
        assert combined([(v, factor)]) == direction and ball(lost).overlaps(ball(rest))


def changed(entry, change):
    change(entry["certificate"])
    return entry


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("common_chain", lambda c: c["common"].update(slopes=["0"]), "one radius for each of the 2 atoms"),
        ("common_chain", lambda c: c["common"].update(radii=["0"] * 3), "one radius for each of the 2"),
        ("common_chain", lambda c: c.pop("common"), "list their terms where there are common slopes"),
        ("common_chain", lambda c: c["bounds"][0].pop("terms"), "and only there"),
        ("common_chain", lambda c: c["bounds"][0].update(terms=[2]), "from 0 to 1, each once"),
        ("common_chain", lambda c: c["bounds"][0].update(terms=[0, 1]), "each of the 2 atoms"),
        ("common_radius", lambda c: c["bounds"][0].update(terms=[0, 0]), "numbers from 0 to 1, each once"),
        ("common_chain", lambda c: c["bounds"][0].update(terms=[1]), "do not balance"),
        ("common_chain", lambda c: c["bounds"][0].update(above="A", below="C"), "do not balance"),
        ("common_chain", lambda c: c.update(gap="1.001"), "not certainly by 1.001"),
        ("common_radius", lambda c: c["common"].update(slopes=["-1/4", "-1/4"]), "not certainly attained"),
        (
            "common_radius",
            lambda c: c["common"].update(slopes=["-1/4", "-749/1000"]),
            "the common slopes sum to -1/1000 at A, not to 0",
        ),
        ("common_radius", lambda c: c["common"].update(radii=["1/999", "1/50"]), "within 1/999 of 11/10"),
        ("common_radius", lambda c: c["common"].update(radii=["1/50", None]), "needs a bracket"),
        ("common_chain", lambda c: c["common"].update(radii=["1/2", "1/2"]), "by 0.*, not certainly by 0.9"),
        ("common_radius", lambda c: c.update(gap="0.524"), "not certainly by 0.524"),
        ("common_listwise", lambda c: c["common"].update(radii=["0", None, None]), "a scalar function"),
        ("common_listwise", lambda c: c["common"].update(slopes=[["1", "0"], None, None]), "sum to"),
        ("common_escape", lambda c: c["common"].update(radii=["0", "1"]), "not certainly attained within 1"),
    ],
)
def test_what_is_refused(name, change, message):
    with pytest.raises(ConsistencyLabError, match=message):
        verify_proof(changed(PROOFS[name](), change))


def test_the_changes_of_a_small_file_are_bounded():
    wide = Linear(Fraction(1), tuple((k, Fraction(1)) for k in range(1000)))
    bounds = tuple(Bound(0, 1, (None,), (None,), (0,)) for _ in range(201))
    scores = [LogRational(Fraction(-k)) for k in range(1000)]
    certificate = Separation(bounds, Fraction(1), Common((None,), (None,)))
    with pytest.raises(RejectedError, match="more than 200000 coordinates"):
        check_separation([wide], certificate, scores, list(map(str, range(1000))))


def both_forms(found, gap):
    full, short = [], []
    for pull in found.pulls:
        listed = found.slopes_of(pull)
        everything = tuple(s.value for s in listed), tuple(s.bracket for s in listed)
        full.append(Bound(pull.above, pull.below, *everything))
        few = pull.changes.values()
        short.append(
            Bound(
                pull.above,
                pull.below,
                tuple(s.value for s in few),
                tuple(s.bracket for s in few),
                tuple(pull.changes),
            )
        )
    return Separation(tuple(full), gap), Separation(
        tuple(short), gap, Common(tuple(found.slopes), tuple(found.radii))
    )


def terms_of(phi, h, found):
    zero = LogRational(Fraction(0))
    ends = [tuple(sorted(((i, Fraction(1)), (j, Fraction(-1))))) for i, j in found.pairs]
    return [PhiAtom(h[i][j], phi, v, zero) for v, (i, j) in zip(ends, found.pairs, strict=True)]


@pytest.mark.parametrize("phi", ["log(1+exp(-x))", "exp(-x)", "max(0,1-x)**2", "(1-x)**2"])
def test_both_forms_prove_the_same_and_refuse_the_same(phi):
    rng = np.random.default_rng(11)
    for m in (3, 4, 6):
        h = [[Fraction(int(rng.integers(1, 9)) * (i != j)) for j in range(m)] for i in range(m)]
        found = order_bounds(parse(phi), h, minimize_edges(parse(phi), [list(map(float, x)) for x in h]))
        assert found is not None and None not in found.pulls
        atoms, names = terms_of(parse(phi), h, found), [str(k) for k in range(m)]
        scores = [LogRational(x) for x in found.scores]
        least = min(pull.gap for pull in found.pulls if pull is not None)
        for certificate in both_forms(found, Fraction(least)):
            pairs = check_separation(atoms, certificate, scores, names)
            assert pairs == [(bound.above, bound.below) for bound in certificate.bounds]
        for certificate in both_forms(found, Fraction(least) * Fraction(1001, 1000)):
            with pytest.raises(RejectedError, match="not certainly by"):
                check_separation(atoms, certificate, scores, names)


def tried(monkeypatch, sizes, gap):
    """With how many bits how many bounds are worked out, of two that exceed by these sizes, less .0016."""
    found = []

    def counted(atoms, bounds, scores, bits, *rest):
        found.append((bits, len(bounds)))
        return margins(atoms, bounds, scores, bits, *rest)

    entry = PROOFS["chain"]()
    for block, size in zip(entry["labels"][0]["psi"], sizes, strict=True):
        block["terms"][0][0] = size
    entry["labels"][0]["psi"].append({"phi": "exp(-x)", "offset": "1/2", "terms": [["1/1000", {}]]})
    for bound in entry["certificate"]["bounds"]:
        bound["slopes"], bound["brackets"] = [*bound["slopes"], "0"], [*bound["brackets"], None]
    entry["certificate"]["gap"] = gap
    monkeypatch.setattr(separation, "margins", counted)
    with suppress(RejectedError):
        verify_proof(entry)
    return found


def test_a_bound_that_certainly_fails_is_not_tried_with_more_bits(monkeypatch):
    assert tried(monkeypatch, ("1", "1/3"), "0.4") == [(64, 2)]


def test_only_what_is_open_is_tried_with_more_bits(monkeypatch):
    """The last atom loses exp(1/2)/1000, of which 64 bits do not tell thirty digits."""
    with working_precision(256):
        gap = str(lower_decimal(enclose(Fraction(1, 3)) - enclose(Fraction(1, 2)).exp() / 1000, 30))
    assert tried(monkeypatch, ("1", "1/3"), gap) == [(64, 2), (128, 1)]


def test_the_work_of_all_bounds_and_precisions_is_counted(monkeypatch):
    """Two bounds on two atoms of five parts; the second precision is one bound more."""
    monkeypatch.setattr(separation, "_WORK_OF_ONE", 0)
    entry = PROOFS["chain"]()
    for most, allowed in ((20, True), (19, False)):
        monkeypatch.setattr(separation, "_MOST_WORK", most)
        if allowed:
            assert verify_proof(entry).every
        else:
            with pytest.raises(RejectedError, match="too much work"):
                verify_proof(entry)
