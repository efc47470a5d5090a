"""How wrong, how often: measures of a surrogate's inconsistency beyond the verdict.

See docs/theory.md, How wrong and how often.
"""
