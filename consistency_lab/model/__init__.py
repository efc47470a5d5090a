"""The question: preference graphs, distributions, targets, conditions and surrogates."""
