"""Surrogates of preference graphs, as they are typed."""

from typing import TYPE_CHECKING

from consistency_lab.cli.check.names import refuse_without_target
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.model.surrogates import Surrogate


def graph_surrogate(
    name: str | None,
    phi: str | None,
    form: str | None,
    h: str | None,
    r: str | None,
    nu: str | None,
    *,
    asked: str = "check",
) -> "Surrogate":
    """The surrogate that is named, or made from phi, or a class of the user's own, for this command.

    Raises
    ------
    InputError
        If there is none, or an option does not fit it.
    """
    from consistency_lab.model.surrogates import load_surrogate, surrogate

    if name is not None:
        refuse_without_target(name, asked=asked)
    if name is not None and ":" in name:
        given = {"--phi": phi, "--form": form, "--h": h, "--r": r, "--nu": nu}
        for option, value in given.items():
            if value is not None:
                raise InputError(f"{option} does not apply to a surrogate class of your own; leave it out")
        return load_surrogate(name)
    weight: dict[str, object] = {} if nu is None else {"nu": nu}
    return surrogate(name, phi=phi, form=form, h=h, r=r, **weight)
