"""The losses of ours that libraries share."""

from typing import Final

from consistency_lab.model.surrogates.tasks.libraries.entry import Family

LOGISTIC_PAIRS: Final = Family(
    "logistic", "pairs", {"phi": "log(1+exp(-x))", "weights": "unit", "normalized": "none"}
)
"""RankNet: every pair with different grades, with the logistic loss."""

MEAN_LOGISTIC_PAIRS: Final = Family(
    "logistic-mean", "pairs", {"phi": "log(1+exp(-x))", "weights": "unit", "normalized": "pairs"}
)
"""The same, each list divided by the number of its pairs."""

HINGE_PAIRS: Final = Family("hinge", "pairs", {"phi": "max(0,1-x)", "weights": "unit", "normalized": "none"})
"""Every pair with different grades, with the hinge loss."""

MEAN_HINGE_PAIRS: Final = Family(
    "hinge-mean", "pairs", {"phi": "max(0,1-x)", "weights": "unit", "normalized": "pairs"}
)
"""The same, each list divided by the number of its pairs."""

SQUARED_PAIRS: Final = Family("pair-square", "pair-square", {"weights": "grade"})
"""Squared differences between differences of scores and of grades."""

SQUARES: Final = Family("regression-grade", "regression", {"f": "grade"})
"""Least squares on the grades."""

SOFTMAX: Final = Family("softmax-none", "softmax", {"labels": "none"})
"""Cross-entropy of the softmax with the grades as they are."""

LIST_MLE: Final = Family("list-mle", "list-mle", {"ties": "average"})
"""Plackett-Luce likelihood, averaged over the orders of tied items."""

UNIQUE_SOFTMAX: Final = Family("unique-softmax", "unique-softmax", {"gain": "2**s-1"})
"""Each item against the items with lower grades, weighted by its gain."""

SIGMOID: Final = Family("sigmoid", "sigmoid", {"f": "grade"})
"""Binary cross-entropy, item by item."""

SOFT_PAIRS: Final = Family("soft-zero-one", "soft-pairs", {"normalized": "none"})
"""A sigmoid for every pair with different grades."""

MEAN_SOFT_PAIRS: Final = Family("soft-zero-one-mean", "soft-pairs", {"normalized": "pairs"})
"""The same, each list divided by the number of its pairs."""

ORDINAL: Final = Family("ordinal", "ordinal", {"n": None})
"""A chance for each threshold, as many as the highest grade, added up."""
