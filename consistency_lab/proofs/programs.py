"""Gradient fields in a proof: the program of each label, and the certificate of an equilibrium."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from consistency_lab.core.document import STRICT, WRONG_EQUILIBRIUM
from consistency_lab.core.field import Box, Program
from consistency_lab.core.orders import Order
from consistency_lab.model.surrogates.tasks.fields import GradientField
from consistency_lab.model.tasks.labels import Label
from consistency_lab.proofs.entries import Entry, named


def program_entry(program: Program) -> Entry:
    """The ``psi`` entry of a label.

    Examples
    --------
    >>> program_entry(Program((("difference", 0, 1), Fraction(1, 2), ("multiply", 0, 1)), (2,)))
    {'steps': [['difference', 0, 1], '1/2', ['multiply', 0, 1]], 'gradient': [2]}
    """
    steps = [str(step) if isinstance(step, Fraction) else list(step) for step in program.steps]
    return {"steps": steps, "gradient": list(program.gradient)}


def equilibrium_proof(
    field: GradientField,
    weights: Mapping[Label, Fraction],
    losses: Mapping[Label, tuple[str, str]],
    orders: tuple[Order, Order],
    regret: str,
    box: Box,
    *,
    attracting: bool,
    names: Sequence[str],
) -> Entry:
    """The proof that a field vanishes in a box of scores, all in a wrong order.

    Parameters
    ----------
    field
        The field; its program is written out for each label in that order.
    weights
        The probabilities.
    losses
        For each label what the two orders lose, as expressions.
    orders
        That of the scores in the box, from top to bottom, and a better one.
    regret
        How much worse the first is, at most one percent too small.
    box
        An interval for each score but the last, which is 0.
    attracting
        Whether the equilibrium is claimed to attract.
    names
        Of the items.
    """
    order, better = orders
    return {
        "claim": WRONG_EQUILIBRIUM,
        "coordinates": list(names),
        "decoder": "sort",
        "predictions": [named(order, names), named(better, names)],
        "labels": [
            {
                "probability": str(p),
                "losses": list(losses[label]),
                "psi": program_entry(field.piece(label, order).program(len(names))),
            }
            for label, p in weights.items()
        ],
        "scores": None,
        "prediction": named(order, names),
        "better": named(better, names),
        "failure": STRICT,
        "regret": regret,
        "certificate": {
            "kind": "equilibrium",
            "box": [[str(low), str(high)] for low, high in box],
            "attracting": attracting,
        },
    }
