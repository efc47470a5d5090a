"""What a template gets of a proof file, and how lists and numbers are written for Coq."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, final

from consistency_lab.certify.proofs.record import VerifiedProof
from consistency_lab.core.certificates import KINDS
from consistency_lab.core.document import Proof
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.expression import Expression, parse


@final
@frozen
class Source:
    """A proof file that the core has accepted: digest, proof, and names that are known."""

    name: str  #: That of the file.
    named: Mapping[str, object]  #: The names beside the proof, as the file has them.
    document: Mapping[str, Any]  #: The proof as the file has it.
    verified: VerifiedProof

    @property
    def proof(self) -> Proof:
        """The proof as the core has read it."""
        assert self.verified.proof is not None
        return self.verified.proof

    def numbers(self, key: str) -> list[list[Expression]]:
        """The numbers that each label has under a key, such as its losses, as they are written."""
        return [[parse(x, variable="") for x in label[key]] for label in self.document["labels"]]

    @property
    def subject(self) -> str:
        """What the proof is about: preferences, labels of a task, losses listed one by one, or systems."""
        if self.verified.proof is None:
            return "systems"
        if self.verified.about_preferences:
            return "preferences"
        return "labels" if "labels" in self.named else "losses"

    @property
    def kind(self) -> str:
        """The kind of the certificate, by its name in a file."""
        proof = self.verified.proof
        if proof is None:
            return "multipliers"
        return next(kind for kind, known in KINDS.items() if type(proof.certificate) is known)

    def refused(self, why: str) -> InputError:
        """The error of a file that is not covered."""
        return InputError(f"{self.name} is not exported: {why}")


def comment(text: str) -> str:
    """A text from a file, such as an item's name, as a comment in Coq may hold it: it cannot end it."""
    shown = "".join(x for x in text if x.isprintable() and x not in '"')
    return shown.replace("(*", "( *").replace("*)", "* )")


def listed(values: Iterable[object]) -> str:
    """A list in Coq."""
    return "[" + "; ".join(map(str, values)) + "]"


def table(rows: Sequence[Sequence[object]], scope: str = "Z") -> str:
    """A table of numbers in Coq, a line for each row."""
    return "([\n  " + ";\n  ".join(listed(row) for row in rows) + f" ])%{scope}"


def rational(x: Fraction) -> str:
    """A rational number in Coq, in the scope of Q."""
    if x.denominator > 1:
        return f"({x.numerator} # {x.denominator})"
    return str(x.numerator) if x >= 0 else f"({x.numerator})"
