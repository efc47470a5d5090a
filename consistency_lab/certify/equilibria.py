"""Files about wrong equilibria of gradient fields, in the format of proofs."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from consistency_lab.certify.document import provenance_entry
from consistency_lab.core.field import Box
from consistency_lab.core.orders import Order
from consistency_lab.model.surrogates.tasks.fields import GradientField
from consistency_lab.model.tasks.labels import Label
from consistency_lab.proofs.file import sealed
from consistency_lab.proofs.programs import equilibrium_proof


def equilibrium_file(
    field: GradientField,
    weights: Mapping[Label, Fraction],
    losses: Mapping[Label, tuple[str, str]],
    orders: tuple[Order, Order],
    regret: Fraction,
    box: Box,
    *,
    attracting: bool,
    names: Sequence[str],
    named: Mapping[str, object],
    provenance: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """The file that says that training with a field stands still in a wrong order.

    Parameters
    ----------
    field, weights, losses, orders, box, attracting, names
        As in `equilibrium_proof`.
    regret
        How much worse the first order is than the second, at most one percent too small.
    named
        What the file says besides of target and labels.
    provenance
        Texts for the document; unless given, citation and note are those of the field.

    Examples
    --------
    Two items, preferred one way and the other: RankNet's field vanishes at log(2).

    >>> from consistency_lab.model.surrogates.tasks.fields import field
    >>> plain = field(
    ...     "xgboost:rank:pairwise", lambdarank_normalization=False, lambdarank_score_normalization=False
    ... )
    >>> document = equilibrium_file(
    ...     plain,
    ...     {(1, 0): Fraction(2, 3), (0, 1): Fraction(1, 3)},
    ...     {(1, 0): ("1", "0"), (0, 1): ("0", "1")},
    ...     ((0, 1), (1, 0)),
    ...     Fraction(1, 3),
    ...     [(Fraction(69, 100), Fraction(7, 10))],
    ...     attracting=True,
    ...     names=("A", "B"),
    ...     named={},
    ... )
    >>> from consistency_lab.proofs.verified import verify
    >>> verify(document).sentence
    'the field certainly vanishes at scores in a wrong order, which says nothing of a minimum'
    """
    proof = equilibrium_proof(
        field, weights, losses, orders, str(regret), box, attracting=attracting, names=names
    )
    said = {"citation": field.citation, "note": field.note, **(provenance or {})}
    return sealed(proof, {"surrogate": field.describe(), **named}, provenance_entry(said))
