"""The bundled elections whose Condorcet winner lost the instant runoff: Burlington 2009 and Alaska 2022."""

import pytest

from consistency_lab import audit, read_profile

# The head-to-head counts that the sources publish, winner : loser.
PUBLISHED = {
    "burlington.toc": {
        ("Montroll", "Kiss"): (4067, 3477),
        ("Montroll", "Wright"): (4597, 3668),
        ("Kiss", "Wright"): (4314, 4064),
    },
    "alaska.csv": {
        ("Begich", "Peltola"): (88126, 79486),
        ("Begich", "Palin"): (101438, 63666),
        ("Peltola", "Palin"): (91266, 86026),
    },
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_pair_counts_are_the_published_ones(name: str) -> None:
    profile = read_profile(name)
    place = profile.items.index
    for (winner, loser), counts in PUBLISHED[name].items():
        i, j = place(winner), place(loser)
        assert (profile.wins[i][j], profile.wins[j][i]) == counts


@pytest.mark.parametrize(("name", "first"), [("burlington.toc", "Montroll"), ("alaska.csv", "Begich")])
def test_each_loss_puts_the_condorcet_winner_first(name: str, first: str) -> None:
    profile = read_profile(name)
    found = audit(profile, ["logistic", "linear", "hinge"], resamples=0, simulations=0)
    assert [profile.items[one.order[0]] for one in found.findings] == [first] * 3
