"""Files of proofs: a proof that the core decides, and names beside it that are recomputed."""
