"""How wrong, how often: measures of a surrogate's inconsistency beyond the verdict (THEORY §9)."""
