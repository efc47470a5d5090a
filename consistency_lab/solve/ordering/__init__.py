"""Least costly orders of many items: a linear program over triples, branching, and evidence for the bound.

See docs/theory.md, Target loss.
"""
