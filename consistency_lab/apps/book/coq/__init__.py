"""Proof files as theorems for Coq, one template for each kind of proof."""
