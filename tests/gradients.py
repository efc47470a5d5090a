"""Gradient fields at scores in floats: what the searches average, one label at a time."""

from consistency_lab.model.surrogates.tasks.fields import GradientField


def floats(piece, scores):
    """The gradient of a piece."""
    return piece.together([(1.0, piece)])(scores)[0]


def curvature(piece, scores):
    """What the library divides the gradient of an item by."""
    return piece.together([(1.0, piece)])(scores)[1]


gradient = GradientField.gradient
