"""A construction as a Python module that needs nothing but the standard library.

Only numbers and escaped names go into the code: a text of a user's is never part of it but in a literal.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from string import Template
from typing import Final

from consistency_lab.model.tasks.construction import Construction

_TEMPLATE: Final = Template('''\
"""A calibrated surrogate and its decoder for a loss matrix (RAT13 Theorem 3), exact.

    loss(y, t) = <ALPHA[y], BETA[t]> + LABEL_OFFSETS[y] + PREDICTION_OFFSETS[t]

psi(y, u) = sum_i (u_i - ALPHA[y][i])^2 is minimized in expectation by u = E ALPHA[y], where decode(u) returns
a prediction of least expected loss. Labels and predictions go by their names; scores may be integers,
fractions, floats (read exactly) or texts such as "1/3". verify() checks the identity.

Digest of the construction: $digest
"""

from fractions import Fraction as F

LABELS = $labels
PREDICTIONS = $predictions
DIMENSION = $dimension
LOSS = $loss
ALPHA = $alpha
BETA = $beta
LABEL_OFFSETS = $label_offsets
PREDICTION_OFFSETS = $prediction_offsets
SQUARED_DISTANCE = $squared_distance  # a regret of e costs an excess of at least e^2 / SQUARED_DISTANCE

_LABEL = {name: number for number, name in enumerate(LABELS)}
_PREDICTION = {name: number for number, name in enumerate(PREDICTIONS)}


def _dot(left, right):
    return sum((x * y for x, y in zip(left, right, strict=True)), F(0))


def psi(y, u):
    """The surrogate loss of the scores u where the label y is true."""
    return sum(((F(x) - a) ** 2 for x, a in zip(u, ALPHA[_LABEL[y]], strict=True)), F(0))


def costs(u):
    """<u, beta_t> + b_t for each prediction: its expected loss at u = E alpha, up to a constant."""
    scores = [F(x) for x in u]
    return [_dot(scores, beta) + b for beta, b in zip(BETA, PREDICTION_OFFSETS, strict=True)]


def decode(u):
    """The first prediction of least cost; any other of the same cost is as right."""
    found = costs(u)
    return PREDICTIONS[found.index(min(found))]


def minimizer(p):
    """E alpha, the scores that minimize the expected psi, for a dict of probabilities by label."""
    return tuple(sum((F(q) * ALPHA[_LABEL[y]][i] for y, q in p.items()), F(0)) for i in range(DIMENSION))


def expected_loss(p, t):
    """The expected loss of a prediction, for a dict of probabilities by label."""
    return sum((F(q) * LOSS[_LABEL[y]][_PREDICTION[t]] for y, q in p.items()), F(0))


def verify():
    """Check the identity everywhere, and the distances of the beta; True, or ValueError."""
    for y, (row, alpha, c) in enumerate(zip(LOSS, ALPHA, LABEL_OFFSETS, strict=True)):
        for t, (loss, beta, b) in enumerate(zip(row, BETA, PREDICTION_OFFSETS, strict=True)):
            if loss != _dot(alpha, beta) + c + b:
                raise ValueError(f"the identity fails at {LABELS[y]!r} and {PREDICTIONS[t]!r}")
    points = sorted(set(BETA))
    for i, one in enumerate(points):
        for other in points[:i]:
            if sum((x - y) ** 2 for x, y in zip(one, other, strict=True)) > SQUARED_DISTANCE:
                raise ValueError("two of the beta are farther apart than SQUARED_DISTANCE says")
    return True


if __name__ == "__main__":
    verify()
''')


def module_text(construction: Construction, digest: str) -> str:
    """The code of the module.

    Parameters
    ----------
    construction
        What it holds.
    digest
        That of the JSON document, in hexadecimal.
    """
    matrix, factors = construction.matrix, construction.factors
    return _TEMPLATE.substitute(
        digest=ascii(digest).strip("'"),
        labels=_names(matrix.labels),
        predictions=_names(matrix.predictions),
        dimension=construction.dimension,
        loss=_table(matrix.rows),
        alpha=_table(factors.left),
        beta=_table(factors.right),
        label_offsets=_row(construction.label_offsets),
        prediction_offsets=_row(construction.prediction_offsets),
        squared_distance=_number(construction.squared_distance),
    )


def _number(value: Fraction | int) -> str:
    return str(value.numerator) if value.denominator == 1 else f"F({value.numerator}, {value.denominator})"


def _row(values: Iterable[Fraction | int]) -> str:
    return _tuple([_number(value) for value in values])


def _tuple(entries: Sequence[str]) -> str:
    return f"({entries[0]},)" if len(entries) == 1 else f"({', '.join(entries)})"


def _table(rows: Iterable[Sequence[Fraction | int]]) -> str:
    return "".join(["(\n", *(f"    {_row(row)},\n" for row in rows), ")"])


def _names(names: Iterable[str]) -> str:
    return "".join(["(\n", *(f"    {name!a},\n" for name in names), ")"])
