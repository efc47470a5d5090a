"""A witness as a proof in plain text: every number in it can be checked by hand or with a calculator."""

from consistency_lab.report.proof.explicit import explicit_proof as proof

__all__ = ["proof"]
