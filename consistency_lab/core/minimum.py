"""Scores that minimize the risk, or along which it falls to its infimum.

If s_t is a subgradient of the convex atom f_t at u and the subgradients sum to 0, then u minimizes W = sum_t
f_t.

With a *direction* d the atoms fall into two groups: those that u + t d leaves alone, and those that fall to
their infimum as t grows. If the subgradients of the first group sum to 0 at u, then

    W(u + t d)  →  min (sum of the first) + sum of the infima of the second  <=  inf W,

so W comes arbitrarily near its infimum there: for large t the items stand in the order of d, of equal d in
that of u. The infimum need not be attained.
"""

from collections.abc import Sequence

from consistency_lab.core.messages import shown
from consistency_lab.core.risk import Atom, Scores, Slope, total
from consistency_lab.errors import RejectedError


def check_minimum(
    atoms: Sequence[Atom],
    slopes: Sequence[Slope],
    scores: Scores,
    direction: Sequence[int],
    names: Sequence[str],
) -> None:
    """Check that W falls to its infimum along the direction from the scores on; 0 for a minimizer.

    Parameters
    ----------
    atoms
        The convex atoms of W.
    slopes
        One entry an atom; None where nothing needs to be stated, and for what vanishes along the direction.
    scores, direction
        u and d.
    names
        Of the coordinates, for messages.

    Raises
    ------
    RejectedError
        If a slope is no subgradient, the sum is not 0, or an atom is not proved to behave along the
        direction.
    """
    if len(slopes) != len(atoms):
        raise RejectedError(f"{len(slopes)} slopes are stated for {len(atoms)} atoms of the risk")
    parts = []
    for number, (atom, slope) in enumerate(zip(atoms, slopes, strict=True), start=1):
        try:
            if not atom.settles(direction):
                parts.append(atom.gradient(slope, scores))
            elif slope is not None:
                raise RejectedError("it vanishes along the direction, so it has no slope")
        except RejectedError as error:
            raise RejectedError(f"atom {number} of the risk: {error}") from None
    for k, rest in total(parts):
        raise RejectedError(f"the slopes sum to {shown(rest)} at {names[k]}, not to 0")
