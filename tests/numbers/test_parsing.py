import builtins
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab.errors import InputError
from consistency_lab.numbers.phi import MAX_DEPTH, MAX_LENGTH, MAX_NODES, X, build, number, parse

HOSTILE = [
    *("9**9**9", "9**999999999", "x**17", "x**x", "x**exp(1)", "x**(1/17)", "10**16*10**15"),
    # Python that would do something else than compute
    *(
        *("__import__('os')", "__import__('os').system('true')", "exec('1')", "eval('1')"),
        *("open('f')", "print(x)"),
    ),
    *("x.__class__", "x.__class__.__bases__[0].__subclasses__()", "().__class__", "globals()", "lambda x: x"),
    *(
        *("lambda: 0", "[x,x]", "[x for x in (1,2)]", "{x,x}", "{1:x}", "x[0]", "f'{x}'", "'x'"),
        *("b'x'", "await x"),
    ),
    *("x if x else 1", "x and 1", "not x", "x < 1", "x == 1", "x in x", "(x := 1)", "x = 1", "x; x", "x, x"),
    *(
        *("()", "*x", "yield x", "True", "None", "...", "x//2", "x%2", "x@x", "x<<2", "x|1", "~x", "x^^2"),
        *("x\\", "x#"),
    ),
    # calls
    *(
        *("max(*x, 1)", "max(**x)", "exp(x=1)", "exp(**{})", "exp", "exp()", "exp(x,x)", "exp(x)(x)"),
        *("max(x)", "max()"),
    ),
    *("(x)(1)", "x(1)", "exp.__call__(x)", "sinh(x)", "max(1,,x)"),
    # numbers and names
    *("1j", "0x10", "0b1", "1_000", "007", "nan", "inf", "1e400000", "1e-999", "1" * 31, "0." + "1" * 31),
    *("1/0", "x/0", "x/(1-1)", "0**(-1)", "x x", "2 x", "2x", "2exp(x)", "y+z", "xx", "X+x"),
    *("", " ", "\n", "+", "x+", "(x", "x)"),
    # letters that look like others: two digits, two x, a minus sign
    *("\u0661", "\uff11", "\uff58", "\u0445", "ex\u0440(x)", "x−1"),
    *("x\x00", "\ufeffx", "x\u200b", "²", "x²", "\u00b5"),
    # long and deep
    *("(" * 41 + "x" + ")" * 41, "(" * 240 + "x" + ")" * 240, "(" * 499, "-" * 499, "-" * 498 + "x"),
    *("exp(" * 60 + "x" + ")" * 60, "+".join(["x"] * 60), "max(" + ",".join(["x"] * 240) + ")"),
    *("x" * 501, " " * 600 + "x"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_or_wrong_text_is_refused_in_one_sentence_and_not_evaluated(text, monkeypatch):
    called = []
    with monkeypatch.context() as patch:
        for name in ("eval", "exec"):
            patch.setattr(builtins, name, called.append)
        with pytest.raises(InputError) as caught:
            parse(text)
    assert not called
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 250


@pytest.mark.parametrize("value", [None, 1, 1.5, b"x", ["x"], X])
def test_only_text_is_read(value):
    with pytest.raises(InputError, match="an expression is a text"):
        parse(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__import__('os')", "'__import__' is a call that is not allowed; functions are exp, log, sqrt, abs"),
        ("x@2", r"'@' is not allowed in an expression; write \+ - \* / \*\* \( \) and exp, log"),
        (r"\frac{1}{2}", "is not allowed in an expression; write"),
        ("e^(x)^2", "'e' is not a known name"),
        ("e**2x", "'e' is not a known name"),
        ("t+z", "'t' is not a known name; the variable is x"),
        ("a*x", "'a' is not a known name; the variable is x"),
        ("sqr(x)", r"did you mean sqrt\?"),
        ("maximum(0,x)", r"did you mean max\?"),
        ("Exp(x)", r"did you mean exp\?"),
        ("X+x", r"'X' is not a known name; the variable is x; did you mean x\?"),
        ("2x", r"'2x' lacks a sign; write 2\*x"),
        ("x(1)", "'x' is the variable, not a function"),
        ("exp", r"'exp' is a function without an argument; write exp\(x\)"),
        ("exp(x,x)", "exp has 2 arguments; it takes 1"),
        ("9**9**9", "the exponent 387420489 is too large"),
        ("x**x", "the exponent x is not a constant"),
        ("(0-2)**x", "the base -2 of a power with a variable exponent must be a positive number"),
        ("", "the expression is empty"),
        ("x/0", "x/0 divides by zero"),
        ("1,2", "commas stand only between the arguments"),
        ("x" * 501, f"has 501 characters; at most {MAX_LENGTH}"),
        ("(" * 41 + "x" + ")" * 41, f"more than {MAX_DEPTH} parentheses"),
        ("max(" + ",".join(["x"] * 240) + ")", f"has 241 parts; at most {MAX_NODES}"),
        ("+".join(["x"] * 60), f"is nested 60 levels deep; at most {MAX_DEPTH}"),
    ],
)
def test_the_refusal_names_what_is_wrong(text, message):
    with pytest.raises(InputError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("x", X),
        (" ( ( x ) ) ", X),
        ("+x", X),
        ("x\n+\t1", X + 1),
        ("0.1*x", Fraction(1, 10) * X),
        ("0.1000000000000000055", number(Fraction(1000000000000000055, 10**19))),
        (".5*x", Fraction(1, 2) * X),
        ("1.*x", 1 * X),
        ("2.5e-1*x", Fraction(1, 4) * X),
        ("1e3*x", 1000 * X),
        ("1/3*x", Fraction(1, 3) * X),
        ("0.1+0.2", number(Fraction(3, 10))),
        ("-x**2", -(X**2)),
        ("(-x)**2", (-X) ** 2),
        ("x**-1", X**-1),
        ("x**0.5", X ** Fraction(1, 2)),
        ("2**-2", number(Fraction(1, 4))),
        ("-2**2", number(-4)),
        ("max(1,2,x)", build("max", number(1), number(2), X)),
        ("max(1,2)", number(2)),
        ("abs(-3)", number(3)),
        ("1-1-x", 0 - X),
        ("x-1-1", X - 1 - 1),
        ("x/2/3", X / 2 / 3),
        ("exp (x)", build("exp", X)),
    ],
)
def test_what_a_text_means(text, tree):
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("log(1+exp(-t))", "log(1+exp(-x))"),
        ("max(0, 1 - m)^2", "max(0,1-x)**2"),
        ("exp(-2*Z)", "exp(-2*x)"),
        (r"\log(1+e^{-t})", "log(1+exp(-x))"),
        (r"$\ln\left(1 + e^{-z}\right)$", "log(1+exp(-x))"),
        (r"\max\{0, 1-t\}", "max(0,1-x)"),
        (r"e^{-2 \cdot t}/2", "exp(-2*x)/2"),
        ("e^-x/2", "exp(-x)/2"),
        ("ln(1+e**(-x))", "log(1+exp(-x))"),
        ("-t^2", "-x**2"),
        (r"\sqrt{1+t^2}-t", "sqrt(1+x**2)-x"),
        (r"\sigma(-t)", "sigmoid(-x)"),
        ("Max(0, 1 - t) + Abs(t)", "max(0,1-x)+abs(x)"),  # as SymPy prints it
    ],
)
def test_formulas_as_people_write_them(text, plain):
    assert parse(text) == parse(plain)


def test_the_variable_may_have_another_name():
    e = parse("a**2+1", "a")
    assert e == X**2 + 1
    assert e.text("a") == "a**2+1"
    with pytest.raises(InputError, match="'x' is not a known name; the variable is a"):
        parse("x", "a")


@given(data=st.data())
@settings(max_examples=60)
def test_the_text_of_a_tree_reads_back_as_the_tree(data, trees):
    e = data.draw(trees)
    if e.nodes <= MAX_NODES and e.depth <= MAX_DEPTH and len(str(e)) <= MAX_LENGTH:
        assert parse(str(e)) == e
        assert hash(parse(str(e))) == hash(e)
        assert str(parse(str(e))) == str(e)
        assert parse(e.text("a"), "a") == e


def test_the_deepest_text_reads_back():
    e = X
    for _ in range((MAX_DEPTH - 2) // 2):
        e = (build("exp", e)) ** Fraction(1, 2)
    assert parse(str(e)) == e


ANY_TEXT = st.lists(st.integers(0, 0xD7FF).map(chr), max_size=20).map("".join)


@given(st.text(list("x0123456789.,+-*/()eE _^[]'=:<lambdaogsqrtpin"), max_size=30) | ANY_TEXT)
@settings(max_examples=100)
def test_any_text_is_read_or_refused(text):
    try:
        e = parse(text)
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert parse(str(e)) == e
