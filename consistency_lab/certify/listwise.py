"""Separation certificates for risks with log-sum-exps: likelihoods of lists."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.certify.proofs.record import terms_of
from consistency_lab.certify.separation import Bracket, Mixed, Proposal, bracket_of, propose
from consistency_lab.core.orders import Pair
from consistency_lab.core.risk import Atom, Direction, Linear, LogSumExp, Max, Slope, scaled, total
from consistency_lab.errors import UnsupportedError
from consistency_lab.model.surrogates.families import Term as ModelTerm
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.exact.linear import pivot_columns, solve_linear
from consistency_lab.solve.kinds import Kind, kind_of
from consistency_lab.solve.numeric import compiled

# For weights w of a log-sum-exp, log sum_k exp(u_k) >= sum_k w_k (u_k - log w_k). At a minimizer on the
# boundary of a half-space the weights are those of the softmax. Rounded, they are put back on the flow
# identity by moving weight from the largest of each to others.

Floats = NDArray[np.float64]
Part = ModelTerm | LogSumExp | Linear

_ZERO: Final = Fraction(0)
_STEPS: Final = 300
_LONGEST: Final = 4.0
_FLAT: Final = 1e-15
_RIDGE: Final = 1e-14
_DENOMINATORS: Final = (12, 100, 1000)
_FAR: Final = 20.0


def parts_of(atoms: Sequence[Atom]) -> list[Part]:
    """The atoms, terms as those of a surrogate.

    Raises
    ------
    UnsupportedError
        If there is none, or one that is not smooth, as a maximum.
    """
    found: list[Part] = []
    for atom in atoms:
        terms = terms_of([atom])
        if terms is not None and kind_of(terms[0].phi) in (Kind.SMOOTH, Kind.STRAIGHT):
            found += terms
        elif isinstance(atom, LogSumExp | Linear):
            found.append(atom)
        else:
            what = "a maximum" if isinstance(atom, Max) else "a kink beside a log-sum-exp"
            raise UnsupportedError(f"the risk has {what}, of which no proof is known at one distribution")
    return found


def least(atoms: Sequence[Atom], m: int, glued: Pair | None = None) -> Floats:
    """A minimizer in floats, the two items of a pair at one score; far out, if there is none."""
    parts, P = parts_of(atoms), np.eye(m)
    if glued is not None:
        P[:, glued[0]] += P[:, glued[1]]
        P = np.delete(P, glued[1], axis=1)
    scale = max((float(atom.c) for atom in atoms), default=1.0)
    z = np.zeros(P.shape[1])
    value, slope, bend = _jet(parts, P @ z)
    for _ in range(_STEPS):
        g, H = P.T @ slope, P.T @ bend @ P
        if not np.abs(g).max() > _FLAT * scale:
            break
        way = -np.linalg.lstsq(H + _RIDGE * scale * np.eye(len(z)), g, rcond=None)[0]
        way *= min(1.0, _LONGEST / np.abs(way).max())
        for _ in range(40):
            after = _jet(parts, P @ (z + way))
            if after[0] <= value + 1e-4 * float(g @ way) or np.abs(way).max() < 1e-9:
                break
            way /= 2
        z, (value, slope, bend) = z + way, after
    if not np.isfinite(z).all():
        raise OverflowError
    found: Floats = P @ z
    return found


def _jet(parts: Sequence[Part], u: Floats) -> tuple[float, Floats, Floats]:
    """The value, slopes and curvature of the risk."""
    value, slope, bend = 0.0, np.zeros(len(u)), np.zeros((len(u), len(u)))
    for part in parts:
        c = float(part.c)
        if isinstance(part, LogSumExp):
            over = list(part.over)
            w = np.exp(u[over] - u[over].max())
            value += c * (float(u[over].max()) + float(np.log(w.sum())))
            w /= w.sum()
            slope[over] += c * w
            bend[np.ix_(over, over)] += c * (np.diag(w) - np.outer(w, w))
            continue
        v = np.zeros(len(u))
        for k, n in part.v:
            v[k] = float(n)
        first, rate, curve = float(v @ u), 1.0, 0.0
        if isinstance(part, ModelTerm):
            first, rate, curve = (float(x[0]) for x in compiled(part.phi)(np.array([first - float(part.b)])))
        value, slope, bend = value + c * first, slope + c * rate * v, bend + c * curve * np.outer(v, v)
    return value, slope, bend


def finder(atoms: Sequence[Atom], m: int) -> Callable[[Pair, int], Mixed | None]:
    """What finds the slopes that bound the risk where a pair (above, below) is not in this order.

    Raises
    ------
    UnsupportedError
        As `parts_of`.
    """
    parts = parts_of(atoms)
    known: dict[Pair, Floats] = {}

    def find(pair: Pair, digits: int) -> Mixed | None:
        if pair not in known:
            known[pair] = least(atoms, m, pair)
        return _dual(parts, m, known[pair], pair, digits + 1)

    return find


def _dual(parts: Sequence[Part], m: int, u: Floats, pair: Pair, digits: int) -> Mixed | None:
    """Slopes that are rounded, then moved onto the identity of the flow."""
    values: list[list[Fraction]] = []  # of each part its weights, its slope, or nothing
    ways: list[list[Direction]] = []  # along which each of them pulls
    proposals = dict[int, Proposal]()
    # What may move: how far, of which part, which value up and which down.
    moves: list[tuple[float, int, int, int | None]] = []
    for t, part in enumerate(parts):
        if isinstance(part, LogSumExp):
            values.append(_rounded(u[list(part.over)], digits))
            ways.append([((k, part.c),) for k in part.over])
            top = values[t].index(max(values[t]))
            moves += [(float(part.c * w), t, n, top) for n, w in enumerate(values[t]) if w and n != top]
            continue
        ways.append([tuple((k, part.c * n) for k, n in part.v)])
        if isinstance(part, Linear):
            values.append([Fraction(1)])
            continue
        proposal = propose(part, sum(n * float(u[k]) for k, n in part.v) - float(part.b), digits)
        if proposal is None:
            return None
        proposals[t] = proposal
        values.append([proposal.slope])
        if proposal.freedom > 0:
            moves.append((float(part.c) * proposal.freedom, t, 0, None))
    moves.sort(key=lambda move: -move[0])
    columns: list[Direction] = [((pair[0], Fraction(1)), (pair[1], Fraction(-1)))]
    for _, t, up, down in moves:
        columns.append(total([ways[t][up], *([] if down is None else [scaled(ways[t][down], Fraction(-1))])]))
    rows = [[dict(column).get(k, _ZERO) for column in columns] for k in range(m)]
    rest = dict(
        total(scaled(way, x) for n, xs in enumerate(values) for way, x in zip(ways[n], xs, strict=True))
    )
    chosen = pivot_columns(rows)
    solved = solve_linear([[row[k] for k in chosen] for row in rows], [-rest.get(k, _ZERO) for k in range(m)])
    if solved is None or solved[0] < 0:
        return None
    for k, by in zip(chosen[1:], solved[1:], strict=True):
        _, t, up, down = moves[k - 1]
        values[t][up] += by
        if down is not None:
            values[t][down] -= by
    slopes: list[Slope] = []
    brackets: list[Bracket] = []
    for t, part in enumerate(parts):
        brackets.append(None)
        if isinstance(part, LogSumExp):
            slopes.append(tuple(values[t]))
            if min(values[t]) < 0:
                return None
        elif isinstance(part, Linear):
            slopes.append(None)
        else:
            slopes.append(values[t][0])
            brackets[t] = bracket_of(part, values[t][0], proposals[t], digits)
            if brackets[t] is None:
                return None
    return Mixed(tuple(slopes), tuple(brackets))


def _rounded(u: Floats, digits: int) -> list[Fraction]:
    """The softmax in so many decimals, which add up to 1."""
    w = np.exp(u - u.max())
    found = [Fraction(round(float(x) * 10**digits), 10**digits) for x in w / w.sum()]
    found[found.index(max(found))] += 1 - sum(found)
    return found


def exact_scores(atoms: Sequence[Atom], m: int) -> tuple[LogRational, ...] | None:
    """A minimizer of log-sum-exps whose exponentials are simple rationals, if there is one."""
    if not all(isinstance(atom, LogSumExp | Linear) for atom in atoms):
        return None
    u = least(atoms, m)
    if np.ptp(u) > _FAR:
        return None
    for largest in _DENOMINATORS:
        q = [Fraction(float(x)).limit_denominator(largest) for x in np.exp(u - u.min())]
        scores = tuple(LogRational(_ZERO, x) for x in q)
        if not total(atom.gradient(None, scores) for atom in atoms):
            return scores
    return None
