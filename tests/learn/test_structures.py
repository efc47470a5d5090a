"""The structures: exact small cases, closed forms of DMJ13 §5, numpy's and choix's answers, symmetries."""

from fractions import Fraction
from itertools import permutations
from math import log

import choix
import numba
import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from consistency_lab.apps.learn import aggregate
from consistency_lab.errors import InputError

WINS = [[0, 3, 1], [1, 0, 2], [1, 0, 0]]
PAIRS = [
    aggregate.AverageAdjacency(),
    aggregate.BTLLogOdds(c=1),
    aggregate.ThurstoneMosteller(),
    aggregate.ThurstoneMosteller(of=aggregate.AverageAdjacency()),
    aggregate.Borda(),
    aggregate.Borda(of=aggregate.BTLLogOdds(c=0.1)),
    aggregate.AmmarShah(),
    aggregate.PrincipalEigenvector(c=0.5),
]
NAMES = [str(one) for one in PAIRS]


def share(i, j, c=0):
    """P(i over j) + c in `WINS`, which are 8 comparisons."""
    return Fraction(WINS[i][j], 8) + c


def least_squares(d, compared):
    """The scores of a connected graph as fractions: the last one is held at 0, then the mean is."""
    m = len(d)
    laplacian = [[fmpq(0)] * m for _ in range(m)]
    right = [[fmpq(0)] for _ in range(m)]
    for i, j in compared:
        for x, y in ((i, j), (j, i)):
            laplacian[x][x] += 1
            laplacian[x][y] -= 1
            right[x][0] += fmpq(d[x][y].numerator, d[x][y].denominator) / 2
    found = fmpq_mat([row[:-1] for row in laplacian[:-1]]).solve(fmpq_mat(right[:-1]))
    scores = [Fraction(int(found[i, 0].p), int(found[i, 0].q)) for i in range(m - 1)] + [Fraction(0)]
    return [one - sum(scores) / m for one in scores]


@st.composite
def wins(draw, most=6):
    m = draw(st.integers(2, most))
    rows = [[0 if i == j else draw(st.integers(0, 4)) for j in range(m)] for i in range(m)]
    rows[0][1] += 1
    return np.array(rows, dtype=float)


def test_average_adjacency_is_the_mean_over_the_labels():
    expected = [[float(share(i, j)) for j in range(3)] for i in range(3)]
    assert aggregate.AverageAdjacency().matrix(WINS).tolist() == expected
    assert aggregate.AverageAdjacency().matrix(WINS, total=2)[0, 1] == 1.5


def test_log_odds_are_logarithms_of_these_fractions():
    one = Fraction(1)
    matrix = aggregate.BTLLogOdds(c=1).matrix(WINS)
    for i, j in permutations(range(3), 2):
        assert matrix[i, j] == pytest.approx(log(share(i, j, one) / share(j, i, one)), abs=1e-15)
    assert (matrix == -matrix.T).all()


def test_a_pair_that_was_never_compared_has_no_log_odds_and_one_that_was_always_won_has_finite_ones():
    matrix = aggregate.BTLLogOdds(c=0.01).matrix([[0, 5, 0], [0, 0, 0], [0, 0, 0]])
    assert matrix[0, 1] == pytest.approx(log(101))
    assert matrix[0, 2] == matrix[2, 1] == 0


def test_scores_of_a_matrix_are_its_row_means():
    assert aggregate.BTLLogOdds().scores(WINS) == pytest.approx(
        aggregate.BTLLogOdds().matrix(WINS).sum(axis=1) / 3
    )
    d = [[(share(i, j) - share(j, i)) / 2 for j in range(3)] for i in range(3)]
    assert aggregate.AverageAdjacency().scores(WINS).tolist() == pytest.approx(
        [float(sum(row) / 3) for row in d]
    )


def test_pair_weights_are_positive_parts_of_differences():
    weights = aggregate.AverageAdjacency().pair_weights(WINS)
    expected = [[float(max(share(i, j) - share(j, i), 0)) for j in range(3)] for i in range(3)]
    assert weights.tolist() == expected
    scores = aggregate.AmmarShah().scores(WINS)
    assert aggregate.AmmarShah().pair_weights(WINS)[0, 2] == scores[0] - scores[2] > 0


@pytest.mark.parametrize(
    ("counts", "compared"),
    [
        (WINS, [(0, 1), (0, 2), (1, 2)]),
        ([[0, 3, 0], [1, 0, 2], [0, 1, 0]], [(0, 1), (1, 2)]),
        ([[0, 1, 0, 2], [0, 0, 3, 0], [0, 1, 0, 5], [1, 0, 0, 0]], [(0, 1), (1, 2), (2, 3), (0, 3)]),
    ],
)
def test_thurstone_and_mosteller_against_exact_normal_equations(counts, compared):
    k = sum(map(sum, counts))
    m = len(counts)
    d = [[Fraction(counts[i][j] - counts[j][i], k) for j in range(m)] for i in range(m)]
    found = aggregate.ThurstoneMosteller(of=aggregate.AverageAdjacency()).scores(counts)
    assert found == pytest.approx([float(one) for one in least_squares(d, compared)], abs=1e-15)


@settings(max_examples=20)
@given(wins())
def test_thurstone_and_mosteller_are_the_pseudo_inverse(counts):
    of = aggregate.BTLLogOdds(c=0.5)
    mask = ((counts + counts.T) > 0).astype(float)
    laplacian = np.diag(mask.sum(axis=1)) - mask
    expected = np.linalg.pinv(laplacian) @ (mask * of.matrix(counts)).sum(axis=1)
    assert aggregate.ThurstoneMosteller(of).scores(counts) == pytest.approx(expected, abs=1e-12)


def test_components_have_mean_zero_and_an_item_without_comparisons_is_zero():
    counts = np.zeros((5, 5))
    counts[0, 1] = counts[2, 3] = 3
    counts[1, 0] = 1
    scores = aggregate.ThurstoneMosteller(of=aggregate.AverageAdjacency()).scores(counts)
    assert scores == pytest.approx([1 / 14, -1 / 14, 3 / 28, -3 / 28, 0])


def test_borda_counts_how_many_items_are_beaten():
    """Two complete orders: 1 > 2 > 3 > 4 and 2 > 1 > 3 > 4."""
    counts = np.array([[0, 1, 2, 2], [1, 0, 2, 2], [0, 0, 0, 2], [0, 0, 0, 0]])
    beaten = np.array([5, 5, 2, 0]) / 2
    assert aggregate.Borda().scores(counts, total=2).tolist() == (beaten - 3 / 2).tolist()


def test_ammar_and_shah_are_borda_of_the_shares_less_a_half():
    def rate(i, j):
        met = WINS[i][j] + WINS[j][i]
        return Fraction(WINS[i][j], met) if met else Fraction(1, 2)

    borda = [sum(rate(i, j) - Fraction(1, 2) for j in range(3) if j != i) for i in range(3)]
    expected = [Fraction(1, 2) + one / 2 for one in borda]
    assert expected == [Fraction(5, 8), Fraction(5, 8), Fraction(1, 4)]
    assert aggregate.AmmarShah().scores(WINS).tolist() == [float(one) for one in expected]


def test_ratios_of_weights_have_these_weights_as_their_principal_eigenvector():
    """With c k = 1: ratios 2, 2 and 4."""
    found = aggregate.PrincipalEigenvector(c=1 / 5).scores([[0, 1, 3], [0, 0, 1], [0, 0, 0]])
    assert found == pytest.approx([4 / 7, 2 / 7, 1 / 7], abs=1e-15)


@pytest.mark.parametrize("c", [1, 0.1, 1e-4])
@settings(max_examples=20)
@given(counts=wins())
def test_the_principal_eigenvector_is_that_of_numpy(c, counts):
    values, vectors = np.linalg.eig(np.exp(aggregate.BTLLogOdds(c).matrix(counts)))
    expected = np.abs(vectors[:, np.argmax(values.real)])
    assert aggregate.PrincipalEigenvector(c).scores(counts) == pytest.approx(
        expected / expected.sum(), rel=1e-7
    )


@pytest.mark.parametrize("c", [1, 1e-3, 1e-6])
@pytest.mark.parametrize("ends", [False, True])
def test_the_principal_eigenvector_is_enclosed(c, ends):
    """Collatz and Wielandt: the eigenvalue lies between the least and the largest (As)_i/s_i."""
    counts = np.diag(np.ones(11), 1)
    counts[11, 0] = ends
    scores = aggregate.PrincipalEigenvector(c).scores(counts)
    ratios = np.exp(aggregate.BTLLogOdds(c).matrix(counts)) @ scores / scores
    assert scores.min() > 0 and scores.sum() == pytest.approx(1)
    assert ratios.max() <= ratios.min() * (1 + 1e-12)


def test_on_data_of_the_model_the_log_odds_are_choix_s_maximum_likelihood():
    strength = np.array([6.0, 3.0, 2.0, 1.0])
    counts = 100 * strength[:, None] / (strength[:, None] + strength[None, :])
    np.fill_diagonal(counts, 0)
    log_strength = np.log(strength) - np.log(strength).mean()
    assert choix.lsr_pairwise_dense(counts) == pytest.approx(log_strength)
    assert choix.ilsr_pairwise_dense(counts) == pytest.approx(log_strength)
    assert aggregate.ThurstoneMosteller(aggregate.BTLLogOdds(c=1e-12)).scores(counts) == pytest.approx(
        log_strength
    )
    eigenvector = np.log(aggregate.PrincipalEigenvector(c=1e-12).scores(counts))
    assert eigenvector - eigenvector.mean() == pytest.approx(log_strength)


@pytest.mark.parametrize("one", PAIRS, ids=NAMES)
@settings(max_examples=20)
@given(counts=wins(), seed=st.integers(0, 99))
def test_renaming_items_renames_scores(one, counts, seed):
    order = np.random.default_rng(seed).permutation(len(counts))
    renamed = counts[np.ix_(order, order)]
    assert one.scores(renamed) == pytest.approx(one.scores(counts)[order], abs=1e-9)
    assert one.matrix(renamed) == pytest.approx(one.matrix(counts)[np.ix_(order, order)], abs=1e-9)


@pytest.mark.parametrize("one", PAIRS, ids=NAMES)
def test_a_cycle_is_a_tie_who_wins_everything_is_first_and_nothing_said_ties_all(one):
    scores = one.scores([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
    assert scores == pytest.approx(np.full(3, scores[0]), abs=1e-15)
    scores = one.scores([[0, 0, 1], [2, 0, 2], [0, 0, 0]])
    assert scores[1] > scores[0] > scores[2]
    assert len(set(one.scores(np.zeros((3, 3))).tolist())) == 1
    assert np.isfinite(one.matrix(np.zeros((1, 1)))).all()


@pytest.mark.parametrize("one", [PAIRS[1], PAIRS[2]], ids=str)
def test_a_kernel_can_be_called_in_compiled_code(one):
    @numba.njit
    def twice(kernel, counts, total, c):
        return 2.0 * kernel(counts, total, c)

    counts = np.array(WINS, dtype=float)
    expected = one.matrix(counts) if one.kind == "matrix" else one.scores(counts)
    assert twice(one.kernel, counts, 8.0, one.smoothing) == pytest.approx(2 * expected)


@pytest.mark.parametrize(
    ("wins", "total", "words"),
    [
        ([[0, 1]], None, r"have shape \(1, 2\)"),
        ([[0, -1], [0, 0]], None, "finite numbers, at least 0"),
        ([[0, float("nan")], [0, 0]], None, "finite numbers, at least 0"),
        ([[1, 0], [0, 0]], None, "preferred to itself"),
        ([[0, 1], [0, 0]], 0, "the number of labels is 0"),
        ([[0, "x"], [0, 0]], None, "must be an array of numbers"),
    ],
)
def test_wrong_wins_are_refused(wins, total, words):
    for one in PAIRS:
        for ask in (one.scores, one.matrix, one.pair_weights):
            with pytest.raises(InputError, match=words):
                ask(wins, total)


@pytest.mark.parametrize("c", [0, -1, float("inf"), float("nan"), "1"])
@pytest.mark.parametrize("kind", [aggregate.BTLLogOdds, aggregate.PrincipalEigenvector])
def test_smoothing_is_a_number_above_zero(kind, c):
    with pytest.raises(InputError, match="the smoothing c is"):
        kind(c=c)


@pytest.mark.parametrize("kind", [aggregate.ThurstoneMosteller, aggregate.Borda])
def test_scores_are_made_of_a_matrix(kind):
    with pytest.raises(InputError, match=r"made of AmmarShah\(\); it must be one of Ave"):
        kind(of=aggregate.AmmarShah())


def test_clicks_are_counted_against_examinations():
    assert aggregate.CascadeMLE().scores([3, 1, 0], [7, 1, 0]).tolist() == [float(Fraction(3, 7)), 1.0, 0.0]
    with pytest.raises(InputError, match="between 0 and the examinations"):
        aggregate.CascadeMLE().scores([2], [1])
    with pytest.raises(InputError, match=r"shape \(2,\) and examinations \(1,\)"):
        aggregate.CascadeMLE().scores([2, 1], [1])


def test_the_click_rates_maximize_the_likelihood_of_the_cascade_model():
    sessions = [
        ((0, 1, 2), 1),
        ((0, 1, 2), None),
        ((2, 0, 1), 0),
        ((1, 0, 2), 1),
        ((0, 2, 1), 2),
        ((2, 1, 0), 1),
    ]

    def loss(theta):
        total = 0.0
        for order, click in sessions:
            passed = order if click is None else order[:click]
            total -= sum(log(1 - theta[i]) for i in passed)
            total -= 0 if click is None else log(theta[order[click]])
        return total

    clicks, examined = [1, 3, 1], [4, 5, 4]
    found = aggregate.CascadeMLE().scores(clicks, examined)
    best = minimize(loss, [0.5] * 3, bounds=[(1e-6, 1 - 1e-6)] * 3, tol=1e-12)
    assert found == pytest.approx(best.x, abs=1e-4)
    assert loss(found) <= best.fun + 1e-12


def test_structures_by_name():
    for name, kind in aggregate.STRUCTURES.items():
        assert type(aggregate.structure(name)) is kind
        assert kind.name == name
        assert aggregate.structure(name) == kind() and hash(aggregate.structure(name)) == hash(kind())
    assert aggregate.structure("borda", of=aggregate.BTLLogOdds(c=2)) == aggregate.Borda(
        aggregate.BTLLogOdds(2)
    )
    with pytest.raises(InputError, match="no structure 'btl-logodds'; did you mean 'btl-log-odds'"):
        aggregate.structure("btl-logodds")
    with pytest.raises(InputError, match="ammar-shah has no parameter 'c'; it has none"):
        aggregate.structure("ammar-shah", c=1)


def test_the_table_of_the_page_has_all_of_each():
    rows = {(kind.title, kind.formula, kind.limit) for kind in aggregate.STRUCTURES.values()}
    assert len(rows) == len(aggregate.STRUCTURES) and all(all(row) for row in rows)
    assert "|" not in "".join("".join(row) for row in rows)
