"""Gradient fields at scores in floats: what the searches average, one label at a time."""

import numpy as np


def floats(piece, scores):
    """The gradient of a piece."""
    return piece.together([(1.0, piece)])(scores)[0]


def curvature(piece, scores):
    """What the library divides the gradient of an item by."""
    return piece.together([(1.0, piece)])(scores)[1]


def gradient(field, label, scores):
    """The gradient at scores of shape (..., m); equal scores rank in the order of the items."""
    rows = np.asarray(scores, dtype=float)
    flat = rows.reshape(-1, rows.shape[-1])
    orders = map(tuple, np.argsort(-flat, axis=1, kind="stable").tolist())
    each = [floats(field.piece(label, order), at[None])[0] for order, at in zip(orders, flat, strict=True)]
    return np.array(each).reshape(rows.shape)
