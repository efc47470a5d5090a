"""Audits to report on: small real ones, and ones with names that are meant to do harm."""

from dataclasses import replace
from random import Random

import pytest

from consistency_lab import Profile, read_profile
from consistency_lab.apps.audit.audit import audit

LOSSES = ("logistic", "linear", "difference-logistic", "thurstone")
HARM = ("<script>alert(1)</script>", '"><img src=x>', "A & B", "</svg>", "it's", "東京")


@pytest.fixture(scope="session")
def vermont():
    return audit(read_profile("vermont.toc"), LOSSES, resamples=200, simulations=50)


@pytest.fixture(scope="session")
def counted():
    """The same pairs as comparisons that are independent of each other."""
    wins = read_profile("vermont.toc").wins
    return audit(
        Profile.from_matrix(wins, ["Beck", "Fay", "South", "Willhoit"]), LOSSES, resamples=50, simulations=50
    )


@pytest.fixture(scope="session")
def harmful():
    """A cycle, so that no order is without contradictions; the names are markup."""
    pairs = [
        (HARM[i], HARM[j])
        for i in range(6)
        for j in range(6)
        if (j - i) % 6 in {1, 2, 3}
        for _ in range(i + 2)
    ]
    return audit(Profile.from_pairs(pairs, title="<b>cycle</b>"), LOSSES, resamples=50, simulations=20)


@pytest.fixture(scope="session")
def large():
    """25 items, of which most pairs were compared."""
    drawn = Random(11)
    names = [f"item {k} of a league" for k in range(25)]
    pairs = [(names[i], names[j]) for _ in range(1500) for i, j in [sorted(drawn.sample(range(25), 2))]]
    turned = [(b, a) if drawn.random() < 0.4 else (a, b) for a, b in pairs]
    return audit(Profile.from_pairs(turned), LOSSES, resamples=50, simulations=20, flips=False)


@pytest.fixture(scope="session")
def unsampled(vermont):
    findings = tuple(
        replace(finding, stability=None, above_noise=None, flip=None) for finding in vermont.findings
    )
    return replace(vermont, findings=findings, tests=None, null=None)


@pytest.fixture(params=["vermont", "harmful", "large", "unsampled"])
def any_audit(request):
    return request.getfixturevalue(request.param)
