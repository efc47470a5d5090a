"""Scores linear in features, and the order of a trained policy: best in the class, Pareto, majority."""
