import subprocess
import sys
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab.errors import InputError
from consistency_lab.model.limits import SlopesAtZero, Tail, slopes_at_zero, towards
from consistency_lab.model.properties import (
    ASSUMPTION_A,
    BOUNDED_BELOW,
    CONVEX,
    NEGATIVE_SLOPE,
    NONINCREASING,
    SMOOTH,
    Property,
    Status,
    properties,
)
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import X, build, enclose_value, exact_slopes, number, parse, refuse_undefined

NAMES = [CONVEX, NEGATIVE_SLOPE, NONINCREASING, BOUNDED_BELOW, ASSUMPTION_A, SMOOTH]
SIGNS = {"+": Status.PROVED, "-": Status.REFUTED, "?": Status.UNKNOWN}

# The hypotheses of DMJ10 §3 (phi convex, phi'(0) < 0, Assumption A) and of DMJ13's consistency statement (phi
# nonincreasing), for each function: convex, phi'(0) < 0, nonincreasing, bounded below, Assumption A, smooth.
KNOWN = [
    ("max(0,1-x)", "++++++", "-1"),
    ("max(0,1-x)**2", "++++++", "-2"),
    ("(1-x)**2", "++-+++", "-2"),
    ("max(0,1-x)**2/2-max(0,-x)**2/2", "++++++", "-1"),
    ("max(0,1-x)**2-max(0,-1-x)**2", "++++++", "-2"),
    ("log(1+exp(-x))", "++++++", "-1/2"),
    ("exp(-x)", "++++++", "-1"),
    ("1/(1+exp(x))", "-+++++", "-1/4"),
    ("max(0,min(1,1-x))", "--+++-", "0 from the left, -1 from the right"),
    ("-x", "+++--+", "-1"),
    ("x", "+---++", "1"),
    ("0*x", "+-++++", "0"),
    ("exp(x)", "+--+++", "1"),
    ("abs(x)", "+--++-", "-1 from the left, 1 from the right"),
    ("abs(x-1)", "++-+++", "-1"),
    ("max(exp(-x),1)", "+-+++-", "-1 from the left, 0 from the right"),
    ("log(1+exp(1-x))/log(2)", "++++++", "about -1.0546946"),
    ("log(1+exp(-2*x))", "++++++", "-1"),
    ("sqrt(1+x**2)-x", "++++++", "-1"),
    ("log(1+exp(x))-x", "++++++", "-1/2"),
    ("exp(-x)-x", "+++-++", "-2"),
    ("log(1+exp(-x))-2*x", "+++--+", "-5/2"),
    ("log(exp(x)+exp(-x))", "+--+++", "0"),
    ("exp(-x)+x**2", "++-+++", "-1"),
    ("-exp(x)", "-++--+", "-1"),
    ("-log(1+exp(-x))", "----++", "1/2"),
    ("exp(-x)-exp(x)", "-++-++", "-2"),
    ("x**4-3*x", "++-+++", "-3"),
    ("x**3", "----++", "0"),
    ("x*exp(x)", "---+++", "1"),
    ("max(0,1-x)+log(1+exp(x))-x", "++++++", "-3/2"),
    ("exp(1-x)+max(0,x-5)", "++-+++", "about -2.7182818"),
    ("min(exp(x),exp(-x))", "---++-", "1 from the left, -1 from the right"),
    ("sqrt(x**2)", "?--++-", "-1 from the left, 1 from the right"),
    ("sqrt(abs(x))", "---++-", "-inf from the left, inf from the right"),
    ("(x**2)**(3/2)", "+--+++", "0"),
]


@pytest.mark.parametrize(("text", "signs", "slope"), KNOWN, ids=[row[0] for row in KNOWN])
def test_known_properties(text, signs, slope):
    found = properties(parse(text))
    assert list(found) == NAMES
    assert [p.status for p in found.values()] == [SIGNS[sign] for sign in signs]
    assert found[NEGATIVE_SLOPE].value == slope
    assert all(p.name == name and p.how for name, p in found.items())


def test_how_it_is_known():
    found = properties(parse("log(1+exp(-x))"))
    assert found[CONVEX] == Property(CONVEX, Status.PROVED, "composition rules")
    assert found[NEGATIVE_SLOPE] == Property(NEGATIVE_SLOPE, Status.PROVED, "exact slopes", "-1/2")
    assert found[BOUNDED_BELOW].value == "0"
    assert found[ASSUMPTION_A].how == "bounded below, so phi'_inf(1) >= 0"


@pytest.mark.parametrize(
    ("text", "name", "how"),
    [
        ("max(0,1-x)", CONVEX, "piecewise polynomial"),
        ("1/(1+exp(x))", CONVEX, "interval arithmetic: phi(-1) > (phi(-2)+phi(0))/2"),
        ("exp(x)", NONINCREASING, "interval arithmetic: phi(0) < phi(1)"),
        ("sqrt(1+x**2)-x", NONINCREASING, "convex, and by SymPy phi'_inf(1) = 0"),
        ("sqrt(1+x**2)-x", BOUNDED_BELOW, "SymPy limit: phi tends to 0 at infinity and to inf at minus"),
        ("exp(-x)-x", BOUNDED_BELOW, "SymPy limit: phi tends to minus infinity"),
        ("-exp(x)", BOUNDED_BELOW, "composition rules: concave and not constant"),
        ("log(exp(x)+exp(-x))", BOUNDED_BELOW, "convex, with phi'(0) <= 0 <= phi'(0) by interval arithmetic"),
        ("max(0,min(1,1-x))", NEGATIVE_SLOPE, "phi has no derivative at 0"),
        ("sqrt(x**2)", SMOOTH, "SymPy limit"),
        ("sqrt(x**2)", CONVEX, "no method decides it"),
        ("1/(x**2-2)", BOUNDED_BELOW, "it is not proved that phi is finite everywhere"),
    ],
)
def test_the_method_is_named(text, name, how):
    assert properties(parse(text))[name].how.startswith(how)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-x", "phi'_inf(1) = -1, phi'_inf(-1) = 1"),
        ("max(0,1-x)**2-max(0,-1-x)**2", "phi'_inf(1) = 0, phi'_inf(-1) = 4"),
        ("exp(-x)-x", "phi'_inf(-1) = inf"),
        ("log(1+exp(-x))-2*x", "phi'_inf(1) = -2, phi'_inf(-1) = 3"),
    ],
)
def test_recession_slopes_are_shown(text, value):
    assert properties(parse(text))[ASSUMPTION_A].value == value


IMPORTS = """
import sys
from consistency_lab.model.limits import SlopesAtZero, Tail, slopes_at_zero, towards
from consistency_lab.model.properties import properties
from consistency_lab.numbers.phi import NAMED, parse
"""


def test_functions_without_a_value_somewhere_are_refused():
    with pytest.raises(InputError, match=r"log\(x\) is not defined at x = 0; phi must be finite"):
        refuse_undefined(parse("log(x)"))
    refuse_undefined(parse("log(1+x**2)"))


# --- positive combinations of convex functions, moved and scaled ---------------------------------

_BASES = [
    build("exp", X),
    X**2,
    build("max", number(0), X),
    build("log", 1 + build("exp", X)),
    build("abs", X) ** Fraction(3, 2),
    build("sqrt", 1 + X**2),
]
_SCALES = st.sampled_from([Fraction(n, 2) for n in (-4, -2, -1, 1, 2, 4)])
_PARTS = st.lists(
    st.tuples(st.sampled_from(range(1, 4)), st.sampled_from(_BASES), _SCALES, st.integers(-2, 2)),
    min_size=1,
    max_size=3,
)


def substitute(e, inner):
    if e.op == "variable":
        return inner
    return e if not e.args else build(e.op, *(substitute(child, inner) for child in e.args))


@given(_PARTS)
@settings(max_examples=60)
def test_sums_of_convex_functions_bounded_below(parts):
    phi = number(0)
    for weight, base, scale, shift in parts:
        phi = phi + weight * substitute(base, scale * X + shift)
    found = properties(phi)
    assert found[CONVEX].status is Status.PROVED
    assert found[BOUNDED_BELOW].status is Status.PROVED
    assert found[ASSUMPTION_A].status is Status.PROVED
    left, right = exact_slopes(phi, LogRational(Fraction(0)))
    if left is not None and right is not None:
        assert (found[SMOOTH].status is Status.PROVED) == (left == right)
        assert (found[NEGATIVE_SLOPE].status is Status.PROVED) == (left == right < 0)
    if all(scale < 0 and base in (_BASES[0], _BASES[2]) for _, base, scale, _ in parts):
        assert found[NONINCREASING].status is Status.PROVED
    values = [enclose_value(phi, LogRational(Fraction(x))) for x in range(-6, 7)]
    if found[NONINCREASING].status is Status.PROVED:
        assert not any(a < b for a, b in pairwise(values))
    bound = found[BOUNDED_BELOW].value
    if bound is not None:
        assert not any(value < float(Fraction(bound)) for value in values)


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "side", "value", "slope"),
    [
        ("exp(-x)", 1, "0", "0"),
        ("exp(-x)", -1, "inf", "inf"),
        ("max(0,1-x)+exp(-x)", 1, "0", "0"),
        ("abs(exp(x)-1)", -1, "1", "0"),
        ("min(exp(x),x**2)-x", 1, "inf", "inf"),
        ("log(exp(-x)+max(1,x))", -1, "inf", "1"),
        ("x-exp(x)", 1, "-inf", "-inf"),
        ("x/(2+abs(x))", -1, "-1", "0"),
    ],
)
def test_limits(text, side, value, slope):
    end = towards(parse(text), side)
    assert (str(end.value), str(end.slope)) == (value, slope)


def test_what_has_no_limit_and_what_is_not_handed_to_sympy():
    assert towards(parse("max(exp(-x),exp(-2*x))*exp(x)"), 1) == Tail()  # a maximum that is not decided
    tower = X
    for _ in range(6):
        tower = build("exp", tower)
    assert (towards(tower, 1), slopes_at_zero(tower)) == (Tail(), SlopesAtZero())
    assert properties(tower)[CONVEX].status is Status.PROVED
    found = slopes_at_zero(parse("sqrt(x**4+x**2)+x/2"))
    assert [str(found.left), str(found.right)] == ["-1/2", "3/2"]


def test_formulas_with_huge_numbers_are_not_handed_to_sympy_and_named_ones_do_not_need_it():
    """SymPy would write 7**(10**29) out, and look for the digits of exp(exp(exp(16)))."""
    huge = ("exp(max(0,1e29,x)*log(7))", "-log(exp(exp(exp(16))*log(2)))", "exp(-exp(exp(exp(9))))+x")
    code = (
        f"for f in map(parse, {huge}):\n"
        "    assert (towards(f, 1), towards(f, -1), slopes_at_zero(f)) == (Tail(), Tail(), SlopesAtZero())\n"
        "for row in NAMED.values(): properties(row.expression)"
    )
    run = f"{IMPORTS}\n{code}\nsys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", run], check=False).returncode == 0


def test_sympy_is_stopped_by_the_number_of_its_calls():
    phi = parse("log(1+exp(max(0,-x/1000)**(3/2)))")
    assert slopes_at_zero(phi) == SlopesAtZero(stopped=True)
    how = "no method decides it; SymPy was stopped after 1,000,000 calls"
    assert properties(phi)[NEGATIVE_SLOPE] == Property(NEGATIVE_SLOPE, Status.UNKNOWN, how)


@pytest.mark.parametrize(
    "text", ["max(0,-(7**(2**(exp(1e3)))))", "min(0,7**(2**(exp(1e3))))", "abs(7**(2**(exp(1e3)))-1)"]
)
@pytest.mark.parametrize("side", [-1, 1])
def test_constants_that_no_float_holds_are_no_crash(text, side):
    """They are constants, so what is known of them is that they do not grow."""
    phi = parse(text)
    slopes_at_zero(phi)
    slope = towards(phi, side).slope
    assert slope is None or slope.sign == 0


@pytest.mark.parametrize("text", ["2**max(0,x-1e29)", "2**max(x,-1e29)", "exp(-max(1,x,1e29-x))"])
def test_numbers_in_one_branch_of_an_exponent_are_not_written_out(text):
    """At 0 the maximum hides them; SymPy wrote 2**(10**29)."""
    phi = parse(text)
    assert (towards(phi, 1), towards(phi, -1), slopes_at_zero(phi)) == (Tail(), Tail(), SlopesAtZero())
