"""A stand-in for a web search collection: SYNTHETIC queries and documents in the shape of MSLR-WEB10K."""

from typing import Final

import numpy as np

from consistency_lab.data.letor import Letor

TITLE: Final = "SYNTHETIC stand-in for MSLR-WEB10K"

FEATURES: Final = 136
SHARES: Final = (0.52, 0.32, 0.13, 0.02, 0.01)
"""Of the labels 0 to 4: most documents are irrelevant, and few are perfect."""

_FACTORS: Final = 8
_SIZES: Final = (80, 120)


def synthetic(queries: int, seed: int) -> Letor:
    r"""Draw documents whose labels depend on the features, but not through a line.

    Each document has 8 hidden factors z, standard normal, and the hidden relevance

    .. math:: z_1 + 0.7 z_2 1(z_3 > 0) + 0.8 \max(z_4, z_5) + 0.35 z_6^2 + 0.4 \epsilon + 0.6 \epsilon_q

    with noise of its own and of its query; labels cut it at the quantiles of `SHARES`. A feature is a random
    combination of about a third of the factors, and noise; a third of the features are exponentials of such,
    and a third have their negative part cut off, as counts have. So the order by relevance is no linear
    function of the features.

    Parameters
    ----------
    queries
        How many; each has 80 to 120 documents.
    seed
        Of all that is drawn.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.integers(_SIZES[0], _SIZES[1] + 1, queries)
    numbers = np.repeat(np.arange(queries), sizes)
    n = len(numbers)
    z = rng.standard_normal((n, _FACTORS))
    hidden = z[:, 0] + 0.7 * z[:, 1] * (z[:, 2] > 0) + 0.8 * np.maximum(z[:, 3], z[:, 4])
    hidden += 0.35 * z[:, 5] ** 2
    hidden += 0.4 * rng.standard_normal(n) + 0.6 * rng.standard_normal(queries)[numbers]
    cuts = np.quantile(hidden, np.cumsum(SHARES)[:-1])
    mixing = rng.standard_normal((_FACTORS, FEATURES)) * (rng.random((_FACTORS, FEATURES)) < 1 / 3)
    features = z @ mixing + rng.standard_normal((n, FEATURES)) * rng.uniform(0.3, 2.0, FEATURES)
    kind = rng.integers(0, 3, FEATURES)
    features[:, kind == 1] = np.exp(0.7 * features[:, kind == 1])
    features[:, kind == 2] = np.maximum(features[:, kind == 2], 0.0)
    grades = np.searchsorted(cuts, hidden).astype(np.float64)
    return Letor(features, grades, numbers, tuple(f"synthetic-{q + 1}" for q in range(queries)))
