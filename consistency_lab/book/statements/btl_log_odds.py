"""Log odds: what they tend to, that smoothing keeps their signs, and that it costs their sums."""

from fractions import Fraction
from typing import Final

from consistency_lab.book.polynomials import Lines, is_positive, step, vanishes
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m, all c > 0, all P",
        [_limit(), _model()],
        ("P(i ≻ j) is the share among all comparisons, so it also says how often the pair is drawn.",),
    )


def _limit() -> Step:
    import sympy as sp

    q, e, c = sp.symbols("q e c", positive=True)
    lines: Lines = [
        "P̂ → P almost surely, and log is continuous at P + c > 0: A → log((P_ij + c)/(P_ji + c)).",
        "Let P_ij = q + e and P_ji = q. The argument of the logarithm is above 1:",
        vanishes("    (P_ij + c)/(P_ji + c) − 1 = e/(q + c)", (q + e + c) / (q + c) - 1 - e / (q + c)),
        is_positive("    e/(q + c) > 0", e / (q + c)),
        "so A_ij > 0 exactly if P_ij > P_ji: the difference graph of the limit has the edges of d.",
    ]
    return step(
        "A → log((P_ij + c)/(P_ji + c)), which has the sign of d_ij",
        Kind.PROOF_ALL_M,
        "all m, all c > 0, all P",
        "continuity, and a rational identity by SymPy",
        lines,
    )


def _model() -> Step:
    import sympy as sp

    s, r, n = sp.symbols("s_i s_j n", positive=True)
    win, lose = n * s / (s + r), n * r / (s + r)
    lines: Lines = [
        "If P(i ≻ j) = n_ij s_i/(s_i + s_j), whatever the rate n_ij > 0 of the pair, then as c → 0",
        vanishes("    P_ij/P_ji = s_i/s_j", win / lose - s / r),
        "and A_ij = log s_i − log s_j: additive, whatever the design.",
    ]
    return step(
        "On Bradley-Terry-Luce labels A tends to log s_i − log s_j as c → 0",
        Kind.PROOF_ALL_M,
        "all m, all positive s, all rates",
        "an identity for one pair, by SymPy",
        lines,
    )


def ratio(wins: tuple[int, int], k: int, c: Fraction) -> Fraction:
    """exp A_ij for the wins of i and of j among k comparisons.

    Examples
    --------
    >>> str(ratio((3, 1), 8, Fraction(1)))
    '11/9'
    """
    return (Fraction(wins[0], k) + c) / (Fraction(wins[1], k) + c)


def _unbiased() -> Refutation:
    """Two comparisons of a pair that i wins with chance 2/3; c = 1: exp of the mean is not the limit."""
    c = Fraction(1)
    ratios = {won: ratio((won, 2 - won), 2, c) for won in range(3)}
    # 9 times the mean log: 4 of 2:0, 4 of 1:1, 1 of 0:2. It is a logarithm of this number.
    ninth = ratios[2] ** 4 * ratios[1] ** 4 * ratios[0]
    limit = ratio((2, 1), 3, c) ** 9
    return Refutation(
        ninth != limit, f"P = 2/3, k = 2, c = 1: 9 E A = log {ninth}, and 9 times the limit is log {limit}"
    )


def _sums() -> Refutation:
    """Strengths 4, 2, 1, but the pair 1, 3 is drawn often and 1, 2 hardly ever."""
    s = (Fraction(4), Fraction(2), Fraction(1))
    rate = {(0, 1): Fraction(1, 20), (0, 2): Fraction(1, 20), (1, 2): Fraction(9, 10)}
    c = Fraction(1)

    def smoothed(i: int, j: int) -> Fraction:
        return rate[min(i, j), max(i, j)] * s[i] / (s[i] + s[j]) + c

    sums = [
        (smoothed(i, j) / smoothed(j, i)) * (smoothed(i, k) / smoothed(k, i))
        for i, j, k in ((0, 1, 2), (1, 0, 2))
    ]
    return Refutation(
        sums[0] < sums[1],
        f"s = (4, 2, 1), rates 1/20, 1/20, 9/10, c = 1: exp of the first two row sums: {sums[0]} < {sums[1]}",
    )


STATEMENT: Final = Statement(
    name="btl-log-odds",
    title="Structure: BTL log odds",
    latex=(
        r"\(\log\frac{\hat P(i \succ j) + c}{\hat P(j \succ i) + c} \to"
        r" \log\frac{P(i \succ j) + c}{P(j \succ i) + c}\) almost surely, which has the sign of \(d_{ij}\),"
        r" and tends to \(\log s_i - \log s_j\) as \(c \to 0\) on Bradley-Terry-Luce labels."
    ),
    plain="The smoothed log odds estimate the log odds of each pair, and never their wrong sign.",
    hypotheses=("independent comparisons of one distribution", r"\(c > 0\)"),
    citation="DMJ13 §5.1",
    check=check,
    variants=(
        FalseVariant("They are unbiased at every k.", _unbiased),
        FalseVariant("With c = 1 their row means are in the order of the strengths under any design.", _sums),
    ),
)
