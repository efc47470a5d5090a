"""The cascade model: clicks over examinations are likeliest, and tend to the truth however it is shown."""

from fractions import Fraction
from typing import Final

from consistency_lab.aggregate.structures import CascadeMLE
from consistency_lab.book.polynomials import Lines, is_positive, step, vanishes
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded

THETA: Final = (Fraction(1, 5), Fraction(1, 2), Fraction(1, 3))
SHOWN: Final = {(0, 1, 2): Fraction(3, 4), (1, 0, 2): Fraction(3, 20), (2, 1, 0): Fraction(1, 10)}
"""How often each order is presented."""


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m, all presentations in which each item is examined with positive chance",
        [_maximum(), _limit(), _enumerated()],
        ("So with it the ERR family is minimized by sorting (DMJ13 §5.2, dmj13-err): its limit is a point.",),
    )


def _maximum() -> Step:
    import sympy as sp

    x, y, c, n = sp.symbols("θ κ c n", positive=True)
    score = c / x - n / (1 - x)
    lines: Lines = [
        "A session passes items, each with chance 1 − θ, and may click one, with chance θ. With c_i",
        "clicks on i, which n_i times was passed, log L = Σ_i c_i log θ_i + n_i log(1 − θ_i).",
        vanishes("    d/dθ: c/θ − n/(1 − θ) = 0 at θ = c/(c + n)", score.subs(x, c / (c + n))),
        vanishes("    −d²/dθ² = c/θ² + n/(1 − θ)²", sp.diff(score, x) + c / x**2 + n / (1 - x) ** 2),
        is_positive(
            "    With κ = 1 − θ > 0 this is c/θ² + n/κ² > 0: there is one maximum.", c / x**2 + n / y**2
        ),
        "With c = 0 or n = 0 (not both) the maximum is at 0 or 1, the same ratio.",
    ]
    return step(
        "The likelihood is largest at clicks/examinations",
        Kind.PROOF_ALL_M,
        "all m, all sessions; of an item that was never examined it says nothing",
        "a derivative, by SymPy",
        lines,
    )


def _limit() -> Step:
    return step(
        "It tends to θ under every presentation",
        Kind.PROOF_ALL_M,
        "all m, all presentations in which each item is examined with positive chance",
        "the strong law of large numbers",
        [
            "Whether i is clicked once it is examined does not depend on what came before. So a session has",
            "E c_i = θ_i E(c_i + n_i); both means tend to these numbers almost surely, and E(c_i + n_i) > 0.",
        ],
    )


def _enumerated() -> Step:
    clicked, examined, _ = expected()
    found = CascadeMLE().scores([float(x) for x in clicked], [float(x) for x in examined])
    return step(
        "θ = (1/5, 1/2, 1/3), presented in three orders",
        Kind.PROOF_THIS_M,
        "m = 3",
        "all sessions enumerated with fractions; the package has the same ratios in floats",
        [
            f"examined with chance {', '.join(map(str, examined))}",
            f"clicked with chance {', '.join(map(str, clicked))}",
        ],
        all(c / n == t for c, n, t in zip(clicked, examined, THETA, strict=True)),
        all(abs(Fraction(float(x)) - t) < Fraction(1, 10**12) for x, t in zip(found, THETA, strict=True)),
    )


def expected() -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """The chance of each item to be clicked, to be examined, and to be shown.

    Examples
    --------
    >>> [str(chance) for chance in expected()[1]]
    ['103/120', '49/60', '23/50']
    """
    clicked, examined, shown = ([Fraction(0)] * 3 for _ in range(3))
    for order, chance in SHOWN.items():
        going = chance
        for item in order:
            shown[item] += chance
            examined[item] += going
            clicked[item] += going * THETA[item]
            going *= 1 - THETA[item]
    return clicked, examined, shown


def _click_through() -> Refutation:
    """Clicks over presentations depend on the place."""
    theta = (Fraction(1, 2), Fraction(2, 3))
    clicked = (theta[0], (1 - theta[0]) * theta[1])
    return Refutation(
        clicked[0] > clicked[1] and theta[0] < theta[1],
        f"θ = (1/2, 2/3), always shown as 1, 2: clicked in {clicked[0]} and in {clicked[1]} of the sessions",
    )


STATEMENT: Final = Statement(
    name="cascade-mle",
    title="Structure: cascade model",
    latex=(
        r"In the cascade model the likelihood is largest at \(\hat\theta_i =\) clicks on \(i\) / examinations"
        r" of \(i\), and \(\hat\theta \to \theta\) almost surely under every presentation that examines each"
        r" item."
    ),
    plain="Clicks divided by examinations are the likeliest satisfactions, and tend to the true ones.",
    hypotheses=(
        "sessions are independent, of one cascade model",
        "each item is examined with positive chance",
    ),
    citation="DMJ13 §5.2",
    check=check,
    variants=(FalseVariant("Clicks divided by presentations order items by θ too.", _click_through),),
)
