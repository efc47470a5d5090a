"""A calibration function as text, JSON and a picture."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import ceil, floor
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from consistency_lab.apps.measure.calibration import Attained, BoundedCalibration, Calibration, PowerLaw
from consistency_lab.show.answer import SURROGATE
from consistency_lab.show.canvas import Picture
from consistency_lab.show.documents import Record
from consistency_lab.show.text import Line, as_decimal, columns, flush, number, outward, with_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def risk_bound(found: Calibration) -> str:
    """DMJ10 Lemma 1 for this calibration function, in words; "" if there is no bound.

    Lemma 1: if zeta is convex and zeta <= H, then zeta(R(f) - R*) <= R_phi(f) - R_phi*. A law c eps^k is
    convex.
    """
    law = found.law
    if law is None or law.lower == 0:
        return ""
    c: object = law.lower if law.c is None else law.c
    divisor = "" if c == Fraction(1) else f" / ({c})" if "/" in str(c) else f" / {c}"
    inside = f"excess surrogate risk{divisor}"
    return f"excess risk <= sqrt({inside})" if law.degree == 2 else f"excess risk <= {inside}"


# --- A calibration function as text and as a JSON document -----------------------------------------------

_POWERS: Final = MappingProxyType({1: "ε", 2: "ε²"})
_UNITS: Final = "Regret is in the units of the preferences, whose total weight is free."


def calibration_report(found: Calibration) -> Iterator[Line]:
    """The law of H, where it is attained, and the bound on the risk that follows."""
    yield from flush(f"{opening(found)}.")
    yield from flush("H(ε): the least excess surrogate risk at regret ε or more (DMJ10 Eq. 3).")
    yield ""
    if found.law is not None:
        yield from _law(found, found.law)
    if found.note:
        yield from flush(found.note)
    if found.law is None:
        return
    yield ""
    yield from flush(bound_in_words(found))


_GRID: Final = tuple(Fraction(k, 20) for k in range(21))


def calibration_rows(law: PowerLaw) -> Iterator[tuple[str, str, str]]:
    """Regret, lower and upper bound on H there, as decimals; no upper bound is an empty cell."""
    yield "regret", "lower", "upper"
    for x in _GRID:
        power = x**law.degree
        upper = "" if law.upper is None else _short(law.upper * power, ceil)
        yield _short(x), _short(law.lower * power, floor), upper


def _short(value: Fraction, rounded: Callable[[Fraction], int] = round) -> str:
    """Twelve digits, bounds rounded outward; the JSON document has the exact ones."""
    text = f"{Decimal(outward(value, 12, rounded)):f}"
    return text.rstrip("0").rstrip(".")


def opening(found: Calibration) -> str:
    """What is known of H, in a phrase."""
    of = f"{found.surrogate.name} under {found.condition} with {found.m} items"
    if found.law is None:
        return f"No closed law of the calibration function of {of} is known"
    how = "bounded" if found.law.c is None else "known"
    return f"The calibration function of {of} is {how}: {law_text(found.law)}"


def law_text(law: PowerLaw) -> str:
    """The law as a formula."""
    power = _POWERS[law.degree]
    if law.c is None:
        above = "" if law.upper is None else f" ≤ {law.upper} {power}"
        return f"{law.lower} {power} ≤ H(ε){above}"
    if law.c == Fraction(0):
        return "H(ε) = 0 for all ε"
    return f"H(ε) = {'' if law.c == Fraction(1) else f'{law.c} '}{power}"


def bound_in_words(found: Calibration) -> str:
    """DMJ10 Lemma 1 for what is proved of H."""
    words = risk_bound(found)
    if words:
        return (
            f"Risk bound (DMJ10 Lemma 1, with a convex function below H): {words}, for every scoring "
            "function f; excess risk is R(f) − R*, excess surrogate risk is R_φ(f) − R_φ*."
        )
    return "Risk bound: none; no convex function above 0 is proved to lie below H."


_ATTAINED: Final = Record(
    Attained,
    "differences=d scores order approached reach",
    order=(list[int], lambda order: [item + 1 for item in order]),
)
_LAW: Final = Record(
    PowerLaw, "text=. degree c lower upper programs=cases attained", text=law_text, attained=_ATTAINED
)
calibration_document: Final = Record(
    Calibration,
    "line1=. surrogate condition items=m kind law risk_bound=. note",
    format="consistency-lab/calibration/2",
    may={"picture": str},
    line1=(str, lambda found: f"{opening(found)}."),
    surrogate=SURROGATE,
    law=_LAW,
    risk_bound=bound_in_words,
)
"""The same as JSON; rationals are texts."""


def _law(found: Calibration, law: PowerLaw) -> Iterator[Line]:
    yield from flush(f"{law_text(law)}{_value(law)}  ({_grounds(found.kind, law)})")
    if law.attained is None:
        return
    yield from _attained(law, law.attained, found.m)
    reach = number(law.attained.reach)
    share = (
        f"As a share of all preferences (total weight 1), H(ε) is 0 at least up to ε = {reach}."
        if law.upper == 0
        else "As a share of all preferences (total weight 1) the lower bound holds for every ε"
        + (f", with equality at least up to ε = {reach}." if law.c is not None else ".")
    )
    yield from flush(f"{_UNITS} {share}")


def _value(law: PowerLaw) -> str:
    """The decimal, unless c is a whole number."""
    if law.c is None or (isinstance(law.c, Fraction) and law.c.denominator == 1):
        return ""
    return f", where {law.c} {as_decimal(law.c)}"


def _grounds(kind: str, law: PowerLaw) -> str:
    if law.cases:
        return f"exact: {law.cases} convex quadratic programs, each bounded by multipliers that were checked"
    return f"{kind}, with a proof"


def _attained(law: PowerLaw, at: Attained, m: int) -> Iterator[Line]:
    names = [str(k + 1) for k in range(m)]
    which = "the upper bound" if law.c is None else str(law.c)
    how = f"approached: {at.approached}" if at.approached else "attained"
    order = " > ".join(names[k] for k in at.order)
    yield from flush(f"Where {which} comes from ({how}), at regret 1, with the order {order}:")
    rows = with_names([[max(x, Fraction(0)) for x in row] for row in at.d], names)
    if at.scores is not None:
        rows = [[*row, x] for row, x in zip(rows, ["score", *map(str, at.scores)], strict=True)]
    yield from columns(rows, indent=2, right=range(1, m + 1))


def bounded_rows(found: BoundedCalibration) -> Iterator[tuple[str, str, str]]:
    """Regret and bounds on H_b there, as decimals."""
    yield "regret", "lower", "upper"
    yield from ((_short(e), _short(low, floor), _short(high, ceil)) for e, low, high in found.rows)


def bounded_opening(found: BoundedCalibration) -> str:
    """What is known of H_b, in a sentence."""
    of = f"{found.surrogate.name} for two items whose scores differ by at most {found.b}"
    return f"The calibration function of {of} is at most {number(found.slope * found.b)} ε, and at:"


def bounded_report(found: BoundedCalibration) -> Iterator[Line]:
    """H_b at some regrets, and what becomes of it as b falls."""
    yield from flush(bounded_opening(found))
    yield ""
    _, *rows = bounded_rows(found)
    yield from columns([["regret ε", "H(ε) at least", "at most"], *rows], indent=2, right=range(1, 3))
    yield ""
    yield from flush(
        "Risk bound: excess risk is at most the ε at which H(ε) is the excess surrogate risk. Both are "
        "measured from the best scores of the class, and the total weight is 1."
    )
    yield from flush("Where scores of near items differ by less and less, no bound is left.")


bounded_document: Final = Record(
    BoundedCalibration,
    "line1=. surrogate bound=b slope rows",
    format="consistency-lab/calibration-class/1",
    line1=(str, bounded_opening),
    surrogate=SURROGATE,
    rows=(
        list[dict[str, str]],
        lambda rows: [dict(zip(("regret", "lower", "upper"), map(str, row), strict=True)) for row in rows],
    ),
)
"""H_b as JSON; rationals are texts."""


# --- A calibration function as a picture -----------------------------------------------------------------
# H with its bounds, how it leaves zero, and beside it the risk bound of DMJ10 Lemma 1.

_SIZE: Final = (12.4, 4.2)
_NEAR: Final = 1e-3
"""Where the picture near zero begins."""

_GUIDE: Final = "#767676"
_STEPS: Final = 200
_LINE: Final = "#1f77b4"
_BAND: Final = "#c6dbef"
_ZERO: Final = "#d62728"


def calibration_plot(found: Calibration, law: PowerLaw) -> Picture:
    """H from 0 to 1, its power near 0, and the largest excess risk at each excess surrogate risk."""
    title = f"{found.surrogate.name}, {found.condition}, {found.m} items"
    return Picture(title, *_SIZE, partial(_draw, law, title))


def _draw(law: PowerLaw, title: str, figure: "Figure") -> None:
    left, middle, right = figure.subplots(1, 3)
    lower = _draw_law(left, law)
    _draw_near(middle, law)
    _draw_risk(right, lower)
    figure.suptitle(title, fontsize=12)
    left.set(xlabel="regret ε", ylabel="excess surrogate risk", xlim=(0, 1))
    left.set_title("calibration function H", fontsize=10)
    left.set_ylim(bottom=0)
    left.legend(loc="upper left", fontsize=8)


def _draw_law(axes: "Axes", law: PowerLaw) -> list[tuple[float, float]]:
    """Draws a law; the curve that is proved to lie below H."""
    regrets = [k / _STEPS for k in range(_STEPS + 1)]
    lower = [float(law.lower) * x**law.degree for x in regrets]
    if law.c is None and law.upper is not None:
        upper = [float(law.upper) * x**law.degree for x in regrets]
        axes.fill_between(regrets, lower, upper, color=_BAND, lw=0, label="H lies in here")
    name = "proved lower bound on H" if law.c is None else "H"
    axes.plot(regrets, lower, color=_LINE, lw=2, label=name, clip_on=False)
    return list(zip(regrets, lower, strict=True))


def _draw_near(axes: "Axes", law: PowerLaw) -> None:
    """On logarithmic axes, where a power is a line: its slope says whether H leaves 0 linearly or not."""
    axes.set(xscale="log", yscale="log", xlabel="regret ε", xlim=(_NEAR, 1), ylim=(_NEAR**2, 2))
    axes.set_title("near zero, logarithmic", fontsize=10)
    for power, text in ((1, "∝ ε"), (2, "∝ ε²")):
        axes.plot(
            [_NEAR, 1], [_NEAR**power, 1], color=_GUIDE, lw=1, ls="--" if power == 1 else ":", label=text
        )
    lines = {"lower bound on H": law.lower, "upper bound on H": law.upper}
    name = f"H ≈ {float(law.lower):.3g} {_POWERS[law.degree]}"
    for label, bound in lines.items() if law.c is None else [(name, law.lower)]:
        if bound:
            ends = [float(bound) * x**law.degree for x in (_NEAR, 1)]
            axes.plot([_NEAR, 1], ends, color=_LINE, lw=2, ls="-." if "upper" in label else "-", label=label)
    if law.upper == 0:
        axes.axvspan(_NEAR, 1, color=_ZERO, alpha=0.15, lw=0, label="H = 0")
    axes.legend(loc="lower left" if law.upper == 0 else "lower right", fontsize=7)


def _draw_risk(axes: "Axes", corners: list[tuple[float, float]]) -> None:
    """The inverse of a convex function that does not decrease: where it leaves 0 the bound begins."""
    axes.set_title("risk bound (Lemma 1)", fontsize=10)
    axes.set(xlabel="excess surrogate risk", ylabel="excess risk is at most", ylim=(0, 1))
    axes.set_xlim(left=0)
    last = max((k for k, (_, y) in enumerate(corners) if y <= 0), default=0)
    rising = corners[last:]
    if len(rising) < 2:
        axes.text(0.5, 0.5, "no bound", ha="center", va="center", transform=axes.transAxes)
        return
    axes.plot([y for _, y in rising], [x for x, _ in rising], color=_LINE, lw=2, clip_on=False)
    axes.set_xlim(0, float(Fraction(rising[-1][1])))
