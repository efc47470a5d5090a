"""The scalar functions that have a name, as a literal table."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError, nearest
from consistency_lab.frozen import frozen
from consistency_lab.numbers.expression import CALLABLE, MAX_DEPTH, MAX_LENGTH, TOKEN, Expression
from consistency_lab.numbers.expression import parse as parse_plainly

# --- Texts that a person typed: what the core refuses in a word is explained here -------------------------


def parse(text: str, variable: str = "x") -> Expression:
    r"""Read an expression in one variable.

    Parameters
    ----------
    text
        Numbers (``3``, ``0.3``, ``3/10``; exact), the variable, ``+ - * / **``, parentheses, and the
        functions exp, log, log2, sqrt, abs, max and min. Powers with the variable in the exponent have a
        positive constant base: ``2**x`` is read as ``exp(x*log(2))``. What frameworks call softplus,
        sigmoid, logsigmoid, relu and log1p is written out; ``^`` is ``**``, and simple LaTeX is read.
    variable
        How the variable is called. Where it is x, one other letter alone may stand for it.

    Examples
    --------
    >>> parse("log( 1 + exp(-0.5*x) )")
    Expression('log(1+exp(-1/2*x))')
    >>> parse("a**2", "a").text("a")
    'a**2'
    >>> parse("softplus(-x) + relu(1 - x)")
    Expression('log(1+exp(-x))+max(0,1-x)')
    >>> parse(r"\log(1+e^{-t})"), parse("max(0,1-m)^2")
    (Expression('log(1+exp(-x))'), Expression('max(0,1-x)**2'))
    """
    if isinstance(text, str):
        text = _written_out(_plain(text))
        if isinstance(variable, str) and variable == "x" and len(letters := set(_LETTER.findall(text))) == 1:
            (variable,) = letters
    try:
        return parse_plainly(text, variable)
    except InputError as error:
        hint = _hint(text, variable) if isinstance(text, str) and isinstance(variable, str) else None
        if hint is None:
            raise
        raise InputError(hint) from error


#: What users of frameworks type, in the functions of the core; {} is the argument.
SHORT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "softplus": "log(1+exp({}))",
        "logsigmoid": "(-log(1+exp(-({}))))",
        "sigmoid": "(1/(1+exp(-({}))))",
        "relu": "max(0,{})",
        "log1p": "log(1+({}))",
        "ln": "log({})",
        "Max": "max({})",
        "Min": "min({})",
        "Abs": "abs({})",
    }
)
_SHORT_CALL: Final = re.compile(rf"\b({'|'.join(SHORT)})\s*\(")


_LATEX: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{rf"\{word}": word for word in ("log", "ln", "exp", "max", "min", "sqrt")},
        r"\sigma": "sigmoid",
        r"\cdot": "*",
        r"\times": "*",
        r"\left": "",
        r"\right": "",
        **dict.fromkeys((r"\{", "{", "["), "("),
        **dict.fromkeys((r"\}", "}", "]"), ")"),
        **dict.fromkeys((r"\,", r"\;", r"\!", "$"), " "),
        "^": "**",
    }
)
"""What a person who writes LaTeX types, in the words of the core."""
_LATEX_WORD: Final = re.compile(r"\\(?:[A-Za-z]+|.)|[\[\]{}$^]")
_EULER: Final = re.compile(r"(?<![\w.])e\s*\*\*\s*(\([^()]*\)|[+-]?[A-Za-z](?!\w))(?!\s*(?:\*\*|\())")
_LETTER: Final = re.compile(r"(?<![A-Za-z_])(?!e\b)[A-Za-z](?!\w)(?!\s*\()")


def _plain(text: str) -> str:
    """The text without LaTeX; a word that is not known is left as it is, for a refusal to name."""
    plain = _LATEX_WORD.sub(lambda match: _LATEX.get(match[0], match[0]), text)
    return _EULER.sub(lambda match: f"exp({match[1]})", plain)


def _written_out(text: str) -> str:
    """The text without the names of `SHORT`, the last call first; what is not closed is left as it is."""
    for call in reversed(list(_SHORT_CALL.finditer(text[:MAX_LENGTH]))):
        depth, end = 1, call.end()
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if depth == 0:
            text = text[: call.start()] + SHORT[call[1]].format(text[call.end() : end - 1]) + text[end:]
    return text


def _hint(text: str, variable: str) -> str | None:
    """What is wrong with the first token that cannot be part of an expression, and what would be right."""
    source, functions = " ".join(text.split()), ", ".join(CALLABLE)
    depth, place = 0, 0
    while len(source) <= MAX_LENGTH and depth <= MAX_DEPTH and (match := TOKEN.match(source, place)):
        place = match.end()
        word, called = match["name"], source[place:].lstrip().startswith("(")
        if (other := match["other"]) is not None:
            return f"{other!r} is not allowed in an expression; write + - * / ** ( ) and {functions}"
        if glued := match["glued"]:
            lacking, given = glued in (variable, *CALLABLE), match["number"]
            right = (
                f"lacks a sign; write {given}*{glued}" if lacking else "is not a number; write 3, 0.3 or 3/10"
            )
            return f"{given + glued!r} {right}"
        if word == variable and called:
            return f"{word!r} is the variable, not a function; write {word}*(...) for a product"
        if word in CALLABLE and word != variable and not called:
            return f"{word!r} is a function without an argument; write {word}({variable})"
        if word is not None and word not in (variable, *CALLABLE):
            close = nearest(word.lower(), (variable, *CALLABLE))
            guess = f"; did you mean {close[0]}?" if close else ""
            known = f"functions are {functions}" if called else f"the variable is {variable}"
            what = "a call that is not allowed" if called else "not a known name"
            return f"{word!r} is {what}; {known}{guess}"
        depth += {"(": 1, ")": -1}.get(match["operator"] or "", 0)
    return None


@frozen
class NamedFunction:
    """A scalar function that people know by name."""

    name: str  #: The name used in tables and files.
    text: str  #: The function of the margin x, as `parse` reads it.
    title: str  #: A short description.
    aliases: tuple[str, ...]  #: Other names that users know.
    citation: str  #: Where it comes from.

    @property
    def expression(self) -> Expression:
        """The function as a tree."""
        return parse(self.text)


# fmt: off
_ROWS: Final = (
    NamedFunction("hinge", "max(0,1-x)", "hinge loss (ranking support vector machine)",
        ("ranksvm", "rank-svm", "svm-rank", "slic"), "Herbrich, Graepel, Obermayer 2000; Joachims 2002"),
    NamedFunction("squared-hinge", "max(0,1-x)**2", "squared hinge loss", ("l2-svm", "hinge-squared"),
        "Chapelle and Keerthi 2010"),
    NamedFunction("square", "(1-x)**2", "square loss", ("squared", "least-squares", "ipo"),
        "Cossock and Zhang 2006"),
    NamedFunction("smoothed-hinge", "max(0,1-x)**2/2-max(0,-x)**2/2",
        "smoothed hinge: 1/2-x below 0, (1-x)**2/2 up to 1, then 0", ("smooth-hinge",),
        "Rennie and Srebro 2005"),
    NamedFunction("huberized-hinge", "max(0,1-x)**2-max(0,-1-x)**2",
        "Huberized squared hinge: -4*x below -1, (1-x)**2 up to 1, then 0",
        ("huberised-hinge", "modified-huber"), "Zhang 2004; Rosset and Zhu 2007"),
    NamedFunction("logistic", "log(1+exp(-x))", "logistic loss (RankNet)",
        ("ranknet", "log-loss", "logit", "bradley-terry", "bradley-terry-luce",
         "bradley-terry-model", "btl", "bt", "bpr", "dpo"),
        "Burges et al. 2005; Dekel, Manning, Singer 2004"),
    NamedFunction("exponential", "exp(-x)", "exponential loss (RankBoost)", ("rankboost", "exp-loss", "exp"),
        "Freund, Iyer, Schapire, Singer 2003"),
    NamedFunction("sigmoid", "1/(1+exp(x))", "sigmoid loss (not convex)", ("logistic-sigmoid",),
        "Mason, Baxter, Bartlett, Frean 2000"),
    NamedFunction("ramp", "max(0,min(1,1-x))", "ramp loss, the hinge cut off at 1 (not convex)",
        ("truncated-hinge",), "Collobert, Sinz, Weston, Bottou 2006"),
)

# Differences of rewards, with the parameters that are usual.
_OF_ANSWERS: Final = (
    NamedFunction("cdpo", "9/10*log(1+exp(-x))+1/10*log(1+exp(x))",
        "logistic loss, one label in ten taken to be wrong", ("label-smoothing", "conservative-dpo"),
        "Mitchell 2023"),
    NamedFunction("robust", "log(1+exp(-x))-x/8",
        "logistic loss, freed of the bias of one wrong label in ten (not bounded below)",
        ("robust-dpo", "rdpo"), "Chowdhury, Kini, Natarajan 2024"),
    NamedFunction("simpo", "log(1+exp(1/2-x))", "logistic loss with the margin 1/2", (),
        "Meng, Xia, Chen 2024"),
    NamedFunction("exo", "(log(999)-x)/(1+exp(x))-log(1+exp(-x))-log(999/1000)",
        "relative entropy of the chances of two answers and 999 : 1 (not convex)", ("exo-pair",),
        "Ji et al. 2024"),
    NamedFunction("discopop", "log(1+exp(-x))/(1+exp(20*x))+exp(-x)/(1+exp(-20*x))",
        "logistic loss behind, exponential loss ahead (not convex)", (), "Lu et al. 2024"),
)
# fmt: on

NAMED: Final[Mapping[str, NamedFunction]] = MappingProxyType({row.name: row for row in _ROWS})
"""The named scalar functions of rankings, by name, over which statements and tables range."""

OF_ANSWERS: Final[Mapping[str, NamedFunction]] = MappingProxyType({row.name: row for row in _OF_ANSWERS})
"""Those that language models are trained with beside them, by name; see docs/alignment.md."""


def spelled(name: str) -> str:
    """A name as the tables have it, whatever its case is, with a hyphen for blanks and other dashes."""
    return re.sub(r"[\s_\u2010-\u2015]+", "-", name.strip().lower())


def named(name: str) -> NamedFunction:
    """Look up a scalar function by its name or an alias.

    Examples
    --------
    >>> named("RankNet").text
    'log(1+exp(-x))'
    """
    key = spelled(name)
    for row in (*_ROWS, *_OF_ANSWERS):
        if key == row.name or key in row.aliases:
            return row
    known = [known for row in (*_ROWS, *_OF_ANSWERS) for known in (row.name, *row.aliases)]
    close = nearest(key, known)
    guess = f"did you mean {close[0]}?" if close else f"names are {', '.join(NAMED)}"
    raise InputError(f"{name!r} is not a known scalar function; {guess}")
