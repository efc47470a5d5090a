"""Exact rationals, balls, formulas, scalar functions, and what is proved of them."""
