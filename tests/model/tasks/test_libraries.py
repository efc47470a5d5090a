"""The losses of libraries: what was read from their sources, and that ours are the same functions."""

from fractions import Fraction

import numpy as np
import pytest

from consistency_lab.core.risk import Linear, LogSumExp
from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.fields import FIELDS, expected_shares
from consistency_lab.model.surrogates.tasks.libraries import (
    entry,
    is_library_name,
    library_losses,
    library_names,
)
from consistency_lab.model.surrogates.tasks.shipped import LIBRARIES
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import enclose_value
from tests.gradients import gradient

NAMES = tuple(LIBRARIES)


def plain(name):
    return entry(name).plain


def value(surrogate, grades, scores):
    """psi(y, u) in floats, up to nothing: both kinds of families."""
    task = target("ndcg", items=len(grades), labels=tuple(range(3)))
    u = np.array(scores)
    if isinstance(surrogate, MeanSurrogate):
        f = np.array([float(x) for x in surrogate.features(task, grades)])
        if surrogate.link == "log":
            return float(-(f * (u - np.log(np.exp(u).sum()))).sum())
        return float(((f - u) ** 2).sum())
    total = 0.0
    for atom in surrogate.atoms(task, grades):
        if isinstance(atom, LogSumExp):
            total += float(atom.c) * float(np.log(np.exp(u[list(atom.over)]).sum()))
        elif isinstance(atom, Linear):
            total += sum(float(c) * u[i] for i, c in atom.v)
        else:
            x = sum(Fraction(c) * Fraction(scores[i]) for i, c in atom.v)
            total += float(atom.c) * float(enclose_value(atom.phi, LogRational(Fraction(x))).mid())
    return total


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_builds_and_fits_graded_labels(name):
    line = entry(name)
    task = target("ndcg", labels=(0, 1) if line.binary else (0, 1, 2))
    line.check(task)
    for surrogate in (line.plain, line.default):
        if surrogate is not None:
            surrogate.check(task)
            assert surrogate.describe(task)["family"] == surrogate.family.name
    assert (line.default is not None) == (line.shipped == "loss")
    assert (line.field is not None) == (line.shipped in ("descent", "field"))
    assert line.plain is not None or line.shipped in ("field", "unsupported")


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_says_where_it_was_read_and_what_to_know(name):
    line = entry(name)
    assert len(line.release.commit) == 40
    assert line.release.version in line.citation
    assert line.file in line.citation
    assert line.file.rpartition(".")[2] in ("py", "cc", "cpp", "h", "hpp")
    assert len(line.note) > 40
    assert line.note.endswith(".")
    assert ". " not in line.note


def test_libraries_in_order():
    assert library_names() == ("xgboost", "lightgbm", "catboost", "tf-ranking", "rax", "allrank")
    assert sum(len(library_losses(library)) for library in library_names()) == len(NAMES)


def test_names_are_found_in_any_case_and_near_ones_are_suggested():
    assert entry("AllRank:listnet").name == "allrank:listNet"
    with pytest.raises(InputError, match="did you mean 'xgboost:rank:pairwise'"):
        entry("xgboost:rank:pairwis")
    with pytest.raises(InputError, match="did you mean 'lightgbm'"):
        library_losses("lightbgm")
    with pytest.raises(InputError, match="the libraries are xgboost"):
        entry("sklearn")
    assert not is_library_name("package.module:Loss")


def test_a_task_that_does_not_fit():
    with pytest.raises(InputError, match=r"ask with --labels 0\.\.1"):
        entry("xgboost:rank:map").check(target("ndcg"))
    with pytest.raises(InputError, match="gains of its own"):
        entry("lightgbm:rank_xendcg").check(target("pairwise"))
    with pytest.raises(InputError, match="labels that are grades"):
        entry("rax:softmax_loss").check(target("pairwise", labels="rankings"))


# Defaults, from the files that the entries cite.
DEFAULTS = {
    "xgboost:rank:pairwise": {"lambdarank_normalization": "true", "lambdarank_pair_method": "topk"},
    "xgboost:rank:map": {"lambdarank_score_normalization": "true"},
    "xgboost:rank:ndcg": {"ndcg_exp_gain": "true", "lambdarank_num_pair_per_sample": "32"},
    "lightgbm:lambdarank": {"lambdarank_norm": "true", "lambdarank_truncation_level": "30", "sigmoid": "1.0"},
    "tf-ranking:approx_ndcg_loss": {"temperature": "0.1"},
    "tf-ranking:softmax_loss": {"temperature": "1.0", "lambda_weight": "None"},
    "tf-ranking:ordinal_loss": {"ordinal_size": "1"},
    "rax:pairwise_logistic_loss": {"reduce_fn": "mean"},
    "rax:poly1_softmax_loss": {"epsilon": "1.0"},
    "rax:listmle_loss": {"key": "None"},
    "allrank:lambdaLoss": {"reduction": "sum", "weighing_scheme": "None"},
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults(name):
    assert entry(name).defaults.items() >= DEFAULTS[name].items()


@pytest.mark.parametrize("name", FIELDS)
def test_the_fields_are_those_of_the_entries_and_agree_about_the_defaults(name):
    line = entry(name)
    assert line.field == FIELDS[name]
    assert line.field.version == line.release.version
    for key, default in line.field.parameters.items():
        if key != "label_gain":
            stated = line.defaults[key]
            same = str(default).lower() in (stated, stated.removesuffix(".0"))
            assert same or Fraction(str(default)) == Fraction(stated)


# The examples printed in the documentation of TF-Ranking (0.5.5.dev, keras/losses.py) for y = (1, 0) and
# u = (0.6, 0.8), times what its reduction divides by; and of Rax (0.4.0, losses.py).
PRINTED = [
    ("tf-ranking:pairwise_hinge_loss", (1, 0), (0.6, 0.8), 0.6 * 2),
    ("tf-ranking:pairwise_logistic_loss", (1, 0), (0.6, 0.8), 0.39906943 * 2),
    ("tf-ranking:softmax_loss", (1, 0), (0.6, 0.8), 0.7981389),
    ("tf-ranking:unique_softmax_loss", (1, 0), (0.6, 0.8), 0.7981389),
    ("tf-ranking:list_mle_loss", (1, 0), (0.6, 0.8), 0.7981389),
    ("tf-ranking:mean_squared_loss", (1, 0), (0.6, 0.8), 0.4 * 2),
    ("rax:softmax_loss", (1, 0, 0), (2.0, 1.0, 3.0), 1.4076059),
]


@pytest.mark.parametrize(("name", "grades", "scores", "printed"), PRINTED)
def test_values_that_the_libraries_print(name, grades, scores, printed):
    assert value(plain(name), grades, scores) == pytest.approx(printed, abs=2e-7)


def test_rax_and_allrank_divide_by_the_number_of_pairs():
    """Reductions: a mean over the pairs of a list, where TF-Ranking under Keras takes their sum."""
    for name in ("rax:pairwise_logistic_loss", "allrank:rankNet", "rax:pairwise_hinge_loss"):
        for grades, pairs in (((2, 1, 0), 3), ((2, 0, 0), 2)):
            mean, whole = (value(x, grades, (0.0, 0.5, 0.2)) for x in (entry(name).default, plain(name)))
            assert mean == pytest.approx(whole / pairs)


def test_one_pair_of_xgboost_follows_the_gradient_of_no_convex_loss():
    """The slope of a convex function of u_1 - u_2 never falls; after both normalizations this one does."""
    field = FIELDS["xgboost:rank:pairwise"]
    far, near = (gradient(field, (1, 0), np.array([x, 0.0]))[0] for x in (-1.0, -1e-6))
    assert near < far < 0


def test_xendcg_stops_where_the_softmax_is_the_mean_share():
    """The extra terms vanish too."""
    shares = np.array([float(share) for share in expected_shares((2, 1, 1))])
    field = FIELDS["lightgbm:rank_xendcg"]
    assert gradient(field, (2, 1, 1), np.log(shares)) == pytest.approx([0, 0, 0], abs=1e-9)
    elsewhere = gradient(field, (2, 1, 1), np.log(shares) + np.array([0.1, 0, 0]))
    assert abs(elsewhere).min() > 1e-3
